// What bench/histograms_bench.cc measures: an index in a database of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/support.h"
#include "keyspace/registry.h"
#include "talea/database.h"
#include "talea/histograms.h"

namespace talea::bench {

inline constexpr std::string_view kIndex = "index";

// An entry by its packed value; its document is a number.
inline IndexEntry EntryOf(const std::string& packed, std::uint64_t document) {
  return {.value = Must(Unpack(packed)), .document = document};
}

// The same of many, numbered from 0.
inline std::vector<IndexEntry> EntriesOf(const std::vector<std::string>& values) {
  std::vector<IndexEntry> entries;
  entries.reserve(values.size());
  for (const std::string& value : values) entries.push_back(EntryOf(value, entries.size()));
  return entries;
}

// Of all indexes.
inline KeyRange AllEntryKeys() {
  return Must(KeysInside({static_cast<int>(HistogramsPrefix::entry)}));
}

// The parts of a span, one after the other.
template <class T>
void InBatches(std::span<const T> all, std::size_t batch, auto use) {
  for (std::size_t from = 0; from < all.size(); from += batch) {
    use(all.subspan(from, std::min(batch, all.size() - from)));
  }
}

class MeasuredIndex {
 public:
  // Opens the location, and creates the index if it is new.
  MeasuredIndex(std::string_view location, Histogram histogram)
      : database_(Must(Database::Open(location))), store_(database_->engine()) {
    const auto snapshot = Must(database_->OpenSnapshot());
    if (!store_.Describe(*snapshot, kIndex)) Must(store_.Create(kIndex, {.histogram = histogram}));
  }

  Database& database() { return *database_; }
  IndexStore& store() { return store_; }
  std::unique_ptr<Snapshot> OpenSnapshot() { return Must(database_->OpenSnapshot()); }

  // Each in one transaction. All of the entries must be new, or be there.
  void Add(std::span<const IndexEntry> entries) {
    Change(entries,
           [&](Transaction& transaction) { return store_.Add(transaction, kIndex, entries); });
  }
  void Remove(std::span<const IndexEntry> entries) {
    Change(entries,
           [&](Transaction& transaction) { return store_.Remove(transaction, kIndex, entries); });
  }

 private:
  void Change(std::span<const IndexEntry> entries, auto body) {
    TALEA_CHECK(Must(database_->Transact(body)) == entries.size());
  }

  std::unique_ptr<Database> database_;
  IndexStore store_;
};

}  // namespace talea::bench
