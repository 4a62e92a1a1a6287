// What it costs to keep a histogram, against writing the same entries by hand.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/histograms_cases.h"
#include "bench/histograms_data.h"
#include "bench/histograms_index.h"
#include "histograms/keys.h"
#include "keyspace/registry.h"
#include "talea/tuple_packer.h"
#include "terminal/numbers.h"

namespace talea::bench {
namespace {

// What one would write by hand: the same keys, checked for duplicates and inserted.
class EntriesByHand {
 public:
  explicit EntriesByHand(const std::string& location)
      : database_(Must(Database::Open(location))), prefix_(histograms::EntryPrefix(1)) {}

  void Add(std::span<const IndexEntry> entries) {
    const auto body = [&](Transaction& transaction) -> Result<std::size_t> {
      return entries.size() == 1 ? AddOne(transaction, entries[0]) : AddAll(transaction, entries);
    };
    TALEA_CHECK(Must(database_->Transact(body)) == entries.size());
  }

  std::unique_ptr<Snapshot> OpenSnapshot() { return Must(database_->OpenSnapshot()); }

 private:
  Result<std::string> KeyOf(const IndexEntry& entry) const {
    std::string key = prefix_;
    TuplePacker packer(key);
    TALEA_TRY(packer.AddAll(entry.value));
    TALEA_TRY(packer.Add(entry.document));
    return key;
  }

  Result<std::size_t> AddOne(Transaction& transaction, const IndexEntry& entry) const {
    const std::string key = TALEA_TRY(KeyOf(entry));
    if (TALEA_TRY(transaction.Get(kHistogramsKeyspace, key))) return std::size_t{0};
    transaction.Insert(kHistogramsKeyspace, key, "");
    return std::size_t{1};
  }

  Result<std::size_t> AddAll(Transaction& transaction, std::span<const IndexEntry> entries) const {
    std::vector<std::string> keys;
    std::vector<KeyReference> references;
    keys.reserve(entries.size()), references.reserve(entries.size());
    for (const IndexEntry& entry : entries) {
      keys.push_back(TALEA_TRY(KeyOf(entry)));
      references.emplace_back(kHistogramsKeyspace, keys.back());
    }
    const auto found = TALEA_TRY(transaction.MultiGet(references));
    std::size_t added = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (found[i]) continue;
      transaction.Insert(kHistogramsKeyspace, keys[i], "");
      ++added;
    }
    return added;
  }

  std::unique_ptr<Database> database_;
  const std::string prefix_;
};

// A bucket is divided for about every peek_cap entries that come. With random values all buckets
// fill up, and are divided, at about the same time. So as many are measured as were loaded: each
// bucket is then divided about once, whenever that is.
void WriteCase(Bench& bench, const std::string& name, const std::vector<std::string>& values,
               std::size_t batch) {
  constexpr std::size_t kLoadedAtOnce = 10'000;
  std::vector<IndexEntry> entries;
  const auto measure = [&](Round& round, auto& index) {
    if (entries.empty()) entries = EntriesOf(values);
    const std::span<const IndexEntry> all = entries;
    const auto add = [&](std::span<const IndexEntry> part) { index.Add(part); };
    InBatches(all.first(all.size() / 2), kLoadedAtOnce, add);
    const auto measured = all.subspan(all.size() / 2);
    round.Time([&] { InBatches(measured, batch, add); }, measured.size());
    round.Answer(ScanOurs(*index.OpenSnapshot(), kHistogramsKeyspace, AllEntryKeys()));
  };
  bench.Case(
      name,
      {.unit = "entries/s",
       .better = Better::higher,
       .size = fmt::format("{} entries after as many; batches of {}", FullNumber(values.size() / 2),
                           FullNumber(batch))},
      [&](Round& round) {
        const Folder folder;
        MeasuredIndex index("rocksdb:" + folder.path(), Histogram::Learned());
        measure(round, index);
      },
      [&](Round& round) {
        const Folder folder;
        EntriesByHand index("rocksdb:" + folder.path());
        measure(round, index);
      });
}

}  // namespace

void WriteCases(Bench& bench) {
  const std::size_t values = bench.quick() ? 100'000 : 400'000;
  const std::vector<std::string> random = DataSet::Named("uniform").Values(values);
  WriteCase(bench, "write/random/1", random, 1);
  WriteCase(bench, "write/random/100", random, 100);
  WriteCase(bench, "write/random/10k", random, 10'000);
  WriteCase(bench, "write/monotone/100", DataSet::Named("timestamps").LaterValues(values), 100);
}

}  // namespace talea::bench
