// Undo records: what restores the state before a commit. Their bytes are described in
// docs/formats.md.
#pragma once

#include <string>
#include <vector>

#include "talea/engine.h"
#include "talea/reader.h"

namespace talea {

// The key of a record's part: the record's key and the part's number, 4 bytes, big-endian.
std::string UndoKey(ByteView key, std::uint32_t part);

// The record that applies this batch, divided into values of at most `most_bytes`, which must be
// at least 13: the size of the header, with which the first part begins.
std::vector<std::string> EncodeUndo(const WriteBatch& restore, std::size_t most_bytes);

// How many parts the record has that starts with this value.
Result<std::uint32_t> CountUndoParts(ByteView first);

// Puts the parts together again; they are untrusted.
Result<WriteBatch> DecodeUndo(const std::vector<std::string>& parts);

struct UndoRecord {
  WriteBatch restore;
  std::uint32_t parts = 0;
};

// The record under a key; not_found if there is none. One round trip for the first part, and one
// for each 256 more.
Result<UndoRecord> ReadUndo(Reader& reader, const Keyspace& keyspace, ByteView key);

}  // namespace talea
