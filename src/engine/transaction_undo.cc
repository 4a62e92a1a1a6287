// How a Transaction finds out what its commit will change, and takes such a change back.
#include <fmt/format.h>

#include <algorithm>

#include "base/coding.h"
#include "engine/checks.h"
#include "engine/transaction_state.h"
#include "engine/undo.h"
#include "engine/undo_rules.h"
#include "keyspace/registry.h"

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

Error RuleMissing(const Keyspace& keyspace) {
  return {ErrorCode::precondition_failed,
          fmt::format("undo of writes to keyspace {}: expected the rule of its layer to be known, "
                      "as it is once a Database is open",
                      Quoted(keyspace.name))};
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

// Rules come last: what they derive from other rows, they then derive from the restored ones.
Status Transaction::State::Undo(Transaction& self, const Keyspace& keyspace, ByteView key) {
  const UndoRecord record = TALEA_TRY(ReadUndo(self, keyspace, key));
  RuledWrites ruled;
  for (const WriteBatch::Operation& operation : record.restore) {
    const Keyspace* written = engine_->keyspaces().Find(operation.keyspace);
    if (written == nullptr) return Refused(UnknownKeyspace(operation));
    if (ruled.Take(*written, operation)) continue;
    if (NeedsUndoRule(written->id)) return Refused(RuleMissing(*written));
    Write(*written, operation);
  }
  for (std::uint32_t part = 0; part < record.parts; ++part)
    self.Erase(keyspace, UndoKey(key, part));
  if (Status performed = ruled.Perform(self); !performed) return Refused(performed.error());
  return {};
}

}  // namespace talea
