#include "engine/write_overlay.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/coding.h"
#include "talea/testing/random.h"

namespace talea {
namespace {

constexpr Keyspace kRows{128, AccessPattern::scan, "rows"};
constexpr Keyspace kCounts{130, AccessPattern::counter, "counts"};

using Rows = std::map<std::string, std::string>;

// What a write does to stored rows, each at once: the overlay must come to the same.
void Apply(Rows& rows, const WriteBatch::Operation& operation, bool counter) {
  const std::string key(operation.key);
  const auto set = [&](ByteView value) {
    if (counter && DecodeCounter(value) == 0) {
      rows.erase(key);
    } else {
      rows[key] = value;
    }
  };
  switch (operation.kind) {
    case WriteBatch::Kind::put:
      return set(operation.value);
    case WriteBatch::Kind::erase:
      rows.erase(key);
      return;
    case WriteBatch::Kind::erase_range:
      std::erase_if(rows, [&](const auto& row) { return operation.Range().Contains(row.first); });
      return;
    case WriteBatch::Kind::add:
      return set(EncodeCounter(
          WrappingAdd(rows.contains(key) ? *DecodeCounter(rows[key]) : 0, operation.delta)));
  }
}

Rows After(Rows rows, const WriteBatch& batch, const Keyspace& keyspace) {
  for (const auto& operation : batch) {
    Apply(rows, operation, keyspace.pattern == AccessPattern::counter);
  }
  return rows;
}

std::string AnyKey(Random& random) {
  return std::string(1 + random.Below(2), static_cast<char>('a' + random.Below(6)));
}

// Random stored rows, and random writes that an overlay and a batch are both given.
class Writes {
 public:
  Writes(std::uint64_t seed, const Keyspace& of) : keyspace(of), overlay(of), random_(seed) {
    for (std::uint64_t left = random_.Below(20); left > 0; --left) {
      const std::string value = AnyValue();
      if (DecodeCounter(value) != 0 || !counter()) stored[AnyKey(random_)] = value;
    }
  }

  void Step() {
    const std::string key = AnyKey(random_);
    switch (random_.Below(counter() ? 5 : 4)) {
      case 0:
      case 1: {
        const std::string value = AnyValue();
        batch.Put(keyspace, key, value);
        return overlay.Put(key, value, false);
      }
      case 2:
        batch.Erase(keyspace, key);
        return overlay.Erase(key);
      case 3: {
        if (random_.Chance(0.5)) return;
        KeyRange range = KeyRange::From(key);
        if (random_.Chance(0.9)) range = range.EndingAt(AnyKey(random_));
        batch.EraseRange(keyspace, range);
        return overlay.EraseRange(range);
      }
      default: {
        const std::int64_t delta = random_.Between(-2, 2);
        batch.Add(keyspace, key, delta);
        return overlay.Add(key, delta);
      }
    }
  }

  bool counter() const { return keyspace.pattern == AccessPattern::counter; }

  const Keyspace& keyspace;
  KeyspaceOverlay overlay;
  WriteBatch batch;  // the same writes, one by one
  Rows stored;

 private:
  std::string AnyValue() {
    if (counter()) return EncodeCounter(random_.Between(-2, 2));
    return std::string(random_.Below(12), static_cast<char>('A' + random_.Below(26)));
  }

