// What the tests of the contract share: short ways to write, to read, to race and to start threads.
//
// The helpers throw where a call fails that the test is not about: see Must.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/contract/model.h"
#include "engine/contract/must.h"
#include "talea/engine.h"
#include "talea/read_set.h"
#include "talea/testing/engine_contract.h"
#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"
#include "talea/transaction.h"
#include "talea/write_batch.h"

namespace talea::contract {

// A batch, or what was read, as one expression: Writes().Put(kPoints, "a", "").Erase(kPoints, "b").
class Writes {
 public:
  Writes& Put(const Keyspace& keyspace, ByteView key, ByteView value) {
    return batch_.Put(keyspace, key, value), *this;
  }
  Writes& PutCounter(const Keyspace& keyspace, ByteView key, std::int64_t value) {
    return batch_.PutCounter(keyspace, key, value), *this;
  }
  Writes& Erase(const Keyspace& keyspace, ByteView key) {
    return batch_.Erase(keyspace, key), *this;
  }
  Writes& EraseRange(const Keyspace& keyspace, const KeyRange& range) {
    return batch_.EraseRange(keyspace, range), *this;
  }
  Writes& Add(const Keyspace& keyspace, ByteView key, std::int64_t delta) {
    return batch_.Add(keyspace, key, delta), *this;
  }
  operator WriteBatch() const { return batch_; }  // NOLINT: a batch by another name

 private:
  WriteBatch batch_;
};

class Reads {
 public:
  Reads& Key(const Keyspace& keyspace, ByteView key) { return reads_.Add(keyspace, key), *this; }
  Reads& Range(const Keyspace& keyspace, const KeyRange& range) {
    return reads_.Add(keyspace, range), *this;
  }
  operator ReadSet() const { return reads_; }  // NOLINT

 private:
  ReadSet reads_;
};

// [begin, end)
KeyRange Between(ByteView begin, ByteView end);

// A request that reads nothing.
CommitRequest Blind(WriteBatch batch);

// Commits what reads nothing; tries again on an engine that fails spuriously.
Version Write(Engine& engine, const WriteBatch& batch);

// Runs the body, which does not commit, in new transactions until one of them commits.
Version Transact(Engine& engine, const std::function<void(Transaction&)>& body);

// The newest state, whole and in parts.
std::unique_ptr<Snapshot> Now(Engine& engine);
Model State(Engine& engine);
std::optional<std::string> Read(Engine& engine, const Keyspace& keyspace, ByteView key);
std::int64_t ReadCounter(Engine& engine, const Keyspace& keyspace, ByteView key);

// The batch that leaves nothing.
WriteBatch EraseEverything();

// Whether a commit that read `reads`, in the state that `before` leaves, conflicts with what others
// write meanwhile. Checks that a conflict leaves no trace. On an engine that fails spuriously the
// answer is yes only if it is so every time.
bool Conflicts(Engine& engine, const WriteBatch& before, const ReadSet& reads,
               const std::function<void()>& others);
bool Conflicts(Engine& engine, const WriteBatch& before, const ReadSet& reads,
               const WriteBatch& others);

// The same for a Transaction with this body, which does not commit.
bool Conflicts(Engine& engine, const WriteBatch& before,
               const std::function<void(Transaction&)>& body, const WriteBatch& others);

// Runs the body, and leaves it where a snapshot expires, on an engine that limits their age.
// Returns whether it ran to its end. For bodies whose snapshot others may outlast.
bool UnlessExpired(Engine& engine, const std::function<void()>& body);

// Runs the body in that many threads at once, numbered from 0. What it throws fails the test.
void InThreads(int count, const std::function<void(int)>& body);

// The number of steps of a larger test, for this engine, build and TALEA_LONG; at least 1.
int Steps(int usual);

// The time that the largest tests take at most: a slow engine makes fewer steps in it.
class TimeLimit {
 public:
  TimeLimit();
  bool over() const { return std::chrono::steady_clock::now() > end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

}  // namespace talea::contract
