// The rows that make up a ledger's state, part by part: what is hashed, exported and imported.
//
// Not among them is what only this ledger knows of itself: how to take steps back, what is staged,
// an import's mark.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "chain/keys.h"
#include "talea/key_range.h"
#include "talea/reader.h"
#include "talea/result.h"
#include "talea/write_batch.h"

namespace talea::chain {

// The numbers are part of the format of exports, where parts are in the order of their numbers.
enum class StatePart : std::uint8_t {
  outputs = 1,
  entities = 2,
  namespaces = 3,
  values = 4,
  notes = 5,
  tags = 6,
  counters = 7,
  cursor = 8,
  counts = 9,  // not in exports: they follow from the others
};

// Where the rows of a part are.
struct StatePlace {
  StatePart part;
  std::string_view name;  // of its rows, for messages
  const Keyspace* keyspace;
  KeyRange keys;
};

// All of them, in the order of keyspaces and keys, which is the one they are hashed in: the cursor
// comes first, the counts last.
std::span<const StatePlace> StatePlaces();
const StatePlace& PlaceOf(StatePart part);

// Reads all of the state, a large page at a time. Stops, and returns false, where `use` does.
Result<bool> WalkState(
    Reader& reader,
    const std::function<Result<bool>(const StatePlace& place, const Page& page)>& use);

// About how many rows that are, for telling progress: what is not counted is judged by a sample.
Result<std::uint64_t> EstimateStateRows(Reader& reader);

// What the counts have to be, by the other rows.
class StateCounts {
 public:
  StateCounts() = default;
  StateCounts(const StateCounts&) = delete;
  StateCounts& operator=(const StateCounts&) = delete;

  // Checks that this is a row of that part, and counts it; corruption if it is not. A row is judged
  // by itself, not by whether it goes with others.
  Status Take(const StatePlace& place, const Row& row);

  // Those that are not 0, by their keys.
  std::map<std::string, std::int64_t> Rows() const;

 private:
  using Key = std::pair<ChainCount, NamespaceHash>;
  void CountIn(ChainCount count, NamespaceHash name_space);

  std::int64_t outputs_ = 0;
  std::uint64_t coin_ = 0;
  std::map<Key, std::int64_t> by_namespace_;
  std::pair<const Key, std::int64_t>* newest_ = nullptr;  // most rows are counted with the last one
};

// Fails with corruption, naming the first that is different, unless both are the same.
Status CompareCounts(const std::map<std::string, std::int64_t>& counted,
                     const std::map<std::string, std::int64_t>& stored);

}  // namespace talea::chain
