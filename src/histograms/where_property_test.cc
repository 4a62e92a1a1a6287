// Conditions against what they say, compared element by element.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "keyspace/tuple_generators.h"
#include "talea/where.h"

namespace talea {
namespace {

using testing::AnyElement;
using testing::pick::OneIn;
using testing::pick::Pick;
using Interval = Where::Interval;

// A condition, and which values it should find.
struct Condition {
  Where where;
  std::function<bool(const Tuple&)> finds;
};

std::string PackedOf(const Tuple& tuple) {
  const Result<std::string> packed = Pack(tuple);
  RC_ASSERT(packed.has_value());
  return *packed;
}

// Some values of an index. They share elements, and one goes on where another ends, so that
// conditions which are made of them find some and miss others.
struct Values {
  std::size_t elements;
  std::vector<Element> pool;
  std::vector<Tuple> all;

  Tuple Any(std::size_t size) const {
    Tuple tuple;
    while (tuple.size() < size) tuple.push_back(pool[Pick(pool.size())]);
    return tuple;
  }
};

Element LongerThan(const Element& element) {
  using namespace std::string_literals;
  const std::string more = OneIn(2) ? "\0"s : "a"s;
  if (const auto text = element.AsText()) return Text(std::string(*text) + more);
  if (const auto bytes = element.AsBytes()) return Bytes(std::string(*bytes) + more);
  if (const auto nested = element.AsNested()) {
    Tuple longer = **nested;
    longer.emplace_back(nullptr);
    return longer;
  }
  return element;
}

Values SomeValues() {
  Values values;
  values.elements = 1 + Pick(3);
  for (int i = 0; i < 4; ++i) {
    values.pool.push_back(*AnyElement(1));
    values.pool.push_back(LongerThan(values.pool.back()));
  }
  while (values.all.size() < 16) values.all.push_back(values.Any(values.elements));
  return values;
}

Tuple Beginning(const Tuple& tuple, std::size_t size) {
  return Tuple(tuple.begin(), tuple.begin() + static_cast<std::ptrdiff_t>(size));
}

bool ElementStartsWith(const Element& element, const Element& part) {
  if (element.type() != part.type()) return false;
  if (const auto text = part.AsText()) return element.AsText()->starts_with(*text);
  return element.AsBytes()->starts_with(*part.AsBytes());
}

// Of text up to a whole character, as nothing else is text.
Element BeginningOf(const Element& element) {
  if (const auto bytes = element.AsBytes()) return Bytes(bytes->substr(0, Pick(bytes->size() + 1)));
  if (const auto text = element.AsText())
    return Text(text->substr(0, text->find_last_of("ab") + 1));
  return OneIn(2) ? Element("") : Element(Bytes(""));
}

Condition StartsWith(Tuple prefix) {
  prefix.back() = BeginningOf(prefix.back());
  return {Where::StartsWith(prefix), [prefix](const Tuple& value) {
            const std::size_t whole = prefix.size() - 1;
            return Beginning(value, whole) == Beginning(prefix, whole) &&
                   ElementStartsWith(value[whole], prefix.back());
          }};
}

Condition Range(Tuple lower, Tuple upper) {
  if (upper < lower) std::swap(lower, upper);
  return {Where::Range(lower, upper), [lower, upper](const Tuple& value) {
            return Beginning(value, lower.size()) >= lower &&
                   Beginning(value, upper.size()) < upper;
          }};
}

Condition In(const std::vector<Tuple>& tuples) {
  return {Where::In(tuples), [tuples](const Tuple& value) {
            return std::ranges::any_of(tuples, [&](const Tuple& tuple) {
              return Beginning(value, tuple.size()) == tuple;
            });
          }};
}

template <class Compare>
Condition Comparison(Where where, const Tuple& tuple, Compare compare) {
  return {std::move(where), [tuple, compare](const Tuple& value) {
            return compare(Beginning(value, tuple.size()), tuple);
          }};
}

Condition SimpleCondition(const Values& values) {
  const auto any = [&] { return values.Any(OneIn(8) ? 0 : 1 + Pick(values.elements)); };
  const Tuple tuple = any();
  switch (Pick(8)) {
    case 0:
      return Comparison(Where::Equal(tuple), tuple, std::equal_to<>());
    case 1:
      return Comparison(Where::Below(tuple), tuple, std::less<>());
    case 2:
      return Comparison(Where::AtMost(tuple), tuple, std::less_equal<>());
    case 3:
      return Comparison(Where::Above(tuple), tuple, std::greater<>());
    case 4:
      return Comparison(Where::AtLeast(tuple), tuple, std::greater_equal<>());
    case 5:
      return Range(tuple, any());
    case 6:
      return In({tuple, any(), any()});
    default:
      return StartsWith(values.Any(1 + Pick(values.elements)));
  }
}

Condition AnyCondition(const Values& values, int depth) {
  if (depth == 0 || OneIn(5)) return SimpleCondition(values);
  const Condition left = AnyCondition(values, depth - 1);
  const Condition right = AnyCondition(values, depth - 1);
  switch (Pick(3)) {
    case 0:
      return {left.where && right.where,
              [=](const Tuple& value) { return left.finds(value) && right.finds(value); }};
    case 1:
      return {left.where || right.where,
              [=](const Tuple& value) { return left.finds(value) || right.finds(value); }};
    default:
      return {!left.where, [=](const Tuple& value) { return !left.finds(value); }};
  }
}

bool Contain(const std::vector<Interval>& intervals, ByteView bytes) {
  return std::ranges::any_of(intervals, [&](const Interval& interval) {
    return bytes >= interval.lower && (!interval.upper || bytes < *interval.upper);
  });
}

RC_GTEST_PROP(WhereProperty, FindsTheValuesThatItSaysWithAnyDocument, ()) {
  const Values values = SomeValues();
  const Condition condition = AnyCondition(values, 4);
  const auto intervals = condition.where.Intervals(values.elements);
  RC_ASSERT(intervals.has_value());
  for (const Tuple& value : values.all) {
    const std::string packed = PackedOf(value);
    const bool found = condition.finds(value);
    RC_ASSERT(Contain(*intervals, packed) == found);
    RC_ASSERT(Contain(*intervals, packed + PackedOf({*AnyElement(1)})) == found);
  }
}

RC_GTEST_PROP(WhereProperty, IntervalsAscendAndNeitherTouchNorAreEmpty, ()) {
  const Values values = SomeValues();
  const auto intervals = AnyCondition(values, 4).where.Intervals(values.elements);
  RC_ASSERT(intervals.has_value());
  for (std::size_t i = 0; i < intervals->size(); ++i) {
    const Interval& interval = (*intervals)[i];
    RC_ASSERT((!interval.upper || interval.lower < *interval.upper));
    if (i == 0) continue;
    RC_ASSERT((*intervals)[i - 1].upper.has_value());
    RC_ASSERT(*(*intervals)[i - 1].upper < interval.lower);
  }
}

RC_GTEST_PROP(WhereProperty, ObeysTheLawsOfSets, ()) {
  const Values values = SomeValues();
  const Where left = AnyCondition(values, 2).where;
  const Where right = AnyCondition(values, 2).where;
  const auto of = [&](const Where& where) { return where.Intervals(values.elements).value(); };
  RC_ASSERT(of(!!left) == of(left));
  RC_ASSERT(of(left || !left) == of(Where::All()));
  RC_ASSERT(of(left && !left).empty());
  RC_ASSERT(of(left || right) == of(right || left));
  RC_ASSERT(of(left && right) == of(right && left));
  RC_ASSERT(of((left && right) || (left && !right)) == of(left));
}

// Conditions that find everything or nothing would show little.
TEST(WhereProperty, ConditionsFindSomeValuesAndMissOthers) {
  const rc::Gen<std::pair<bool, bool>> generator = rc::gen::exec([]() -> std::pair<bool, bool> {
    const Values values = SomeValues();
    const Condition condition = AnyCondition(values, 4);
    return {std::ranges::any_of(values.all, condition.finds),
            std::ranges::all_of(values.all, condition.finds)};
  });
  int finds_some = 0;
  rc::Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const auto [any, all] = generator(random.split()).value();
    if (any && !all) ++finds_some;
  }
  EXPECT_GT(finds_some, 500);
}

}  // namespace
}  // namespace talea
