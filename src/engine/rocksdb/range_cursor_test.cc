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

}  // namespace
}  // namespace talea
