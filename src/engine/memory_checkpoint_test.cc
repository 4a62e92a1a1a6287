#include "engine/memory_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>
#include <xxhash.h>

#include <fstream>
#include <map>

#include "base/coding.h"
#include "base/file.h"
#include "engine/hex_for_test.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr Keyspace kRows{128, AccessPattern::scan, "rows"};
constexpr Keyspace kCounts{130, AccessPattern::counter, "counts"};
constexpr Keyspace kBlobs{131, AccessPattern::point, "blobs"};

KeyspaceSet Both() { return *KeyspaceSet::Make({kRows, kCounts}); }

// A folder that is gone with the test. In memory where that can be had, as each file is synced.
class ScratchFolder {
 public:
  ScratchFolder() {
    const fs::path memory = "/dev/shm";
    const fs::path parent = access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
    std::string name = (parent / "talea-checkpoint-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ScratchFolder() { fs::remove_all(path_); }
  fs::path operator/(std::string_view name) const { return path_ / name; }

 private:
  fs::path path_;
};

std::string BytesOf(const KeyspaceSet& keyspaces, const MemoryState& state) {
  const ScratchFolder scratch;
  EXPECT_OK(WriteMemoryCheckpoint(scratch / "checkpoint", keyspaces, state));
  return ReadWholeFile(scratch / "checkpoint/memory.checkpoint").value();
}

MemoryState ExampleState(const KeyspaceSet& keyspaces) {
  MemoryState state(keyspaces);
  state.version = Version{7};
  state.Put(kRows, "a", "1");
  state.Put(kRows, "b", "");
  state.Put(kCounts, "n", EncodeCounter(-2));
  return state;
}

// The bytes with a checksum that fits them, so that what stands before it is looked at.
std::string WithChecksum(std::string body) {
  AppendFixed64(body, XXH3_64bits(body.data(), body.size()));
  return body;
}

std::string HeaderHex(std::string_view count) {
  return "54 41 4c 45 41 4d 45 4d 01 00 00 00 07 00 00 00 00 00 00 00 " + std::string(count);
}

Result<MemoryState> DecodeBody(const std::string& hex, const KeyspaceSet& keyspaces) {
  return DecodeMemoryCheckpoint(WithChecksum(FromHex(hex)), keyspaces);
}

std::map<std::string, std::string> RowsOf(const PersistentMap& map) {
  std::map<std::string, std::string> rows;
  PersistentMap::Cursor cursor(map);
  for (cursor.SeekAtOrAfter(""); cursor.valid(); cursor.Next())
    rows.emplace(cursor.key(), cursor.value());
  return rows;
}

// The example of docs/formats.md.
TEST(MemoryCheckpointFormat, OfASmallState) {
  const KeyspaceSet keyspaces = Both();
  EXPECT_EQ(Hex(BytesOf(keyspaces, ExampleState(keyspaces))),
            "54 41 4c 45 41 4d 45 4d "           // TALEAMEM
            "01 00 00 00 "                       // format 1
            "07 00 00 00 00 00 00 00 "           // version 7
            "02 "                                // keyspaces
            "80 01 04 72 6f 77 73 "              // 128, scan, "rows"
            "02 "                                // rows
            "01 61 01 31 "                       // "a": "1"
            "01 62 00 "                          // "b": ""
            "82 02 06 63 6f 75 6e 74 73 "        // 130, counter, "counts"
            "01 "                                // rows
            "01 6e 08 fe ff ff ff ff ff ff ff "  // "n": -2
            "ca c2 cf d3 52 58 7a 05");
}

TEST(MemoryCheckpoint, IsReadBackAsItWas) {
  const KeyspaceSet keyspaces = Both();
  const ScratchFolder scratch;
  ASSERT_OK(WriteMemoryCheckpoint(scratch / "checkpoint", keyspaces, ExampleState(keyspaces)));
  const MemoryState state = ASSERT_VALUE(ReadMemoryCheckpoint(scratch / "checkpoint", keyspaces));
  EXPECT_EQ(state.version, Version{7});
  EXPECT_EQ(RowsOf(state.map(kRows)), (std::map<std::string, std::string>{{"a", "1"}, {"b", ""}}));
  EXPECT_EQ(state.Get(kCounts, "n"), EncodeCounter(-2));
}

RC_GTEST_PROP(MemoryCheckpoint, OfAnyStateIsReadBack,
              (std::map<std::string, std::string> rows, std::map<std::string, std::int64_t> counts,
               std::uint64_t version)) {
  const KeyspaceSet keyspaces = Both();
  MemoryState state(keyspaces);
  state.version = Version{version};
  for (const auto& [key, value] : rows) state.Put(kRows, key, value);
  for (const auto& [key, value] : counts) state.Put(kCounts, key, EncodeCounter(value));
  const std::string bytes = BytesOf(keyspaces, state);
  const Result<MemoryState> read = DecodeMemoryCheckpoint(bytes, keyspaces);
  RC_ASSERT(read.has_value());
  RC_ASSERT(read->version == state.version);
  RC_ASSERT(RowsOf(read->map(kRows)) == rows);
  RC_ASSERT(RowsOf(read->map(kCounts)) == RowsOf(state.map(kCounts)));
  RC_ASSERT(BytesOf(keyspaces, *read) == bytes);
}

TEST(MemoryCheckpoint, IsReadWhereThereAreMoreKeyspaces) {
  const KeyspaceSet few = Both();
  const KeyspaceSet more = *KeyspaceSet::Make({kRows, kCounts, kBlobs});
  const MemoryState state =
      ASSERT_VALUE(DecodeMemoryCheckpoint(BytesOf(few, ExampleState(few)), more));
  EXPECT_EQ(state.Get(kRows, "a"), "1");
  EXPECT_EQ(state.map(kBlobs).rows(), 0u);
}

TEST(MemoryCheckpoint, RefusesEveryFlippedByte) {
  const KeyspaceSet keyspaces = Both();
  const std::string good = BytesOf(keyspaces, ExampleState(keyspaces));
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (int change = 1; change < 256; ++change) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      const Result<MemoryState> read = DecodeMemoryCheckpoint(damaged, keyspaces);
      const bool in_format = at >= 8 && at < 12;
      ASSERT_ERROR(read, in_format ? ErrorCode::unsupported : ErrorCode::corruption)
          << "byte " << at;
    }
  }
}

