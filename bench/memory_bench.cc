// The memory engine against what one would write in its place: a std::map for each keyspace under a
// lock. That has no snapshots and no conflicts; the figures say what those cost.
#include <algorithm>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "bench/harness.h"
#include "talea/memory_engine.h"
#include "talea/testing/random.h"
#include "talea/transaction.h"

namespace talea::bench {
namespace {

constexpr Keyspace kRows{200, AccessPattern::scan, "rows"};
constexpr Keyspace kCounts{201, AccessPattern::counter, "counts"};
constexpr std::size_t kBatch = 1000;
const std::string kValue(100, 'v');

std::vector<std::string> RandomKeys(std::size_t count) {
  Random random(1);
  std::vector<std::string> keys;
  for (std::size_t key = 0; key < count; ++key) {
    const std::uint64_t parts[] = {random.Next(), random.Next()};
    keys.emplace_back(reinterpret_cast<const char*>(parts), sizeof parts);
  }
  return keys;
}

class LockedMap {
 public:
  void Put(std::span<const std::string> keys) {
    std::lock_guard lock(mutex_);
    for (const std::string& key : keys) rows_[key] = kValue;
  }
  void Add(std::span<const std::string> keys) {
    std::lock_guard lock(mutex_);
    for (const std::string& key : keys) ++counts_[key];
  }
  std::size_t Get(const std::string& key) {
    std::lock_guard lock(mutex_);
    const auto found = rows_.find(key);
    return found == rows_.end() ? 0 : std::string(found->second).size();
  }
  std::size_t Scan() {
    std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    for (const auto& [key, value] : rows_) bytes += key.size() + value.size();
    return bytes;
  }
  // Reads one row and rewrites it.
  void Rewrite(const std::string& key) {
    std::lock_guard lock(mutex_);
    std::string& value = rows_[key];
    value.assign(value.rbegin(), value.rend());
  }
  std::size_t size() const { return rows_.size(); }
  std::int64_t Total() const {
    std::int64_t total = 0;
    for (const auto& [key, count] : counts_) total += count;
    return total;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> rows_;
  std::map<std::string, std::int64_t> counts_;
};

std::unique_ptr<Engine> OpenEngine() {
  return std::move(OpenMemoryEngine({.keyspaces = {kRows, kCounts}, .checkpoint = {}})).value();
}

void CommitBatches(Engine& engine, std::span<const std::string> keys, auto write) {
  for (std::size_t begin = 0; begin < keys.size(); begin += kBatch) {
    CommitRequest request;
    for (const std::string& key : keys.subspan(begin, std::min(kBatch, keys.size() - begin)))
      write(request.batch, key);
    engine.Commit(std::move(request)).value();
  }
}

void PutAll(Engine& engine, std::span<const std::string> keys) {
  CommitBatches(engine, keys,
                [](WriteBatch& batch, const std::string& key) { batch.Put(kRows, key, kValue); });
}

void AddAll(Engine& engine, std::span<const std::string> keys) {
  CommitBatches(engine, keys,
                [](WriteBatch& batch, const std::string& key) { batch.Add(kCounts, key, 1); });
}

std::size_t Rows(Engine& engine, const Keyspace& keyspace) {
  const Statistics statistics = engine.GetStatistics().value();
  const auto rows = std::ranges::find_if(statistics.metrics, [&](const Metric& metric) {
    return metric.name == "talea_engine_rows" && metric.label == keyspace.name;
  });
  return static_cast<std::size_t>(rows->value);
}

int Main(int argc, char** argv) {
  Bench bench("memory", ParseArguments(argc, argv));
  const std::size_t count = bench.quick() ? 100'000 : 1'000'000;
  const std::vector<std::string> keys = RandomKeys(count);
  const std::string size = std::to_string(count) + " rows of 16 + 100 bytes";

  bench.Case(
      "put/1k/1", {.unit = "rows/s", .better = Better::higher, .size = size + ", batches of 1,000"},
      [&](Round& round) {
        const auto engine = OpenEngine();
        round.Time([&] { PutAll(*engine, keys); }, count);
        round.Answer(Rows(*engine, kRows));
      },
      [&](Round& round) {
        LockedMap map;
        round.Time(
            [&] {
              for (std::size_t begin = 0; begin < count; begin += kBatch)
                map.Put(std::span(keys).subspan(begin, kBatch));
            },
            count);
        round.Answer(map.size());
      });

  std::vector<std::string> few(keys.begin(), keys.begin() + 1000);
  bench.Case(
      "add/1k/1",
      {.unit = "adds/s", .better = Better::higher, .size = "1,000 counters, batches of 1,000"},
      [&](Round& round) {
        const auto engine = OpenEngine();
        round.Time(
            [&] {
              for (std::size_t batch = 0; batch < count / kBatch; ++batch) AddAll(*engine, few);
            },
            count);
        std::int64_t total = 0;
        const auto snapshot = engine->OpenSnapshot().value();
        for (const std::string& key : few) total += snapshot->GetCounter(kCounts, key).value();
        round.Answer(total);
      },
      [&](Round& round) {
        LockedMap map;
        round.Time(
            [&] {
              for (std::size_t batch = 0; batch < count / kBatch; ++batch) map.Add(few);
            },
            count);
        round.Answer(map.Total());
      });

  const auto engine = OpenEngine();
  LockedMap map;
  PutAll(*engine, keys);
  map.Put(keys);
  std::vector<std::string> asked = keys;
  std::ranges::shuffle(asked, std::mt19937_64(2));

  bench.Case(
      "get/1", {.unit = "rows/s", .better = Better::higher, .size = size},
      [&](Round& round) {
        std::size_t bytes = 0;
        const auto snapshot = engine->OpenSnapshot().value();
        round.Time(
            [&] {
              for (const std::string& key : asked)
                bytes += snapshot->Get(kRows, key).value()->size();
            },
            count);
        round.Answer(bytes);
      },
      [&](Round& round) {
        std::size_t bytes = 0;
        round.Time(
            [&] {
              for (const std::string& key : asked) bytes += map.Get(key);
            },
            count);
        round.Answer(bytes);
      });

  bench.Case(
      "scan/1", {.unit = "rows/s", .better = Better::higher, .size = size},
      [&](Round& round) {
        std::size_t bytes = 0;
        round.Time(
            [&] {
              const auto snapshot = engine->OpenSnapshot().value();
              Scanner rows(*snapshot, kRows, KeyRange::All());
              while (const auto row = rows.Next().value())
                bytes += row->key.size() + row->value.size();
            },
            count);
        round.Answer(bytes);
      },
      [&](Round& round) {
        std::size_t bytes = 0;
        round.Time([&] { bytes = map.Scan(); }, count);
        round.Answer(bytes);
      });

  bench.Case(
      "transaction/1",
      {.unit = "commits/s",
       .better = Better::higher,
       .size = size + ", one read and one write each"},
      [&](Round& round) {
        round.Time(
            [&] {
              for (std::size_t position = 0; position < count / 10; ++position) {
                Transaction transaction(*engine);
                std::string value = transaction.Get(kRows, asked[position]).value().value();
                std::ranges::reverse(value);
                transaction.Put(kRows, asked[position], value);
                transaction.Commit().value();
              }
            },
            count / 10);
        round.Answer(Rows(*engine, kRows));
      },
      [&](Round& round) {
        round.Time(
            [&] {
              for (std::size_t position = 0; position < count / 10; ++position)
                map.Rewrite(asked[position]);
            },
            count / 10);
        round.Answer(map.size());
      });
  return bench.Finish();
}

}  // namespace
}  // namespace talea::bench

int main(int argc, char** argv) { return talea::bench::Main(argc, argv); }
