#include "database/verify_keyspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace talea {
namespace {

using testing::ElementsAre, testing::IsEmpty;

constexpr Keyspace kCounters{200, AccessPattern::counter, "counters"};
constexpr Keyspace kRows{201, AccessPattern::scan, "rows"};

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

// Is content with all rows but "c".
class RecordingCheck final : public RowCheck {
 public:
  void Check(const Row& row, Problems& problems) override {
    seen += std::string(row.key) + "=" + std::string(row.value) + " ";
    if (row.key == "c") problems.Note("not c");
  }
  void Finish(Problems&) override { seen += "end"; }

  std::string seen;
};

class NoCheck final : public RowCheck {
 public:
  void Check(const Row&, Problems&) override {}
};

KeyspaceReport Verify(const Keyspace& keyspace, BrokenReader::Rows rows,
                      std::size_t good_pages = 1000) {
  BrokenReader reader(std::move(rows), good_pages);
  NoCheck check;
  return VerifyKeyspace(reader, keyspace, check, [](std::uint64_t) { return true; });
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
      ElementsAre(
          "keyspace \"counters\", counter \"a\": expected 8 bytes, found 3",
          "keyspace \"counters\", counter \"b\": expected a sum of 0 to be absent, found it"));
}

TEST(VerifyKeyspace, ShowsTheCheckEveryRowAndItsEnd) {
  RecordingCheck check;
  BrokenReader reader({{"a", "1"}, {"b", "2"}, {"c", "3"}}, 1000);
  const KeyspaceReport report =
      VerifyKeyspace(reader, kRows, check, [](std::uint64_t) { return true; });
  EXPECT_EQ(check.seen, "a=1 b=2 c=3 end");
  EXPECT_THAT(report.problems, ElementsAre("not c"));
}

TEST(VerifyKeyspace, EndsAtWhatCannotBeReadAndGivesNoDigest) {
  RecordingCheck check;
  BrokenReader reader({{"a", "1"}, {"b", "2"}, {"c", "3"}}, 1);
  const KeyspaceReport report =
      VerifyKeyspace(reader, kRows, check, [](std::uint64_t) { return true; });
  EXPECT_EQ(report.rows, 2);
  EXPECT_EQ(report.digest, "");
  EXPECT_THAT(report.problems,
              ElementsAre("keyspace \"rows\", keys [\"b\\x00\", end): checksum mismatch"));
  EXPECT_EQ(check.seen, "a=1 b=2 ") << "the end was not seen";
}

TEST(VerifyKeyspace, KeepsTheFirstOfManyProblemsAndCountsAll) {
  const KeyspaceReport report = Verify(kRows, BrokenReader::Rows(1001, {"same", ""}));
  EXPECT_EQ(report.problem_count, 1000);
  EXPECT_EQ(report.problems.size(), kMostProblems);
}

TEST(VerifyKeyspace, StopsWhenToldTo) {
  RecordingCheck check;
  BrokenReader reader({{"a", "1"}, {"b", "2"}, {"c", "3"}}, 1000);
  const KeyspaceReport report =
      VerifyKeyspace(reader, kRows, check, [](std::uint64_t) { return false; });
  EXPECT_EQ(report.rows, 2);
  EXPECT_EQ(report.digest, "");
  EXPECT_EQ(check.seen, "a=1 b=2 ");
}

}  // namespace
}  // namespace talea
