#include "coordination/keys.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/coding.h"
#include "keyspace/utf8.h"
#include "talea/tuple_packer.h"
#include "talea/tuple_reader.h"

namespace talea {
namespace {

constexpr std::size_t kLongestName = 255;
constexpr std::size_t kPartNumberBytes = 4;  // at the end of each row of an undo record

void AppendText(std::string& key, std::string_view text) {
  TALEA_CHECK(TuplePacker(key).Text(text).has_value());  // CheckName has let it pass
}

std::string NamedKey(TaleaPrefix prefix, std::string_view name) {
  std::string key = PackedPrefix(prefix);
  AppendText(key, name);
  return key;
}

std::string BytesKey(TaleaPrefix prefix, ByteView bytes) {
  std::string key = PackedPrefix(prefix);
  TuplePacker(key).Bytes(bytes);
  return key;
}

std::string UuidKey(TaleaPrefix prefix, const Uuid& uuid) {
  std::string key = PackedPrefix(prefix);
  TuplePacker(key).Uuid(uuid);
  return key;
}

// The first key beyond all rows of a record. The number of a part never begins with 0xff, and the
// key of a longer position that begins with this one goes on with that byte.
std::string EndOfRecord(std::string_view source, ByteView position) {
  return UndoRecordKey(source, position) + '\xff';
}

}  // namespace

std::string PackedPrefix(TaleaPrefix prefix) {
  std::string key;
  TuplePacker(key).Int(static_cast<std::uint8_t>(prefix));
  return key;
}

std::string SchemaKey() {
  std::string key;
  AppendText(key, "schema");
  return key;
}

std::string CopyMarkKey() { return PackedPrefix(TaleaPrefix::copy); }

std::string ProgressKey(std::string_view source) { return NamedKey(TaleaPrefix::progress, source); }
std::string LeaseKey(std::string_view name) { return NamedKey(TaleaPrefix::lease, name); }
std::string LeaseExpiryKey(std::string_view name) {
  return NamedKey(TaleaPrefix::lease_expiry, name);
}

std::string SessionKey(const Uuid& session) { return UuidKey(TaleaPrefix::session, session); }
std::string SessionMarkKey(const Uuid& session) {
  return UuidKey(TaleaPrefix::session_slot, session);
}
std::string SessionSlotKey(const Uuid& session, std::uint64_t slot) {
  std::string key = SessionMarkKey(session);
  TuplePacker(key).Int(slot);
  return key;
}

std::string RequestKeyOf(ByteView key) { return BytesKey(TaleaPrefix::request, key); }
std::string RequestExpiryKey(Timestamp expires, ByteView key) {
  std::string expiry = PackedPrefix(TaleaPrefix::request_expiry);
  TuplePacker(expiry).Int(expires.time_since_epoch().count()).Bytes(key);
  return expiry;
}

std::string UndoRecordKey(std::string_view source, ByteView position) {
  std::string key;
  AppendText(key, source);
  TuplePacker(key).Bytes(position);
  return key;
}

KeyRange UndoRecords(std::string_view source) {
  std::string prefix;
  AppendText(prefix, source);
  return KeysInsidePacked(prefix);
}

KeyRange UndoRecordsAfter(std::string_view source, ByteView after) {
  return UndoRecords(source).StartingAt(EndOfRecord(source, after));
}

KeyRange UndoRecordsUpTo(std::string_view source, ByteView to) {
  return UndoRecords(source).EndingAt(EndOfRecord(source, to));
}

Result<UndoRowKey> ParseUndoRowKey(ByteView row_key) {
  const std::size_t size = std::max(row_key.size(), kPartNumberBytes) - kPartNumberBytes;
  TupleReader reader(row_key.substr(0, size));
  const Result<std::string_view> source = reader.Text();
  const Result<ByteView> position = reader.Bytes();
  const ByteView part = row_key.substr(size);
  if (source && position && reader.AtEnd() && part.size() == kPartNumberBytes) {
    return UndoRowKey{std::string(*source), std::string(*position), LoadBigEndian32(part.data())};
  }
  return Fail(ErrorCode::corruption,
              fmt::format("keyspace \"undo\", key {}: expected a source, a position and {} bytes "
                          "with the number of a part",
                          Quoted(row_key), kPartNumberBytes));
}

Result<std::string> UndoRecordPosition(std::string_view source, ByteView row_key) {
  Result<UndoRowKey> key = ParseUndoRowKey(row_key);
  if (key && key->source == source) return std::move(key->position);
  return Fail(ErrorCode::corruption,
              fmt::format("keyspace \"undo\", key {}: expected a record of source {}",
                          Quoted(row_key), Quoted(source)));
}

Status CheckName(std::string_view what, std::string_view name) {
  const bool fits = !name.empty() && name.size() <= kLongestName;
  if (fits && Utf8PrefixLength(name) == name.size()) return {};
  return Fail(ErrorCode::invalid_argument,
              fmt::format("{} {}: expected a name of 1 to {} bytes of UTF-8, found {} bytes", what,
                          Quoted(name), kLongestName, name.size()));
}

}  // namespace talea
