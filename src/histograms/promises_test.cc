// What the layer promises of every histogram, on every engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "coordination/engines_for_test.h"
#include "histograms/values_for_test.h"
#include "talea/histograms.h"
#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"

namespace talea::histograms {
namespace {

class HistogramPromises : public ::testing::TestWithParam<EngineForTest> {
 protected:
  // An index, called by its histogram.
  std::string Create(const Histogram& histogram, std::uint32_t cap = 8) {
    EXPECT_OK(store_->Create(histogram.ToString(), {.histogram = histogram, .peek_cap = cap}));
    return histogram.ToString();
  }
  void Add(const std::string& name, const std::vector<IndexEntry>& entries) {
    ASSERT_OK(InOne(*engine_, [&](Transaction& transaction) {
      return store_->Add(transaction, name, entries);
    }));
  }
  void Remove(const std::string& name, const std::vector<IndexEntry>& entries) {
    ASSERT_OK(InOne(*engine_, [&](Transaction& transaction) {
      return store_->Remove(transaction, name, entries);
    }));
  }
  std::unique_ptr<Snapshot> Now() { return engine_->OpenSnapshot().value(); }
  CountEstimate Estimate(const std::string& name, const Where& where,
                         const EstimateOptions& options = {}) {
    return store_->Estimate(*Now(), name, where, options).value();
  }

  // Entries of many values, of which no two are the same.
  std::vector<IndexEntry> RandomEntries(int count, int first_document = 0) {
    std::vector<IndexEntry> entries;
    for (int document = 0; document < count; ++document) {
      entries.push_back({RandomValue(random_, 1), first_document + document});
    }
    return entries;
  }
  std::map<std::string, std::string> Counters() {
    std::map<std::string, std::string> counters;
    const auto snapshot = Now();
    Scanner rows(*snapshot, kHistogramCountersKeyspace, KeyRange::All());
    while (const std::optional<Row> row = rows.Next().value()) {
      counters.emplace(row->key, row->value);
    }
    return counters;
  }

