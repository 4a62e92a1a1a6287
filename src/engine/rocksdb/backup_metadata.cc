#include "engine/rocksdb/backup_metadata.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "base/coding.h"
#include "engine/rocksdb/format_file.h"

namespace talea {
namespace {

constexpr ByteView kMagic = "TALEABAK";
constexpr std::uint32_t kBackupFormat = 1;

std::unexpected<Error> Malformed(std::size_t offset, std::string_view expected) {
  return Fail(ErrorCode::corruption,
              fmt::format("metadata of a backup, byte {}: expected {}", offset, expected));
}

Result<BackupMetadata> ReadBody(ByteReader reader) {
  const std::optional<ByteView> database = reader.Sized();
  const std::optional<ByteView> format_file = reader.Sized();
  if (!database || !format_file || !reader.empty()) {
    return Malformed(reader.offset(), "a database's identity, the file TALEA, and no more");
  }
  TALEA_TRY(DecodeFormatFile(*format_file));
  return BackupMetadata{std::string(*database), std::string(*format_file)};
}

}  // namespace

std::string EncodeBackupMetadata(const BackupMetadata& metadata) {
  std::string bytes(kMagic);
  AppendFixed32(bytes, kBackupFormat);
  AppendSized(bytes, metadata.database);
  AppendSized(bytes, metadata.format_file);
  AppendFixed64(bytes, XXH3_64bits(bytes.data(), bytes.size()));
  return bytes;
}

Result<BackupMetadata> DecodeBackupMetadata(ByteView bytes) {
  if (!bytes.starts_with(kMagic)) {
    TALEA_TRY(DecodeFormatFile(bytes));  // an earlier Talea stored nothing else
    return BackupMetadata{"", std::string(bytes)};
  }
  ByteReader reader(bytes);
  reader.Bytes(kMagic.size());
  const std::optional<std::uint32_t> format = reader.Fixed<std::uint32_t>();
  if (!format) return Malformed(kMagic.size(), "a format number");
  if (*format != kBackupFormat) {
    return Fail(ErrorCode::unsupported,
                fmt::format("metadata of a backup: expected format {}, found {}, which takes a "
                            "newer Talea",
                            kBackupFormat, *format));
  }
  if (reader.rest().size() < sizeof(std::uint64_t)) return Malformed(bytes.size(), "a checksum");
  const ByteView body = bytes.substr(0, bytes.size() - sizeof(std::uint64_t));
  if (LoadLittleEndian<std::uint64_t>(body.data() + body.size()) !=
      XXH3_64bits(body.data(), body.size())) {
    return Malformed(body.size(), "the checksum of the bytes before it, found another");
  }
  reader = ByteReader(body);
  reader.Bytes(kMagic.size() + sizeof kBackupFormat);
  return ReadBody(reader);
}

}  // namespace talea
