#include "chain/staged_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/coding.h"
#include "chain/staged_row.h"
#include "coordination/coordination_for_test.h"
#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"
#include "talea/testing/simulation.h"

namespace talea::chain {
namespace {

using Rows = std::map<std::string, std::string>;

Simulation MakeSimulation(SimulationProfile profile) {
  return Simulation::Make(KeyspacesForTest(), std::move(profile), TestSeed()).value();
}

SimulationProfile Calm() { return SimulationProfile::FoundationDb().WithoutFaults(); }

// An engine with rows that are stored and writes that are staged over them.
class Staged {
 public:
  explicit Staged(SimulationProfile profile = Calm())
      : simulation_(MakeSimulation(std::move(profile))), engine_(simulation_.Open().value()) {}

  void Store(const WriteBatch& writes) { EXPECT_OK(engine_->Commit({.batch = writes})); }

  void Stage(const WriteBatch& writes) {
    WriteBatch rows;
    for (const WriteBatch::Operation& write : writes) {
      const StagedRow row = chain::Stage(write);
      rows.Put(kChainStagingKeyspace, row.key, row.value);
    }
    Store(rows);
  }

  StagedReader Open() { return StagedReader(engine_->OpenSnapshot().value()); }
  Simulation& simulation() { return simulation_; }

