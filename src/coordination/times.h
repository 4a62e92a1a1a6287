// Moments as rows hold them, and how far they may lie ahead.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "talea/bytes.h"
#include "talea/result.h"
#include "talea/time.h"

namespace talea {

// A packed tuple of one integer: microseconds since 1970.
std::string EncodeTime(Timestamp time);
// Corruption, naming `what`, if the value is anything else.
Result<Timestamp> DecodeTime(std::string_view what, ByteView value);

// `now + duration`; invalid_argument unless the duration is positive and the sum can be told.
Result<Timestamp> Later(Timestamp now, std::chrono::microseconds duration);

// The same for durations of our own, with nothing to refuse: they end at the end of time.
Timestamp After(Timestamp now, std::chrono::microseconds duration);
Timestamp Before(Timestamp now, std::chrono::microseconds duration);

// For messages: 2026-02-01 12:30:00 UTC, or the number of microseconds where there is no such date.
std::string Describe(Timestamp time);

}  // namespace talea