TEST(MemoryCheckpoint, RefusesEveryTruncation) {
  const KeyspaceSet keyspaces = Both();
  const std::string good = BytesOf(keyspaces, ExampleState(keyspaces));
  for (std::size_t size = 0; size < good.size(); ++size) {
    ASSERT_ERROR(DecodeMemoryCheckpoint(good.substr(0, size), keyspaces), ErrorCode::corruption)
        << size;
    // The same where the checksum is made to fit what is left.
    if (size >= good.size() - 8 || size < 12) continue;
    ASSERT_ERROR(DecodeMemoryCheckpoint(WithChecksum(good.substr(0, size)), keyspaces),
                 ErrorCode::corruption)
        << size;
  }
  EXPECT_ERROR(DecodeMemoryCheckpoint(good + "x", keyspaces), ErrorCode::corruption);
}

TEST(MemoryCheckpoint, OfANewerFormatIsUnsupported) {
  const KeyspaceSet keyspaces = Both();
  std::string bytes = BytesOf(keyspaces, ExampleState(keyspaces));
  bytes[8] = 2;  // and whatever follows, the checksum included, may have changed its meaning
  const Result<MemoryState> read = DecodeMemoryCheckpoint(bytes, keyspaces);
  ASSERT_ERROR(read, ErrorCode::unsupported);
  EXPECT_THAT(read.error().message(), AllOf(HasSubstr("format 1"), HasSubstr("found 2")));
}

TEST(MemoryCheckpoint, NamesTheKeyspaceThatDoesNotFit) {
  const KeyspaceSet keyspaces = Both();
  const std::string bytes = BytesOf(keyspaces, ExampleState(keyspaces));

  const Result<MemoryState> missing = DecodeMemoryCheckpoint(bytes, *KeyspaceSet::Make({kRows}));
  ASSERT_ERROR(missing, ErrorCode::invalid_argument);
  EXPECT_THAT(missing.error().message(), AllOf(HasSubstr("\"counts\""), HasSubstr("130")));

  const Keyspace renamed{128, AccessPattern::scan, "lines"};
  const Result<MemoryState> other_name =
      DecodeMemoryCheckpoint(bytes, *KeyspaceSet::Make({renamed, kCounts}));
  ASSERT_ERROR(other_name, ErrorCode::invalid_argument);
  EXPECT_THAT(other_name.error().message(), AllOf(HasSubstr("\"rows\""), HasSubstr("\"lines\"")));

  const Keyspace repurposed{130, AccessPattern::point, "counts"};
  const Result<MemoryState> other_pattern =
      DecodeMemoryCheckpoint(bytes, *KeyspaceSet::Make({kRows, repurposed}));
  ASSERT_ERROR(other_pattern, ErrorCode::invalid_argument);
  EXPECT_THAT(other_pattern.error().message(), AllOf(HasSubstr("counter"), HasSubstr("point")));
}

