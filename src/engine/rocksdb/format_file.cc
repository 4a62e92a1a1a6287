#include "engine/rocksdb/format_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "base/coding.h"
#include "base/file.h"

namespace talea {
namespace {

constexpr ByteView kMagic = "TALEARDB";

std::unexpected<Error> Malformed(std::size_t offset, std::string_view expected) {
  return Fail(ErrorCode::corruption,
              fmt::format("file {}, byte {}: expected {}", kFormatFileName, offset, expected));
}

std::string Describe(std::uint8_t id, AccessPattern pattern, std::string_view name) {
  constexpr std::string_view kPatterns[] = {"point", "scan", "counter"};
  return fmt::format("{} (id {}, {})", Quoted(name), id,
                     kPatterns[static_cast<std::size_t>(pattern)]);
}

Result<StoredKeyspace> ReadKeyspace(ByteReader& reader) {
  const std::size_t offset = reader.offset();
  const std::optional<std::uint8_t> id = reader.Fixed<std::uint8_t>();
  const std::optional<std::uint8_t> pattern = reader.Fixed<std::uint8_t>();
  const std::optional<ByteView> name = reader.Sized();
  if (!id || !pattern || !name || *pattern > static_cast<std::uint8_t>(AccessPattern::counter)) {
    return Malformed(offset, "a keyspace");
  }
  return StoredKeyspace{*id, AccessPattern{*pattern}, std::string(*name)};
}

}  // namespace

std::string EncodeFormatFile(const std::vector<StoredKeyspace>& keyspaces) {
  std::string bytes(kMagic);
  AppendFixed32(bytes, kRocksDbFormat);
  AppendVarint(bytes, keyspaces.size());
  for (const StoredKeyspace& keyspace : keyspaces) {
    bytes.push_back(static_cast<char>(keyspace.id));
    bytes.push_back(static_cast<char>(keyspace.pattern));
    AppendSized(bytes, keyspace.name);
  }
  AppendFixed64(bytes, XXH3_64bits(bytes.data(), bytes.size()));
  return bytes;
}

Result<std::vector<StoredKeyspace>> DecodeFormatFile(ByteView bytes) {
  if (!bytes.starts_with(kMagic)) {
    return Malformed(
        0, fmt::format("the magic bytes {}, found {}", kMagic, Quoted(bytes.substr(0, 16))));
  }
  ByteReader reader(bytes);
  reader.Bytes(kMagic.size());
  const std::optional<std::uint32_t> format = reader.Fixed<std::uint32_t>();
  if (!format) return Malformed(kMagic.size(), "a format number");
  // The format comes before the checksum, which a newer one may well keep elsewhere.
  if (*format != kRocksDbFormat) {
    return Fail(ErrorCode::unsupported,
                fmt::format("file {}: expected format {}, found {}, which takes a newer Talea",
                            kFormatFileName, kRocksDbFormat, *format));
  }
  if (reader.rest().size() < sizeof(std::uint64_t)) return Malformed(bytes.size(), "a checksum");
  const ByteView body = bytes.substr(0, bytes.size() - sizeof(std::uint64_t));
  if (LoadLittleEndian<std::uint64_t>(body.data() + body.size()) !=
      XXH3_64bits(body.data(), body.size())) {
    return Malformed(body.size(), "the checksum of the bytes before it, found another");
  }
  reader = ByteReader(body);
  reader.Bytes(kMagic.size() + sizeof kRocksDbFormat);
  const std::optional<std::uint64_t> count = reader.Varint();
  if (!count) return Malformed(reader.offset(), "a number of keyspaces");
  std::vector<StoredKeyspace> keyspaces;
  for (std::uint64_t number = 0; number < *count; ++number) {
    keyspaces.push_back(TALEA_TRY(ReadKeyspace(reader)));
  }
  if (!reader.empty()) return Malformed(reader.offset(), "the checksum, found more keyspaces");
  return keyspaces;
}

Result<std::optional<std::vector<StoredKeyspace>>> ReadFormatFile(
    const std::filesystem::path& folder) {
  const Result<std::string> bytes = ReadWholeFile(folder / kFormatFileName);
  if (!bytes && bytes.error().code() == ErrorCode::not_found) return std::nullopt;
  return TALEA_TRY(DecodeFormatFile(TALEA_TRY(bytes)));
}

Status WriteFormatFile(const std::filesystem::path& folder, ByteView encoded) {
  const std::filesystem::path path = folder / kFormatFileName;
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  FileWriter file = TALEA_TRY(FileWriter::Create(temporary));
  TALEA_TRY(file.Append(encoded));
  TALEA_TRY(file.Finish());
  return RenameDurably(temporary, path);
}

Result<std::vector<StoredKeyspace>> MatchKeyspaces(const std::vector<StoredKeyspace>& stored,
                                                   const KeyspaceSet& wanted) {
  for (const StoredKeyspace& found : stored) {
    const auto same_place = [&](const Keyspace& keyspace) {
      return keyspace.id == found.id || keyspace.name == found.name;
    };
    const auto match = std::ranges::find_if(wanted.all(), same_place);
    if (match == wanted.all().end()) {
      return Fail(
          ErrorCode::invalid_argument,
          fmt::format("keyspace {} is stored in the database: expected it among those to be "
                      "opened, found it missing",
                      Describe(found.id, found.pattern, found.name)));
    }
    if (Keyspace{found.id, found.pattern, found.name} != *match) {
      return Fail(ErrorCode::invalid_argument,
                  fmt::format("keyspace {}: expected it as it is stored in the database, {}",
                              Describe(match->id, match->pattern, match->name),
                              Describe(found.id, found.pattern, found.name)));
    }
  }
  std::vector<StoredKeyspace> all;
  for (const Keyspace& keyspace : wanted.all()) {
    all.push_back({keyspace.id, keyspace.pattern, std::string(keyspace.name)});
  }
  return all;
}

}  // namespace talea
