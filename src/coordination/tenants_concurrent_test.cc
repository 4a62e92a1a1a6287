// Erasing a tenant while threads write to it.
#include <gtest/gtest.h>

#include <functional>
#include <latch>
#include <thread>
#include <utility>

#include "coordination/coordination_for_test.h"
#include "engine/forwarding_engine.h"
#include "keyspace/registry.h"
#include "talea/memory_engine.h"
#include "talea/tenants.h"
#include "talea/testing/result_matchers.h"
#include "talea/transaction.h"

namespace talea {
namespace {

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

// An engine that calls back once, after the next read of a snapshot, and whose commits take time.
class InterruptedEngine final : public ForwardingEngine {
 public:
  using ForwardingEngine::ForwardingEngine;
  void AfterNextRead(std::function<void()> call) { call_ = std::move(call); }
  void SetCommitsTake(std::chrono::milliseconds time) { commits_take_ = time; }

  Result<std::unique_ptr<Snapshot>> OpenSnapshot() override {
    return std::make_unique<InterruptedSnapshot>(*this, TALEA_TRY(inner().OpenSnapshot()));
  }
  Result<Version> Commit(CommitRequest request) override {
    if (request.snapshot != nullptr) {
      request.snapshot = static_cast<InterruptedSnapshot*>(request.snapshot)->inner.get();
    }
    std::this_thread::sleep_for(commits_take_);
    return inner().Commit(std::move(request));
  }

 private:
  struct InterruptedSnapshot final : Snapshot {
    InterruptedSnapshot(InterruptedEngine& its_engine, std::unique_ptr<Snapshot> its_inner)
        : engine(its_engine), inner(std::move(its_inner)) {}
    Version version() const override { return inner->version(); }
    Result<std::optional<std::string>> Get(const Keyspace& keyspace, ByteView key) override {
      auto read = inner->Get(keyspace, key);
      if (auto call = std::exchange(engine.call_, nullptr)) call();
      return read;
    }
    Result<std::vector<std::optional<std::string>>> MultiGet(
        std::span<const KeyReference> keys) override {
      return inner->MultiGet(keys);
    }
    Result<Page> Range(const Keyspace& keyspace, const KeyRange& range,
                       const PageOptions& options) override {
      return inner->Range(keyspace, range, options);
    }
    InterruptedEngine& engine;
    const std::unique_ptr<Snapshot> inner;
  };

  std::function<void()> call_;
  std::chrono::milliseconds commits_take_{0};
};

// Open had looked up the tenant when it was erased, and then took it for one that is there. Its
// blind commits were acknowledged, and left rows behind that belong to nobody.
TEST(TenantsConcurrent, OneThatIsErasedWhileItIsOpenedIsNotOpened) {
  std::shared_ptr<Engine> memory =
      ASSERT_VALUE(OpenMemoryEngine({.keyspaces = KeyspacesForTest(), .checkpoint = {}}));
  const auto host = std::make_shared<InterruptedEngine>(memory);
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host));
  for (const bool create : {false, true}) {
    ASSERT_OK(tenants.Open("tenant"));
    host->AfterNextRead([&] { ASSERT_OK(tenants.Erase("tenant")); });
    const Result<std::unique_ptr<Engine>> opened = tenants.Open("tenant", create);
    if (!create) {
      EXPECT_ERROR(opened, ErrorCode::not_found);
      continue;
    }
    ASSERT_OK(opened);
    WriteBatch blind;
    blind.Put(kRows, "key", "value");
    ASSERT_OK((*opened)->Commit({.batch = std::move(blind)}));
    const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE((*opened)->OpenSnapshot());
    EXPECT_EQ(ASSERT_VALUE(snapshot->Get(kRows, "key")), "value");
  }
}

// While enough others wrote, there was always one commit under way: the erasure waited for a moment
// without any, and would have waited for ever.
TEST(TenantsConcurrent, AnErasureIsNotHeldUpByThoseWhoGoOnWriting) {
  using std::chrono::steady_clock;
  std::shared_ptr<Engine> memory =
      ASSERT_VALUE(OpenMemoryEngine({.keyspaces = KeyspacesForTest(), .checkpoint = {}}));
  const auto host = std::make_shared<InterruptedEngine>(memory);
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host));
  const std::unique_ptr<Engine> tenant = ASSERT_VALUE(tenants.Open("tenant"));
  host->SetCommitsTake(std::chrono::milliseconds(2));
  const auto begin = steady_clock::now();
  const auto end = begin + std::chrono::seconds(5);
  std::latch begun(16);
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < 16; ++writer) {
    writers.emplace_back([&] {
      begun.count_down();
      while (steady_clock::now() < end) {
        WriteBatch blind;
        blind.Put(kRows, "key", "value");
        if (!tenant->Commit({.batch = std::move(blind)})) return;
      }
    });
  }
  begun.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_OK(tenants.Erase("tenant"));
  EXPECT_LT(steady_clock::now(), end);
}

TEST(TenantsConcurrent, AnErasureLeavesNothingOfThoseWhoWriteMeanwhile) {
  std::shared_ptr<Engine> host =
      ASSERT_VALUE(OpenMemoryEngine({.keyspaces = KeyspacesForTest(), .checkpoint = {}}));
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
