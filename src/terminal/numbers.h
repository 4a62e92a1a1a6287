// Numbers for people.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace talea {

// With three digits that count: 950, 1.23 M, 0.0456.
std::string ShortNumber(double value);

// Bytes, with decimal prefixes as disks are sold: 950 B, 1.23 MB.
std::string ShortBytes(double bytes);

// Every digit, in groups: 1,234,567.
std::string FullNumber(std::int64_t value);
std::string FullNumber(std::uint64_t value);

// A duration: 0:07, 12:30, 3:05:00.
std::string ShortDuration(std::chrono::duration<double> duration);

// "1 row", "2 rows", "1,500 rows".
std::string Counted(std::uint64_t count, const std::string& one);

}  // namespace talea
