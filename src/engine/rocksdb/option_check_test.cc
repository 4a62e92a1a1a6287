#include "engine/rocksdb/option_check.h"

#include <gmock/gmock.h>

#include "engine/rocksdb/testing.h"

namespace talea {
namespace {

using testing::HasSubstr;

class OptionCheckTest : public RocksDbTest {
 protected:
  void ExpectRefused(const RocksDbEngineOptions& options, const std::string& message) {
    const auto opened = OpenRocksDbEngine(options);
    ASSERT_ERROR(opened, ErrorCode::invalid_argument);
    EXPECT_THAT(opened.error().message(), HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(folder()));
  }
  template <class Option, class Value>
  void ExpectRefused(Option RocksDbEngineOptions::* option, Value value,
                     const std::string& message) {
    RocksDbEngineOptions options = Options();
    options.*option = value;
    ExpectRefused(options, message);
  }
  template <class Option, class Value>
  void ExpectWorks(Option RocksDbEngineOptions::* option, Value value) {
    std::filesystem::remove_all(folder());
    RocksDbEngineOptions options = Options();
    options.*option = value;
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(OpenRocksDbEngine(options));
    ASSERT_OK(Put(*engine, "key", "value"));
    EXPECT_EQ(ASSERT_VALUE(Get(*engine, "key")), "value");
  }
};

TEST_F(OptionCheckTest, WhatRocksDbWouldTakeForSomethingElseIsRefusedByName) {
  using O = RocksDbEngineOptions;
  ExpectRefused(&O::write_buffer_bytes, 0u, "option write_buffer_bytes: expected at least 65536");
  ExpectRefused(&O::log_bytes, 0u, "option log_bytes: expected at least 65536 bytes, found 0");
  ExpectRefused(&O::open_files, 0, "option open_files: expected at least 32, found 0");
  ExpectRefused(&O::open_files, -1, "option open_files: expected at least 32, found -1");
  ExpectRefused(&O::background_threads, 0, "option background_threads: expected 1 to 256");
  ExpectRefused(&O::background_threads, 100'000, "found 100000");
  ExpectRefused(&O::compression, static_cast<Compression>(7), "option compression");
  ExpectRefused(&O::least_durability, static_cast<Durability>(2), "option least_durability");
  ExpectRefused(&O::folder, "", "option folder: expected a path");
}

TEST_F(OptionCheckTest, TheSmallestAndTheLargestWork) {
  using O = RocksDbEngineOptions;
  ExpectWorks(&O::cache_bytes, 0u);
  ExpectWorks(&O::cache_bytes, std::size_t{1} << 50);
  ExpectWorks(&O::write_buffer_bytes, 64u << 10);
  ExpectWorks(&O::write_buffer_bytes, std::size_t{1} << 50);
  ExpectWorks(&O::log_bytes, 64u << 10);
  ExpectWorks(&O::log_bytes, std::size_t{1} << 50);
  ExpectWorks(&O::open_files, 32);
  ExpectWorks(&O::open_files, 1 << 30);
  ExpectWorks(&O::background_threads, 1);
}

// The format file was written first, and then RocksDB refused to make a second family of this name:
// the folder could not be opened again, whatever keyspaces were named.
TEST_F(OptionCheckTest, AKeyspaceWithTheNameOfRocksDbsOwnFamilyIsRefused) {
  RocksDbEngineOptions options = Options();
  options.keyspaces.push_back({210, AccessPattern::scan, "default"});
  ExpectRefused(options, "keyspace \"default\" (id 210): expected another name");
}

}  // namespace
}  // namespace talea
