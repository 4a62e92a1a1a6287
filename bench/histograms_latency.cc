// How long an estimate takes, against counting the entries.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/histograms_accuracy.h"
#include "bench/histograms_cases.h"
#include "bench/histograms_data.h"
#include "bench/histograms_index.h"
#include "histograms/keys.h"
#include "keyspace/registry.h"
#include "terminal/numbers.h"

namespace talea::bench {
namespace {

double MicrosecondsOf(auto work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

double At(const std::vector<double>& sorted, double percent) {
  return sorted[static_cast<std::size_t>(percent / 100 * static_cast<double>(sorted.size() - 1))];
}

// Random values, ranges between any two of them, and a range of many entries.
struct LatencyData {
  static constexpr std::size_t kCounted = 100'000;

  explicit LatencyData(std::size_t values) {
    const std::vector<std::string> packed = DataSet::Named("uniform").Values(values);
    const Truth truth(packed);
    entries = EntriesOf(packed);
    Random random(4);
    queries = truth.Draw({.any_ends = 2'000, .any_sizes = 0, .equal = 0}, random);
    const std::size_t first = (values - kCounted) / 2;
    counted = {.lower = Must(Unpack(truth.values()[first])),
               .upper = Must(Unpack(truth.values()[first + kCounted]))};
    counted.truth = truth.Count(counted.lower, counted.upper);
  }

  std::vector<IndexEntry> entries;
  std::vector<Query> queries;
  Query counted;
};

// That data on one engine.
class LatencyStudy {
 public:
  LatencyStudy(const LatencyData& data, std::string location)
      : data_(data), location_(std::move(location)) {
    Open();
    InBatches(std::span<const IndexEntry>(data.entries), 1'000,
              [&](std::span<const IndexEntry> batch) { index_->Add(batch); });
  }

  // Reads from files from now on, rather than from what is still in memory.
  void Reopen() {
    index_.reset();
    Open();
  }

  // The microseconds of each estimate, in ascending order.
  std::vector<double> TimesOfEstimates() {
    std::vector<double> times;
    const std::unique_ptr<Snapshot> snapshot = index_->OpenSnapshot();
    for (const Query& query : data_.queries) {
      const Where where = query.where();
      times.push_back(
          MicrosecondsOf([&] { Must(index_->store().Estimate(*snapshot, kIndex, where)); }));
    }
    std::ranges::sort(times);
    return times;
  }

  // The least microseconds of counting the range: as a user would, and by hand.
  double TimeOfCount() {
    const std::unique_ptr<Snapshot> snapshot = index_->OpenSnapshot();
    const Where where = data_.counted.where();
    const KeyRange keys = KeysOf(*snapshot, where);
    double best = std::numeric_limits<double>::max();
    for (int i = 0; i < 3; ++i) {
      best = std::min(best, MicrosecondsOf([&] { CheckCount(CountAsAUser(*snapshot, where)); }));
      best = std::min(best, MicrosecondsOf([&] { CheckCount(CountByHand(*snapshot, keys)); }));
    }
    return best;
  }

  double EstimateOfCounted() {
    const std::unique_ptr<Snapshot> snapshot = index_->OpenSnapshot();
    return Must(index_->store().Estimate(*snapshot, kIndex, data_.counted.where())).estimate;
  }

  void Print(std::string_view engine) {
    const std::vector<double> times = TimesOfEstimates();
    fmt::print(
        std::cout,
        "latency, {}: estimates P50 {:.0f} us, P90 {:.0f} us, P99 {:.0f} us, most {:.0f} us; "
        "counting {} entries {:.0f} us\n",
        engine, At(times, 50), At(times, 90), At(times, 99), times.back(),
        FullNumber(data_.counted.truth), TimeOfCount());
  }

 private:
  void Open() { index_ = std::make_unique<MeasuredIndex>(location_, Histogram::Learned()); }

  std::uint64_t CountAsAUser(Snapshot& snapshot, const Where& where) {
    return Must(index_->store().Count(snapshot, kIndex, where, data_.entries.size()));
  }

  static std::uint64_t CountByHand(Snapshot& snapshot, const KeyRange& keys) {
    std::uint64_t count = 0;
    for (std::optional<KeyRange> rest = keys; rest;) {
      const Page page = Must(snapshot.Range(kHistogramsKeyspace, *rest));
      count += page.size();
      rest = page.rest();
    }
    return count;
  }

  static KeyRange KeysOf(Snapshot& snapshot, const Where& where) {
    const Page any = Must(snapshot.Range(kHistogramsKeyspace, AllEntryKeys(), {.row_limit = 1}));
    const histograms::IndexId id = Must(histograms::PartsOfEntryKey(any[0].key)).index;
    const Where::Interval interval = Must(where.Intervals(1)).at(0);
    return histograms::EntryKeysWithin(id, interval.lower, interval.upper);
  }

  void CheckCount(std::uint64_t count) const { TALEA_CHECK(count == data_.counted.truth); }

  const LatencyData& data_;
  const std::string location_;
  std::unique_ptr<MeasuredIndex> index_;
};

}  // namespace

void LatencyCase(Bench& bench) {
  const std::size_t values = bench.quick() ? 200'000 : 1'000'000;
  const Folder folder;
  std::unique_ptr<LatencyData> data;
  std::unique_ptr<LatencyStudy> study;
  const auto prepare = [&] {
    if (study) return;
    data = std::make_unique<LatencyData>(values);
    LatencyStudy(*data, "memory:").Print("memory");
    study = std::make_unique<LatencyStudy>(*data, "rocksdb:" + folder.path());
    study->Print("RocksDB, in its memory tables");
    study->Reopen();
    study->Print("RocksDB, from files");
  };
  bench.Case(
      "latency",
      {.unit = "us",
       .better = Better::lower,
       .size = fmt::format("P99 of {} ranges of {} random values, on RocksDB; counting {}",
                           FullNumber(std::uint64_t{2'000}), FullNumber(values),
                           FullNumber(LatencyData::kCounted))},
      [&](Round& round) {
        prepare();
        round.Value(At(study->TimesOfEstimates(), 99));
        round.Answer(fmt::format("{}", study->EstimateOfCounted()));
      },
      [&](Round& round) {
        prepare();
        round.Value(study->TimeOfCount());
        round.Answer(data->counted.truth);
      });
}

}  // namespace talea::bench
