#include "histograms/codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/coding.h"
#include "coordination/keys.h"
#include "talea/tuple_packer.h"
#include "talea/tuple_reader.h"

namespace talea::histograms {
namespace {

constexpr std::uint8_t kFormat = 1;
constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();

// More than an index ever has, and few enough to compare each with each.
constexpr std::uint64_t kMostHistograms = 16;

constexpr std::uint64_t kBuilding = 1;  // of an index, and of a histogram

constexpr std::uint64_t kUncounted = 1;
constexpr std::uint64_t kEnding = 2;
constexpr std::uint64_t kHasUpper = 4;
constexpr std::uint64_t kHasWhole = 8;
constexpr std::uint64_t kWholeHasUpper = 16;
constexpr std::uint64_t kAllBucketFlags = 31;

// Takes the fields of a row one by one, and says of the first bad one what it is.
class Fields {
 public:
  Fields(std::string_view row, ByteView bytes) : row_(row), reader_(bytes) {}

  Status Format() {
    const std::uint64_t found = TALEA_TRY(Number("a format", 0, kAnyNumber));
    if (found == kFormat) return {};
    return Fail(found == 0 ? ErrorCode::corruption : ErrorCode::unsupported,
                fmt::format("{}: expected format {}, found {}", row_, kFormat, found));
  }

  Result<std::uint64_t> Number(std::string_view field, std::uint64_t least, std::uint64_t most) {
    const std::size_t offset = reader_.offset();
    const std::optional<std::uint64_t> number = reader_.Varint();
    if (number && least <= *number && *number <= most) return *number;
    return Bad(offset, fmt::format("{} from {} to {}", field, least, most),
               number ? fmt::format("{}", *number) : Quoted(reader_.rest()));
  }

  Result<std::string> Bytes(std::string_view field) {
    if (const std::optional<ByteView> bytes = reader_.Sized()) return std::string(*bytes);
    return Bad(reader_.offset(), fmt::format("{} behind its length", field),
               Quoted(reader_.rest()));
  }

  Status Finish() const {
    if (reader_.empty()) return {};
    return Bad(reader_.offset(), "the end", Quoted(reader_.rest()));
  }

  // That something holds of what was taken so far.
  Status Expect(bool holds, std::string_view expected, std::string_view found) const {
    if (holds) return {};
    return Fail(ErrorCode::corruption,
                fmt::format("{}: expected {}, found {}", row_, expected, found));
  }

 private:
  std::unexpected<Error> Bad(std::size_t offset, std::string_view expected,
                             std::string_view found) const {
    return Fail(ErrorCode::corruption,
                fmt::format("{} at byte {}: expected {}, found {}", row_, offset, expected, found));
  }

