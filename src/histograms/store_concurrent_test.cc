// Threads that write to one index, while another one looks at it and one changes its histogram.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "coordination/coordination_for_test.h"
#include "histograms/checks_for_test.h"
#include "histograms/values_for_test.h"
#include "talea/testing/result_matchers.h"
#include "talea/testing/simulation.h"

namespace talea::histograms {
namespace {

constexpr char kIndex[] = "index";

int Steps(int usual) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  usual /= 4;
#endif
  return LongTests() ? 10 * usual : usual;
}

// Commits until it succeeds, and counts what stood in the way.
class Attempts {
 public:
  explicit Attempts(Engine& engine) : engine_(engine) {}

  // The body must do the same each time it is called.
  Status Commit(const std::function<Status(Transaction&)>& body) {
    while (true) {
      Transaction transaction(engine_);
      const Status done = body(transaction);
      if (!done && !done.error().retryable()) return done;
      if (!done) continue;
      const Result<Version> version = transaction.Commit();
      if (version) return {};
      if (!version.error().retryable()) return std::unexpected(version.error());
      ++conflicts_;
    }
  }
  int conflicts() const { return conflicts_; }

 private:
  Engine& engine_;
  int conflicts_ = 0;
};

// A writer with documents of its own, and what it knows to be stored of them.
class Writer {
 public:
  Writer(Engine& engine, IndexStore& store, std::uint64_t number)
      : store_(store), number_(number), random_(TestSeed() + number), attempts_(engine) {}

  void Run(int steps) {
    for (int step = 0; step < steps; ++step) ASSERT_NO_FATAL_FAILURE(Step());
  }
  int conflicts() const { return attempts_.conflicts(); }
  const Entries& entries() const { return entries_; }

 private:
  Element Document() { return number_ * 1000 + random_.Below(20); }

  // Several at once; growing for a while, and then shrinking.
  void Step() {
    const bool grows = entries_.size() < 20 || (grows_ && entries_.size() < 150);
    grows_ = grows;
    Entries add;
    Entries remove;
    for (std::uint64_t count = random_.Below(grows ? 12 : 4); count > 0; --count)
      add.insert({RandomValue(random_, 1), Document()});
    for (std::uint64_t count = random_.Below(grows ? 3 : 12); count > 0 && !entries_.empty();
         --count) {
      remove.insert(*std::next(entries_.begin(),
                               static_cast<std::ptrdiff_t>(random_.Below(entries_.size()))));
    }
    for (const IndexEntry& entry : remove) add.erase(entry);
    std::size_t added = 0;
    std::size_t removed = 0;
    const std::vector<IndexEntry> all(add.begin(), add.end());
    ASSERT_OK(attempts_.Commit([&](Transaction& transaction) -> Status {
      added = TALEA_TRY(store_.Add(transaction, kIndex, all));
      removed = 0;
      for (const IndexEntry& entry : remove)
        removed += TALEA_TRY(store_.Remove(transaction, kIndex, entry.value, entry.document));
      transaction.Put(kRows, std::to_string(number_), std::to_string(entries_.size()));
      return {};
    }));
    EXPECT_EQ(removed, remove.size());
    for (const IndexEntry& entry : remove) entries_.erase(entry);
    const std::size_t before = entries_.size();
    entries_.insert(add.begin(), add.end());
    EXPECT_EQ(added, entries_.size() - before);
    if (!entries_.empty()) Update();
  }

  void Update() {
    const IndexEntry entry =
        *std::next(entries_.begin(), static_cast<std::ptrdiff_t>(random_.Below(entries_.size())));
    const Tuple to = RandomValue(random_, 1);
    ASSERT_OK(attempts_.Commit([&](Transaction& transaction) -> Status {
      TALEA_TRY(store_.Update(transaction, kIndex, entry.document, entry.value, to));
      return {};
    }));
    entries_.erase(entry);
    entries_.insert({to, entry.document});
  }

