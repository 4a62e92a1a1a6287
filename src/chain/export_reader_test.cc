#include "chain/export_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/coding.h"
#include "chain/codec.h"
#include "chain/transfer_testing.h"

namespace talea::chain {
namespace {

using testing::HasSubstr;

ExportSource SourceOf(const std::string& bytes) {
  return {.name = "file",
          .bytes = bytes.size(),
          .read = [&bytes](std::uint64_t offset, std::size_t count) -> Result<std::string> {
            return bytes.substr(offset, count);
          }};
}

// Reads all of it, and tells where each frame begins.
Result<std::vector<std::uint64_t>> ReadAll(const std::string& bytes) {
  ExportReader reader = TALEA_TRY(ExportReader::Open(SourceOf(bytes)));
  StateCounts counts;
  std::vector<std::uint64_t> offsets;
  for (;;) {
    offsets.push_back(reader.position().offset);
    if (!TALEA_TRY(reader.Next(counts))) return offsets;
  }
}

// An export with these frames and right checksums, whatever is in them.
std::string Forge(const std::vector<FrameBuilder>& frames, std::uint64_t rows) {
  std::string bytes = EncodeExportHeader();
  std::uint64_t checksum = StoredChecksum(bytes);
  for (FrameBuilder frame : frames) bytes += frame.Finish(checksum);
  return bytes + Encode(ExportFooter{rows, checksum, std::string(32, '0')});
}

FrameBuilder Frame(StatePart part, const std::vector<Row>& rows) {
  FrameBuilder frame(part);
  for (const Row& row : rows) frame.Append(row);
  return frame;
}

class ExportReaderTest : public TransferTest {
 protected:
  // Of several frames.
  std::string SomeExport() const {
    MakeExport("file", 900);
    return Bytes("file");
  }
};

void ExpectRefused(const std::string& bytes, std::string_view why) {
  const Result<std::vector<std::uint64_t>> read = ReadAll(bytes);
  ASSERT_ERROR(read, ErrorCode::corruption);
  EXPECT_THAT(read.error().message(), HasSubstr(std::string(why)));
}

TEST_F(ExportReaderTest, AFlippedByteIsFoundInTheFrameItIsIn) {
  const std::string good = SomeExport();
  const std::vector<std::uint64_t> offsets = ASSERT_VALUE(ReadAll(good));
  ASSERT_GT(offsets.size(), 8u);
  ASSERT_EQ(offsets.back(), good.size() - kExportFooterBytes);
  std::vector<std::uint64_t> places;
  for (const std::uint64_t offset : offsets) {  // around each border, and somewhere within
    for (std::uint64_t near = offset - 20; near < std::min(offset + 48, good.size()); ++near)
      places.push_back(near);
    places.push_back(offset + (good.size() - offset) / 7);
  }
  for (const std::uint64_t place : places) {
    std::string bad = good;
    bad[place] = static_cast<char>(bad[place] ^ (1 << (place % 8)));
    const Result<std::vector<std::uint64_t>> read = ReadAll(bad);
    ASSERT_ERROR(read, ErrorCode::corruption) << place;
    const auto next = std::ranges::upper_bound(offsets, place);
    const std::uint64_t begin = next == offsets.begin() ? 0 : *std::prev(next);
    ASSERT_THAT(read.error().message(), HasSubstr(fmt::format("\"file\", byte {}: ", begin)))
        << place;
  }
}

TEST_F(ExportReaderTest, AFileThatWasCutOffOrAddedToIsRefusedAtOnce) {
  const std::string good = SomeExport();
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{19}, std::size_t{67}, good.size() / 2, good.size() - 1}) {
    const std::string cut = good.substr(0, bytes);
    ASSERT_ERROR(ExportReader::Open(SourceOf(cut)), ErrorCode::corruption) << bytes;
  }
  const std::string longer = good + '\0';
  const Result<ExportReader> opened = ExportReader::Open(SourceOf(longer));
  ASSERT_ERROR(opened, ErrorCode::corruption);
  EXPECT_THAT(opened.error().message(), HasSubstr("was added to it"));
}

