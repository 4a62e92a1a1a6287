#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "histograms/learned.h"
#include "keyspace/tuple_generators.h"

namespace talea::histograms {
namespace {

using talea::testing::AnyElement;
using talea::testing::pick::OneIn;
using talea::testing::pick::Pick;
using talea::testing::pick::PickFrom;

std::string SomeBytes(std::size_t most) {
  std::string bytes(Pick(most + 1), '\0');
  for (char& byte : bytes) {
    byte = OneIn(2) ? static_cast<char>(Pick(256)) : PickFrom({'\x00', '\x01', '\xfe', '\xff'});
  }
  return bytes;
}

// In ascending order, none twice, and alike in their first bytes.
std::vector<std::string> SortedBytes(std::size_t count) {
  const std::string common = SomeBytes(12);
  std::vector<std::string> all;
  while (all.size() < count) all.push_back(OneIn(4) ? SomeBytes(12) : common + SomeBytes(12));
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

Span SpanFrom(const std::vector<std::string>& sorted) {
  Span span = {.lower = sorted[Pick(sorted.size())]};
  const std::string& upper = sorted[Pick(sorted.size())];
  if (upper > span.lower) span.upper = upper;
  return span;
}

RC_GTEST_PROP(FractionOfProperty, GrowsFromZeroToOne, ()) {
  const std::vector<std::string> bounds = SortedBytes(40);
  const Span span = SpanFrom(bounds);
  double last = 0;
  for (const std::string& bound : bounds) {
    const double fraction = FractionOf(span, bound);
    RC_ASSERT(fraction >= last);
    RC_ASSERT(fraction <= 1);
    if (bound <= span.lower) RC_ASSERT(fraction == 0);
    if (span.upper && bound >= *span.upper) RC_ASSERT(fraction == 1);
    last = fraction;
  }
}

// What a store would find that reads up to `cap` entries from the ends of a bucket.
struct Bucket {
  Span span;
  std::vector<std::string> entries;  // sorted
  std::uint64_t cap;

  std::uint64_t Before(const std::string& bound) const {
    return static_cast<std::uint64_t>(std::ranges::lower_bound(entries, bound) - entries.begin());
  }
  Peeked Peek(std::uint64_t entries_there) const {
    return entries_there <= cap ? Peeked{entries_there, true} : Peeked{cap + 1, false};
  }
  Position At(const std::string& bound, bool looks) const {
    const auto count = static_cast<std::int64_t>(entries.size());
    if (!looks) return PositionWithin(span, bound, count, {}, {});
    const Peeked in_front = Peek(Before(bound));
    const Peeked behind = in_front.all ? Peeked{} : Peek(entries.size() - Before(bound));
    return PositionWithin(span, bound, count, in_front, behind);
  }
};

Bucket SomeBucket(const std::vector<std::string>& bounds) {
  Bucket bucket = {.span = SpanFrom(bounds), .entries = {}, .cap = Pick(12)};
  for (const std::string& entry : SortedBytes(30)) {
    if (bucket.span.Contains(entry)) bucket.entries.push_back(entry);
  }
  for (const std::string& bound : bounds) {
    if (bucket.span.Contains(bound) && OneIn(2)) bucket.entries.push_back(bound + SomeBytes(3));
  }
  std::erase_if(bucket.entries, [&](const auto& entry) { return !bucket.span.Contains(entry); });
  std::ranges::sort(bucket.entries);
  return bucket;
}

RC_GTEST_PROP(PositionProperty, HoldsTheTruthAndNeverFallsAsTheBoundGrows, ()) {
  const std::vector<std::string> bounds = SortedBytes(40);
  const Bucket bucket = SomeBucket(bounds);
  for (const bool looks : {false, true}) {
    Position last;
    for (const std::string& bound : bounds) {
      const Position position = bucket.At(bound, looks);
      RC_ASSERT(position.low <= bucket.Before(bound));
      RC_ASSERT(bucket.Before(bound) <= position.high);
      RC_ASSERT(position.high <= bucket.entries.size());
      RC_ASSERT(static_cast<double>(position.low) <= position.estimate);
      RC_ASSERT(position.estimate <= static_cast<double>(position.high));
      RC_ASSERT(position.estimate >= last.estimate);
      RC_ASSERT(position.low >= last.low);
      RC_ASSERT(position.high >= last.high);
      last = position;
    }
  }
}

RC_GTEST_PROP(PositionProperty, IsExactInABucketOfAtMostTwiceTheCap, ()) {
  const std::vector<std::string> bounds = SortedBytes(40);
  Bucket bucket = SomeBucket(bounds);
  bucket.cap = (bucket.entries.size() + 1) / 2;
  for (const std::string& bound : bounds) RC_ASSERT(bucket.At(bound, true).exact());
}

// Packed values in ascending order, none twice. Some go on where others end.
std::vector<std::string> SortedValues(std::size_t elements, std::size_t count) {
  std::vector<std::string> values;
  while (values.size() < count) {
    Tuple value;
    while (value.size() < elements) {
      value.push_back(OneIn(2) ? Element(Text(*talea::testing::AnyText())) : *AnyElement(1));
    }
    values.push_back(Pack(value).value());
  }
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  return values;
}

// The first and the last entry that a value can have.
std::string FirstEntry(const std::string& value) { return value + '\0'; }
std::string LastEntry(const std::string& value) { return value + std::string(9, '\xfe'); }

RC_GTEST_PROP(SeparatorProperty, KeepsAllEntriesOfTwoValuesApartInTheFewestBytes, ()) {
  const std::vector<std::string> values = SortedValues(1 + Pick(2), 20);
  for (std::size_t i = 1; i < values.size(); ++i) {
    const std::string separator = Separator(values[i - 1], values[i]);
    RC_ASSERT(LastEntry(values[i - 1]) < separator);
    RC_ASSERT(separator <= values[i]);
    // Any shorter bytes that are not greater than the second value are no greater than the first.
    RC_ASSERT(values[i].substr(0, separator.size() - 1) <= values[i - 1]);
  }
}

// A bucket's values with their entries, and how a divider divides it.
struct Division {
  std::uint64_t target = 1 + Pick(12);
  std::uint64_t heavy = Pick(12);
  bool skips = OneIn(2);  // the entries of a value, once it is known to be heavy
  std::string lower;
  std::vector<std::pair<std::string, std::uint64_t>> values;  // with the entries that are shown
  std::vector<Divider::Part> parts;

  // Which part has these bytes.
  std::size_t PartOf(const std::string& bytes) const {
    const auto above = std::ranges::upper_bound(parts, bytes, {}, &Divider::Part::lower);
    return static_cast<std::size_t>(above - parts.begin()) - 1;
  }
  bool IsHeavy(std::size_t value) const { return values[value].second > heavy; }
};

Division SomeDivision() {
  Division division;
  std::vector<std::string> values = SortedValues(1 + Pick(2), 1 + Pick(30));
  if (OneIn(2)) division.lower = values.front();
  Divider divider(division.lower, division.target, division.heavy);
  for (std::string& value : values) {
    const std::uint64_t entries = 1 + (OneIn(4) ? Pick(30) : Pick(3));
    std::uint64_t shown = 0;
    while (shown < entries) {
      ++shown;
      const bool heavy = divider.Add(value);
      RC_ASSERT(heavy == (shown > division.heavy));
      if (heavy && division.skips) break;
    }
    division.values.emplace_back(std::move(value), shown);
  }
  division.parts = divider.Finish();
  return division;
}

RC_GTEST_PROP(DividerProperty, PartsAscendFromTheBucketsLowerEndAndNoneIsEmpty, ()) {
  const Division division = SomeDivision();
  RC_ASSERT(division.parts.front().lower == division.lower);
  for (std::size_t i = 0; i < division.parts.size(); ++i) {
    RC_ASSERT(division.parts[i].entries > 0u);
    if (i > 0) RC_ASSERT(division.parts[i - 1].lower < division.parts[i].lower);
  }
}

RC_GTEST_PROP(DividerProperty, EachValueIsWhollyInThePartThatCountedIt, ()) {
  const Division division = SomeDivision();
  std::vector<std::uint64_t> entries(division.parts.size());
  for (const auto& [value, shown] : division.values) {
    RC_ASSERT(division.PartOf(FirstEntry(value)) == division.PartOf(LastEntry(value)));
    entries[division.PartOf(FirstEntry(value))] += shown;
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    RC_ASSERT(division.parts[i].entries == entries[i]);
  }
}

RC_GTEST_PROP(DividerProperty, HeavyValuesAreAloneAndTheOthersAreFewTogether, ()) {
  const Division division = SomeDivision();
  std::map<std::size_t, std::vector<std::size_t>> values_of_parts;
  for (std::size_t i = 0; i < division.values.size(); ++i) {
    values_of_parts[division.PartOf(FirstEntry(division.values[i].first))].push_back(i);
  }
  for (const auto& [part, values] : values_of_parts) {
    const bool has_heavy =
        std::ranges::any_of(values, [&](std::size_t i) { return division.IsHeavy(i); });
    if (has_heavy) RC_ASSERT(values.size() == 1u);
    if (!has_heavy) RC_ASSERT(division.parts[part].entries < division.target + division.heavy);
  }
}

RC_GTEST_PROP(DividerProperty, OnlyAHeavyValueEndsAPartBeforeTheTarget, ()) {
  const Division division = SomeDivision();
  for (std::size_t i = 1; i < division.values.size(); ++i) {
    const std::size_t before = division.PartOf(FirstEntry(division.values[i - 1].first));
    const std::size_t after = division.PartOf(FirstEntry(division.values[i].first));
    if (before == after || division.IsHeavy(i - 1) || division.IsHeavy(i)) continue;
    RC_ASSERT(division.parts[before].entries >= division.target);
  }
}

RC_GTEST_PROP(DividerProperty, BoundariesOfHeavyValuesHoldNothingElseButEmptyRoomInFront, ()) {
  const Division division = SomeDivision();
  for (std::size_t i = 0; i < division.values.size(); ++i) {
    if (!division.IsHeavy(i)) continue;
    const std::string& value = division.values[i].first;
    const std::size_t part = division.PartOf(value);
    const bool follows_heavy = i > 0 && division.IsHeavy(i - 1);
    if (i > 0 && !follows_heavy) RC_ASSERT(division.parts[part].lower == value);
    if (follows_heavy) {
      RC_ASSERT(division.parts[part].lower == division.values[i - 1].first + '\xff');
    }
    if (i + 1 == division.values.size()) continue;
    RC_ASSERT(division.parts[part + 1].lower == value + '\xff');
  }
}

}  // namespace
}  // namespace talea::histograms