 private:
  Simulation simulation_;
  std::unique_ptr<Engine> engine_;
};

// All rows of a range, with a check of each page against its options.
Rows ReadPages(Reader& reader, const Keyspace& keyspace, const KeyRange& range,
               const PageOptions& options) {
  Rows rows;
  std::optional<std::string> before;
  for (std::optional<KeyRange> rest = range; rest;) {
    const Page page = reader.Range(keyspace, *rest, options).value();
    EXPECT_LE(page.size(), options.row_limit);
    if (!page.empty()) {
      const Row last = page[page.size() - 1];
      EXPECT_LT(page.bytes() - last.key.size() - last.value.size(), options.byte_limit);
    }
    for (const Row& row : page) {
      EXPECT_TRUE(rest->Contains(row.key));
      if (before) {
        EXPECT_EQ(row.key > *before, !options.reverse) << "each once, in order";
      }
      before = row.key;
      rows.emplace(row.key, row.value);
    }
    rest = page.rest();
  }
  return rows;
}

TEST(StagedReader, SeesPutsErasesAndAddsOverWhatIsStored) {
  Staged staged;
  WriteBatch stored;
  stored.Put(kStateUtxosKeyspace, "kept", "1");
  stored.Put(kStateUtxosKeyspace, "replaced", "2");
  stored.Put(kStateUtxosKeyspace, "erased", "3");
  stored.Add(kChainCountsKeyspace, "up", 10);
  stored.Add(kChainCountsKeyspace, "to zero", 10);
  staged.Store(stored);
  WriteBatch writes;
  writes.Put(kStateUtxosKeyspace, "replaced", "4");
  writes.Put(kStateUtxosKeyspace, "new", "");
  writes.Erase(kStateUtxosKeyspace, "erased");
  writes.Erase(kStateUtxosKeyspace, "never there");
  writes.Add(kChainCountsKeyspace, "up", -3);
  writes.Add(kChainCountsKeyspace, "to zero", -10);
  writes.Add(kChainCountsKeyspace, "new", 5);
  staged.Stage(writes);

  StagedReader reader = staged.Open();
  EXPECT_EQ(ReadPages(reader, kStateUtxosKeyspace, {}, {}),
            (Rows{{"kept", "1"}, {"new", ""}, {"replaced", "4"}}));
  EXPECT_EQ(ReadPages(reader, kChainCountsKeyspace, {}, {.reverse = true}),
            (Rows{{"up", EncodeCounter(7)}, {"new", EncodeCounter(5)}}));
  EXPECT_EQ(ASSERT_VALUE(reader.Get(kStateUtxosKeyspace, "replaced")), "4");
  EXPECT_EQ(ASSERT_VALUE(reader.Get(kStateUtxosKeyspace, "erased")), std::nullopt);
  EXPECT_EQ(ASSERT_VALUE(reader.GetCounter(kChainCountsKeyspace, "up")), 7);
  EXPECT_EQ(ASSERT_VALUE(reader.Get(kChainCountsKeyspace, "to zero")), std::nullopt);
}

TEST(StagedReader, ReadsOtherKeyspacesAsTheyAre) {
  Staged staged;
  WriteBatch writes;
  writes.Put(kRows, "a", "1");
  writes.Put(kStateCursorKeyspace, "a", "2");
  staged.Store(writes);
  WriteBatch over;
  over.Put(kRows, "a", "3");
  over.Put(kStateCursorKeyspace, "a", "4");
  over.Put(kStateUtxosKeyspace, "a", "5");
  staged.Stage(over);

  StagedReader reader = staged.Open();
  const KeyReference keys[] = {
      {kRows, "a"}, {kStateUtxosKeyspace, "a"}, {kStateCursorKeyspace, "a"}};
  EXPECT_EQ(ASSERT_VALUE(reader.MultiGet(keys)),
            (std::vector<std::optional<std::string>>{"1", "5", "2"}));
  EXPECT_EQ(ReadPages(reader, kRows, {}, {}), (Rows{{"a", "1"}}));
}

TEST(StagedReader, TakesOneRoundTripForKeysAndThreeForAPage) {
  Staged staged;
  StagedReader reader = staged.Open();
  auto round_trips = [&, before = staged.simulation().round_trips()]() mutable {
    return staged.simulation().round_trips() -
           std::exchange(before, staged.simulation().round_trips());
  };
  const KeyReference keys[] = {
      {kStateUtxosKeyspace, "a"}, {kChainCountsKeyspace, "b"}, {kRows, "c"}};
  EXPECT_OK(reader.MultiGet(keys));
  EXPECT_EQ(round_trips(), 1u);
  EXPECT_OK(reader.Get(kStateUtxosKeyspace, "a"));
  EXPECT_EQ(round_trips(), 1u);
  EXPECT_OK(reader.Range(kStateUtxosKeyspace, {}, {}));
  EXPECT_EQ(round_trips(), 3u);
  EXPECT_OK(reader.Range(kRows, {}, {}));
  EXPECT_EQ(round_trips(), 1u);
}

TEST(StagedReader, RefusesStagedRowsThatAreDamaged) {
  const std::string utxos(1, static_cast<char>(kStateUtxosKeyspace.id));
  const std::string changed(1, static_cast<char>(0x80 | kStateUtxosKeyspace.id));
  const std::string counts(1, static_cast<char>(kChainCountsKeyspace.id));
  const std::map<std::string, std::string> damaged = {
      {changed + "a", ""},                         // no kind
      {changed + "b", "\x03"},                     // no such kind
      {changed + "c", std::string("\x02x")},       // more than an erasure
      {changed + "d", "\x04" + EncodeCounter(1)},  // an addition where there are no counters
      {counts + "e", "1"},                         // a counter of one byte
  };
  for (const auto& [key, value] : damaged) {
    Staged staged;
    WriteBatch rows;
    rows.Put(kChainStagingKeyspace, key, value);
    staged.Store(rows);
    StagedReader reader = staged.Open();
    const Keyspace& keyspace = key.starts_with(counts) ? kChainCountsKeyspace : kStateUtxosKeyspace;
    EXPECT_ERROR(reader.Get(keyspace, key.substr(1)), ErrorCode::corruption) << key.substr(1);
    EXPECT_ERROR(reader.Range(keyspace, {}, {}), ErrorCode::corruption) << key.substr(1);
  }
}

// A plain map, and the same rows stored and staged.
class StagedReaderProperty {
 public:
  explicit StagedReaderProperty(std::uint64_t seed) : random_(seed), staged_(ShortPages()) {
    WriteBatch stored;
    WriteBatch writes;
    for (std::uint64_t left = random_.Below(40); left > 0; --left) {
      const std::string key = Key();
      const std::string value(random_.Below(6), 'v');
      if (rows_.emplace(key, value).second) stored.Put(kStateEntitiesKeyspace, key, value);
      const std::int64_t count = random_.Between(-2, 2);
      if (counts_.emplace(key, count).second) stored.Add(kChainCountersKeyspace, key, count);
    }
    for (std::uint64_t left = random_.Below(40); left > 0; --left) Stage(Key(), writes);
    staged_.Store(stored);
    staged_.Stage(writes);
  }

