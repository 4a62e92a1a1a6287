// The keys of Talea's own rows. Their bytes are described in docs/formats.md.
#pragma once

#include <string>
#include <string_view>

#include "keyspace/registry.h"
#include "talea/bytes.h"
#include "talea/key_range.h"
#include "talea/result.h"
#include "talea/time.h"
#include "talea/uuid.h"

namespace talea {

// The packed number that the rows of one kind begin with.
std::string PackedPrefix(TaleaPrefix prefix);

// In the keyspace "talea", of the whole engine.
std::string SchemaKey();

// Of one database: there while a copy into it is not finished.
std::string CopyMarkKey();

std::string ProgressKey(std::string_view source);
std::string LeaseKey(std::string_view name);
std::string LeaseExpiryKey(std::string_view name);

// A session: when it expires; the mark that it exists, which stands before its slots; its slots.
std::string SessionKey(const Uuid& session);
std::string SessionMarkKey(const Uuid& session);
std::string SessionSlotKey(const Uuid& session, std::uint64_t slot);

std::string RequestKeyOf(ByteView key);
std::string RequestExpiryKey(Timestamp expires, ByteView key);

// In the keyspace "undo": what KeepUndo takes, for a source's move to this position; and all
// records of a source, or only those of moves to positions beyond `after` or up to `to`.
std::string UndoRecordKey(std::string_view source, ByteView position);
KeyRange UndoRecords(std::string_view source);
KeyRange UndoRecordsAfter(std::string_view source, ByteView after);
KeyRange UndoRecordsUpTo(std::string_view source, ByteView to);

// What the key of a row of such a record tells; corruption if it is no such key.
struct UndoRowKey {
  std::string source;
  std::string position;
  std::uint32_t part = 0;
};
Result<UndoRowKey> ParseUndoRowKey(ByteView row_key);

// The position of a row of such a record; corruption if it is no such key, or of another source.
Result<std::string> UndoRecordPosition(std::string_view source, ByteView row_key);

// Fails with invalid_argument, naming `what`, unless the name has 1 to 255 bytes of UTF-8.
Status CheckName(std::string_view what, std::string_view name);

}  // namespace talea
