// Where the writes of a step go: into a transaction, or, where they are too many for one, into
// batches that are staged.
#pragma once

#include "base/coding.h"
#include "talea/transaction.h"
#include "talea/write_batch.h"

namespace talea::chain {

// Each key is written once at most, and `old` is what is stored.
class StepSink {
 public:
  virtual ~StepSink() = default;
  virtual void Insert(const Keyspace& keyspace, ByteView key, ByteView value) = 0;
  virtual void Replace(const Keyspace& keyspace, ByteView key, ByteView old, ByteView value) = 0;
  virtual void Erase(const Keyspace& keyspace, ByteView key, ByteView old) = 0;
  virtual void Add(const Keyspace& keyspace, ByteView key, std::int64_t delta) = 0;

  void Put(const Keyspace& keyspace, ByteView key, const std::optional<std::string>& old,
           ByteView value) {
    old ? Replace(keyspace, key, *old, value) : Insert(keyspace, key, value);
  }
};

// The transaction keeps the undo itself.
class TransactionSink final : public StepSink {
 public:
  explicit TransactionSink(Transaction& transaction) : transaction_(transaction) {}

  void Insert(const Keyspace& keyspace, ByteView key, ByteView value) override {
    transaction_.Insert(keyspace, key, value);
  }
  void Replace(const Keyspace& keyspace, ByteView key, ByteView, ByteView value) override {
    transaction_.Put(keyspace, key, value);
  }
  void Erase(const Keyspace& keyspace, ByteView key, ByteView) override {
    transaction_.Erase(keyspace, key);
  }
  void Add(const Keyspace& keyspace, ByteView key, std::int64_t delta) override {
    transaction_.Add(keyspace, key, delta);
  }

 private:
  Transaction& transaction_;
};

// Collects the writes, and what takes them back.
class BatchSink final : public StepSink {
 public:
  BatchSink(WriteBatch& writes, WriteBatch& restore) : writes_(writes), restore_(restore) {}

  void Insert(const Keyspace& keyspace, ByteView key, ByteView value) override {
    writes_.Put(keyspace, key, value);
    restore_.Erase(keyspace, key);
  }
  void Replace(const Keyspace& keyspace, ByteView key, ByteView old, ByteView value) override {
    writes_.Put(keyspace, key, value);
    restore_.Put(keyspace, key, old);
  }
  void Erase(const Keyspace& keyspace, ByteView key, ByteView old) override {
    writes_.Erase(keyspace, key);
    restore_.Put(keyspace, key, old);
  }
  void Add(const Keyspace& keyspace, ByteView key, std::int64_t delta) override {
    writes_.Add(keyspace, key, delta);
    restore_.Add(keyspace, key, WrappingNegate(delta));
  }

 private:
  WriteBatch& writes_;
  WriteBatch& restore_;
};

}  // namespace talea::chain
