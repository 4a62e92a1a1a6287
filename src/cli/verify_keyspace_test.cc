#include "cli/verify_keyspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "talea/tuple.h"

namespace talea::cli {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

constexpr Keyspace kCounters{200, AccessPattern::counter, "counters"};
constexpr Keyspace kRows{201, AccessPattern::scan, "rows"};
constexpr Keyspace kOwn{0, AccessPattern::point, "talea"};

// Answers with pages of two rows that no engine would hand out, and fails at a certain one.
class BrokenReader final : public Reader {
 public:
  using Rows = std::vector<std::pair<std::string, std::string>>;

  BrokenReader(Rows rows, std::size_t good_pages)
      : rows_(std::move(rows)), good_pages_(good_pages) {}

  Result<std::optional<std::string>> Get(const Keyspace&, ByteView) override {
    return Fail(ErrorCode::unsupported, "not asked for");
  }
  Result<std::vector<std::optional<std::string>>> MultiGet(std::span<const KeyReference>) override {
    return Fail(ErrorCode::unsupported, "not asked for");
  }
  Result<Page> Range(const Keyspace&, const KeyRange& range, const PageOptions&) override {
    if (good_pages_-- == 0) return Fail(ErrorCode::corruption, "checksum mismatch");
    Page page;
    for (int row = 0; row < 2 && next_ < rows_.size(); ++row, ++next_) {
      page.Append(rows_[next_].first, rows_[next_].second);
    }
    if (next_ < rows_.size()) page.SetRestAfterLastRow(range, false);
    return page;
  }

 private:
  const Rows rows_;
  std::size_t good_pages_;
  std::size_t next_ = 0;
};

KeyspaceReport Verify(const Keyspace& keyspace, BrokenReader::Rows rows,
                      std::size_t good_pages = 1000) {
  BrokenReader reader(std::move(rows), good_pages);
  return VerifyKeyspace(reader, keyspace, [](std::uint64_t) { return true; });
}

TEST(VerifyKeyspace, CountsRowsAndBytesOfAllPages) {
  const KeyspaceReport report = Verify(kRows, {{"a", "1"}, {"b", "22"}, {"c", ""}});
  EXPECT_EQ(report.rows, 3);
  EXPECT_EQ(report.bytes, 6);
  EXPECT_EQ(report.digest.size(), 32);
  EXPECT_THAT(report.problems, IsEmpty());
}

TEST(VerifyKeyspace, DigestsTellWhereAKeyEnds) {
  EXPECT_NE(Verify(kRows, {{"a", "bc"}}).digest, Verify(kRows, {{"ab", "c"}}).digest);
}

TEST(VerifyKeyspace, FindsKeysOutOfOrder) {
  EXPECT_THAT(Verify(kRows, {{"b", ""}, {"a", ""}, {"a", ""}}).problems,
              ElementsAre("keyspace \"rows\", key \"a\": expected a key after \"b\"",
                          "keyspace \"rows\", key \"a\": expected a key after \"a\""));
}

TEST(VerifyKeyspace, FindsCountersThatAreCutOrZero) {
  const std::string zero(8, '\0');
  EXPECT_THAT(
      Verify(kCounters, {{"a", "123"}, {"b", zero}, {"c", "12345678"}}).problems,
      ElementsAre("keyspace \"counters\", counter \"a\": expected 8 bytes, found 3",
                  "keyspace \"counters\", key \"b\": expected a sum of 0 to be absent, found it"));
}

TEST(VerifyKeyspace, FindsKeysOfTaleasOwnThatAreNoTuples) {
  const std::string tuple = Pack({7, Text("progress")}).value();
  EXPECT_THAT(Verify(kOwn, {{tuple, "x"}, {"\xfe", "y"}}).problems,
              ElementsAre(HasSubstr("keyspace \"talea\", key \"\\xfe\": ")));
  EXPECT_THAT(Verify(kRows, {{"\xfe", "y"}}).problems, IsEmpty())
      << "other keys are the program's business";
}

TEST(VerifyKeyspace, EndsAtWhatCannotBeReadAndGivesNoDigest) {
  const KeyspaceReport report = Verify(kRows, {{"a", ""}, {"b", ""}, {"c", ""}}, 1);
  EXPECT_EQ(report.rows, 2);
  EXPECT_EQ(report.digest, "");
  EXPECT_THAT(report.problems,
              ElementsAre("keyspace \"rows\", keys [\"b\\x00\", end): checksum mismatch"));
}

TEST(VerifyKeyspace, KeepsTheFirstOfManyProblemsAndCountsAll) {
  const KeyspaceReport report = Verify(kRows, BrokenReader::Rows(1001, {"same", ""}));
  EXPECT_EQ(report.problem_count, 1000);
  EXPECT_EQ(report.problems.size(), kMostProblems);
}

TEST(VerifyKeyspace, StopsWhenToldTo) {
  BrokenReader reader({{"a", ""}, {"b", ""}, {"c", ""}}, 1000);
  const KeyspaceReport report = VerifyKeyspace(reader, kRows, [](std::uint64_t) { return false; });
  EXPECT_EQ(report.rows, 2);
  EXPECT_EQ(report.digest, "");
}

}  // namespace
}  // namespace talea::cli
