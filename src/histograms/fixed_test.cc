#include "histograms/fixed.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <map>
#include <vector>

#include "keyspace/tuple_generators.h"
#include "keyspace/tuple_testing.h"
#include "talea/where.h"

namespace talea::histograms {
namespace {

using talea::testing::AnyElement;
using talea::testing::FromHex;
using talea::testing::ToHex;
using talea::testing::pick::OneIn;
using talea::testing::pick::Pick;
using talea::testing::pick::PickFrom;

std::string PrefixOfHex(std::string_view bound, std::size_t bytes, std::size_t elements = 1) {
  return ToHex(PrefixOf(FromHex(bound), bytes, elements));
}

std::string PrefixHex(const Tuple& value, std::size_t bytes) {
  return ToHex(PrefixOf(Pack(value).value(), bytes, value.size()));
}

TEST(PrefixOf, IsTheTypeCodeAndTheFirstBytesOfText) {
  EXPECT_EQ(PrefixHex({"abcd"}, 2), "026162");
  EXPECT_EQ(PrefixHex({"abcd"}, 3), "02616263");
  EXPECT_EQ(PrefixHex({Bytes("\xff\xfe")}, 1), "01ff");
}

TEST(PrefixOf, PadsShortValuesWithZeros) {
  EXPECT_EQ(PrefixHex({"a"}, 3), "02610000");
  EXPECT_EQ(PrefixHex({""}, 2), "020000");
  EXPECT_EQ(PrefixHex({5}, 2), "150500");
  EXPECT_EQ(PrefixHex({nullptr}, 2), "000000");
  EXPECT_EQ(PrefixHex({true}, 2), "270000");
}

TEST(PrefixOf, IsSharedByValuesThatDifferInTrailingZeros) {
  using namespace std::string_literals;
  for (const std::string& value : {"a"s, "a\0"s, "a\0\0"s, "a\0\0\0b"s}) {
    EXPECT_EQ(PrefixHex({Text(value)}, 3), "02610000");
    EXPECT_EQ(PrefixHex({Bytes(value)}, 3), "01610000");
  }
  EXPECT_EQ(PrefixHex({Text("a\0b"s)}, 3), "02610062");
}

TEST(PrefixOf, TakesThePackedBytesOfAllOtherTypes) {
  EXPECT_EQ(PrefixHex({0x12345678}, 2), "181234");
  EXPECT_EQ(PrefixHex({-1}, 2), "13fe00");
  EXPECT_EQ(PrefixHex({1.5}, 2), "21bff8");
  EXPECT_EQ(PrefixHex({Element(Tuple{"a", nullptr})}, 6), "0502610000ff00");
}

TEST(PrefixOf, TakesThePackedBytesOfSeveralElements) {
  EXPECT_EQ(PrefixHex({"a", 5}, 2), "026100");
  EXPECT_EQ(PrefixHex({"a", 5}, 4), "0261001505");
  EXPECT_EQ(PrefixHex({Bytes(ByteView("\0", 1)), 5}, 4), "0100ff0015");
}

TEST(PrefixOf, TakesBoundsThatAreCutAnywhere) {
  EXPECT_EQ(PrefixOfHex("02", 2), "020000");
  EXPECT_EQ(PrefixOfHex("0261", 2), "026100");
  EXPECT_EQ(PrefixOfHex("026100", 2), "026100");
  EXPECT_EQ(PrefixOfHex("0200", 2), "020000");
  EXPECT_EQ(PrefixOfHex("1c", 3), "1c000000");
  EXPECT_EQ(PrefixOfHex("0261", 2, 2), "026100");
}

TEST(PrefixOf, TakesABoundBehindAValueAsTheLeastThatFollowsIt) {
  EXPECT_EQ(PrefixOfHex("026100ff", 2), "026100");
  EXPECT_EQ(PrefixOfHex("02616200ff", 2), "026162");
  EXPECT_EQ(PrefixOfHex("1505ff", 2), "1505ff");
  EXPECT_EQ(PrefixOfHex("00ff", 2), "00ff00");
}

TEST(PrefixOf, TakesBytesThatAreNoTuple) {
  EXPECT_EQ(PrefixOfHex("ff", 2), "ff0000");
  EXPECT_EQ(PrefixOfHex("0100ffff00ff", 3), "0100ff00");
}

TEST(PrefixOfEntry, LeavesTheDocumentOut) {
  for (const Tuple& value : std::vector<Tuple>{{5}, {"a"}, {nullptr}, {-1, nullptr}, {"a", "b"}}) {
    const std::string packed = Pack(value).value();
    for (const Element& document : {Element("d"), Element(7), Element()}) {
      EXPECT_EQ(PrefixOfEntry(packed + Pack({document}).value(), 8, value.size()),
                PrefixOf(packed, 8, value.size()));
    }
  }
}

TEST(PrefixOfEntry, TakesBytesThatAreNoEntry) {
  EXPECT_EQ(ToHex(PrefixOfEntry(FromHex("ff61"), 2, 1)), "ff6100");
  EXPECT_EQ(ToHex(PrefixOfEntry(FromHex("1505"), 2, 2)), "150500");
}

TEST(FractionBefore, IsTheNextByteIn256ths) {
  const auto fraction = [](const Tuple& value, std::size_t bytes) {
    return FractionBefore(Pack(value).value(), bytes, value.size()) * 256;
  };
  EXPECT_EQ(fraction({"abc"}, 2), 'c');
  EXPECT_EQ(fraction({Bytes("ab\xff")}, 2), 255);
  EXPECT_EQ(fraction({0x123456}, 1), 0x34);
  EXPECT_EQ(fraction({"a", 5}, 2), 0x15);
  EXPECT_EQ(fraction({Bytes(ByteView("\0\0c", 3))}, 2), 'c');
}

TEST(FractionBefore, IsZeroWhereNoByteFollows) {
  EXPECT_EQ(FractionBefore(FromHex("026162"), 2, 1), 0);
  EXPECT_EQ(FractionBefore(FromHex("02616200"), 2, 1), 0);
  EXPECT_EQ(FractionBefore(FromHex("02616200ff"), 2, 1), 0);
  EXPECT_EQ(FractionBefore(FromHex("02"), 2, 1), 0);
  EXPECT_EQ(FractionBefore(FromHex("15"), 8, 1), 0);
}

bool IsLeast(std::string_view bound, std::size_t bytes, std::size_t elements = 1) {
  return IsLeastOfItsPrefix(FromHex(bound), bytes, elements);
}

TEST(IsLeastOfItsPrefix, IsTrueOfThePrefixItselfAndOfWhatNoValueLiesBefore) {
  EXPECT_TRUE(IsLeast("0261", 2));
  EXPECT_TRUE(IsLeast("026100", 2));
  EXPECT_TRUE(IsLeast("026162", 2));
  EXPECT_TRUE(IsLeast("02616200", 2));
  EXPECT_TRUE(IsLeast("0200ff6200", 2));
  EXPECT_TRUE(IsLeast("02", 2));
  EXPECT_TRUE(IsLeast("160100", 2));
  EXPECT_TRUE(IsLeast("1c4000000000000000", 2));
  EXPECT_TRUE(IsLeast("1505ff", 2));
  EXPECT_TRUE(IsLeast("00", 2));
  EXPECT_TRUE(IsLeast("02610000", 8, 2));
  EXPECT_TRUE(IsLeast("026100", 8, 2));
}

TEST(IsLeastOfItsPrefix, IsFalseBehindAValueWithThatPrefix) {
  EXPECT_FALSE(IsLeast("026100ff", 2));
  EXPECT_FALSE(IsLeast("026100ff00", 2));
  EXPECT_FALSE(IsLeast("02616200ff", 2));
  EXPECT_FALSE(IsLeast("0261626300", 2));
  EXPECT_FALSE(IsLeast("02610000", 2));
  EXPECT_FALSE(IsLeast("1400", 2));
  EXPECT_FALSE(IsLeast("0000", 2));
  EXPECT_FALSE(IsLeast("1c4000000000000001", 2));
  EXPECT_FALSE(IsLeast("0261000000", 8, 2));
}

// Every packed value, and by prefix the least of them.
struct Values {
  std::size_t elements;
  std::vector<std::string> all;

