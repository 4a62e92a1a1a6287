#include <fmt/format.h>

#include <set>

#include "base/coding.h"
#include "histograms/known_indexes.h"
#include "histograms/verify_rows.h"
#include "keyspace/registry.h"

namespace talea::histograms {
namespace {

class CounterRows final : public RowCheck {
 public:
  explicit CounterRows(const CheckedDatabase& database) : database_(database), indexes_(database) {}

  void Check(const Row& row, Problems& problems) override {
    database_.Note(kHistogramCountersKeyspace, row.key, CheckRow(row), problems);
  }

 private:
  // The buckets of a fixed histogram, whose counters do not name them but by generation. There are
  // few: one for each part that was counted at a time when the histogram was built.
  struct Generations {
    IndexId index;
    HistogramId histogram;
    std::set<Generation> known;
  };

  Status CheckRow(const Row& row);
  Status CheckLearned(const CounterKeyParts& parts, std::optional<std::int64_t> sum) const;
  Status CheckFixed(const CounterKeyParts& parts, std::size_t bytes);
  Result<bool> IsOfUncounted(const CounterKeyParts& parts) const;
  const std::set<Generation>& GenerationsOf(IndexId index, HistogramId histogram);

  const CheckedDatabase database_;
  KnownIndexes indexes_;
  std::optional<Generations> generations_;
};

Status CounterRows::CheckRow(const Row& row) {
  const CounterKeyParts parts = TALEA_TRY(PartsOfCounterKey(row.key));
  const HistogramState* const histogram =
      TALEA_TRY(indexes_.FindHistogram("counter", parts.index, parts.histogram));
  if (!histogram || !database_.complete) return {};
  return histogram->kind.learned() ? CheckLearned(parts, DecodeCounter(row.value))
                                   : CheckFixed(parts, histogram->kind.fixed_bytes);
}

Status CounterRows::CheckLearned(const CounterKeyParts& parts,
                                 std::optional<std::int64_t> sum) const {
  const std::string key =
      BucketKey(parts.index, parts.histogram, {parts.boundary, parts.generation});
  const auto value = TALEA_TRY(database_.Find(kHistogramsKeyspace, key));
  if (!value) return Damaged("counter", "its bucket at key " + Quoted(key), "none");
  const Result<BucketRow> bucket = DecodeBucketRow(*value);
  if (!bucket || bucket->whole || bucket->uncounted || !sum || *sum >= 0) return {};
  return Damaged("counter", "a sum of 0 or more, as its bucket is not being divided or united",
                 fmt::format("{}", *sum));
}

// What is not counted yet has one counter for all prefixes.
Result<bool> CounterRows::IsOfUncounted(const CounterKeyParts& parts) const {
  const auto value =
      TALEA_TRY(database_.Find(kHistogramsKeyspace, BucketKey(parts.index, parts.histogram,
                                                              {parts.boundary, parts.generation})));
  if (!value) return false;
  const Result<BucketRow> bucket = DecodeBucketRow(*value);
  return bucket && bucket->uncounted;
}

Status CounterRows::CheckFixed(const CounterKeyParts& parts, std::size_t bytes) {
  if (TALEA_TRY(IsOfUncounted(parts))) return {};
  if (parts.boundary.size() != 1 + bytes) {
    return Damaged("counter", fmt::format("a prefix of a type code and {} bytes", bytes),
                   Quoted(parts.boundary));
  }
  if (GenerationsOf(parts.index, parts.histogram).contains(parts.generation)) return {};
  return Damaged("counter", fmt::format("a bucket of generation {}", parts.generation), "none");
}

const std::set<Generation>& CounterRows::GenerationsOf(IndexId index, HistogramId histogram) {
  if (generations_ && generations_->index == index && generations_->histogram == histogram) {
    return generations_->known;
  }
  generations_ = Generations{index, histogram, {}};
  Scanner rows(*database_.reader, kHistogramsKeyspace, BucketKeys(index, histogram));
  for (Result<std::optional<Row>> row = rows.Next(); row && *row; row = rows.Next()) {
    const Result<BucketId> bucket = BucketOfKey((*row)->key);
    if (bucket) generations_->known.insert(bucket->generation);
  }
  return generations_->known;
}

}  // namespace

std::unique_ptr<RowCheck> MakeCounterRowCheck(const CheckedDatabase& database) {
  return std::make_unique<CounterRows>(database);
}

}  // namespace talea::histograms
