// Values and conditions for random tests of indexes, and what the conditions mean, as plainly as
// can be. For tests alone.
#pragma once

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "talea/histograms.h"
#include "talea/testing/random.h"
#include "talea/tuple.h"
#include "talea/where.h"

namespace talea::histograms {

// Numbers from `first` on, each the value of a document of the same number.
inline std::vector<IndexEntry> Numbers(int first, int count) {
  std::vector<IndexEntry> entries;
  for (int number = first; number < first + count; ++number) entries.push_back({{number}, number});
  return entries;
}

// Of few kinds, so that equal ones meet: one that is common, some that differ only in their last
// byte, of all types and lengths, with NULs and without, and numbers of both signs.
inline Element RandomElement(Random& random) {
  using namespace std::string_view_literals;
  constexpr std::string_view kTexts[] = {""sv,    "\0"sv,   "\0\0"sv,  "a"sv,
                                         "a\0"sv, "a\0b"sv, "a\x01"sv, "b\u00e9"sv};
  constexpr std::string_view kBytes[] = {""sv, "\0"sv, "\0\xff"sv, "\xff"sv, "\xff\xff"sv};
  constexpr std::int64_t kNumbers[] = {-70'000, -256, -255, 255, 256, 1LL << 40, INT64_MIN};
  switch (random.Below(12)) {
    case 0:
    case 1:
    case 2:
      return Text("heavy");
    case 3:
      return nullptr;
    case 4:
      return random.Between(-4, 4);
    case 5:
      return random.Between(-100, 100);
    case 6:
      return kNumbers[random.Below(std::size(kNumbers))];
    case 7:
      return Text("user:000" + std::to_string(random.Below(30)));
    case 8:
      return Text(kTexts[random.Below(std::size(kTexts))]);
    case 9:
      return Bytes(kBytes[random.Below(std::size(kBytes))]);
    case 10:
      return random.Chance(0.5) ? Element(random.Chance(0.5))
                                : Element(static_cast<double>(random.Between(-2, 2)) / 2);
    default:
      return random.Chance(0.5) ? Element(Tuple{nullptr}) : Element(Tuple{nullptr, "x"});
  }
}

inline Tuple RandomValue(Random& random, std::size_t elements) {
  Tuple value;
  for (std::size_t i = 0; i < elements; ++i) value.push_back(RandomElement(random));
  return value;
}

inline Element RandomDocument(Random& random, std::uint64_t documents) {
  if (random.Chance(0.9)) return random.Below(documents);
  return random.Chance(0.5) ? Element(Bytes("\xff")) : Element(nullptr);
}

// A condition, beside its meaning.
struct Condition {
  enum class Kind {
    all,
    equal,
    in,
    below,
    at_most,
    above,
    at_least,
    range,
    starts_with,
    conjunction,
    disjunction,
    negation
  };

  Kind kind = Kind::all;
  std::vector<Tuple> values;
  std::vector<Condition> parts;

  Where ToWhere() const;
  bool Matches(const Tuple& value) const;
};

// How a value compares to a bound, which may have fewer elements: then only so many count.
inline std::strong_ordering Compare(const Tuple& value, const Tuple& bound) {
  const std::size_t elements = std::min(value.size(), bound.size());
  return std::lexicographical_compare_three_way(
      value.begin(), value.begin() + static_cast<std::ptrdiff_t>(elements), bound.begin(),
      bound.end());
}

inline bool StartsWith(const Element& element, const Element& beginning) {
  if (element.type() != beginning.type()) return false;
  if (element.type() == ElementType::text) {
    return element.AsText()->starts_with(*beginning.AsText());
  }
  return element.type() == ElementType::bytes &&
         element.AsBytes()->starts_with(*beginning.AsBytes());
}

inline bool Condition::Matches(const Tuple& value) const {
  const auto compare = [&](std::size_t place) { return Compare(value, values[place]); };
  switch (kind) {
    case Kind::all:
      return true;
    case Kind::equal:
      return compare(0) == 0;
    case Kind::in:
      return std::ranges::any_of(values,
                                 [&](const Tuple& each) { return Compare(value, each) == 0; });
    case Kind::below:
      return compare(0) < 0;
    case Kind::at_most:
      return compare(0) <= 0;
    case Kind::above:
      return compare(0) > 0;
    case Kind::at_least:
      return compare(0) >= 0;
    case Kind::range:
      return compare(0) >= 0 && compare(1) < 0;
    case Kind::starts_with: {
      const std::size_t last = values[0].size() - 1;
      return std::equal(values[0].begin(), values[0].end() - 1, value.begin()) &&
             StartsWith(value[last], values[0][last]);
    }
    case Kind::conjunction:
      return parts[0].Matches(value) && parts[1].Matches(value);
    case Kind::disjunction:
      return parts[0].Matches(value) || parts[1].Matches(value);
    case Kind::negation:
      return !parts[0].Matches(value);
  }
  return false;
}

inline Where Condition::ToWhere() const {
  switch (kind) {
    case Kind::all:
      return Where::All();
    case Kind::equal:
      return Where::Equal(values[0]);
    case Kind::in:
      return Where::In(values);
    case Kind::below:
      return Where::Below(values[0]);
    case Kind::at_most:
      return Where::AtMost(values[0]);
    case Kind::above:
      return Where::Above(values[0]);
    case Kind::at_least:
      return Where::AtLeast(values[0]);
    case Kind::range:
      return Where::Range(values[0], values[1]);
    case Kind::starts_with:
      return Where::StartsWith(values[0]);
    case Kind::conjunction:
      return parts[0].ToWhere() && parts[1].ToWhere();
    case Kind::disjunction:
      return parts[0].ToWhere() || parts[1].ToWhere();
    case Kind::negation:
      return !parts[0].ToWhere();
  }
  return Where::All();
}

inline std::string ToString(const Condition& condition) {
  constexpr const char* kNames[] = {"all",      "equal", "in",          "below", "at most", "above",
                                    "at least", "range", "starts with", "and",   "or",      "not"};
  std::string text = kNames[static_cast<std::size_t>(condition.kind)];
  for (const Tuple& value : condition.values) text += " " + talea::ToString(value);
  for (const Condition& part : condition.parts) text += " [" + ToString(part) + "]";
  return text;
}

inline Tuple RandomBound(Random& random, std::size_t elements) {
  return RandomValue(random, 1 + random.Below(elements));
}

inline Condition RandomCondition(Random& random, std::size_t elements, int depth = 2) {
  using Kind = Condition::Kind;
  const auto kind = static_cast<Kind>(random.Below(depth > 0 ? 12 : 9));
  Condition condition{.kind = kind};
  switch (kind) {
    case Kind::all:
      break;
    case Kind::in:
      for (std::uint64_t count = random.Below(5); count > 0; --count)
        condition.values.push_back(RandomBound(random, elements));
      break;
    case Kind::range:
      condition.values = {RandomBound(random, elements), RandomBound(random, elements)};
      std::ranges::sort(condition.values);
      break;
    case Kind::starts_with: {
      constexpr const char* kBeginnings[] = {"", "a", "user:00", "user:0001", "heav"};
      Tuple value = RandomBound(random, elements);
      value.back() =
          random.Chance(0.2) ? Element(Bytes("\xff")) : Element(Text(kBeginnings[random.Below(5)]));
      condition.values = {value};
      break;
    }
    case Kind::conjunction:
    case Kind::disjunction:
    case Kind::negation:
      for (int part = 0; part < (kind == Kind::negation ? 1 : 2); ++part)
        condition.parts.push_back(RandomCondition(random, elements, depth - 1));
      break;
    default:
      condition.values = {RandomBound(random, elements)};
  }
  return condition;
}

// The entries of an index, in the order in which a scan gives them.
struct EntryOrder {
  bool operator()(const IndexEntry& a, const IndexEntry& b) const {
    if (a.value != b.value) return a.value < b.value;
    return a.document < b.document;
  }
};
using Entries = std::set<IndexEntry, EntryOrder>;

inline std::uint64_t CountMatches(const Entries& entries, const Condition& condition) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      entries, [&](const IndexEntry& entry) { return condition.Matches(entry.value); }));
}

}  // namespace talea::histograms
