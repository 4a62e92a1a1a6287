#include "chain/codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/coding.h"
#include "base/hex.h"
#include "chain/keys.h"

namespace talea::chain {
namespace {

constexpr std::size_t kHashDigits = 64;
constexpr std::uint64_t kMostCoin = std::numeric_limits<std::int64_t>::max();
constexpr auto kLastTagKind = static_cast<std::uint8_t>(TagKind::asset);
// As in WriteBatch.
constexpr char kStagedErase = 2;
constexpr char kStagedAdd = 4;

std::unexpected<Error> Bad(std::string_view what, std::string_view expected,
                           std::string_view found) {
  return Fail(ErrorCode::corruption,
              fmt::format("{}: expected {}, found {}", what, expected, found));
}

// A number alone in its value.
Result<std::uint64_t> DecodeNumber(std::string_view what, ByteView value) {
  if (value.size() == sizeof(std::uint64_t)) return LoadBigEndian64(value.data());
  return Bad(what, "8 bytes", fmt::format("{}", value.size()));
}

// How others write these digits: one point has one form, which keys of points rely on.
bool IsLowerCase(std::string_view digits) {
  return std::ranges::none_of(digits, [](char c) { return 'A' <= c && c <= 'F'; });
}

Result<ChainPoint> TakeSpecific(ByteReader& reader, std::uint64_t slot) {
  const auto length = reader.Fixed<std::uint64_t>();
  if (length != kHashDigits) {
    return Bad("point", fmt::format("{} as the length of a hash", kHashDigits),
               length ? fmt::format("{}", *length) : "the end");
  }
  const std::optional<ByteView> digits = reader.Bytes(kHashDigits);
  Bytes32 hash;
  if (!digits || !IsLowerCase(*digits) || !ParseHex(*digits, hash.bytes)) {
    return Bad("point", "64 lower-case hexadecimal digits",
               Quoted(digits ? *digits : reader.rest()));
  }
  return ChainPoint::Of(slot, hash);
}

Result<ChainPoint> TakePoint(ByteReader& reader) {
  const auto variant = reader.Fixed<std::uint32_t>();
  if (variant == 0u) return ChainPoint::Origin();
  if (!variant || *variant > 2) {
    return Bad("point", "a variant from 0 to 2 in 4 bytes",
               variant ? fmt::format("{}", *variant) : Quoted(reader.rest()));
  }
  const auto slot = reader.Fixed<std::uint64_t>();
  if (!slot) return Bad("point", "a slot of 8 bytes", Quoted(reader.rest()));
  if (*variant == 1) return ChainPoint::AtSlot(*slot);
  return TakeSpecific(reader, *slot);
}

void AppendTag(std::string& out, const Tag& tag) {
  TALEA_CHECK(tag.bytes.size() <= kLongestTag);
  out.push_back(static_cast<char>(tag.kind));
  AppendBigEndian16(out, static_cast<std::uint16_t>(tag.bytes.size()));
  out.append(tag.bytes);
}

std::optional<Tag> TakeTag(ByteReader& reader) {
  const std::optional<ByteView> head = reader.Bytes(3);
  if (!head || static_cast<std::uint8_t>((*head)[0]) > kLastTagKind) return std::nullopt;
  const std::size_t length = LoadBigEndian16(head->data() + 1);
  const std::optional<ByteView> bytes = reader.Bytes(length);
  if (!bytes || length > kLongestTag) return std::nullopt;
  return Tag{static_cast<TagKind>((*head)[0]), *bytes};
}

Result<std::vector<OutputNotes::StoredTag>> TakeTags(ByteReader& reader) {
  std::vector<OutputNotes::StoredTag> tags;
  Tag last;
  while (!reader.empty()) {
    const std::size_t offset = reader.offset();
    const std::optional<Tag> tag = TakeTag(reader);
    if (!tag || (!tags.empty() && *tag <= last)) {
      return Bad(fmt::format("notes of an output at byte {}", offset),
                 "a tag with its kind and length, beyond the one before it",
                 tag ? Quoted(tag->bytes) : Quoted(reader.rest()));
    }
    tags.push_back({tag->kind, std::string(tag->bytes)});
    last = *tag;
  }
  return tags;
}

}  // namespace

std::string EncodePoint(const ChainPoint& point) {
  std::string out;
  AppendFixed32(out, static_cast<std::uint32_t>(point.kind));
  if (point.kind == ChainPoint::Kind::origin) return out;
  AppendFixed64(out, point.slot);
  if (point.kind == ChainPoint::Kind::slot) return out;
  AppendFixed64(out, kHashDigits);
  AppendHex(out, point.hash.view());
  return out;
}

Result<ChainPoint> DecodePoint(ByteView value) {
  ByteReader reader(value);
  const ChainPoint point = TALEA_TRY(TakePoint(reader));
  if (reader.empty()) return point;
  return Bad("point", fmt::format("{} bytes", reader.offset()), fmt::format("{}", value.size()));
}

std::string EncodeCursor(const Cursor& cursor) {
  return cursor ? EncodePoint(*cursor) : std::string();
}

Result<Cursor> DecodeCursor(ByteView value) {
  if (value.empty()) return Cursor();
  return TALEA_TRY(DecodePoint(value));
}

std::string EncodeOutput(const Output& output) {
  std::string out;
  out.reserve(2 + output.cbor.size());
  AppendOutput(out, output);
  return out;
}

void AppendOutput(std::string& out, const Output& output) {
  AppendBigEndian16(out, output.era);
  out.append(output.cbor);
}

std::string EncodeNotes(const Output& output) {
  if (output.coin == 0 && output.tags.empty()) return {};
  TALEA_CHECK(output.coin <= kMostCoin);
  std::vector<Tag> tags = output.tags;
  std::ranges::sort(tags);
  const auto repeated = std::ranges::unique(tags);
  tags.erase(repeated.begin(), repeated.end());
  std::string out = EncodeCoin(output.coin);
  for (const Tag& tag : tags) AppendTag(out, tag);
  return out;
}

Result<OutputNotes> DecodeNotes(ByteView value) {
  ByteReader reader(value);
  const std::optional<ByteView> coin = reader.Bytes(sizeof(std::uint64_t));
  if (!coin) {
    return Bad("notes of an output", "8 bytes of coin first", fmt::format("{}", value.size()));
  }
  OutputNotes notes;
  notes.coin = TALEA_TRY(DecodeCoin(*coin));
  notes.tags = TALEA_TRY(TakeTags(reader));
  if (notes.coin > 0 || !notes.tags.empty()) return notes;
  return Bad("notes of an output", "coin or tags", "neither");
}

std::string EncodeCoin(std::uint64_t coin) {
  std::string out;
  AppendBigEndian64(out, coin);
  return out;
}

Result<std::uint64_t> DecodeCoin(ByteView value) {
  const std::uint64_t coin = TALEA_TRY(DecodeNumber("coin", value));
  if (coin <= kMostCoin) return coin;
  return Bad("coin", fmt::format("{} at most", kMostCoin), fmt::format("{}", coin));
}

std::string EncodeStep(std::uint64_t step) {
  std::string out;
  AppendBigEndian64(out, step);
  return out;
}

Result<std::uint64_t> DecodeStep(ByteView value) { return DecodeNumber("step", value); }

std::string Encode(const StagingHeader& header) {
  std::string out(1, header.in ? '\1' : '\0');
  out.append(reinterpret_cast<const char*>(header.batch.bytes.data()), header.batch.bytes.size());
  return out;
}

Result<StagingHeader> DecodeStagingHeader(ByteView value) {
  StagingHeader header;
  const std::size_t size = 1 + header.batch.bytes.size();
  if (value.size() != size) {
    return Bad("header of a staged batch", fmt::format("{} bytes", size),
               fmt::format("{}", value.size()));
  }
  if (static_cast<std::uint8_t>(value[0]) > 1) {
    return Bad("header of a staged batch", "0 or 1 first", Quoted(value.substr(0, 1)));
  }
  header.in = value[0] == 1;
  std::ranges::copy(value.substr(1), header.batch.bytes.begin());
  return header;
}

std::string Encode(const StagedChange& change) {
  if (!change.delta) return std::string(1, kStagedErase);
  return kStagedAdd + EncodeCounter(*change.delta);
}

Result<StagedChange> DecodeStagedChange(ByteView value) {
  const ByteView rest = value.substr(std::min<std::size_t>(1, value.size()));
  if (value.starts_with(kStagedErase) && rest.empty()) return StagedChange{};
  const std::optional<std::int64_t> delta = DecodeCounter(rest);
  if (value.starts_with(kStagedAdd) && delta) return StagedChange{delta};
  return Bad("staged change", "2 alone, or 4 and 8 bytes", Quoted(value));
}

}  // namespace talea::chain
