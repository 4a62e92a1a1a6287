#include "histograms/verify_rows.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "histograms/codec.h"
#include "histograms/fixed.h"
#include "histograms/keys.h"
#include "keyspace/registry.h"
#include "talea/memory_engine.h"
#include "talea/testing/result_matchers.h"
#include "talea/tuple.h"

namespace talea::histograms {
namespace {

using testing::AllOf, testing::Contains, testing::ElementsAre, testing::HasSubstr, testing::IsEmpty,
    testing::Not, testing::StartsWith;
using testing::UnorderedElementsAre;

std::string Packed(const Tuple& tuple) { return Pack(tuple).value(); }

// The packed beginning of a text: a boundary between values.
std::string From(std::string_view text) { return "\x02" + std::string(text); }

std::string EntryKey(IndexId index, const Tuple& value_and_document) {
  return EntryPrefix(index) + Packed(value_and_document);
}

constexpr IndexId kCities = 1;     // learned; ["", "m") has 3 entries, ["m", end) has 2
constexpr IndexId kVisits = 2;     // fixed(1), of two elements
constexpr IndexId kNothing = 3;    // without entries
constexpr IndexId kDividing = 4;   // ["", "m") is being divided at "c"; the whole has 3 entries
constexpr IndexId kBuilding = 70;  // whose histogram 9 is counted up to "c" only

// Rows as the store writes them, so that each can be damaged in turn.
class VerifyRows : public testing::Test {
 protected:
  void SetUp() override {
    Put(LastIndexKey(), EncodeIndexId(kBuilding));
    FillCities();
    FillVisits();
    Create(kNothing, "nothing", {.id = 0});
    Bucket(kNothing, 0, {"", 0}, {});
    FillDividing();
    FillBuilding();
    ASSERT_THAT(Problems(), IsEmpty());
  }

  void FillCities() {
    Create(kCities, "cities", {.id = 5, .layout = 7});
    Bucket(kCities, 5, {"", 2}, {.upper = From("m")});
    Bucket(kCities, 5, {From("m"), 7}, {});
    for (const char* city : {"Bern", "Bonn", "London", "m", "paris"}) {
      Put(EntryKey(kCities, {city, 1}), "");
    }
    Count(kCities, 5, "", 2, 3);
    Count(kCities, 5, From("m"), 7, 2);
  }

  // The second bucket of a histogram that was counted in parts.
  void FillVisits() {
    Create(kVisits, "visits", {.id = 0, .kind = Histogram::Fixed(1), .layout = 3}, 2);
    const std::string middle = Packed({"b", 5});
    Bucket(kVisits, 0, {"", 1}, {.upper = middle});
    Bucket(kVisits, 0, {middle, 3}, {});
    for (const Tuple& entry : {Tuple{"a", 1, "x"}, {"b", 1, "x"}, {"b", 9, "x"}, {"b", 9, "y"}}) {
      Put(EntryKey(kVisits, entry), "");
    }
    Count(kVisits, 0, From("a"), 1, 1);
    Count(kVisits, 0, From("b"), 1, 1);
    Count(kVisits, 0, From("b"), 3, 2);
  }

  void FillDividing() {
    Create(kDividing, "dividing", {.id = 0, .layout = 1});
    const Span whole{"", From("m")};
    Bucket(kDividing, 0, {"", 0}, {.upper = From("m"), .ending = true, .whole = whole});
    Bucket(kDividing, 0, {"", 1}, {.upper = From("c"), .whole = whole});
    Bucket(kDividing, 0, {From("c"), 1}, {.upper = From("m"), .whole = whole});
    Bucket(kDividing, 0, {From("m"), 0}, {});
    for (const char* text : {"a", "d", "e"}) Put(EntryKey(kDividing, {text, 1}), "");
    Count(kDividing, 0, "", 0, 4);
    Count(kDividing, 0, "", 1, -2);  // of "b" and "bb", which were counted before the division
    Count(kDividing, 0, From("c"), 1, 1);
  }

  void FillBuilding() {
    IndexState state{.name = "building",
                     .peek_cap = 4,
                     .building = true,
                     .next_histogram = 10,
                     .histograms = {{.id = 8}, {.id = 9, .building = true, .layout = 1}}};
    Put(IndexKey(kBuilding), EncodeIndexState(state));
    Put(NameKey("building"), EncodeIndexId(kBuilding));
    Put(BuildKey(kBuilding), EncodeBuildRow({200, KeyRange::All(), "", "any key"}));
    Bucket(kBuilding, 8, {"", 0}, {});
    Bucket(kBuilding, 9, {"", 1}, {.upper = From("c")});
    Bucket(kBuilding, 9, {From("c"), 1}, {.uncounted = true});
    for (const char* text : {"a", "d"}) Put(EntryKey(kBuilding, {text, 1}), "");
    Count(kBuilding, 8, "", 0, 2);
    Count(kBuilding, 9, "", 1, 77);  // not judged
  }