  Random random_;
};

std::vector<std::string> EveryKey() {
  std::vector<std::string> keys = {""};
  for (char letter = 'a'; letter <= 'g'; ++letter) {
    for (const std::size_t size : {1, 2, 3}) keys.emplace_back(size, letter);
  }
  return keys;
}

void CheckReadsAndWrites(std::uint64_t seed, const Keyspace& keyspace) {
  Writes writes(seed, keyspace);
  for (int step = 0; step < 25; ++step) {
    writes.Step();
    const Rows expected = After(writes.stored, writes.batch, keyspace);

    // Reads see what the writes, one after the other, would leave.
    for (const std::string& key : EveryKey()) {
      const auto stored = writes.stored.find(key);
      const auto wanted = expected.find(key);
      const std::optional<ByteView> base =
          stored == writes.stored.end() ? std::nullopt : std::optional<ByteView>(stored->second);
      const std::optional<std::string> found = writes.overlay.Resolve(key, base);
      RC_ASSERT(found == (wanted == expected.end() ? std::nullopt : std::optional(wanted->second)));
      if (!writes.overlay.NeedsStored(key)) {
        RC_ASSERT(writes.overlay.Resolve(key, std::nullopt) == found);
      }
    }

    // And the commit leaves the same.
    WriteBatch written;
    writes.overlay.AppendTo(written);
    RC_ASSERT(written.status().has_value());
    RC_ASSERT(After(writes.stored, written, keyspace) == expected);
  }
}

RC_GTEST_PROP(KeyspaceOverlay, ReadsAndWritesAsOneWriteAfterTheOther, (std::uint64_t seed)) {
  CheckReadsAndWrites(seed, kRows);
}

RC_GTEST_PROP(KeyspaceOverlay, ReadsAndWritesCountersAsOneWriteAfterTheOther,
              (std::uint64_t seed)) {
  CheckReadsAndWrites(seed, kCounts);
}

RC_GTEST_PROP(KeyspaceOverlay, WritesEachKeyOnceAndErasesDisjointRangesBefore,
              (std::uint64_t seed)) {
  Writes writes(seed, *rc::gen::arbitrary<bool>() ? kRows : kCounts);
  for (int step = 0; step < 40; ++step) writes.Step();
  WriteBatch written;
  writes.overlay.AppendTo(written);
  std::set<std::string> keys;
  std::optional<KeyRange> last_range;
  for (const auto& operation : written) {
    if (operation.kind != WriteBatch::Kind::erase_range) {
      RC_ASSERT(keys.emplace(operation.key).second);
      continue;
    }
    RC_ASSERT(keys.empty());
    const KeyRange range = operation.Range();
    RC_ASSERT(!range.empty());
    if (last_range) {
      RC_ASSERT(last_range->end().has_value());
      RC_ASSERT(*last_range->end() < range.begin());
    }
    last_range = range;
  }
}

RC_GTEST_PROP(KeyspaceOverlay, KnowsWhatWasErased, (std::uint64_t seed)) {
  Random random(seed);
  KeyspaceOverlay overlay(kRows);
  std::set<std::string> erased;
  for (int step = 0; step < 6; ++step) {
    KeyRange range = KeyRange::From(AnyKey(random));
    if (random.Chance(0.9)) range = range.EndingAt(AnyKey(random));
    overlay.EraseRange(range);
    for (const std::string& key : EveryKey()) {
      if (range.Contains(key)) erased.insert(key);
    }
    for (const std::string& key : EveryKey())
      RC_ASSERT(overlay.Erased(key) == erased.contains(key));

    KeyRange asked = KeyRange::From(AnyKey(random));
    if (random.Chance(0.8)) asked = asked.EndingAt(AnyKey(random));
    if (asked.empty()) continue;
    bool within_one = false;
    for (const KeyRange& known : overlay.erased_ranges()) {
      const bool ends_within = !known.end() || (asked.end() && *asked.end() <= *known.end());
      within_one |= known.begin() <= asked.begin() && ends_within;
    }
    RC_ASSERT(overlay.ErasedWholly(asked) == within_one);
  }
}

RC_GTEST_PROP(KeyspaceOverlay, ListsTheKeysWrittenInOrder, (std::uint64_t seed)) {
  Writes writes(seed, kRows);
  for (int step = 0; step < 30; ++step) {
    writes.Step();
    if (step % 7 != 0) continue;  // so that the order is made once, and kept up from then on
    std::set<ByteView> expected;
    for (const std::string& key : EveryKey()) {
      if (const auto* write = writes.overlay.Find(key)) expected.insert(write->key);
    }
    RC_ASSERT(writes.overlay.ordered() == expected);
  }
}

// Transaction::size() promises to say what the engine will charge, so that work can be divided
// before it is refused. It may say more, for writes that turn out to be unnecessary, never less.
RC_GTEST_PROP(KeyspaceOverlay, WeighsNoLessThanWhatItWrites, (std::uint64_t seed)) {
  Limits limits;
  limits.write = {.key_factor = 3, .value_factor = 1, .fixed = 69};
  limits.clear = {.key_factor = 4, .value_factor = 2, .fixed = 70};
  Writes writes(seed, *rc::gen::arbitrary<bool>() ? kRows : kCounts);
  for (int step = 0; step < 40; ++step) {
    writes.Step();
    WriteBatch written;
    writes.overlay.AppendTo(written);
    std::size_t unnecessary = 0;
    for (const auto& write : writes.overlay.writes()) {
      if (write.kind == KeyspaceOverlay::Kind::erase && writes.overlay.Erased(write.key)) {
        unnecessary += limits.clear.Of(write.key.size(), 0);
      }
    }
    RC_ASSERT(writes.overlay.Size(limits) == limits.Size(written, {}) + unnecessary);
  }
}

TEST(KeyspaceOverlay, WeighsNothingWhenItIsEmpty) {
  KeyspaceOverlay overlay(kRows);
  EXPECT_TRUE(overlay.empty());
  EXPECT_EQ(overlay.Size(Limits{}), 0u);
  overlay.EraseRange(*KeyRange::Make("a", "a"));
  EXPECT_TRUE(overlay.empty());
  overlay.EraseRange(KeyRange::Single("a"));
  EXPECT_FALSE(overlay.empty());
  EXPECT_EQ(overlay.Size(Limits{}), 3u);  // "a", and its end "a\0"
}

TEST(KeyspaceOverlay, AddsUpToOneDelta) {
  KeyspaceOverlay overlay(kCounts);
  for (int times = 0; times < 5; ++times) overlay.Add("n", 2);
  WriteBatch batch;
  overlay.AppendTo(batch);
  ASSERT_EQ(batch.count(), 1u);
  EXPECT_EQ(batch.begin()->kind, WriteBatch::Kind::add);
  EXPECT_EQ(batch.begin()->delta, 10);
}

TEST(KeyspaceOverlay, KeepsAnAddThatCancelsOutForReadersToConflictWith) {
  KeyspaceOverlay overlay(kCounts);
  overlay.Add("n", 1);
  overlay.Add("n", -1);
  WriteBatch batch;
  overlay.AppendTo(batch);
  ASSERT_EQ(batch.count(), 1u);
  EXPECT_EQ(batch.begin()->kind, WriteBatch::Kind::add);
  EXPECT_EQ(batch.begin()->delta, 0);
}

TEST(KeyspaceOverlay, NeedsTheStoredValueOfWhatWasAddedTo) {
  KeyspaceOverlay overlay(kCounts);
  overlay.Add("added", 1);
  overlay.Put("put", EncodeCounter(1), false);
  overlay.Erase("erased");
  overlay.EraseRange(KeyRange::Prefix("range"));
  overlay.Add("range/added", 1);
  EXPECT_TRUE(overlay.NeedsStored("untouched"));
  EXPECT_TRUE(overlay.NeedsStored("added"));
  for (const char* key : {"put", "erased", "range/other", "range/added"}) {
    EXPECT_FALSE(overlay.NeedsStored(key)) << key;
  }
}

TEST(KeyspaceOverlay, TakesAnInsertForOneOnlyIfItIsTheFirstWriteToItsKey) {
  KeyspaceOverlay overlay(kRows);
  overlay.Put("inserted", "1", true);
  overlay.Put("put", "1", false);
  overlay.Erase("erased");
  overlay.Put("erased", "1", true);
  overlay.Put("replaced", "1", true);
  overlay.Put("replaced", "2", true);
  EXPECT_TRUE(overlay.Find("inserted")->inserted);
  for (const char* key : {"put", "erased", "replaced"})
    EXPECT_FALSE(overlay.Find(key)->inserted) << key;
}

TEST(KeyspaceOverlay, TakesBackAnInsertAsIfItHadNeverBeen) {
  for (const bool ascending : {true, false}) {
    KeyspaceOverlay overlay(kRows);
    if (!ascending) overlay.Put("z", "1", true);
    overlay.Put("a", "1", true);
    overlay.Put("b", "1", false);
    overlay.Put("c", "1", true);
    EXPECT_TRUE(overlay.TakeBack("a"));
    EXPECT_FALSE(overlay.TakeBack("a"));
    EXPECT_FALSE(overlay.TakeBack("b"));
    EXPECT_FALSE(overlay.TakeBack("d"));
    EXPECT_EQ(overlay.Find("a"), nullptr);
    EXPECT_EQ(overlay.Resolve("a", "stored"), "stored");
    ASSERT_NE(overlay.Find("c"), nullptr);
    overlay.Put("a", "2", true);
    EXPECT_TRUE(overlay.TakeBack("a"));
    EXPECT_TRUE(overlay.TakeBack("c"));
    WriteBatch batch, expected;
    overlay.AppendTo(batch);
    if (!ascending) expected.Put(kRows, "z", "1");
    expected.Put(kRows, "b", "1");
    EXPECT_EQ(batch, expected);
    EXPECT_EQ(overlay.Size({}), ascending ? 2u : 4u);
  }
}

// Writes in ascending order have no other index than their order.
TEST(KeyspaceOverlay, FindsEveryWriteBeforeAndAfterOneThatIsOutOfOrder) {
  KeyspaceOverlay writes(kRows);
  const auto expect_found = [&](const std::string& keys) {
    for (char key = 'a'; key <= 'h'; ++key) {
      const KeyspaceOverlay::Write* found = writes.Find({&key, 1});
      ASSERT_EQ(found != nullptr, keys.contains(key)) << key;
      if (found != nullptr) {
        EXPECT_EQ(found->key, std::string(1, key));
      }
    }
  };
  expect_found("");
  for (const char* key : {"b", "d", "f"}) writes.Put(key, "old", false);
  expect_found("bdf");
  writes.Put("d", "new", false);
  EXPECT_EQ(writes.Find("d")->value, "new");
  EXPECT_EQ(writes.writes().size(), 3u);
  writes.Put("c", "out of order", false);
  writes.Put("b", "new", false);
  expect_found("bcdf");
  EXPECT_EQ(writes.Find("b")->value, "new");
  EXPECT_EQ(writes.writes().size(), 4u);
}

TEST(KeyspaceOverlay, KnowsAtLeastHowManyBytesItWillAppend) {
  KeyspaceOverlay writes(kRows);
  for (const std::size_t bytes : {0, 1, 127, 128, 20'000}) {
    writes.Put(std::string(bytes, 'k'), std::string(bytes, 'v'), false);
    writes.Erase(std::string(bytes, 'e'));
    writes.EraseRange(
        KeyRange::From(std::string(bytes, 'x')).EndingAt(std::string(bytes + 1, 'x')));
    WriteBatch batch;
    writes.AppendTo(batch);
    EXPECT_GE(writes.EncodedBytes(), batch.bytes());
  }
}

TEST(KeyspaceOverlay, KeepsItsOwnCopyOfEverything) {
  KeyspaceOverlay overlay(kRows);
  std::string key = "some key that is not short", value = "some value that is not short either";
  overlay.Put(key, value, false);
  const std::string expected = value;
  std::ranges::fill(value, '?');
  EXPECT_EQ(overlay.Resolve(key, std::nullopt), expected);
  overlay.Put(key, "shorter", false);  // in the place of the old one
  EXPECT_EQ(overlay.Resolve(key, std::nullopt), "shorter");
  overlay.Put(key, "", false);
  EXPECT_EQ(overlay.Resolve(key, std::nullopt), "");
  overlay.Put(key, expected + expected, false);
  EXPECT_EQ(overlay.Resolve(key, std::nullopt), expected + expected);
  overlay.Put("", "of the empty key", false);
  EXPECT_EQ(overlay.Resolve("", std::nullopt), "of the empty key");
}

}  // namespace
}  // namespace talea