  const std::vector<Histogram> histograms_{Histogram::Learned(), Histogram::Fixed(1),
                                           Histogram::Fixed(2), Histogram::Fixed(3)};
  Random random_{TestSeed()};
  EngineUnderTest engine_{GetParam()};
  const std::unique_ptr<IndexStore> store_ = std::make_unique<IndexStore>(*engine_);
};

// With a cap so large that nothing is divided or united.
TEST_P(HistogramPromises, InverseOperationsLeaveTheCountersAsTheyWereToTheByte) {
  for (const Histogram& histogram : histograms_) {
    const std::string name = Create(histogram, 1024);
    Add(name, RandomEntries(100));
    const auto before = Counters();
    const std::vector<IndexEntry> entries = RandomEntries(300, 1000);
    Add(name, entries);
    ASSERT_OK(InOne(*engine_, [&](Transaction& transaction) {
      return store_->Update(transaction, name, "moved", {"here"}, {"there"});
    }));
    EXPECT_NE(Counters(), before);
    ASSERT_OK(InOne(*engine_, [&](Transaction& transaction) {
      return store_->Remove(transaction, name, {"there"}, "moved");
    }));
    for (std::size_t begin = 0; begin < entries.size(); begin += 50) {
      Remove(name, {entries.begin() + static_cast<std::ptrdiff_t>(begin),
                    entries.begin() + static_cast<std::ptrdiff_t>(begin + 50)});
    }
    EXPECT_EQ(Counters(), before) << name;
  }
}

// Three documents for each value instead of one: three times the estimate.
TEST_P(HistogramPromises, EstimatesAreLinearInTheEntries) {
  for (const Histogram& histogram : histograms_) {
    const std::string name = Create(histogram, 1024);
    const std::vector<IndexEntry> entries = RandomEntries(200);
    Add(name, entries);
    std::vector<std::pair<Where, double>> estimates;
    for (int round = 0; round < 30; ++round) {
      const Where where = Where::AtLeast(RandomValue(random_, 1));
      estimates.emplace_back(where, Estimate(name, where, {.peek = false}).estimate);
    }
    for (const int copy : {1000, 2000}) {
      std::vector<IndexEntry> more;
      for (std::size_t place = 0; place < entries.size(); ++place) {
        more.push_back({entries[place].value, copy + static_cast<int>(place)});
      }
      Add(name, more);
    }
    for (const auto& [where, once] : estimates) {
      EXPECT_NEAR(Estimate(name, where, {.peek = false}).estimate, 3 * once, 1e-9 * once) << name;
    }
  }
}

TEST_P(HistogramPromises, AFixedHistogramCountsAValueAndTheSameWithZerosTogether) {
  const std::string name = Create(Histogram::Fixed(3));
  Add(name,
      {{{Text("a")}, 1}, {{Text(std::string("a\0", 2))}, 2}, {{Text(std::string("a\0\0", 3))}, 3}});
  const std::vector<IndexBucket> one = store_->Buckets(*Now(), name).value();
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one.front().count, 3);
  Add(name, {{{Text(std::string("a\0\0b", 4))}, 4}, {{Text("ab")}, 5}});
  EXPECT_EQ(store_->Buckets(*Now(), name)->size(), 2u);
  EXPECT_EQ(Estimate(name, Where::Equal({"a"})), (CountEstimate{1, 1, 1, true}));
}

// While a writer adds to it, the estimate of what lies before an old boundary is what was added
// there: divisions, unions and another histogram change nothing of it.
TEST_P(HistogramPromises, WhatLiesBeforeAnOldBoundaryIsChangedByNothingButItsEntries) {
  const std::string name = Create(Histogram::Learned());
  Entries model;
  const auto before = [&](const std::string& boundary) {
    return std::ranges::count_if(
        model, [&](const IndexEntry& entry) { return Pack(entry.value).value() < boundary; });
  };
  std::set<std::string> boundaries;  // that there ever were
  const auto check = [&] {
    const auto now = Now();
    const std::vector<IndexBucket> buckets = store_->Buckets(*now, name).value();
    std::int64_t sum = 0;
    for (const IndexBucket& bucket : buckets) {
      if (boundaries.contains(bucket.lower)) {
        ASSERT_EQ(sum, before(bucket.lower)) << Quoted(bucket.lower);
      }
      sum += bucket.count;
      boundaries.insert(bucket.lower);
    }
    ASSERT_EQ(sum, static_cast<std::int64_t>(model.size()));
  };
  for (int round = 0; round < 60; ++round) {
    const std::vector<IndexEntry> entries = RandomEntries(10, 1000 * round);
    Add(name, entries);
    model.insert(entries.begin(), entries.end());
    if (round % 3 == 2) {
      std::vector<IndexEntry> gone;
      for (const IndexEntry& entry : model) {
        if (random_.Chance(0.4)) gone.push_back(entry);
      }
      Remove(name, gone);
      for (const IndexEntry& entry : gone) model.erase(entry);
    }
    if (round % 20 == 19) {
      ASSERT_OK(store_->Change(name, Histogram::Fixed(2)));
      ASSERT_OK(store_->Verify(*Now(), name));
      ASSERT_OK(store_->Change(name, Histogram::Learned()));
    }
    ASSERT_NO_FATAL_FAILURE(check());
    ASSERT_OK(store_->Verify(*Now(), name));
  }
}

// Transactions that read nothing but what they add commit, however many add to the same counters.
TEST_P(HistogramPromises, CountersAloneAbortNobody) {
  for (const Histogram& histogram : histograms_) {
    const std::string name = Create(histogram, 1024);
    std::vector<Transaction> transactions;
    for (int writer = 0; writer < 20; ++writer) {
      ASSERT_OK(store_->Add(transactions.emplace_back(*engine_), name, {"same"}, writer));
    }
    for (Transaction& transaction : transactions) ASSERT_OK(transaction.Commit());
    EXPECT_EQ(Estimate(name, Where::Equal({"same"})), (CountEstimate{20, 20, 20, true}));
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, HistogramPromises, ::testing::ValuesIn(EnginesForTest()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace talea::histograms
