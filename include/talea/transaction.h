// One unit of work over any number of keyspaces: read, write, commit together or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "talea/engine.h"
#include "talea/reader.h"
#include "talea/result.h"

namespace talea {

// Reads see one snapshot (opened at the first read) with the transaction's own writes on top.
// Everything read is recorded, and Commit fails with `conflict` if any of it was written by others
// since: take a new Transaction and run the work again. A transaction that only writes never
// conflicts.
//
// For one thread at a time. The engine must outlive it. Dropping it without Commit changes nothing.
class Transaction final : public Reader {
 public:
  explicit Transaction(Engine& engine);
  ~Transaction() override;
  Transaction(Transaction&&) noexcept;
  Transaction& operator=(Transaction&&) noexcept;

  // Reads, recorded. A key that this transaction itself has put or erased is not recorded; one it
  // has only added to is: the answer depends on the stored sum.
  Result<std::optional<std::string>> Get(const Keyspace& keyspace, ByteView key) override;
  Result<std::vector<std::optional<std::string>>> MultiGet(
      std::span<const KeyReference> keys) override;
  Result<Page> Range(const Keyspace& keyspace, const KeyRange& range,
                     const PageOptions& options = {}) override;

  // The same reads, own writes included, that record nothing: what others do to them is no
  // conflict.
  Reader& unrecorded();

  // Records a read that was not made here, such as one answered from a cache.
  void Record(const Keyspace& keyspace, ByteView key);
  void Record(const Keyspace& keyspace, const KeyRange& range);

  // Commit fails with `conflict` unless the key then has that value, or with nullopt is absent.
  void Expect(const Keyspace& keyspace, ByteView key, std::optional<std::string> value);

  // Writes; as in WriteBatch, a refused one fails the commit. The last write to a key counts, and
  // Adds to one counter become one.
  void Put(const Keyspace& keyspace, ByteView key, ByteView value);
  void PutCounter(const Keyspace& keyspace, ByteView key, std::int64_t value);
  void Erase(const Keyspace& keyspace, ByteView key);
  void EraseRange(const Keyspace& keyspace, const KeyRange& range);
  void Add(const Keyspace& keyspace, ByteView key, std::int64_t delta);

  // Put of a key that the caller knows to be absent: an undo need not read it to know what was
  // there.
  void Insert(const Keyspace& keyspace, ByteView key, ByteView value);

  // Applies every write of the batch, in order.
  void Apply(const WriteBatch& batch);

  // Asks Commit to store, in the same commit and under this key, what it takes to restore every key
  // that this transaction writes: Adds are inverted, other writes restore the stored bytes, which
  // are read (and recorded) at commit unless they were read or inserted here before. The record
  // takes rows at `key` followed by 4 bytes, as many as the engine's value limit asks for; give
  // each commit a key of its own, as those rows are written without a look at what is there. Ask
  // before the first read; after a write it is refused.
  void KeepUndo(const Keyspace& keyspace, ByteView key);

  // Takes back what a commit with KeepUndo under this key did, and drops the record; not_found if
  // there is none. Undo commits newest first to return to an earlier state, byte for byte; but
  // where the layers of Talea keep what is derived from other rows, such as the counters of a
  // histogram whose buckets were divided since, it is derived anew.
  Status Undo(const Keyspace& keyspace, ByteView key);

  // To be called once if the commit succeeds, in the order given; see CommitRequest::after_commit.
  void AfterCommit(std::move_only_function<void(Version)> callback);

  // To be called once if the commit succeeds, in the order given, by Commit, before it returns and
  // after all that AfterCommit names: in the thread that commits, and with the new version visible,
  // so it may use the engine, and take its time. The transaction's snapshot is closed by then. For
  // work that a commit gives rise to and that can also be done later: where the outcome is unknown,
  // or the process ends, it is not called; and what becomes of it does not change the outcome. A
  // commit with nothing to write succeeds like any other, and so it calls it too.
  void Afterwards(std::move_only_function<void()> work);

  // Commits and returns the version; see Engine::Commit for how it fails. The transaction is used
  // up: its later calls fail, whatever the outcome.
  //
  // Writes that come `beside` belong to this commit and not to what the transaction does: no undo
  // takes them back. They must be to other keys than the transaction's own.
  Result<Version> Commit(Durability durability = Durability::buffered, WriteBatch beside = {});

  // Makes Commit fail with this error, if nothing else does before: for who has written a part of
  // what belongs together, and cannot write the rest.
  void Refuse(Error error);

  // Whether there is anything to commit: writes, or an undo record.
  bool has_writes() const;

  // Whether KeepUndo was called.
  bool keeps_undo() const;

  // The state that the reads see; opens the snapshot if no read has done so yet.
  Result<Version> snapshot_version();

  // What this transaction weighs so far, to be kept below engine().limits().transaction_bytes. The
  // undo that Commit may add is not in it.
  std::size_t size() const;

  Engine& engine() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace talea