  std::map<std::string, std::string> LeastByPrefix(std::size_t bytes) const {
    std::map<std::string, std::string> least;
    for (const std::string& value : all) {
      const auto [place, added] = least.emplace(PrefixOf(value, bytes, elements), value);
      if (!added) place->second = std::min(place->second, value);
    }
    return least;
  }

  // Every value, cut anywhere, and with more behind it.
  std::vector<std::string> Bounds() const {
    std::vector<std::string> bounds;
    for (const std::string& value : all) {
      for (std::size_t size = 1; size <= value.size(); ++size) {
        for (const std::string_view more : {"", "00", "0000", "01", "ff", "ff00"}) {
          bounds.push_back(value.substr(0, size) + FromHex(more));
        }
      }
    }
    return bounds;
  }
};

// How often the answer was true and false. Where `values` are all there are, it has to be exact.
std::map<bool, int> CheckLeast(const Values& values, std::size_t bytes, bool exact) {
  const std::map<std::string, std::string> least = values.LeastByPrefix(bytes);
  std::map<bool, int> answers;
  for (const std::string& bound : values.Bounds()) {
    const auto found = least.find(PrefixOf(bound, bytes, values.elements));
    if (found == least.end()) continue;
    const bool answer = IsLeastOfItsPrefix(bound, bytes, values.elements);
    const bool truth = found->second >= bound;
    EXPECT_TRUE(exact ? answer == truth : !answer || truth)
        << ToHex(bound) << " of " << bytes << " bytes, after " << ToHex(found->second);
    ++answers[answer];
  }
  return answers;
}

Values AllBytesUpTo(std::size_t size) {
  Values values{.elements = 1};
  std::vector<std::string> raw = {""};
  for (std::size_t i = 0; i < raw.size(); ++i) {
    values.all.push_back(Pack({Bytes(raw[i])}).value());
    if (raw[i].size() == size) continue;
    for (const char next : {'\x00', '\x01', 'a', '\xff'}) raw.push_back(raw[i] + next);
  }
  return values;
}

TEST(IsLeastOfItsPrefix, IsExactForBytes) {
  for (std::size_t bytes = 1; bytes <= 3; ++bytes) {
    const std::map<bool, int> answers = CheckLeast(AllBytesUpTo(4), bytes, true);
    EXPECT_EQ(answers.size(), 2u);
  }
}

std::vector<Element> EdgesOfTypes() {
  using Limits = std::numeric_limits<std::int64_t>;
  std::vector<Element> edges = {nullptr,
                                true,
                                false,
                                "",
                                "a",
                                Text(std::string_view("\0", 1)),
                                Text(std::string_view("a\0", 2)),
                                0.0,
                                -0.0,
                                1.5f,
                                Uuid()};
  edges.emplace_back(Tuple());
  edges.emplace_back(Tuple{nullptr});
  edges.emplace_back(Tuple{0});
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{255}, std::int64_t{256}, std::int64_t{257},
        std::int64_t{65'535}, std::int64_t{65'536}, std::int64_t{1} << 40, Limits::max()}) {
    edges.emplace_back(number);
    edges.emplace_back(-number);
  }
  return edges;
}

