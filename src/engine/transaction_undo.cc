// How a Transaction finds out what its commit will change, and takes such a change back.
#include <fmt/format.h>

#include <algorithm>

#include "base/coding.h"
#include "engine/transaction_state.h"
#include "engine/undo.h"

namespace talea {
namespace {

using Kind = KeyspaceOverlay::Kind;

void Restore(const Keyspace& keyspace, ByteView key, const std::optional<std::string>& stored,
             WriteBatch& restore) {
  if (stored) {
    restore.Put(keyspace, key, *stored);
  } else {
    restore.Erase(keyspace, key);
  }
}

}  // namespace

Status Transaction::State::AppendUndo(WriteBatch& batch) {
  WriteBatch restore;
  for (const std::unique_ptr<KeyspaceOverlay>& writes : overlays_) {
    if (!writes) continue;
    TALEA_TRY(RestoreErasedRanges(*writes, restore));
    TALEA_TRY(RestoreWrites(*writes, restore));
  }
  const std::vector<std::string> parts = EncodeUndo(restore, engine_->limits().value_bytes);
  for (std::uint32_t part = 0; part < parts.size(); ++part) {
    batch.Put(*undo_->keyspace, UndoKey(undo_->key, part), parts[part]);
  }
  return {};
}

// The stored rows of the ranges come back; keys that were written there, and were not stored, go.
Status Transaction::State::RestoreErasedRanges(KeyspaceOverlay& writes, WriteBatch& restore) {
  const Keyspace& keyspace = writes.keyspace();
  for (const KeyRange& range : writes.erased_ranges()) {
    const std::set<ByteView>& keys = writes.ordered();
    const auto end = range.end() ? keys.lower_bound(*range.end()) : keys.end();
    std::set<ByteView> only_written(keys.lower_bound(range.begin()), end);
    Scanner rows(*TALEA_TRY(OpenSnapshot()), keyspace, range);
    reads.Add(keyspace, range);
    while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
      restore.Put(keyspace, row->key, row->value);
      only_written.erase(row->key);
    }
    for (const ByteView key : only_written) restore.Erase(keyspace, key);
  }
  return {};
}

// Adds are inverted. The other writes put back what was stored, which is read here unless it is
// known; that read is recorded, as it must still be true when the commit happens.
Status Transaction::State::RestoreWrites(const KeyspaceOverlay& writes, WriteBatch& restore) {
  const Keyspace& keyspace = writes.keyspace();
  const Stored* known = stored_.empty() ? nullptr : &stored_[Position(keyspace)];
  std::vector<KeyReference> unknown;
  for (const KeyspaceOverlay::Write& write : writes.writes()) {
    if (write.kind == Kind::dropped || writes.Erased(write.key)) continue;
    if (write.kind == Kind::add) {
      restore.Add(keyspace, write.key, WrappingNegate(write.delta));
    } else if (write.inserted) {
      restore.Erase(keyspace, write.key);
    } else {
      reads.Add(keyspace, write.key);
      const auto stored = known ? known->find(write.key) : Stored::const_iterator{};
      if (known && stored != known->end()) {
        Restore(keyspace, write.key, stored->second, restore);
      } else {
        unknown.emplace_back(keyspace, write.key);
      }
    }
  }
  if (unknown.empty()) return {};
  const std::vector<std::optional<std::string>> values =
      TALEA_TRY(TALEA_TRY(OpenSnapshot())->MultiGet(unknown));
  for (std::size_t position = 0; position < unknown.size(); ++position) {
    Restore(keyspace, unknown[position].key, values[position], restore);
  }
  return {};
}

Status Transaction::State::Undo(const Keyspace& keyspace, ByteView key) {
  std::vector<std::string> parts;
  std::uint32_t count = 1;
  while (parts.size() < count) {
    const auto number = static_cast<std::uint32_t>(parts.size());
    const std::string part_key = UndoKey(key, number);
    std::optional<std::string> part = TALEA_TRY(Get(keyspace, part_key, true));
    if (!part && number == 0) {
      return Fail(ErrorCode::not_found,
                  fmt::format("keyspace {}, key {}: expected an undo record, found none",
                              Quoted(keyspace.name), Quoted(key)));
    }
    if (!part) {
      return Fail(ErrorCode::corruption,
                  fmt::format("keyspace {}, undo record {}: expected {} parts, found {}",
                              Quoted(keyspace.name), Quoted(key), count, number));
    }
    if (number == 0) count = TALEA_TRY(CountUndoParts(*part));
    parts.push_back(std::move(*part));
  }
  const WriteBatch restore = TALEA_TRY(DecodeUndo(parts));
  Apply(restore);
  for (std::uint32_t part = 0; part < count; ++part) {
    Write(keyspace, {.kind = WriteBatch::Kind::erase,
                     .keyspace = keyspace.id,
                     .key = UndoKey(key, part),
                     .value = {}});
  }
  return {};
}

}  // namespace talea