  IndexStore& store_;
  const std::uint64_t number_;
  Random random_;
  Attempts attempts_;
  Entries entries_;
  bool grows_ = true;
};

class IndexStoreConcurrent : public testing::Test {
 protected:
  // Runs writers, each in a thread, on as many stores; and the others until all have finished.
  void Run(std::size_t writers, std::size_t stores, int steps,
           const std::vector<std::function<void(IndexStore&, Random&)>>& others) {
    for (std::size_t store = 0; store < stores; ++store)
      stores_.push_back(std::make_unique<IndexStore>(*engine_));
    for (std::size_t number = 0; number < writers; ++number)
      writers_.push_back(std::make_unique<Writer>(*engine_, *stores_[number % stores], number + 1));
    std::atomic<std::size_t> running = writers;
    {
      std::vector<std::jthread> threads;
      for (const std::unique_ptr<Writer>& writer : writers_) {
        threads.emplace_back([&] {
          writer->Run(steps);
          --running;
        });
      }
      for (std::size_t other = 0; other < others.size(); ++other) {
        threads.emplace_back([&, other] {
          Random random(TestSeed() + 100 + other);
          while (running > 0) others[other](*stores_[random.Below(stores)], random);
        });
      }
    }
    ExpectWhatTheWritersKnow();
  }

  void ExpectWhatTheWritersKnow() {
    Entries expected;
    for (const std::unique_ptr<Writer>& writer : writers_)
      expected.insert(writer->entries().begin(), writer->entries().end());
    const std::unique_ptr<Snapshot> snapshot = engine_->OpenSnapshot().value();
    IndexStore fresh(*engine_);
    Random random(TestSeed());
    IndexChecks checks(fresh, *snapshot, kIndex, random);
    const Entries found = ASSERT_VALUE(checks.ReadEntries());
    EXPECT_TRUE(found == expected) << found.size() << " and not " << expected.size();
    EXPECT_OK(checks.Check(found, 50));
  }

  int Conflicts() const {
    int conflicts = 0;
    for (const std::unique_ptr<Writer>& writer : writers_) conflicts += writer->conflicts();
    return conflicts;
  }
  double Metric(std::string_view name) const {
    double sum = 0;
    for (const std::unique_ptr<IndexStore>& store : stores_) {
      for (const talea::Metric& metric : store->Metrics())
        if (metric.name == name) sum += metric.value;
    }
    return sum;
  }

  // All that must hold at any moment.
  void Look(IndexStore& store, Random& random) {
    const std::unique_ptr<Snapshot> snapshot = engine_->OpenSnapshot().value();
    IndexChecks checks(store, *snapshot, kIndex, random);
    const Entries entries = ASSERT_VALUE(checks.ReadEntries());
    ASSERT_OK(checks.Check(entries, 3));
  }

  const std::unique_ptr<Engine> engine_ = OpenEngineForTest();
  std::vector<std::unique_ptr<IndexStore>> stores_;
  std::vector<std::unique_ptr<Writer>> writers_;
};

TEST_F(IndexStoreConcurrent, WritersOfOneStoreNeverAbortEachOtherThoughBucketsAreDivided) {
  ASSERT_OK(IndexStore(*engine_).Create(kIndex, {.peek_cap = 8}));
  Run(3, 1, Steps(400), {[&](IndexStore& store, Random& random) { Look(store, random); }});
  EXPECT_EQ(Conflicts(), 0);
  EXPECT_GT(Metric("talea_histograms_divisions_total"), 10);
  EXPECT_GT(Metric("talea_histograms_unions_total"), 0);
}

TEST_F(IndexStoreConcurrent, MassHoldsWhileSeveralStoresDivideBuckets) {
  ASSERT_OK(IndexStore(*engine_).Create(kIndex, {.peek_cap = 4}));
  Run(3, 3, Steps(300), {[&](IndexStore& store, Random& random) { Look(store, random); }});
  EXPECT_GT(Metric("talea_histograms_divisions_total"), 10);
}

TEST_F(IndexStoreConcurrent, MassHoldsWhileTheHistogramIsChangedAgainAndAgain) {
  ASSERT_OK(IndexStore(*engine_).Create(kIndex, {.peek_cap = 6}));
  std::atomic<int> changes = 0;
  const auto change = [&](IndexStore& store, Random& random) {
    const auto bytes = static_cast<std::uint8_t>(random.Below(4));
    ASSERT_OK(store.Change(kIndex, Histogram{bytes}));
    ++changes;
  };
  Run(2, 2, Steps(300), {[&](IndexStore& store, Random& random) { Look(store, random); }, change});
  EXPECT_GT(changes, 3);
}

TEST_F(IndexStoreConcurrent, AFixedHistogramAbortsNobody) {
  ASSERT_OK(IndexStore(*engine_).Create(kIndex, {.histogram = Histogram::Fixed(2), .peek_cap = 8}));
  Run(3, 3, Steps(300), {[&](IndexStore& store, Random& random) { Look(store, random); }});
  EXPECT_EQ(Conflicts(), 0);
}

}  // namespace
}  // namespace talea::histograms
