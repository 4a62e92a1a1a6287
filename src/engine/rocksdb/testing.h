// What the tests of the RocksDB engine share.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "talea/rocksdb_engine.h"
#include "talea/testing/result_matchers.h"

namespace talea {

inline constexpr Keyspace kTestPoints{200, AccessPattern::point, "points"};
inline constexpr Keyspace kTestScans{201, AccessPattern::scan, "scans"};
inline constexpr Keyspace kTestCounters{202, AccessPattern::counter, "counters"};

// Each test has a folder of its own, with nothing in it.
class RocksDbTest : public testing::Test {
 protected:
  RocksDbTest() {
    std::string path = (std::filesystem::temp_directory_path() / "talea-rocksdb-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) std::abort();
    root_ = path;
  }
  ~RocksDbTest() override { std::filesystem::remove_all(root_); }

  std::filesystem::path Path(const std::string& name) const { return root_ / name; }
  std::filesystem::path folder() const { return Path("database"); }

  RocksDbEngineOptions Options() const {
    return {.folder = folder(), .keyspaces = {kTestPoints, kTestScans, kTestCounters}};
  }
  Result<std::unique_ptr<RocksDbEngine>> Open() const { return OpenRocksDbEngine(Options()); }

  // Commits one row, and closes.
  void MakeDatabase() const {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
    ASSERT_OK(Put(*engine, "key", "value"));
    ASSERT_OK(engine->Shutdown(std::chrono::seconds(10)));
  }

  static Result<Version> Put(Engine& engine, ByteView key, ByteView value) {
    CommitRequest request;
    request.batch.Put(kTestPoints, key, value);
    request.batch.Add(kTestCounters, key, 1);
    return engine.Commit(std::move(request));
  }

  static Result<std::optional<std::string>> Get(Engine& engine, ByteView key) {
    return TALEA_TRY(engine.OpenSnapshot())
    ->Get(kTestPoints, key);
  }

  // Every file below a folder, with its contents.
  static std::map<std::string, std::string> Contents(const std::filesystem::path& folder) {
    std::map<std::string, std::string> contents;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      contents[entry.path()] = entry.is_regular_file() ? ReadAll(entry.path()) : "";
    }
    return contents;
  }

  static std::string ReadAll(const std::filesystem::path& path) {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return std::move(bytes).str();
  }

  static void WriteAll(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

 private:
  std::filesystem::path root_;
};

}  // namespace talea
