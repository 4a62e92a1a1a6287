// One write of a random operation, on a store. For tests alone.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "coordination/coordination_for_test.h"
#include "histograms/store_operation_for_test.h"

namespace talea::histograms {

// Whether an index is there.
inline Result<bool> Exists(IndexStore& store, Reader& reader, const std::string& index) {
  const Result<IndexInformation> information = store.Describe(reader, index);
  if (!information && information.error().code() != ErrorCode::not_found)
    return std::unexpected(information.error());
  return information.has_value();
}

inline Status AddOrRemove(Transaction& transaction, IndexStore& store, const IndexWrite& write) {
  const bool adds = write.kind == IndexWrite::Kind::add;
  const auto count = [&] {
    return store.Count(transaction.unrecorded(), write.index, Where::All(), ~0ull);
  };
  const std::uint64_t before = TALEA_TRY(count());
  std::uint64_t changed = 0;
  if (write.entries.size() == 1) {
    const IndexEntry& entry = write.entries[0];
    changed = TALEA_TRY(adds ? store.Add(transaction, write.index, entry.value, entry.document)
                             : store.Remove(transaction, write.index, entry.value, entry.document));
  } else {
    changed = TALEA_TRY(adds ? store.Add(transaction, write.index, write.entries)
                             : store.Remove(transaction, write.index, write.entries));
  }
  const std::uint64_t after = TALEA_TRY(count());
  if (changed == (adds ? after - before : before - after)) return {};
  return Fail(ErrorCode::corruption,
              fmt::format("{} entries were said to be {}, there were {} and are {}", changed,
                          adds ? "added" : "removed", before, after));
}

// The index "built" follows the row, if it is there.
inline Status ApplyRow(Transaction& transaction, IndexStore& store, const IndexWrite& write) {
  const std::optional<std::string> old = TALEA_TRY(transaction.Get(kRows, write.key));
  const bool follows = TALEA_TRY(Exists(store, transaction, "built"));
  std::vector<IndexEntry> go, come;
  if (old) go = EntriesOf(write.key, *old);
  if (write.element) {
    const std::string row = Pack({*write.element}).value();
    transaction.Put(kRows, write.key, row);
    come = EntriesOf(write.key, row);
  } else {
    transaction.Erase(kRows, write.key);
  }
  if (!follows) return {};
  if (!go.empty() && !come.empty() && go != come) {
    TALEA_TRY(store.Update(transaction, "built", go[0].document, go[0].value, come[0].value));
    return {};
  }
  TALEA_TRY(store.Remove(transaction, "built", go));
  TALEA_TRY(store.Add(transaction, "built", come));
  return {};
}

inline Status ApplyWrite(Transaction& transaction, IndexStore& store, const IndexWrite& write) {
  switch (write.kind) {
    case IndexWrite::Kind::row:
      return ApplyRow(transaction, store, write);
    case IndexWrite::Kind::update:
      TALEA_TRY(store.Update(transaction, write.index, write.entries[0].document,
                             write.entries[0].value, write.to));
      return {};
    case IndexWrite::Kind::remove_where: {
      std::vector<IndexEntry> entries;
      const auto take = [&](const IndexEntry& entry) { return entries.push_back(entry), true; };
      TALEA_TRY(store.Scan(transaction, write.index, write.condition.ToWhere(), take));
      TALEA_TRY(store.Remove(transaction, write.index, entries));
      return {};
    }
    default:
      return AddOrRemove(transaction, store, write);
  }
}

}  // namespace talea::histograms
