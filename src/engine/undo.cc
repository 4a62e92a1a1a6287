#include "engine/undo.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "base/check.h"
#include "base/coding.h"

namespace talea {
namespace {

constexpr std::uint8_t kFormat = 1;
constexpr std::size_t kHeaderBytes = sizeof kFormat + sizeof(std::uint32_t) + sizeof(std::uint64_t);

struct Header {
  std::uint32_t parts;
  std::uint64_t checksum;  // of the batch
};

Result<Header> ReadHeader(ByteView first) {
  ByteReader reader(first);
  const std::optional<std::uint8_t> format = reader.Fixed<std::uint8_t>();
  if (format && *format != kFormat) {
    return Fail(ErrorCode::unsupported,
                fmt::format("undo record: expected format {}, found {}", kFormat, *format));
  }
  const std::optional<std::uint32_t> parts = reader.Fixed<std::uint32_t>();
  const std::optional<std::uint64_t> checksum = reader.Fixed<std::uint64_t>();
  if (format && parts && *parts > 0 && checksum) return Header{*parts, *checksum};
  return Fail(ErrorCode::corruption,
              fmt::format("undo record: expected a header of {} bytes, found {}", kHeaderBytes,
                          Quoted(first.substr(0, kHeaderBytes))));
}

// The next parts of a record that has so many, which may be a number that somebody made up.
Status ReadMoreParts(Reader& reader, const Keyspace& keyspace, ByteView key, std::uint32_t count,
                     std::vector<std::string>& parts) {
  constexpr std::size_t kMostAtOnce = 256;
  const std::size_t end = std::min<std::size_t>(count, parts.size() + kMostAtOnce);
  std::vector<std::string> keys;
  for (std::size_t part = parts.size(); part < end; ++part) {
    keys.push_back(UndoKey(key, static_cast<std::uint32_t>(part)));
  }
  std::vector<KeyReference> asked;
  for (const std::string& part : keys) asked.emplace_back(keyspace, part);
  std::vector<std::optional<std::string>> found = TALEA_TRY(reader.MultiGet(asked));
  for (std::optional<std::string>& part : found) {
    if (!part) {
      return Fail(ErrorCode::corruption,
                  fmt::format("keyspace {}, undo record {}: expected {} parts, found {}",
                              Quoted(keyspace.name), Quoted(key), count, parts.size()));
    }
    parts.push_back(std::move(*part));
  }
  return {};
}

}  // namespace

std::string UndoKey(ByteView key, std::uint32_t part) {
  std::string bytes(key);
  AppendBigEndian32(bytes, part);
  return bytes;
}

std::vector<std::string> EncodeUndo(const WriteBatch& restore, std::size_t most_bytes) {
  TALEA_CHECK(most_bytes >= kHeaderBytes);  // the first part tells how many there are
  const ByteView batch = restore.encoded();
  const std::size_t total = kHeaderBytes + batch.size();
  std::string record;
  record.reserve(total);
  record.push_back(static_cast<char>(kFormat));
  AppendFixed32(record, static_cast<std::uint32_t>((total + most_bytes - 1) / most_bytes));
  AppendFixed64(record, XXH3_64bits(batch.data(), batch.size()));
  record.append(batch);

  std::vector<std::string> parts;
  if (total <= most_bytes) {
    parts.push_back(std::move(record));
    return parts;
  }
  for (std::size_t offset = 0; offset < record.size(); offset += most_bytes) {
    parts.push_back(record.substr(offset, most_bytes));
  }
  return parts;
}

Result<std::uint32_t> CountUndoParts(ByteView first) {
  const Header header = TALEA_TRY(ReadHeader(first));
  return header.parts;
}

Result<WriteBatch> DecodeUndo(const std::vector<std::string>& parts) {
  std::string record;
  for (const std::string& part : parts) record.append(part);
  const Header header = TALEA_TRY(ReadHeader(record));
  const ByteView batch = ByteView(record).substr(kHeaderBytes);
  const std::uint64_t found = XXH3_64bits(batch.data(), batch.size());
  if (parts.size() != header.parts || found != header.checksum) {
    return Fail(
        ErrorCode::corruption,
        fmt::format("undo record: expected {} parts with checksum {:016x}, found {} with {:016x}",
                    header.parts, header.checksum, parts.size(), found));
  }
  return WriteBatch::Decode(batch);
}

Result<UndoRecord> ReadUndo(Reader& reader, const Keyspace& keyspace, ByteView key) {
  std::optional<std::string> first = TALEA_TRY(reader.Get(keyspace, UndoKey(key, 0)));
  if (!first) {
    return Fail(ErrorCode::not_found,
                fmt::format("keyspace {}, key {}: expected an undo record, found none",
                            Quoted(keyspace.name), Quoted(key)));
  }
  const std::uint32_t count = TALEA_TRY(CountUndoParts(*first));
  std::vector<std::string> parts{std::move(*first)};
  while (parts.size() < count) TALEA_TRY(ReadMoreParts(reader, keyspace, key, count, parts));
  return UndoRecord {
    TALEA_TRY(DecodeUndo(parts))
    , count
  };
}

}  // namespace talea