TEST(IsLeastOfItsPrefix, IsNeverWronglyTrueForOtherTypes) {
  Values values{.elements = 1};
  for (const Element& edge : EdgesOfTypes()) values.all.push_back(Pack({edge}).value());
  for (std::size_t bytes = 1; bytes <= 8; ++bytes) {
    EXPECT_EQ(CheckLeast(values, bytes, false).size(), 2u);
  }
}

TEST(IsLeastOfItsPrefix, IsNeverWronglyTrueForSeveralElements) {
  Values values{.elements = 2};
  for (const Element& first : EdgesOfTypes()) {
    for (const Element& second : EdgesOfTypes()) {
      values.all.push_back(Pack({first, second}).value());
    }
  }
  for (std::size_t bytes = 1; bytes <= 8; ++bytes) {
    EXPECT_EQ(CheckLeast(values, bytes, false).size(), 2u);
  }
}

std::string SomeBytes(std::size_t most) {
  std::string bytes(Pick(most + 1), '\0');
  for (char& byte : bytes) {
    byte = OneIn(4) ? static_cast<char>(Pick(256))
                    : PickFrom({'\x00', '\x01', '\x02', '\x15', 'a', '\xfe', '\xff'});
  }
  return bytes;
}

RC_GTEST_PROP(FixedProperty, PrefixAndFractionNeverFallAsTheBoundGrows, ()) {
  const std::size_t bytes = 1 + Pick(8);
  const std::size_t elements = 1 + Pick(2);
  for (int i = 0; i < 100; ++i) {
    const std::string common = PickFrom({'\x00', '\x01', '\x02', '\x15'}) + SomeBytes(8);
    std::string lesser = common + SomeBytes(4);
    std::string greater = common + SomeBytes(4);
    if (greater < lesser) std::swap(lesser, greater);
    const auto place = [&](const std::string& bound) {
      return std::pair(PrefixOf(bound, bytes, elements), FractionBefore(bound, bytes, elements));
    };
    RC_ASSERT(place(lesser) <= place(greater));
    RC_ASSERT(place(lesser).first.size() == 1 + bytes);
    RC_ASSERT((place(lesser).second >= 0 && place(lesser).second < 1));
  }
}

Element AnyTextOrElement() {
  return OneIn(2) ? Element(Text(*talea::testing::AnyText())) : *AnyElement(1);
}

// So what a condition finds is counted between its ends, and nowhere else.
RC_GTEST_PROP(FixedProperty, EntriesLieBetweenThePrefixesOfAConditionsEnds, ()) {
  const std::size_t bytes = 1 + Pick(8);
  const std::size_t elements = 1 + Pick(2);
  const auto value = [&] {
    Tuple tuple;
    while (tuple.size() < elements) tuple.push_back(AnyTextOrElement());
    return tuple;
  };
  const Where where = Where::Equal(value()) || Where::Above(value());
  std::vector<std::string> ends;
  const auto intervals = where.Intervals(elements);
  for (const Where::Interval& interval : *intervals) {
    ends.push_back(interval.lower);
    if (interval.upper) ends.push_back(*interval.upper);
  }
  for (int i = 0; i < 16; ++i) {
    const std::string entry = *Pack(value()) + *Pack({*AnyElement(1)});
    const std::string prefix = PrefixOfEntry(entry, bytes, elements);
    for (const std::string& end : ends) {
      const std::string prefix_of_end = PrefixOf(end, bytes, elements);
      RC_ASSERT((entry < end ? prefix <= prefix_of_end : prefix >= prefix_of_end));
    }
  }
}

}  // namespace
}  // namespace talea::histograms