  void Create(IndexId id, const std::string& name, const HistogramState& histogram,
              std::uint8_t elements = 1) {
    Put(IndexKey(id), EncodeIndexState({.name = name,
                                        .elements = elements,
                                        .next_histogram = histogram.id + 1,
                                        .histograms = {histogram}}));
    Put(NameKey(name), EncodeIndexId(id));
  }
  void Bucket(IndexId index, HistogramId histogram, const BucketId& id, const BucketRow& row) {
    Put(BucketKey(index, histogram, id), EncodeBucketRow(row));
  }
  void Count(IndexId index, HistogramId histogram, ByteView boundary, Generation generation,
             std::int64_t count) {
    WriteBatch batch;
    batch.Add(kHistogramCountersKeyspace, CounterKey(index, histogram, boundary, generation),
              count);
    ASSERT_OK(engine_->Commit({.batch = std::move(batch)}));
  }
  void Put(const std::string& key, const std::optional<std::string>& value,
           const Keyspace& keyspace = kHistogramsKeyspace) {
    WriteBatch batch;
    value ? batch.Put(keyspace, key, *value) : batch.Erase(keyspace, key);
    ASSERT_OK(engine_->Commit({.batch = std::move(batch)}));
  }
  std::optional<std::string> Get(const std::string& key) {
    return engine_->OpenSnapshot().value()->Get(kHistogramsKeyspace, key).value();
  }

  std::vector<std::string> Problems() {
    const CheckedDatabase database{.name = "",
                                   .keyspaces = engine_->keyspaces(),
                                   .reader = engine_->OpenSnapshot().value(),
                                   .complete = complete_};
    talea::Problems problems(100);
    Show(kHistogramsKeyspace, *MakeIndexRowCheck(database), database, problems);
    Show(kHistogramCountersKeyspace, *MakeCounterRowCheck(database), database, problems);
    return problems.first();
  }
  static void Show(const Keyspace& keyspace, RowCheck& check, const CheckedDatabase& database,
                   talea::Problems& problems) {
    Scanner rows(*database.reader, keyspace, KeyRange::All());
    while (const std::optional<Row> row = rows.Next().value()) check.Check(*row, problems);
    check.Finish(problems);
  }

  // What is found while this row has another value, or none.
  std::vector<std::string> With(const std::string& key, const std::optional<std::string>& value) {
    const std::optional<std::string> before = Get(key);
    Put(key, value);
    std::vector<std::string> problems = Problems();
    Put(key, before);
    return problems;
  }
  std::vector<std::string> WithBucket(IndexId index, HistogramId histogram, const BucketId& id,
                                      const BucketRow& row) {
    return With(BucketKey(index, histogram, id), EncodeBucketRow(row));
  }
  std::vector<std::string> WithState(IndexId index, auto change) {
    IndexState state = DecodeIndexState(Get(IndexKey(index)).value()).value();
    change(state);
    return With(IndexKey(index), EncodeIndexState(state));
  }
  std::vector<std::string> WithCount(IndexId index, HistogramId histogram, ByteView boundary,
                                     Generation generation, std::int64_t more) {
    Count(index, histogram, boundary, generation, more);
    std::vector<std::string> problems = Problems();
    Count(index, histogram, boundary, generation, -more);
    return problems;
  }