  void Check() {
    StagedReader reader = staged_.Open();
    for (int looks = 0; looks < 10; ++looks) {
      const std::string a = Key();
      const std::string b = Key();
      KeyRange range = KeyRange::From(std::min(a, b));
      if (random_.Chance(0.7)) range = range.EndingAt(std::max(a, b));
      if (random_.Chance(0.3)) range = KeyRange::All();
      const PageOptions options{.reverse = random_.Chance(0.5),
                                .row_limit = 1 + random_.Below(10),
                                .byte_limit = 1 + random_.Below(60)};
      SCOPED_TRACE(range.ToString() + (options.reverse ? " reversed" : ""));
      EXPECT_EQ(ReadPages(reader, kStateEntitiesKeyspace, range, options), Within(range, rows_));
      EXPECT_EQ(ReadPages(reader, kChainCountersKeyspace, range, options),
                Within(range, CounterRows()));
      const auto row = rows_.find(a);
      EXPECT_EQ(reader.Get(kStateEntitiesKeyspace, a).value(),
                row == rows_.end() ? std::nullopt : std::optional(row->second));
      EXPECT_EQ(reader.GetCounter(kChainCountersKeyspace, a).value(),
                counts_.contains(a) ? counts_[a] : 0);
    }
  }

 private:
  static SimulationProfile ShortPages() {
    SimulationProfile profile = Calm();
    profile.faults.short_page = 0.5;
    return profile;
  }

  // Among them keys that begin with others, and with the highest byte.
  std::string Key() {
    std::string key;
    for (std::uint64_t left = random_.Below(4); left > 0; --left)
      key += "\0ab\xff"[random_.Below(4)];
    return key;
  }

  void Stage(const std::string& key, WriteBatch& writes) {
    if (!written_.insert(key).second) return;
    if (random_.Chance(0.5)) {
      rows_[key] = std::string(random_.Below(6), 's');
      writes.Put(kStateEntitiesKeyspace, key, rows_[key]);
      const std::int64_t delta = random_.Between(-2, 2);
      counts_[key] += delta;
      writes.Add(kChainCountersKeyspace, key, delta);
    } else {
      rows_.erase(key);
      writes.Erase(kStateEntitiesKeyspace, key);
      counts_[key] = random_.Between(-1, 1);
      writes.PutCounter(kChainCountersKeyspace, key, counts_[key]);
    }
  }

  Rows CounterRows() const {
    Rows rows;
    for (const auto& [key, count] : counts_) {
      if (count != 0) rows.emplace(key, EncodeCounter(count));
    }
    return rows;
  }

  static Rows Within(const KeyRange& range, const Rows& rows) {
    Rows within;
    for (const auto& row : rows) {
      if (range.Contains(row.first)) within.insert(row);
    }
    return within;
  }

  Random random_;
  Staged staged_;
  Rows rows_;
  std::map<std::string, std::int64_t> counts_;
  std::set<std::string> written_;
};

TEST(StagedReader, AgreesWithAPlainMap) {
  Random seeds(TestSeed());
  for (int run = LongTests() ? 3000 : 150; run > 0 && !testing::Test::HasFailure(); --run) {
    const std::uint64_t seed = seeds.Next();
    SCOPED_TRACE(fmt::format("seed {} of TALEA_SEED={}", seed, TestSeed()));
    StagedReaderProperty(seed).Check();
  }
}

}  // namespace
}  // namespace talea::chain
