// Erasing a tenant while threads write to it.
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "keyspace/registry.h"
#include "talea/memory_engine.h"
#include "talea/tenants.h"
#include "talea/testing/result_matchers.h"
#include "talea/transaction.h"

namespace talea {
namespace {

constexpr Keyspace kRows{200, AccessPattern::scan, "rows"};
constexpr Keyspace kCounts{201, AccessPattern::counter, "counts"};

// Writes until it is refused; every second commit is blind. Returns why.
Error WriteUntilRefused(Engine& tenant, std::latch& begun) {
  for (int step = 0;; ++step) {
    if (step == 3) begun.count_down();
    Transaction transaction(tenant);
    if (step % 2 == 0) {
      const auto read = transaction.Get(kRows, std::to_string(step));
      if (!read) return read.error();
    }
    transaction.Put(kRows, std::to_string(step % 50), "value");
    transaction.Add(kCounts, "all", 1);
    const Result<Version> version = transaction.Commit();
    if (!version && version.error().code() != ErrorCode::conflict) return version.error();
  }
}

TEST(TenantsConcurrent, AnErasureLeavesNothingOfThoseWhoWriteMeanwhile) {
  std::shared_ptr<Engine> host = ASSERT_VALUE(OpenMemoryEngine(
      {.keyspaces = {kTaleaKeyspace, kUndoKeyspace, kRows, kCounts}, .checkpoint = {}}));
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host));
  for (int round = 0; round < 30; ++round) {
    std::latch begun(3);
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < 3; ++writer) {
      writers.emplace_back([&, tenant = std::shared_ptr(ASSERT_VALUE(tenants.Open("tenant")))] {
        EXPECT_EQ(WriteUntilRefused(*tenant, begun).code(), ErrorCode::not_found);
      });
    }
    begun.wait();
    ASSERT_OK(tenants.Erase("tenant"));
    const std::unique_ptr<Snapshot> after = ASSERT_VALUE(host->OpenSnapshot());
    writers.clear();
    const std::unique_ptr<Snapshot> later = ASSERT_VALUE(host->OpenSnapshot());
    for (const auto& snapshot : {after.get(), later.get()}) {
      EXPECT_TRUE(ASSERT_VALUE(snapshot->Range(kRows, KeyRange::All())).empty()) << round;
      EXPECT_TRUE(ASSERT_VALUE(snapshot->Range(kCounts, KeyRange::All())).empty()) << round;
    }
  }
}

}  // namespace
}  // namespace talea