TEST_F(ExportReaderTest, AFrameThatIsMissingOrMovedIsFoundWhereItShouldBe) {
  const std::string good = SomeExport();
  const std::vector<std::uint64_t> offsets = ASSERT_VALUE(ReadAll(good));
  const auto frame = [&](std::size_t number) {
    return good.substr(offsets[number], offsets[number + 1] - offsets[number]);
  };
  const std::string before = good.substr(0, offsets[1]);
  const std::string where = fmt::format("byte {}: ", offsets[1]);
  ExpectRefused(before + good.substr(offsets[2]), where);                        // missing
  ExpectRefused(before + frame(2) + frame(1) + good.substr(offsets[3]), where);  // swapped
  ExpectRefused(before + frame(0) + good.substr(offsets[1]), where);             // repeated
  ExpectRefused(good.substr(0, offsets[offsets.size() - 2]) + good.substr(offsets.back()),
                "expected the footer of frames that end with");  // the last one is missing
}

TEST_F(ExportReaderTest, AFrameOfAnotherExportIsRefusedAtTheSamePlaceToo) {
  MakeExport("other", 901);
  const std::string good = SomeExport();
  const std::string other = Bytes("other");
  const std::vector<std::uint64_t> offsets = ASSERT_VALUE(ReadAll(good));
  const std::size_t last = offsets[offsets.size() - 2];
  const std::size_t bytes = offsets.back() - last;
  const std::string cursor = other.substr(other.size() - kExportFooterBytes - bytes, bytes);
  ExpectRefused(good.substr(0, last) + cursor + good.substr(offsets.back()),
                fmt::format("byte {}: frame of cursor", last));
}

TEST(ExportReader, RightChecksumsDoNotLetMalformedRowsIn) {
  const std::string key(36, 'k');
  const std::string later(36, 'l');
  const std::string output("\0\5cbor", 6);
  using enum StatePart;
  EXPECT_OK(ReadAll(Forge({Frame(outputs, {{key, output}, {later, output}})}, 2)));
  ExpectRefused(Forge({Frame(outputs, {{key, output}})}, 2), "tells of 1 rows, found 2");
  ExpectRefused(Forge({Frame(outputs, {{later, output}, {key, output}})}, 2),
                "row 2 of 2: expected a key after");
  ExpectRefused(Forge({Frame(outputs, {{key, output}}), Frame(outputs, {{key, output}})}, 2),
                "expected a key after");
  ExpectRefused(Forge({Frame(notes, {{key, EncodeCoin(5)}}), Frame(outputs, {{key, output}})}, 2),
                "expected no outputs after notes");
  ExpectRefused(Forge({Frame(outputs, {{"short", output}})}, 1), "row 1 of 1: ");
  ExpectRefused(Forge({Frame(outputs, {{key, "x"}})}, 1), "an era of 2 bytes");
  ExpectRefused(Forge({Frame(entities, {{key, ""}})}, 1), "state-entities");
  ExpectRefused(Forge({Frame(namespaces, {{NamespaceKey({5}), "pools"}})}, 1),
                "a name whose hash is 0000000000000005");
  ExpectRefused(Forge({Frame(values, {{ValueKey({5}, {}, "v"), "x"}})}, 1), "expected no bytes");
  ExpectRefused(Forge({Frame(values, {{NamespaceKey({5}), ""}})}, 1), "the key of a value");
  ExpectRefused(Forge({Frame(notes, {{key, "x"}})}, 1), "notes of an output");
  ExpectRefused(Forge({Frame(tags, {{key, EncodeCoin(5)}})}, 1), "the key of a tag");
  ExpectRefused(Forge({Frame(counters, {{std::string(40, 'k'), EncodeCounter(0)}})}, 1),
                "a counter of 8 bytes that is not 0");
  ExpectRefused(Forge({Frame(cursor, {{"x", EncodePoint({})}})}, 1), "the key of the cursor");
  ExpectRefused(Forge({Frame(cursor, {{kCursorKey, "x"}})}, 1), "row 1 of 1: ");
}

TEST(ExportReader, TellsOneExportFromAnother) {
  const std::string key(36, 'k');
  const std::string first = Forge({Frame(StatePart::outputs, {{key, "abcd"}})}, 1);
  const std::string second = Forge({Frame(StatePart::outputs, {{key, "abce"}})}, 1);
  const auto identity = [](const std::string& bytes) {
    return ExportReader::Open(SourceOf(bytes)).value().identity();
  };
  EXPECT_EQ(identity(first), identity(first));
  EXPECT_NE(identity(first), identity(second));
}

}  // namespace
}  // namespace talea::chain
