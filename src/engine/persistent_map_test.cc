#include "engine/persistent_map.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "talea/testing/random.h"

namespace talea {
namespace {

using Model = std::map<std::string, std::string>;

std::size_t Bytes(const Model& model) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : model) bytes += key.size() + value.size();
  return bytes;
}

Model Forward(const PersistentMap& map) {
  Model rows;
  PersistentMap::Cursor cursor(map);
  for (cursor.SeekAtOrAfter(""); cursor.valid(); cursor.Next()) {
    EXPECT_TRUE(rows.empty() || rows.rbegin()->first < cursor.key());
    rows.emplace_hint(rows.end(), cursor.key(), cursor.value());
  }
  return rows;
}

Model Backward(const PersistentMap& map) {
  Model rows;
  PersistentMap::Cursor cursor(map);
  for (cursor.SeekBefore(std::nullopt); cursor.valid(); cursor.Previous()) {
    EXPECT_TRUE(rows.empty() || rows.begin()->first > cursor.key());
    rows.emplace_hint(rows.begin(), cursor.key(), cursor.value());
  }
  return rows;
}

// Whether the map and the model are the same, in all that a map tells.
bool Same(const PersistentMap& map, const Model& model) {
  return map.rows() == model.size() && map.bytes() == Bytes(model) && Forward(map) == model &&
         Backward(map) == model;
}

