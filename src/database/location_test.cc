#include "database/location.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>

#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string Refusal(std::string_view text) {
  const Result<Location> location = ParseLocation(text);
  if (location) return "accepted as " + ToString(*location);
  EXPECT_EQ(location.error().code(), ErrorCode::invalid_argument) << location.error();
  return location.error().message();
}

TEST(Location, InMemoryIsAWord) { EXPECT_EQ(ASSERT_VALUE(ParseLocation("memory:")), Location{}); }

TEST(Location, InMemoryMayStartFromACheckpoint) {
  const Location location = ASSERT_VALUE(ParseLocation("memory:some/folder"));
  EXPECT_EQ(location.scheme, Location::Scheme::memory);
  EXPECT_EQ(location.path, "some/folder");
}

TEST(Location, OnDiskIsAFolder) {
  const Location location = ASSERT_VALUE(ParseLocation("rocksdb:/var/lib/visits"));
  EXPECT_EQ(location.scheme, Location::Scheme::rocksdb);
  EXPECT_EQ(location.path, "/var/lib/visits");
  EXPECT_EQ(location.cache_bytes, std::nullopt);
}

TEST(Location, ReadsEveryOption) {
  const Location location = ASSERT_VALUE(ParseLocation(
      "rocksdb:x?cache=512M&write-buffer=2G&log=2048K&open-files=300&compression=lz4&threads=4&"
      "durability=synced&create=no&tenant=a"));
  EXPECT_EQ(location.cache_bytes, 512u << 20);
  EXPECT_EQ(location.write_buffer_bytes, 2ull << 30);
  EXPECT_EQ(location.log_bytes, 2u << 20);
  EXPECT_EQ(location.open_files, 300u);
  EXPECT_EQ(location.compression, Compression::lz4);
  EXPECT_EQ(location.threads, 4u);
  EXPECT_EQ(location.durability, Durability::synced);
  EXPECT_EQ(location.create, false);
  EXPECT_EQ(location.tenant, "a");
}

TEST(Location, TakesPlainBytes) {
  EXPECT_EQ(ASSERT_VALUE(ParseLocation("rocksdb:x?cache=1048577")).cache_bytes, (1u << 20) + 1);
}

TEST(Location, UnescapesPathAndValues) {
  const Location location = ASSERT_VALUE(ParseLocation("rocksdb:a%3fb%25?tenant=x%26y%3Dz=w"));
  EXPECT_EQ(location.path, "a?b%");
  EXPECT_EQ(location.tenant, "x&y=z=w");
}

TEST(Location, RefusesAnUnknownSchemeByName) {
  EXPECT_EQ(Refusal("rocksbd:x"),
            "location \"rocksbd:x\": scheme: expected one of memory, rocksdb, found \"rocksbd\"; "
            "did you mean \"rocksdb\"?");
  EXPECT_THAT(Refusal("postgres:x"),
              AllOf(HasSubstr("found \"postgres\""), Not(HasSubstr("did you"))));
  EXPECT_THAT(Refusal("rocksdb"), HasSubstr("expected SCHEME:PATH, found no colon"));
  EXPECT_THAT(Refusal(""), HasSubstr("no colon"));
}

TEST(Location, RefusesAnUnknownOptionByName) {
  EXPECT_THAT(
      Refusal("rocksdb:x?cahce=1M"),
      HasSubstr("rocksdb option: expected one of tenant, cache, write-buffer, log, open-files, "
                "compression, threads, durability, create, found \"cahce\"; did you mean "
                "\"cache\"?"));
  EXPECT_THAT(Refusal("memory:?cache=1M"),
              HasSubstr("memory option: expected one of tenant, found \"cache\""));
  EXPECT_THAT(Refusal("rocksdb:x?"), HasSubstr("expected OPTION=VALUE, found \"\""));
  EXPECT_THAT(Refusal("rocksdb:x?cache=1M&"), HasSubstr("expected OPTION=VALUE, found \"\""));
  EXPECT_THAT(Refusal("rocksdb:x?create"), HasSubstr("expected OPTION=VALUE, found \"create\""));
}

