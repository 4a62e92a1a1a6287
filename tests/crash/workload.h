// What the writer writes, so that whoever looks at it afterwards can tell whole commits from
// halves.
//
// Each of its threads makes numbered commits. Number n of a thread, in one transaction over four
// keyspaces,
// - puts n as the thread's last number,
// - puts n, with some padding, in the thread's row n % 64,
// - adds n to the thread's sum, and 1 to a counter that all threads share,
// - and every 16th time erases all of the thread's rows before it puts its own.
// So from the last number alone follows everything else. The first thread also ingests now and
// then.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "talea/rocksdb_engine.h"

namespace talea::crash {

inline constexpr int kThreads = 2;

// What the writer tells when a commit was acknowledged; written to a pipe in one piece.
struct Acknowledgement {
  std::uint32_t thread;  // or kIngests
  std::uint32_t durability;
  std::uint64_t number;
  std::uint64_t version;
};
inline constexpr std::uint32_t kIngests = kThreads;

// Opens with buffers so small, if asked for, that flushes and compactions happen all the time.
Result<std::unique_ptr<RocksDbEngine>> OpenDatabase(const std::filesystem::path& folder,
                                                    bool small_buffers);

// Commit number `number` of a thread.
Result<Version> WriteNumber(Engine& engine, std::uint32_t thread, std::uint64_t number,
                            Durability durability);

// Ingests rows that all hold `number`, and a batch that says so.
Result<Version> IngestNumber(Engine& engine, std::uint64_t number);

// The last number of each thread, and of the ingests.
Result<std::array<std::uint64_t, kThreads + 1>> LastNumbers(Reader& reader);

// What is stored against what follows from the last numbers; empty if all is well.
Result<std::string> FindHalfCommits(Reader& reader);

}  // namespace talea::crash