  const std::string_view row_;
  ByteReader reader_;
};

Result<HistogramState> TakeHistogram(Fields& fields) {
  HistogramState state;
  state.id = TALEA_TRY(fields.Number("a histogram", 0, kAnyNumber));
  state.kind.fixed_bytes =
      static_cast<std::uint8_t>(TALEA_TRY(fields.Number("fixed bytes", 0, kMostFixedBytes)));
  state.building = TALEA_TRY(fields.Number("flags of a histogram", 0, kBuilding))
  == kBuilding;
  state.layout = TALEA_TRY(fields.Number("a layout", 0, kAnyNumber));
  return state;
}

Status TakeHistograms(Fields& fields, IndexState& state) {
  const std::uint64_t count =
      TALEA_TRY(fields.Number("a number of histograms", 1, kMostHistograms));
  while (state.histograms.size() < count) {
    const HistogramState histogram = TALEA_TRY(TakeHistogram(fields));
    TALEA_TRY(fields.Expect(histogram.id < state.next_histogram,
                            fmt::format("histograms below {}", state.next_histogram),
                            fmt::format("{}", histogram.id)));
    const bool repeated =
        std::ranges::count(state.histograms, histogram.id, &HistogramState::id) > 0;
    TALEA_TRY(fields.Expect(!repeated, "histograms with numbers of their own",
                            fmt::format("{} twice", histogram.id)));
    state.histograms.push_back(histogram);
  }
  return {};
}

void AppendOptional(std::string& out, const std::optional<std::string>& bytes) {
  if (bytes) AppendSized(out, *bytes);
}

std::uint64_t FlagsOf(const BucketRow& row) {
  return (row.uncounted ? kUncounted : 0) | (row.ending ? kEnding : 0) |
         (row.upper ? kHasUpper : 0) | (row.whole ? kHasWhole : 0) |
         (row.whole && row.whole->upper ? kWholeHasUpper : 0);
}

Result<std::optional<std::string>> TakeUpper(Fields& fields, std::string_view field, bool present) {
  if (!present) return std::nullopt;
  std::string upper = TALEA_TRY(fields.Bytes(field));
  TALEA_TRY(fields.Expect(!upper.empty(), fmt::format("{} of at least one byte", field), "none"));
  return upper;
}

// That what is said of a bucket can be true, whatever its lower boundary is.
Status CheckBucket(const Fields& fields, const BucketRow& row) {
  TALEA_TRY(fields.Expect(row.whole || !row.ending, "the span of the whole group of one that ends",
                          "none"));
  if (!row.whole || !row.whole->upper) return {};
  const std::string& end = *row.whole->upper;
  TALEA_TRY(fields.Expect(
      row.whole->lower < end,
      fmt::format("a group's upper boundary after {}", Quoted(row.whole->lower)), Quoted(end)));
  return fields.Expect(
      row.upper && *row.upper <= end,
      fmt::format("an upper boundary within the group, which ends at {}", Quoted(end)),
      row.upper ? Quoted(*row.upper) : "none");
}

}  // namespace

std::string EncodeIndexState(const IndexState& state) {
  TALEA_CHECK(!state.histograms.empty() && state.histograms.size() <= kMostHistograms);
  std::string out;
  out.push_back(kFormat);
  AppendVarint(out, state.building ? kBuilding : 0);
  AppendVarint(out, state.elements);
  AppendVarint(out, state.peek_cap);
  AppendVarint(out, state.change);
  AppendSized(out, state.name);
  AppendVarint(out, state.next_histogram);
  AppendVarint(out, state.histograms.size());
  for (const HistogramState& histogram : state.histograms) {
    AppendVarint(out, histogram.id);
    AppendVarint(out, histogram.kind.fixed_bytes);
    AppendVarint(out, histogram.building ? kBuilding : 0);
    AppendVarint(out, histogram.layout);
  }
  return out;
}

Result<IndexState> DecodeIndexState(ByteView bytes) {
  Fields fields("index row", bytes);
  IndexState state;
  TALEA_TRY(fields.Format());
  state.building = TALEA_TRY(fields.Number("flags", 0, kBuilding))
  == kBuilding;
  state.elements =
      static_cast<std::uint8_t>(TALEA_TRY(fields.Number("elements", 1, kMostElements)));
  state.peek_cap = static_cast<std::uint32_t>(
      TALEA_TRY(fields.Number("a peek cap", kLeastPeekCap, kMostPeekCap)));
  state.change = TALEA_TRY(fields.Number("a change", 0, kAnyNumber));
  state.name = TALEA_TRY(fields.Bytes("a name"));
  TALEA_TRY(fields.Expect(CheckName("index", state.name).has_value(),
                          "a name of 1 to 255 bytes of UTF-8", Quoted(state.name)));
  state.next_histogram = TALEA_TRY(fields.Number("the next histogram", 0, kAnyNumber));
  TALEA_TRY(TakeHistograms(fields, state));
  TALEA_TRY(fields.Finish());
  return state;
}

std::string EncodeIndexId(IndexId index) {
  std::string out;
  TuplePacker(out).Int(index);
  return out;
}

Result<IndexId> DecodeIndexId(ByteView bytes) {
  TupleReader reader(bytes);
  const Result<std::uint64_t> index = reader.Uint();
  if (index && reader.AtEnd()) return *index;
  return Fail(ErrorCode::corruption,
              fmt::format("number of an index: expected a packed number from 0 on, found {}",
                          Quoted(bytes)));
}

std::string EncodeBucketRow(const BucketRow& row) {
  std::string out;
  out.push_back(kFormat);
  AppendVarint(out, FlagsOf(row));
  AppendOptional(out, row.upper);
  if (row.whole) {
    AppendSized(out, row.whole->lower);
    AppendOptional(out, row.whole->upper);
  }
  return out;
}

Result<BucketRow> DecodeBucketRow(ByteView bytes) {
  Fields fields("bucket row", bytes);
  BucketRow row;
  TALEA_TRY(fields.Format());
  const std::uint64_t flags = TALEA_TRY(fields.Number("flags", 0, kAllBucketFlags));
  row.uncounted = (flags & kUncounted) != 0;
  row.ending = (flags & kEnding) != 0;
  row.upper = TALEA_TRY(TakeUpper(fields, "an upper boundary", flags & kHasUpper));
  if (flags & kHasWhole) {
    row.whole = Span {
      .lower = TALEA_TRY(fields.Bytes("a group's lower boundary"))
      , .upper = {}
    };
    row.whole->upper =
        TALEA_TRY(TakeUpper(fields, "a group's upper boundary", flags & kWholeHasUpper));
  }
  TALEA_TRY(fields.Finish());
  TALEA_TRY(fields.Expect(FlagsOf(row) == flags, "no end of a group where there is no group",
                          fmt::format("flags {}", flags)));
  TALEA_TRY(CheckBucket(fields, row));
  return row;
}

std::string EncodeBuildRow(const BuildRow& row) {
  std::string bytes;
  TuplePacker packer(bytes);
  packer.Int(row.keyspace).Bytes(row.rows.begin());
  if (row.rows.end()) {
    packer.Bytes(*row.rows.end());
  } else {
    packer.Null();
  }
  packer.Bytes(row.fingerprint).Bytes(row.next);
  return bytes;
}

namespace {

Result<BuildRow> ReadBuildRow(ByteView bytes) {
  TupleReader reader(bytes);
  BuildRow row;
  const std::uint64_t keyspace = TALEA_TRY(reader.Uint());
  if (keyspace > 255) {
    return Fail(ErrorCode::corruption, fmt::format("expected a keyspace's id, found {}", keyspace));
  }
  row.keyspace = static_cast<std::uint8_t>(keyspace);
  const std::string begin(TALEA_TRY(reader.Bytes()));
  if (TALEA_TRY(reader.Type()) == ElementType::null) {
    TALEA_TRY(reader.Null());
    row.rows = KeyRange::From(begin);
  } else {
    row.rows = TALEA_TRY(KeyRange::Make(begin, TALEA_TRY(reader.Bytes())));
  }
  row.fingerprint = TALEA_TRY(reader.Bytes());
  row.next = TALEA_TRY(reader.Bytes());
  TALEA_TRY(reader.Finish());
  return row;
}

}  // namespace

Result<BuildRow> DecodeBuildRow(ByteView bytes) {
  Result<BuildRow> row = ReadBuildRow(bytes);
  if (row) return row;
  return Fail(ErrorCode::corruption, "build of an index: " + row.error().message());
}

}  // namespace talea::histograms
