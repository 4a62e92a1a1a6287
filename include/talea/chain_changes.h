// What the steps of a ledger have changed, for those who follow it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "talea/chain_types.h"
#include "talea/result.h"

namespace talea {

struct OutputChange {
  OutputReference reference;
  std::optional<OutputValue> before;  // nothing: it was produced
  std::optional<OutputValue> after;   // nothing: it was consumed
  friend bool operator==(const OutputChange&, const OutputChange&) = default;
};

struct EntityChange {
  std::string name_space;
  EntityKey key;
  std::optional<std::string> before;
  std::optional<std::string> after;
  friend bool operator==(const EntityChange&, const EntityChange&) = default;
};

struct ValueChange {
  std::string name_space;
  EntityKey key;
  std::string value;
  bool removed = false;
  friend bool operator==(const ValueChange&, const ValueChange&) = default;
};

struct CounterChange {
  std::string name_space;
  EntityKey key;
  std::int64_t delta = 0;
  friend bool operator==(const CounterChange&, const CounterChange&) = default;
};

// One step: from where to where, and what is different since. What a step put and erased again, as
// an output that was made and spent in one block, is not in it. Outputs are in the order of their
// references; the others in that of their rows, by the hash of their namespace first.
struct ChainChange {
  Cursor parent;
  Cursor point;
  std::vector<OutputChange> outputs;
  std::vector<EntityChange> entities;
  std::vector<ValueChange> values;
  std::vector<CounterChange> counters;
  friend bool operator==(const ChainChange&, const ChainChange&) = default;
};

// Steps of one snapshot of a ledger, oldest first; see ChainStore::Changes. It has read all of it:
// it holds, in memory, the undo records of all steps that it did not tell yet, and the rows they
// wrote as they are now. For one thread at a time.
class ChangeFeed {
 public:
  ~ChangeFeed();
  ChangeFeed(ChangeFeed&&) noexcept;
  ChangeFeed& operator=(ChangeFeed&&) noexcept;

  // The next step, or nothing: the point of the last is the one to ask from next time. A step that
  // leaves the cursor where it is counts as told to whoever asks from there, though it came later.
  // corruption if the step's record is damaged; it stays the next one.
  Result<std::optional<ChainChange>> Next();

  struct State;
  explicit ChangeFeed(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace talea