// What no engine writes is refused even where the checksum is right, and the byte is named.
TEST(MemoryCheckpoint, RefusesWhatIsNeverWritten) {
  const KeyspaceSet keyspaces = Both();
  const std::string rows = " 80 01 04 72 6f 77 73";
  const std::string counts = " 82 02 06 63 6f 75 6e 74 73";
  const auto refused = [&](const std::string& hex, std::size_t at) {
    const Result<MemoryState> read = DecodeBody(hex, keyspaces);
    ASSERT_ERROR(read, ErrorCode::corruption) << hex;
    EXPECT_THAT(read.error().message(), HasSubstr("byte " + std::to_string(at) + ":")) << hex;
  };
  ASSERT_OK(DecodeBody(HeaderHex("01") + rows + " 01 01 61 00", keyspaces));
  refused(HeaderHex("01") + rows + " 02 01 62 00 01 61 00", 32);  // keys that descend
  refused(HeaderHex("01") + rows + " 02 01 61 00 01 61 00", 32);  // or repeat
  refused(HeaderHex("01") + rows + " 02 01 61 00", 32);           // fewer rows than it says
  refused(HeaderHex("01") + rows + " 00 01 61 00", 29);           // more
  refused(HeaderHex("02") + rows + " 00", 29);                    // fewer keyspaces than it says
  refused(HeaderHex("00") + rows + " 00", 21);                    // more
  refused(HeaderHex("02") + rows + " 00" + rows + " 00", 29);     // one of them twice
  refused(HeaderHex("02") + counts + " 00" + rows + " 00", 31);   // in another order
  refused(HeaderHex("01") + counts + " 01 01 6e 01 01", 31);      // a counter of 1 byte
  refused(HeaderHex("01") + counts + " 01 01 6e 08 00 00 00 00 00 00 00 00", 31);  // one of 0
  refused(HeaderHex("01") + " 80 03 04 72 6f 77 73 00", 21);               // no such pattern
  refused(HeaderHex("01") + rows + " ff ff ff ff ff ff ff ff ff 01", 38);  // very many rows
  refused(HeaderHex("81 00"), 20);                                         // not the shortest form
}

TEST(MemoryCheckpoint, IsNotWrittenOverAnother) {
  const KeyspaceSet keyspaces = Both();
  const ScratchFolder scratch;
  ASSERT_OK(WriteMemoryCheckpoint(scratch / "checkpoint", keyspaces, ExampleState(keyspaces)));
  EXPECT_ERROR(WriteMemoryCheckpoint(scratch / "checkpoint", keyspaces, MemoryState(keyspaces)),
               ErrorCode::already_exists);
  EXPECT_OK(ReadMemoryCheckpoint(scratch / "checkpoint", keyspaces));
}

TEST(MemoryCheckpoint, ErrorsNameTheFile) {
  const KeyspaceSet keyspaces = Both();
  const ScratchFolder scratch;
  const Result<MemoryState> missing = ReadMemoryCheckpoint(scratch / "missing", keyspaces);
  ASSERT_ERROR(missing, ErrorCode::not_found);
  EXPECT_THAT(missing.error().message(), HasSubstr((scratch / "missing").string()));

  fs::create_directory(scratch / "damaged");
  std::ofstream(scratch / "damaged/memory.checkpoint") << "TALEAMEM";
  const Result<MemoryState> damaged = ReadMemoryCheckpoint(scratch / "damaged", keyspaces);
  ASSERT_ERROR(damaged, ErrorCode::corruption);
  EXPECT_THAT(damaged.error().message(), HasSubstr((scratch / "damaged").string()));
}

}  // namespace
}  // namespace talea
