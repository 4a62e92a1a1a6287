#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/persistent_map.h"
#include "talea/testing/random.h"

namespace talea {
namespace {

std::string Key(std::uint64_t number) {
  const std::string text = std::to_string(number);
  return std::string(4 - text.size(), '0') + text;
}

// The writer keeps a sum in every state: each key's number, added up. A reader who sees a row
// change, or a part of a later state, finds another sum.
struct SharedState {
  std::mutex mutex;
  PersistentMap map;
  std::uint64_t sum = 0;
};

std::uint64_t SumOf(const PersistentMap& map) {
  std::uint64_t sum = 0;
  PersistentMap::Cursor cursor(map);
  for (cursor.SeekAtOrAfter(""); cursor.valid(); cursor.Next())
    sum += std::stoull(std::string(cursor.key()));
  return sum;
}

TEST(PersistentMap, CopiesAreReadWhileTheOriginalIsWritten) {
  constexpr std::uint64_t keys = 600;
  constexpr int writes = 3000;
  SharedState state;
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;

  const auto read = [&] {
    bool last = false;
    while (!last) {
      last = done.load();
      PersistentMap copy;
      std::uint64_t sum = 0;
      {
        std::lock_guard lock(state.mutex);
        copy = state.map;
        sum = state.sum;
      }
      if (SumOf(copy) != sum) ++wrong;
      copy.EraseRange(*KeyRange::Make(Key(100), Key(300)));  // a copy is its reader's own to change
      if (SumOf(copy) > sum) ++wrong;
    }
  };
  std::vector<std::jthread> readers;
  for (int reader = 0; reader < 2; ++reader) readers.emplace_back(read);

  Random random(TestSeed());
  for (int write = 0; write < writes; ++write) {
    const std::uint64_t number = random.Below(keys);
    const std::string key = Key(number);
    std::lock_guard lock(state.mutex);
    const bool present = state.map.Find(key).has_value();
    if (present && random.Chance(0.5)) {
      state.map.Erase(key);
      state.sum -= number;
    } else {
      state.map.Put(key, std::string(random.Below(30), 'v'));
      state.sum += present ? 0 : number;
    }
  }
  done = true;
  readers.clear();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(SumOf(state.map), state.sum);
}

// The last owner of a node frees it, whoever that is.
TEST(PersistentMap, CopiesAreDroppedByAnyThreadInAnyOrder) {
  PersistentMap map;
  for (std::uint64_t number = 0; number < 2000; ++number) map.Put(Key(number), "value");
  for (int round = 0; round < 20; ++round) {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([copy = map, thread]() mutable {
        for (std::uint64_t number = 0; number < 100; ++number) {
          copy.Put(Key(number * 20 + static_cast<std::uint64_t>(thread)), "changed");
        }
        copy = PersistentMap();
      });
    }
    map.Put(Key(static_cast<std::uint64_t>(round)), "of the original");
  }
  EXPECT_EQ(map.rows(), 2000u);
  EXPECT_EQ(map.Find(Key(3)), "of the original");
  EXPECT_EQ(map.Find(Key(40)), "value");
}

}  // namespace
}  // namespace talea