std::string Key(std::uint64_t number, std::size_t digits = 4) {
  std::string text = std::to_string(number);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

// A map and its model under the same random operations. Keys come from a small space, so that they
// meet; phases lean towards growing or shrinking, so that nodes split, empty and join on the way.
class Twins {
 public:
  Twins(std::uint64_t seed, std::uint64_t keys) : random_(seed), keys_(keys) {}

  void Step() {
    if (random_.Chance(0.005)) put_share_ = 0.1 * static_cast<double>(random_.Below(10));
    const std::string key = Key(random_.Below(keys_));
    if (random_.Chance(0.003)) {
      EraseRange(key);
    } else if (random_.Chance(put_share_)) {
      const std::string value(random_.Below(20), static_cast<char>('a' + random_.Below(26)));
      map.Put(key, value);
      model[key] = value;
    } else {
      map.Erase(key);
      model.erase(key);
    }
  }

  void EraseRange(const std::string& begin) {
    const std::string end = Key(std::stoull(begin) + random_.Below(keys_ / 4));
    const bool open = random_.Chance(0.05);
    map.EraseRange(open ? KeyRange::From(begin) : *KeyRange::Make(begin, end));
    model.erase(model.lower_bound(begin), open ? model.end() : model.lower_bound(end));
  }

  PersistentMap map;
  Model model;

 private:
  Random random_;
  const std::uint64_t keys_;
  double put_share_ = 0.7;
};

RC_GTEST_PROP(PersistentMap, IsAMapAndItsCopiesStayAsTheyWere, (std::uint64_t seed)) {
  Twins twins(seed, *rc::gen::element<std::uint64_t>(40, 300, 3000));
  std::vector<std::pair<PersistentMap, Model>> copies;
  Random random(seed + 1);
  for (int step = 0; step < 1000; ++step) {
    twins.Step();
    RC_ASSERT(twins.map.rows() == twins.model.size());
    RC_ASSERT((step % 50 != 0 || twins.map.bytes() == Bytes(twins.model)));
    if (random.Chance(0.005)) copies.emplace_back(twins.map, twins.model);
    if (random.Chance(0.001) && !copies.empty()) {  // go on from an old copy
      std::tie(twins.map, twins.model) = copies[random.Below(copies.size())];
    }
    if (random.Chance(0.002) && !copies.empty()) copies.erase(copies.begin());
  }
  RC_ASSERT(Same(twins.map, twins.model));
  for (const auto& [map, model] : copies) RC_ASSERT(Same(map, model));
}

// Two leaves of 25 and 7 rows were joined into one of 32, which is full: a leaf is divided after
// the row that fills it, so the next Put into this one had no room, and threw.
TEST(PersistentMap, TakesARowIntoANodeThatWasJustJoined) {
  PersistentMap map;
  for (std::uint64_t number = 0; number < 32; ++number) map.Put(Key(2 * number), "");
  for (std::uint64_t number = 0; number < 9; ++number) map.Put(Key(2 * number + 1), "");  // 16 + 9
  for (std::uint64_t number = 0; number < 9; ++number) map.Erase(Key(62 - 2 * number));   // 16 - 9
  ASSERT_EQ(map.rows(), 32u);
  for (std::uint64_t number = 100; number < 140; ++number) map.Put(Key(number), "");
  EXPECT_EQ(map.rows(), 72u);
  EXPECT_EQ(Forward(map).size(), 72u);
}

// The same, whatever two sizes meet, in leaves and in inner nodes.
TEST(PersistentMap, TakesRowsWhereverOthersWereErased) {
  for (const std::uint64_t rows : {64u, 600u, 2500u}) {
    for (const std::uint64_t kept : {2u, 3u, 5u, 8u}) {
      PersistentMap map;
      Model model;
      for (std::uint64_t number = 0; number < rows; ++number) {
        map.Put(Key(10 * number, 6), "x");
        model[Key(10 * number, 6)] = "x";
      }
      for (std::uint64_t number = 0; number < rows; ++number) {
        if (number % kept == 0) continue;
        map.Erase(Key(10 * number, 6));
        model.erase(Key(10 * number, 6));
      }
      for (std::uint64_t number = rows; number-- > 0;) {
        map.Put(Key(10 * number + 5, 6), "yz");
        model[Key(10 * number + 5, 6)] = "yz";
      }
      ASSERT_TRUE(Same(map, model)) << rows << " rows, every " << kept << "th kept";
    }
  }
}

class PersistentMapCursor : public testing::Test {
 protected:
  // From every key, and from every place between two, in both directions.
  void CheckFromEverywhere(const PersistentMap& map, const Model& model, std::uint64_t keys) {
    PersistentMap::Cursor cursor(map);
    for (std::uint64_t number = 0; number <= keys; ++number) {
      const std::string key = Key(number);
      const auto after = model.lower_bound(key);
      cursor.SeekAtOrAfter(key);
      ASSERT_NO_FATAL_FAILURE(CheckAt(cursor, model, after));
      if (cursor.valid()) {
        cursor.Previous();
        ASSERT_NO_FATAL_FAILURE(CheckAt(cursor, model, Before(model, after)));
      }
      cursor.SeekBefore(key);
      ASSERT_NO_FATAL_FAILURE(CheckAt(cursor, model, Before(model, after)));
      if (cursor.valid()) {
        cursor.Next();
        ASSERT_NO_FATAL_FAILURE(CheckAt(cursor, model, after));
      }
    }
  }

 private:
  static Model::const_iterator Before(const Model& model, Model::const_iterator row) {
    return row == model.begin() ? model.end() : std::prev(row);
  }

  static void CheckAt(const PersistentMap::Cursor& cursor, const Model& model,
                      Model::const_iterator row) {
    ASSERT_EQ(cursor.valid(), row != model.end());
    if (!cursor.valid()) return;
    ASSERT_EQ(cursor.key(), row->first);
    ASSERT_EQ(cursor.value(), row->second);
  }
};

TEST_F(PersistentMapCursor, FindsItsWayFromEveryPlaceInBothDirections) {
  for (const std::uint64_t keys : {0u, 1u, 31u, 32u, 33u, 200u, 3000u}) {
    Twins twins(TestSeed() + keys, keys);
    for (std::uint64_t step = 0; step < 3 * keys; ++step) twins.Step();
    ASSERT_NO_FATAL_FAILURE(CheckFromEverywhere(twins.map, twins.model, keys)) << keys << " keys";
  }
}

TEST_F(PersistentMapCursor, IsNowhereInAnEmptyMap) {
  const PersistentMap map;
  PersistentMap::Cursor cursor(map);
  EXPECT_FALSE(cursor.valid());
  cursor.SeekAtOrAfter("");
  EXPECT_FALSE(cursor.valid());
  cursor.SeekBefore("x");
  EXPECT_FALSE(cursor.valid());
  cursor.SeekBefore(std::nullopt);
  EXPECT_FALSE(cursor.valid());
}

TEST(PersistentMap, FindsWhatIsThereAndNothingElse) {
  PersistentMap map;
  EXPECT_EQ(map.Find(""), std::nullopt);
  for (std::uint64_t number = 0; number < 500; ++number) map.Put(Key(2 * number), Key(number));
  map.Put("", "empty key");
  for (std::uint64_t number = 0; number < 500; ++number) {
    EXPECT_EQ(map.Find(Key(2 * number)), Key(number));
    EXPECT_EQ(map.Find(Key(2 * number + 1)), std::nullopt);
  }
  EXPECT_EQ(map.Find(""), "empty key");
}

TEST(PersistentMap, ReplacesAValueByOneOfAnotherSize) {
  PersistentMap map;
  map.Put("key", "longer value");
  map.Put("key", "");
  EXPECT_EQ(map.Find("key"), "");
  EXPECT_EQ(map.rows(), 1u);
  EXPECT_EQ(map.bytes(), 3u);
}

TEST(PersistentMap, OrdersKeysAsUnsignedBytes) {
  PersistentMap map;
  for (int byte = 0; byte < 256; ++byte) map.Put(std::string(1, static_cast<char>(byte)), "");
  PersistentMap::Cursor cursor(map);
  cursor.SeekAtOrAfter("");
  for (int byte = 0; byte < 256; ++byte, cursor.Next()) {
    ASSERT_TRUE(cursor.valid());
    ASSERT_EQ(static_cast<unsigned char>(cursor.key()[0]), byte);
  }
  EXPECT_FALSE(cursor.valid());
}

TEST(PersistentMap, MayBeGivenBytesOfItsOwn) {
  PersistentMap map;
  for (std::uint64_t number = 0; number < 100; ++number) map.Put(Key(number), Key(number + 1));
  map.Put(*map.Find(Key(7)), *map.Find(Key(7)));  // key 8 = "0008", both from the row of key 7
  EXPECT_EQ(map.Find(Key(8)), Key(8));
  PersistentMap::Cursor cursor(map);
  cursor.SeekAtOrAfter(Key(50));
  map.Erase(cursor.key());
  EXPECT_EQ(map.Find(Key(50)), std::nullopt);
  EXPECT_EQ(map.rows(), 99u);
}

TEST(PersistentMap, IsEmptyOnceAllIsErased) {
  for (const std::uint64_t rows : {1u, 31u, 32u, 1000u, 5000u}) {
    PersistentMap one_by_one, from_the_end, at_once;
    for (std::uint64_t number = 0; number < rows; ++number) {
      for (PersistentMap* map : {&one_by_one, &from_the_end, &at_once}) map->Put(Key(number), "x");
    }
    const PersistentMap before = at_once;
    for (std::uint64_t number = 0; number < rows; ++number) one_by_one.Erase(Key(number));
    for (std::uint64_t number = rows; number-- > 0;) from_the_end.Erase(Key(number));
    at_once.EraseRange(KeyRange::All());
    for (PersistentMap* map : {&one_by_one, &from_the_end, &at_once}) {
      EXPECT_TRUE(Same(*map, {})) << rows;
      map->Put("again", "1");  // and can be filled again
      EXPECT_TRUE(Same(*map, {{"again", "1"}})) << rows;
    }
    EXPECT_EQ(before.rows(), rows);
    EXPECT_EQ(Forward(before).size(), rows);
  }
}

TEST(PersistentMap, IsEmptyOnceItIsMovedFrom) {
  PersistentMap first;
  first.Put("a", "1");
  const PersistentMap second = std::move(first);
  EXPECT_TRUE(Same(second, {{"a", "1"}}));
  EXPECT_TRUE(Same(first, {}));
  first.Put("b", "22");
  EXPECT_TRUE(Same(first, {{"b", "22"}}));
}

TEST(PersistentMap, EraseRangeOfNothingChangesNothing) {
  PersistentMap map;
  map.EraseRange(KeyRange::All());
  for (std::uint64_t number = 0; number < 100; ++number) map.Put(Key(number), "");
  map.EraseRange(KeyRange::Before(""));
  map.EraseRange(*KeyRange::Make(Key(5), Key(5)));
  map.EraseRange(KeyRange::From("1"));
  map.EraseRange(*KeyRange::Make("00050", "0006"));
  EXPECT_EQ(map.rows(), 100u);
}

// Ranges that begin and end at every place, over maps of one to three levels.
TEST(PersistentMap, EraseRangeTakesExactlyTheRange) {
  PersistentMap whole;
  Model all;
  constexpr std::uint64_t rows = 1200;
  for (std::uint64_t number = 0; number < rows; ++number) {
    whole.Put(Key(number), "x");
    all[Key(number)] = "x";
  }
  Random random(TestSeed());
  for (int trial = 0; trial < 60; ++trial) {
    const std::uint64_t begin = random.Below(rows + 1);
    const std::uint64_t end = begin + random.Below(rows + 1 - begin);
    PersistentMap map = whole;
    Model model = all;
    map.EraseRange(*KeyRange::Make(Key(begin), Key(end)));
    model.erase(model.lower_bound(Key(begin)), model.lower_bound(Key(end)));
    ASSERT_TRUE(Same(map, model)) << begin << " to " << end;
    for (std::uint64_t number = begin; number < std::min(end, begin + 40); ++number) {
      map.Put(Key(number), "y");
      model[Key(number)] = "y";
    }
    ASSERT_TRUE(Same(map, model)) << begin << " to " << end << ", filled again";
  }
  EXPECT_TRUE(Same(whole, all));
}

class ManyRows : public testing::TestWithParam<std::string> {};

TEST_P(ManyRows, AreAllThere) {
  constexpr std::uint64_t rows = 100'000;
  std::vector<std::uint64_t> numbers(rows);
  std::ranges::generate(numbers, [next = std::uint64_t{0}]() mutable { return next++; });
  if (GetParam() == "Reverse") std::ranges::reverse(numbers);
  Random random(TestSeed());
  if (GetParam() == "Random") {
    for (std::size_t left = rows; left > 1; --left)
      std::swap(numbers[left - 1], numbers[random.Below(left)]);
  }
  PersistentMap map;
  for (const std::uint64_t number : numbers) map.Put(Key(number, 8), "value");
  EXPECT_EQ(map.rows(), rows);
  EXPECT_EQ(map.bytes(), rows * 13);
  PersistentMap::Cursor cursor(map);
  cursor.SeekAtOrAfter("");
  for (std::uint64_t number = 0; number < rows; ++number, cursor.Next()) {
    ASSERT_TRUE(cursor.valid());
    ASSERT_EQ(cursor.key(), Key(number, 8));
  }
  EXPECT_FALSE(cursor.valid());
  for (const std::uint64_t number : numbers) {
    if (number % 100 != 0) map.Erase(Key(number, 8));
  }
  EXPECT_EQ(map.rows(), rows / 100);
  EXPECT_EQ(Forward(map).size(), rows / 100);
  EXPECT_EQ(Backward(map).size(), rows / 100);
}

INSTANTIATE_TEST_SUITE_P(PersistentMap, ManyRows,
                         testing::Values("Sequential", "Reverse", "Random"),
                         [](const auto& order) { return order.param; });

}  // namespace
}  // namespace talea
