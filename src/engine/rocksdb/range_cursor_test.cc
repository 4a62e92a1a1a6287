#include "engine/rocksdb/range_cursor.h"

#include "base/coding.h"
#include "engine/rocksdb/testing.h"

namespace talea {
namespace {

class RangeCursorTest : public RocksDbTest {
 protected:
  static constexpr int kHidden = 45'000;

  // Sums of 0 that are stored, with one counter before, between and after them.
  void MakeHiddenCounters(Engine& engine) {
    for (const std::int64_t delta : {1, -1}) {
      CommitRequest request;
      for (int row = 0; row < kHidden; ++row) {
        std::string key;
        AppendBigEndian32(key, static_cast<std::uint32_t>(row + 1));
        request.batch.Add(kTestCounters, key, delta);
      }
      ASSERT_OK(engine.Commit(std::move(request)));
    }
    CommitRequest shown;
    for (const std::uint32_t row : {0u, 20'000u, 60'000u}) {
      std::string key;
      AppendBigEndian32(key, row);
      shown.batch.Put(kTestCounters, key, EncodeCounter(7));
    }
    ASSERT_OK(engine.Commit(std::move(shown)));
  }
};

// One page used to walk over every counter of the keyspace whose sum had become 0, however many.
TEST_F(RangeCursorTest, APageEndsEarlyAfterManyHiddenCounters) {
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
  MakeHiddenCounters(*engine);
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine->OpenSnapshot());
  for (const bool reverse : {false, true}) {
    std::optional<KeyRange> rest = KeyRange::All();
    std::size_t pages = 0;
    std::vector<std::string> keys;
    while (rest) {
      const Page page = ASSERT_VALUE(snapshot->Range(kTestCounters, *rest, {.reverse = reverse}));
      for (const Row row : page) keys.emplace_back(row.key);
      rest = page.rest();
      ++pages;
    }
    EXPECT_EQ(pages, kHidden / RangeCursor::kMostHiddenRows + 1) << reverse;
    ASSERT_EQ(keys.size(), 3u);
    EXPECT_TRUE(std::ranges::is_sorted(keys) != reverse);
  }
}

// Layers whose keys are all of one size go on at the next key of that size, not at the successor of
// the last one: each of their pages got an iterator of its own.
TEST_F(RangeCursorTest, GoesOnWhereverTheNextRangeBegins) {
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
  CommitRequest request;
  for (const char* key : {"aa", "bb", "cc", "dd", "ee"}) request.batch.Put(kTestScans, key, key);
  ASSERT_OK(engine->Commit(std::move(request)));
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine->OpenSnapshot());
  struct {
    const char* begin;
    std::vector<std::string> found;
  } const nexts[] = {{"bb", {"bb", "cc"}},  // not after the first page at all
                     {"cc", {"cc", "dd"}}, {"bc", {"cc", "dd"}},
                     {"cd", {"dd", "ee"}},  // beyond the next row
                     {"ee", {"ee"}},       {"ef", {}}};
  for (const auto& [begin, found] : nexts) {
    const PageOptions two{.row_limit = 2};
    const Page first = ASSERT_VALUE(snapshot->Range(kTestScans, KeyRange::All(), two));
    EXPECT_EQ(first[1].key, "bb");
    const Page next = ASSERT_VALUE(snapshot->Range(kTestScans, KeyRange::From(begin), two));
    std::vector<std::string> keys;
    for (const Row row : next) keys.emplace_back(row.key);
    EXPECT_EQ(keys, found) << begin;
  }
  const Page first = ASSERT_VALUE(snapshot->Range(kTestScans, KeyRange::All(), {.row_limit = 2}));
  const KeyRange shorter = ASSERT_VALUE(KeyRange::Make("bc", "dd"));
  EXPECT_EQ(ASSERT_VALUE(snapshot->Range(kTestScans, shorter)).size(), 1u) << "it ends earlier";
}

}  // namespace
}  // namespace talea
