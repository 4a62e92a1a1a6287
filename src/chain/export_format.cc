#include "chain/export_format.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "base/check.h"
#include "base/coding.h"

namespace talea::chain {
namespace {

constexpr ByteView kMagic = "TALEACHN";
constexpr ByteView kFooterMagic = "TALEAEND";
constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kHashBytes = 16;
constexpr auto kFirstPart = static_cast<std::uint8_t>(StatePart::outputs);
constexpr auto kLastPart = static_cast<std::uint8_t>(StatePart::cursor);

std::unexpected<Error> Malformed(std::string_view expected, std::string_view found) {
  return Fail(ErrorCode::corruption, fmt::format("expected {}, found {}", expected, found));
}

std::uint64_t Checksum(ByteView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

ByteView WithoutChecksum(ByteView bytes) { return bytes.substr(0, bytes.size() - kChecksumBytes); }

Status CompareChecksum(ByteView bytes) {
  const std::uint64_t expected = Checksum(WithoutChecksum(bytes));
  if (expected == StoredChecksum(bytes)) return {};
  return Malformed(fmt::format("the checksum {:016x}", expected),
                   fmt::format("{:016x}", StoredChecksum(bytes)));
}

std::size_t SizedBytes(ByteView bytes) {
  std::size_t length_bytes = 1;
  for (std::size_t rest = bytes.size() >> 7; rest > 0; rest >>= 7) ++length_bytes;
  return length_bytes + bytes.size();
}

int HexDigit(char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; }

std::string FromHex(std::string_view hex) {
  TALEA_CHECK(hex.size() == 2 * kHashBytes);
  std::string bytes;
  for (std::size_t at = 0; at < hex.size(); at += 2)
    bytes.push_back(static_cast<char>(HexDigit(hex[at]) << 4 | HexDigit(hex[at + 1])));
  return bytes;
}

std::string ToHex(ByteView bytes) {
  std::string hex;
  for (const char byte : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return hex;
}

}  // namespace

std::string EncodeExportHeader() {
  std::string bytes(kMagic);
  AppendFixed32(bytes, kFormat);
  AppendFixed64(bytes, Checksum(bytes));
  return bytes;
}

Result<std::uint64_t> DecodeExportHeader(ByteView bytes) {
  if (bytes.size() != kExportHeaderBytes || !bytes.starts_with(kMagic)) {
    return Malformed(fmt::format("an export of a ledger, which begins with {}", Quoted(kMagic)),
                     Quoted(bytes.substr(0, kMagic.size())));
  }
  TALEA_TRY(CompareChecksum(bytes));
  const auto format = LoadLittleEndian<std::uint32_t>(bytes.data() + kMagic.size());
  if (format == kFormat) return StoredChecksum(bytes);
  return Fail(ErrorCode::unsupported, fmt::format("expected format {}, found {}", kFormat, format));
}

std::string Encode(const ExportFooter& footer) {
  std::string bytes(kFooterMagic);
  AppendFixed64(bytes, footer.rows);
  AppendFixed64(bytes, footer.last_checksum);
  bytes += FromHex(footer.state_hash);
  AppendFixed64(bytes, Checksum(bytes));
  return bytes;
}

Result<ExportFooter> DecodeExportFooter(ByteView bytes) {
  if (bytes.size() != kExportFooterBytes || !bytes.starts_with(kFooterMagic)) {
    return Malformed(fmt::format("the end of an export, which begins with {}: something is missing "
                                 "from the file, or was added to it",
                                 Quoted(kFooterMagic)),
                     Quoted(bytes.substr(0, kFooterMagic.size())));
  }
  TALEA_TRY(CompareChecksum(bytes));
  ByteReader reader(bytes.substr(kFooterMagic.size()));
  ExportFooter footer;
  footer.rows = *reader.Fixed<std::uint64_t>();
  footer.last_checksum = *reader.Fixed<std::uint64_t>();
  footer.state_hash = ToHex(*reader.Bytes(kHashBytes));
  return footer;
}

Result<FrameHead> DecodeFrameHead(ByteView bytes) {
  TALEA_CHECK(bytes.size() == kFrameHeadBytes);
  ByteReader reader(bytes);
  const auto part = *reader.Fixed<std::uint8_t>();
  FrameHead head;
  head.rows = *reader.Fixed<std::uint32_t>();
  head.row_bytes = *reader.Fixed<std::uint32_t>();
  if (part < kFirstPart || part > kLastPart)
    return Malformed("the number of a part, from 1 to 8", fmt::format("{}", part));
  head.part = StatePart{part};
  if (head.rows == 0) return Malformed("at least one row", "none");
  const std::size_t most = head.rows == 1 ? kLargestRowBytes : kFrameRowBytes;
  if (head.row_bytes <= most) return head;
  return Malformed(fmt::format("at most {} bytes of {} rows", most, head.rows),
                   fmt::format("{}", head.row_bytes));
}

void FrameBuilder::Begin(StatePart part) {
  part_ = part;
  rows_ = 0;
  bytes_.assign(kFrameHeadBytes, '\0');
}

bool FrameBuilder::HasRoomFor(const Row& row) const {
  const std::size_t row_bytes = bytes_.size() - kFrameHeadBytes;
  return empty() || row_bytes + SizedBytes(row.key) + SizedBytes(row.value) <= kFrameRowBytes;
}

void FrameBuilder::Append(const Row& row) {
  AppendSized(bytes_, row.key);
  AppendSized(bytes_, row.value);
  ++rows_;
}

ByteView FrameBuilder::Finish(std::uint64_t& previous) {
  std::string head(1, static_cast<char>(part_));
  AppendFixed32(head, rows_);
  AppendFixed32(head, static_cast<std::uint32_t>(bytes_.size() - kFrameHeadBytes));
  std::ranges::copy(head, bytes_.begin());
  bytes_.append(kChecksumBytes, '\0');
  previous = FrameChecksum(bytes_, previous);
  std::memcpy(bytes_.data() + bytes_.size() - kChecksumBytes, &previous, kChecksumBytes);
  return bytes_;
}

std::uint64_t StoredChecksum(ByteView frame) {
  return LoadLittleEndian<std::uint64_t>(frame.data() + frame.size() - kChecksumBytes);
}

std::uint64_t FrameChecksum(ByteView frame, std::uint64_t previous) {
  const ByteView summed = WithoutChecksum(frame);
  return XXH3_64bits_withSeed(summed.data(), summed.size(), previous);
}

}  // namespace talea::chain
