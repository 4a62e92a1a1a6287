// Where the writes of a step go: into a transaction, or into batches (step_writes.h).
#pragma once

#include "talea/transaction.h"

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

}  // namespace talea::chain
