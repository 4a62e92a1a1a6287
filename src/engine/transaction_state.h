// The inside of a Transaction: its snapshot, its own writes, and what it has read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/write_overlay.h"
#include "talea/transaction.h"

namespace talea {

class Transaction::State {
 public:
  explicit State(Engine& engine);

  Engine& engine() const { return *engine_; }
  Reader& unrecorded() { return unrecorded_; }

  Result<Snapshot*> OpenSnapshot();
  Result<std::optional<std::string>> Get(const Keyspace& keyspace, ByteView key, bool record);
  Result<std::vector<std::optional<std::string>>> MultiGet(std::span<const KeyReference> keys,
                                                           bool record);
  Result<Page> Range(const Keyspace& keyspace, const KeyRange& range, const PageOptions& options,
                     bool record);

  // Whether reads of a keyspace can be recorded; if not, the commit is refused.
  bool MayRecord(const Keyspace& keyspace);

  // Each takes one write, or remembers why it must be refused.
  void Write(const Keyspace& keyspace, const WriteBatch::Operation& operation,
             bool inserted = false);
  void Apply(const WriteBatch& batch);
  void Refuse(Error error);
  Status Refused(const Error& error);  // refuses, and returns the same error

  void KeepUndo(const Keyspace& keyspace, ByteView key);
  bool KeepsUndo() const { return undo_.has_value(); }

  // Applies the record under this key, by the rules of keyspaces that have one, and erases it.
  // `self` is the transaction that this is the inside of.
  Status Undo(Transaction& self, const Keyspace& keyspace, ByteView key);

  Result<Version> Commit(Durability durability, const WriteBatch& beside);
  bool HasWrites() const;
  std::size_t size() const;

  ReadSet reads;
  std::vector<Expectation> expected;
  std::vector<std::move_only_function<void(Version)>> callbacks;
  std::vector<std::move_only_function<void()>> afterwards;

 private:
  // The same reads, not recorded.
  class Unrecorded final : public Reader {
   public:
    explicit Unrecorded(State& state) : state_(state) {}
    Result<std::optional<std::string>> Get(const Keyspace& keyspace, ByteView key) override {
      return state_.Get(keyspace, key, false);
    }
    Result<std::vector<std::optional<std::string>>> MultiGet(
        std::span<const KeyReference> keys) override {
      return state_.MultiGet(keys, false);
    }
    Result<Page> Range(const Keyspace& keyspace, const KeyRange& range,
                       const PageOptions& options) override {
      return state_.Range(keyspace, range, options, false);
    }

   private:
    State& state_;
  };

  // Stored values that reads have told, for an undo to restore.
  using Stored = boost::unordered_flat_map<std::string, std::optional<std::string>, HashBytes,
                                           std::equal_to<>>;

  Status CheckUsable() const;
  std::size_t Position(const Keyspace& keyspace) const {
    return engine_->keyspaces().Position(keyspace.id);
  }
  KeyspaceOverlay* FindWrites(const Keyspace& keyspace) const;
  void Remember(const Keyspace& keyspace, ByteView key, const std::optional<std::string>& value);

  Result<Version> CommitWrites(Durability durability, const WriteBatch& beside);

  // Adds the undo record of all writes; the others append their part of it to `restore`.
  Status AppendUndo(WriteBatch& batch);
  Status RestoreErasedRanges(KeyspaceOverlay& writes, WriteBatch& restore);
  Status RestoreWrites(const KeyspaceOverlay& writes, WriteBatch& restore);

  Engine* engine_;
  std::unique_ptr<Snapshot> snapshot_;                      // opened by the first read
  std::vector<std::unique_ptr<KeyspaceOverlay>> overlays_;  // by position of the keyspace
  std::vector<Stored> stored_;                              // likewise, if there is to be an undo
  struct UndoPlace {
    const Keyspace* keyspace;
    std::string key;
  };
  std::optional<UndoPlace> undo_;  // where Commit is to leave an undo record
  Status refused_;
  bool used_up_ = false;
  Unrecorded unrecorded_;
};

}  // namespace talea