TEST(Location, RefusesAnUnknownValueByName) {
  EXPECT_THAT(Refusal("rocksdb:x?compression=gzip"),
              HasSubstr("option \"compression\": expected none, lz4, zstd, found \"gzip\""));
  EXPECT_THAT(Refusal("rocksdb:x?create=true"), HasSubstr("expected yes, no, found \"true\""));
  for (const char* size : {"", "M", "-1M", "1m", "1.5G", " 1M", "0", "1023K", "1025G",
                           "18446744073709551615G", "18446744073709551616", "0x100000", "+5M"}) {
    EXPECT_THAT(Refusal(fmt::format("rocksdb:x?cache={}", size)),
                HasSubstr("option \"cache\": expected 1M to 1024G, found"))
        << size;
  }
  EXPECT_THAT(Refusal("rocksdb:x?open-files=1K"), HasSubstr("expected 32 to 1048576"));
  EXPECT_THAT(Refusal("memory:?tenant="), HasSubstr("expected 1 to 255 bytes of UTF-8"));
  EXPECT_THAT(Refusal("memory:?tenant=%ff"), HasSubstr("expected 1 to 255 bytes of UTF-8"));
  EXPECT_THAT(Refusal("memory:?tenant=" + std::string(256, 'a')), HasSubstr("1 to 255 bytes"));
}

TEST(Location, RefusesARepeatedOption) {
  EXPECT_THAT(Refusal("rocksdb:x?cache=1M&log=1M&cache=1M"),
              HasSubstr("option \"cache\": expected once, found again"));
}

TEST(Location, RefusesAMissingOrMalformedPath) {
  EXPECT_THAT(Refusal("rocksdb:"), HasSubstr("rocksdb: expected a folder, found nothing"));
  EXPECT_THAT(Refusal("rocksdb:?cache=1M"), HasSubstr("expected a folder"));
  EXPECT_THAT(Refusal("rocksdb:a%00b"), HasSubstr("expected no zero byte"));
  for (const char* path : {"%", "%4", "a%4", "%4x", "%x4", "%%41"}) {
    EXPECT_THAT(Refusal(fmt::format("rocksdb:{}", path)),
                HasSubstr("expected two hexadecimal digits after %"))
        << path;
  }
  EXPECT_EQ(ASSERT_VALUE(ParseLocation("rocksdb:%41")).path, "A");
}

TEST(Location, IsWrittenInOneWay) {
  const Location location =
      ASSERT_VALUE(ParseLocation("rocksdb:a b?log=1048576&tenant=%26x&cache=1024M"));
  EXPECT_EQ(ToString(location), "rocksdb:a%20b?tenant=%26x&cache=1G&log=1M");
  EXPECT_EQ(ToString(Location{}), "memory:");
}

template <class Value>
std::optional<Value> Maybe(rc::Gen<Value> generator) {
  return *rc::gen::arbitrary<bool>() ? std::optional(*generator) : std::nullopt;
}

RC_GTEST_PROP(LocationProperty, WhatIsWrittenIsReadBack, ()) {
  Location location{.scheme = Location::Scheme::rocksdb};
  location.path =
      *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)));
  location.tenant = Maybe(rc::gen::resize(
      100, rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127)))));
  location.cache_bytes = Maybe(rc::gen::inRange<std::uint64_t>(1 << 20, 1ull << 40));
  location.log_bytes = Maybe(rc::gen::map(rc::gen::inRange<std::uint64_t>(1, 1 << 20),
                                          [](std::uint64_t mebi) { return mebi << 20; }));
  location.threads = Maybe(rc::gen::inRange<std::uint64_t>(1, 257));
  location.compression =
      Maybe(rc::gen::element(Compression::none, Compression::lz4, Compression::zstd));
  location.create = Maybe(rc::gen::arbitrary<bool>());
  const Result<Location> read = ParseLocation(ToString(location));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == location);
}

// The reference and the parser are one list.
TEST(LocationReference, HasEveryOptionAsTheParserHasIt) {
  std::ifstream file("docs/locations.md");
  ASSERT_TRUE(file) << "tests run in the root of the sources";
  std::vector<std::string> found, expected;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `") && std::ranges::count(line, '|') == 6) found.push_back(line);
  }
  for (const LocationOption& option : LocationOptions()) {
    expected.push_back(fmt::format("| `{}` | {} | {} | {} | {} |", option.name, option.schemes,
                                   option.values, option.fallback, option.meaning));
  }
  EXPECT_THAT(found, testing::ElementsAreArray(expected));
}

}  // namespace
}  // namespace talea
