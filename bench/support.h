// What several benchmarks need: results that must be there, folders that go, threads, checksums.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "talea/reader.h"
#include "talea/result.h"

namespace talea::bench {

// What the result holds; a benchmark has no use for an error.
template <class T>
T Must(Result<T> result) {
  if (!result) fmt::print(stderr, "{}\n", result.error().message());
  TALEA_CHECK(result.has_value());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

// A folder that is gone with it.
class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / "talea-bench-XXXXXX").string()) {
    TALEA_CHECK(::mkdtemp(path_.data()) != nullptr);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs the body in that many threads at once, and adds up what they return.
template <class Body>
std::uint64_t InThreads(int count, Body body) {
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(count));
  std::vector<std::jthread> threads;
  for (int thread = 1; thread < count; ++thread) {
    threads.emplace_back([&, thread] { sums[static_cast<std::size_t>(thread)] = body(thread); });
  }
  sums[0] = body(0);
  threads.clear();
  std::uint64_t sum = 0;
  for (const std::uint64_t each : sums) sum += each;
  return sum;
}

inline std::uint64_t Weigh(ByteView key, ByteView value) {
  std::uint64_t weight = value.size();
  weight = weight * 31 + static_cast<unsigned char>(key.empty() ? 0 : key.back());
  return weight * 31 + static_cast<unsigned char>(value.empty() ? 0 : value.front());
}

inline std::uint64_t ScanOurs(Reader& reader, const Keyspace& keyspace, KeyRange range) {
  std::uint64_t weight = 0;
  for (std::optional<KeyRange> rest = std::move(range); rest;) {
    const Page page = Must(reader.Range(keyspace, *rest));
    for (const Row row : page) weight += Weigh(row.key, row.value);
    rest = page.rest();
  }
  return weight;
}

}  // namespace talea::bench