  bool complete_ = true;
  const std::unique_ptr<Engine> engine_ =
      OpenMemoryEngine(
          {.keyspaces = {kHistogramsKeyspace, kHistogramCountersKeyspace}, .checkpoint = {}})
          .value();
};

TEST_F(VerifyRows, FindsRowsThatCannotBeRead) {
  const std::map<std::string, std::string> kinds{
      {NameKey("cities"), "number of an index: "},
      {IndexKey(kCities), "index row"},
      {EntryKey(kCities, {"Bern", 1}), "entry: expected a value of no bytes"},
      {BucketKey(kCities, 5, {"", 2}), "bucket row"},
      {LastIndexKey(), "number of an index: "},
  };
  for (const auto& [key, kind] : kinds) {
    EXPECT_THAT(With(key, Get(key).value() + "x"),
                ElementsAre(HasSubstr(
                    fmt::format("keyspace \"histograms\", key {}: {}", Quoted(key), kind))));
  }
}

TEST_F(VerifyRows, FindsKeysThatTheLayerDoesNotWrite) {
  const std::map<std::string, std::string> keys{
      {"\xfe", "tuple at byte 0: "},
      {Packed({0, Bytes("cities")}), "expected the key of an index's name"},
      {Packed({1, kCities, 1}), "expected the key of an index: "},
      {Packed({2}), "a kind that Talea writes, found 2"},
      {Packed({3, kCities, 5, Bytes("")}), "expected the key of a bucket: "},
      {IndexChangeKey(kCities, 0), "a kind that Talea writes, found 4"},
      {BucketEndKey(kCities, 5, {"", 2}), "a kind that Talea writes, found 5"},
      {Packed({6, 1}), "number of the newest index: expected a key of one element"},
      {Packed({7}), "expected the key of an index that is built: "},
      {Packed({8}), "expected the key of an entry: "},
      {Packed({9}), "a kind that Talea writes, found 9"},
  };
  for (const auto& [key, problem] : keys) {
    EXPECT_THAT(With(key, ""),
                ElementsAre(AllOf(StartsWith("keyspace \"histograms\", key " + Quoted(key)),
                                  HasSubstr(problem), Not(HasSubstr(": keyspace")))));
  }
  WriteBatch batch;
  batch.Add(kHistogramCountersKeyspace, Packed({kCities, 5, Text(""), 2}), 1);
  ASSERT_OK(engine_->Commit({.batch = std::move(batch)}));
  EXPECT_THAT(Problems(), Contains(HasSubstr("expected the key of a bucket's counter")));
}

TEST_F(VerifyRows, FindsNamesAndIndexesThatDoNotBelongTogether) {
  EXPECT_THAT(With(NameKey("another"), EncodeIndexId(kCities)),
              ElementsAre(HasSubstr("name of an index: expected index number 1 to be called "
                                    "\"another\", found \"cities\"")));
  EXPECT_THAT(With(NameKey("another"), EncodeIndexId(50)),
              ElementsAre(HasSubstr("name of an index: expected index number 50 to exist")));
  EXPECT_THAT(With(NameKey("nothing"), std::nullopt),
              ElementsAre(HasSubstr(
                  "index: expected the name \"nothing\" to lead to it, found no such name")));
  EXPECT_THAT(With(NameKey("nothing"), EncodeIndexId(kCities)),
              UnorderedElementsAre(HasSubstr("to be called \"nothing\", found \"cities\""),
                                   HasSubstr("to lead to it, found number 1 there")));
}

TEST_F(VerifyRows, FindsAnIndexBeyondTheNewestNumber) {
  EXPECT_THAT(With(LastIndexKey(), EncodeIndexId(69)),
              ElementsAre(HasSubstr(
                  "index: expected the number of the newest index to be 70 or more, found 69")));
  EXPECT_EQ(With(LastIndexKey(), std::nullopt).size(), 5u) << "each index";
}

TEST_F(VerifyRows, FindsEntriesThatNoIndexHas) {
  EXPECT_THAT(With(EntryKey(50, {"a", 1}), ""),
              ElementsAre(HasSubstr("entry: expected index number 50 to exist, found none")));
}

TEST_F(VerifyRows, FindsEntriesWithOtherElementsThanTheirIndexHas) {
  EXPECT_THAT(
      With(EntryKey(kBuilding, {"a"}), ""),
      UnorderedElementsAre(HasSubstr("entry: expected a value of 1 elements and a document, as "
                                     "index \"building\" has, found (\"a\")"),
                           HasSubstr("with a sum of 3, the number of entries, found 2")));
  EXPECT_THAT(With(EntryKey(kVisits, {"b", 1, 2, "x"}), ""),
              Contains(HasSubstr("entry: expected a value of 2 elements and a document")));
  EXPECT_THAT(
      With(EntryPrefix(kVisits), ""),
      ElementsAre(HasSubstr("entry: expected a value of 2 elements and a document, as index "
                            "\"visits\" has, found ()")));
  EXPECT_THAT(With(EntryPrefix(kVisits) + From("a"), ""),
              ElementsAre(HasSubstr("tuple at byte 1: expected text and then 0x00")));
}

TEST_F(VerifyRows, FindsBucketsThatDoNotTileTheValues) {
  const BucketId second{From("m"), 7};
  EXPECT_THAT(WithBucket(kCities, 5, {"", 2}, {.upper = From("l")}),
              ElementsAre(HasSubstr("bucket: expected to begin at \"\\x02l\", where the one before "
                                    "ends, found \"\\x02m\"")));
  EXPECT_THAT(WithBucket(kCities, 5, {"", 2}, {.upper = From("n")}),
              Contains(HasSubstr("bucket: expected to begin at \"\\x02n\"")));
  EXPECT_THAT(WithBucket(kCities, 5, second, {.upper = From("z")}),
              ElementsAre(AllOf(HasSubstr("key " + Quoted(BucketKey(kCities, 5, second))),
                                HasSubstr("last bucket: expected no upper boundary"))));
  EXPECT_THAT(
      WithBucket(kDividing, 0, {From("c"), 1}, {.upper = From("l"), .whole = Span{"", From("m")}}),
      ElementsAre(HasSubstr("buckets that take their place: expected the last one")));
  EXPECT_THAT(With(BucketKey(kBuilding, 9, {From("c"), 1}), std::nullopt),
              ElementsAre(HasSubstr("last bucket: expected no upper boundary, found \"\\x02c\"")));
}

TEST_F(VerifyRows, FindsAHistogramWithoutItsFirstBucketOrAnyBucket) {
  EXPECT_THAT(With(BucketKey(kCities, 5, {"", 2}), std::nullopt),
              UnorderedElementsAre(HasSubstr("bucket: expected to begin at \"\", where the one"),
                                   HasSubstr("counter: expected its bucket at key")));
  EXPECT_THAT(With(BucketKey(kNothing, 0, {"", 0}), std::nullopt),
              ElementsAre(HasSubstr("index: expected buckets of histogram 0, found none")));
}

TEST_F(VerifyRows, FindsBucketsOfNoHistogram) {
  EXPECT_THAT(WithBucket(50, 0, {"", 0}, {}),
              ElementsAre(HasSubstr("bucket: expected index number 50 to exist, found none")));
  EXPECT_THAT(
      WithBucket(kCities, 6, {"", 0}, {}),
      ElementsAre(HasSubstr("bucket: expected index \"cities\" to have histogram 6, found none")));
}

TEST_F(VerifyRows, FindsBucketsThatTheirHistogramCannotHave) {
  EXPECT_THAT(WithBucket(kCities, 5, {"", 2}, {.upper = From("m"), .uncounted = true}),
              ElementsAre(HasSubstr("bucket: expected one that is counted, in a histogram that is "
                                    "not building, found one that is not")));
  EXPECT_THAT(
      WithState(kCities, [](IndexState& state) { state.histograms[0].layout = 6; }),
      ElementsAre(HasSubstr("bucket: expected a generation up to 6, the layout's, found 7")));
}

TEST_F(VerifyRows, FindsABuildOfAnIndexThatIsNotBuilding) {
  EXPECT_THAT(
      WithState(kBuilding, [](IndexState& state) { state.building = false; }),
      ElementsAre(HasSubstr("build of an index: expected index \"building\" to be building")));
  EXPECT_THAT(With(BuildKey(50), EncodeBuildRow({})),
              ElementsAre(HasSubstr("build of an index: expected index number 50 to exist")));
}

TEST_F(VerifyRows, FindsCountersThatBelongToNoBucket) {
  EXPECT_THAT(WithCount(50, 0, "", 0, 1),
              ElementsAre(HasSubstr("counter: expected index number 50 to exist, found none")));
  EXPECT_THAT(WithCount(kCities, 6, "", 0, 1),
              ElementsAre(HasSubstr("counter: expected index \"cities\" to have histogram 6")));
  EXPECT_THAT(WithCount(kBuilding, 9, "", 0, 1),
              ElementsAre(HasSubstr("counter: expected its bucket at key ")));
  EXPECT_THAT(WithCount(kVisits, 0, From("a"), 2, 1),
              UnorderedElementsAre(
                  HasSubstr("counter: expected a bucket of generation 2, found none"),
                  HasSubstr("expected counters with a sum of 1, the number of entries, found 2")));
  EXPECT_THAT(WithCount(kVisits, 0, From("aa"), 1, 1),
              UnorderedElementsAre(
                  HasSubstr("counter: expected a prefix of a type code and 1 bytes"),
                  HasSubstr("prefix \"\\x02aa\": expected counters with a sum of 0, the number")));
}

TEST_F(VerifyRows, FindsCountersThatDoNotSayHowManyEntriesThereAre) {
  EXPECT_THAT(WithCount(kCities, 5, "", 2, 1),
              ElementsAre("index \"cities\", histogram 5, values [\"\", \"\\x02m\"): expected "
                          "counters with a sum of 3, the number of entries, found 4"));
  EXPECT_THAT(WithCount(kCities, 5, From("m"), 7, -2),
              ElementsAre("index \"cities\", histogram 5, values [\"\\x02m\", end): expected "
                          "counters with a sum of 2, the number of entries, found 0"));
  EXPECT_THAT(With(EntryKey(kCities, {"paris", 1}), std::nullopt),
              ElementsAre(HasSubstr("with a sum of 1, the number of entries, found 2")));
  EXPECT_THAT(WithCount(kNothing, 0, "", 0, 1),
              ElementsAre("index \"nothing\", histogram 0, values [\"\", end): expected counters "
                          "with a sum of 0, the number of entries, found 1"));
}

TEST_F(VerifyRows, TakesTheCountersOfADivisionTogether) {
  Count(kDividing, 0, "", 0, 5);
  EXPECT_THAT(WithCount(kDividing, 0, From("c"), 1, -5), IsEmpty());
  EXPECT_THAT(Problems(),
              ElementsAre("index \"dividing\", histogram 0, values [\"\", \"\\x02m\"): expected "
                          "counters with a sum of 3, the number of entries, found 8"));
}

TEST_F(VerifyRows, TakesTheCountersOfAPrefixTogether) {
  Count(kVisits, 0, From("b"), 1, 1);
  EXPECT_THAT(WithCount(kVisits, 0, From("b"), 3, -1), IsEmpty());
  EXPECT_THAT(Problems(), ElementsAre("index \"visits\", histogram 0, prefix \"\\x02b\": expected "
                                      "counters with a sum of 3, the number of entries, found 4"));
}

TEST_F(VerifyRows, FindsPrefixesThatHaveACounterOrEntriesOnly) {
  for (const std::string& prefix : {From("A"), From("c"), From("z")}) {
    EXPECT_THAT(WithCount(kVisits, 0, prefix, 1, 7),
                ElementsAre(HasSubstr(fmt::format(
                    "prefix {}: expected counters with a sum of 0, the number of entries, found 7",
                    Quoted(prefix)))));
  }
  for (const char* text : {"0", "aa", "z"}) {
    EXPECT_EQ(With(EntryKey(kVisits, {text, 1, "x"}), "").size(), 1u) << text;
  }
  EXPECT_THAT(WithCount(kVisits, 0, From("a"), 1, -1),
              ElementsAre(HasSubstr("with a sum of 1, the number of entries, found 0")));
}

TEST_F(VerifyRows, FindsACounterBelowZeroUnlessItsBucketIsDividing) {
  EXPECT_THAT(
      WithCount(kCities, 5, From("m"), 7, -3),
      UnorderedElementsAre(
          HasSubstr("with a sum of 2, the number of entries, found -1"),
          HasSubstr("counter: expected a sum of 0 or more, as its bucket is not being divided or "
                    "united, found -1")));
}

// As far as a copy has come there may be rows without those that they belong to.
TEST_F(VerifyRows, DoesNotAskWhatIsNotCopiedYet) {
  complete_ = false;
  for (const std::string& key :
       {NameKey("cities"), IndexKey(kCities), EntryKey(kCities, {"paris", 1}), LastIndexKey(),
        BucketKey(kCities, 5, {From("m"), 7})}) {
    EXPECT_THAT(With(key, std::nullopt), IsEmpty()) << Quoted(key);
  }
  EXPECT_THAT(With(EntryKey(kCities, {"paris", 1}), "x"),
              ElementsAre(HasSubstr("entry: expected a value of no bytes")));
}

TEST_F(VerifyRows, LeavesARowThatCannotBeReadToItself) {
  EXPECT_THAT(With(IndexKey(kCities), "junk"), ElementsAre(HasSubstr("index row")));
  EXPECT_THAT(With(BuildKey(kBuilding), "junk"), ElementsAre(HasSubstr("build of an index")));
  EXPECT_THAT(With(BucketKey(kCities, 5, {From("m"), 7}), "junk"),
              ElementsAre(HasSubstr("bucket row")));
}

}  // namespace
}  // namespace talea::histograms
