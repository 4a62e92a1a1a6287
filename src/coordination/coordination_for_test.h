// An engine in memory with Talea's keyspaces and a few more. For tests alone.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "keyspace/registry.h"
#include "talea/memory_engine.h"
#include "talea/transaction.h"

namespace talea {

inline constexpr Keyspace kRows{200, AccessPattern::scan, "rows"};
inline constexpr Keyspace kCounts{201, AccessPattern::counter, "counts"};

inline std::vector<Keyspace> KeyspacesForTest() {
  std::vector<Keyspace> keyspaces(kAllKeyspaces.begin(), kAllKeyspaces.end());
  keyspaces.push_back(kRows);
  keyspaces.push_back(kCounts);
  return keyspaces;
}

inline std::unique_ptr<Engine> OpenEngineForTest() {
  return OpenMemoryEngine({.keyspaces = KeyspacesForTest()}).value();
}

// A transaction that makes this call, and is committed if that succeeds.
template <class Call>
auto InOne(Engine& engine, Call call, Durability durability = Durability::buffered)
    -> decltype(call(std::declval<Transaction&>())) {
  Transaction transaction(engine);
  auto outcome = call(transaction);
  if (!outcome) return outcome;
  TALEA_TRY(transaction.Commit(durability));
  return outcome;
}

// Every stored row, by keyspace id and key.
using StoredRows = std::map<std::pair<int, std::string>, std::string>;

inline Result<StoredRows> ReadAllRows(Engine& engine) {
  const std::unique_ptr<Snapshot> snapshot = TALEA_TRY(engine.OpenSnapshot());
  StoredRows all;
  for (const Keyspace& keyspace : engine.keyspaces().all()) {
    Scanner rows(*snapshot, keyspace, KeyRange::All());
    while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
      all.emplace(std::pair(int{keyspace.id}, std::string(row->key)), row->value);
    }
  }
  return all;
}

}  // namespace talea
