#include "talea/tenants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordination/coordination_for_test.h"
#include "coordination/tenant_engine.h"
#include "coordination/tenant_keys.h"
#include "engine/hex_for_test.h"
#include "engine/undo_rules.h"
#include "keyspace/registry.h"
#include "talea/memory_engine.h"
#include "talea/testing/result_matchers.h"
#include "talea/testing/simulation.h"
#include "talea/transaction.h"

namespace talea {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TenantsTest : public testing::Test {
 protected:
  static std::shared_ptr<Engine> MakeHost() {
    Result<std::unique_ptr<Engine>> engine =
        OpenMemoryEngine({.keyspaces = KeyspacesForTest(), .checkpoint = {}});
    EXPECT_OK(engine);
    return std::move(*engine);
  }

  static Result<Version> Put(Engine& engine, ByteView key, ByteView value) {
    CommitRequest request;
    request.batch.Put(kRows, key, value);
    request.batch.Add(kCounts, key, 1);
    return engine.Commit(std::move(request));
  }
  static Result<std::optional<std::string>> Get(Engine& engine, ByteView key) {
    return TALEA_TRY(engine.OpenSnapshot())
    ->Get(kRows, key);
  }
  static std::size_t RowsOfHost(Engine& host) {
    std::size_t count = 0;
    const std::unique_ptr<Snapshot> snapshot = host.OpenSnapshot().value();
    for (const Keyspace& keyspace : {kRows, kCounts}) {
      Scanner rows(*snapshot, keyspace, KeyRange::All());
      while (rows.Next().value()) ++count;
    }
    return count;
  }

  const std::shared_ptr<Engine> host_ = MakeHost();
};

TEST_F(TenantsTest, HaveEachTheirOwnKeys) {
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host_));
  const std::unique_ptr<Engine> ada = ASSERT_VALUE(tenants.Open("ada"));
  const std::unique_ptr<Engine> bob = ASSERT_VALUE(tenants.Open("bob"));
  ASSERT_OK(Put(*ada, "key", "ada's"));
  ASSERT_OK(Put(*bob, "key", "bob's"));
  EXPECT_EQ(ASSERT_VALUE(Get(*ada, "key")), "ada's");
  EXPECT_EQ(ASSERT_VALUE(Get(*bob, "key")), "bob's");
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(bob->OpenSnapshot());
  const Page page = ASSERT_VALUE(snapshot->Range(kRows, KeyRange::All()));
  ASSERT_EQ(page.size(), 1u);
  EXPECT_EQ(page[0], (Row{"key", "bob's"}));
}

TEST_F(TenantsTest, AreKnownToBeThereWithoutAChange) {
  EXPECT_FALSE(ASSERT_VALUE(HoldsTenants(*host_)));
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host_));  // which nobody else had decided yet
  EXPECT_TRUE(ASSERT_VALUE(HoldsTenants(*host_)));
  const std::unique_ptr<Engine> ada = ASSERT_VALUE(tenants.Open("ada"));
  EXPECT_FALSE(ASSERT_VALUE(HoldsTenants(*ada)));
}

TEST_F(TenantsTest, AreListedInOrder) {
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host_));
  EXPECT_THAT(ASSERT_VALUE(tenants.List()), ElementsAre());
  for (const char* name : {"caf\u00e9", "b", "a"}) ASSERT_OK(tenants.Open(name));
  ASSERT_OK(tenants.Open("b"));
  EXPECT_THAT(ASSERT_VALUE(tenants.List()), ElementsAre("a", "b", "caf\u00e9"));
}

TEST_F(TenantsTest, AreCreatedOnlyWhereThatIsWanted) {
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host_));
  const auto opened = tenants.Open("nobody", false);
  ASSERT_ERROR(opened, ErrorCode::not_found);
  EXPECT_THAT(opened.error().message(), HasSubstr("tenant \"nobody\""));
  EXPECT_ERROR(tenants.Erase("nobody"), ErrorCode::not_found);
  EXPECT_THAT(ASSERT_VALUE(tenants.List()), ElementsAre());
}

TEST_F(TenantsTest, HaveNamesOfUtf8) {
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host_));
  for (const std::string& name : {std::string(), std::string(256, 'a'), std::string("\xff")}) {
    EXPECT_ERROR(tenants.Open(name), ErrorCode::invalid_argument) << name;
    EXPECT_ERROR(tenants.Erase(name), ErrorCode::invalid_argument) << name;
  }
  EXPECT_OK(tenants.Open(std::string(255, '\0')));
}

TEST_F(TenantsTest, AnErasedOneIsGoneForWhoeverHasItOpen) {
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host_));
  const std::unique_ptr<Engine> kept = ASSERT_VALUE(tenants.Open("kept"));
  const std::unique_ptr<Engine> erased = ASSERT_VALUE(tenants.Open("erased"));
  ASSERT_OK(Put(*kept, "key", "value"));
  ASSERT_OK(Put(*erased, "key", "value"));
  Transaction transaction(*erased);
  EXPECT_EQ(ASSERT_VALUE(transaction.Get(kRows, "another key")), std::nullopt);
  transaction.Put(kRows, "key", "late");
  std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(erased->OpenSnapshot());

  // Through another object over the same engine.
  Tenants others = ASSERT_VALUE(Tenants::Over(host_));
  ASSERT_OK(others.Erase("erased"));
  EXPECT_EQ(ASSERT_VALUE(snapshot->Get(kRows, "key")), "value") << "a snapshot does not change";
  EXPECT_ERROR(transaction.Commit(), ErrorCode::not_found);
  EXPECT_ERROR(Put(*erased, "key", "late"), ErrorCode::not_found);
  EXPECT_ERROR(erased->Ingest({}), ErrorCode::not_found);
  EXPECT_ERROR(erased->OpenSnapshot(), ErrorCode::not_found);
  EXPECT_EQ(RowsOfHost(*host_), 2u) << "those that were kept";
  EXPECT_EQ(ASSERT_VALUE(Get(*kept, "key")), "value");
  snapshot.reset();
}

TEST_F(TenantsTest, ANewOneOfAnOldNameIsEmptyAndTheOldEngineStaysGone) {
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host_));
  const std::unique_ptr<Engine> before = ASSERT_VALUE(tenants.Open("name"));
  ASSERT_OK(Put(*before, "key", "old"));
  ASSERT_OK(tenants.Erase("name"));
  const std::unique_ptr<Engine> after = ASSERT_VALUE(tenants.Open("name"));
  EXPECT_EQ(ASSERT_VALUE(Get(*after, "key")), std::nullopt);
  ASSERT_OK(Put(*after, "key", "new"));
  EXPECT_ERROR(before->OpenSnapshot(), ErrorCode::not_found);
  EXPECT_ERROR(Put(*before, "key", "late"), ErrorCode::not_found);
  EXPECT_EQ(ASSERT_VALUE(Get(*after, "key")), "new");
}

TEST(TenantsOfSeveralProcesses, AreErasedForAllOfThem) {
  SimulationProfile profile = SimulationProfile::FoundationDb().WithoutFaults();
  profile.limits.transaction_age.reset();  // that others erase does not hang on it
  Simulation simulation = ASSERT_VALUE(Simulation::Make(KeyspacesForTest(), profile, 1));
  std::shared_ptr<Engine> one = ASSERT_VALUE(simulation.Open());
  std::shared_ptr<Engine> another = ASSERT_VALUE(simulation.Open());
  Tenants here = ASSERT_VALUE(Tenants::Over(std::move(one)));
  Tenants there = ASSERT_VALUE(Tenants::Over(std::move(another)));
  const std::unique_ptr<Engine> tenant = ASSERT_VALUE(here.Open("tenant"));
  Transaction transaction(*tenant);
  EXPECT_EQ(ASSERT_VALUE(transaction.Get(kRows, "key")), std::nullopt);
  transaction.Put(kRows, "key", "late");
  ASSERT_OK(there.Erase("tenant"));

  CommitRequest blind;
  blind.batch.Put(kRows, "key", "late");
  EXPECT_ERROR(tenant->Commit(std::move(blind)), ErrorCode::not_found);
  EXPECT_ERROR(transaction.Commit(), ErrorCode::not_found);
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(here.host().OpenSnapshot());
  EXPECT_TRUE(ASSERT_VALUE(snapshot->Range(kRows, KeyRange::All())).empty());
}

TEST_F(TenantsTest, DoNotMeetInOneSnapshotOrCommit) {
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host_));
  const std::unique_ptr<Engine> ada = ASSERT_VALUE(tenants.Open("ada"));
  const std::unique_ptr<Engine> bob = ASSERT_VALUE(tenants.Open("bob"));
  const std::unique_ptr<Engine> ada_again = ASSERT_VALUE(tenants.Open("ada"));
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(ada->OpenSnapshot());
  const auto commit = [&](Engine& engine) {
    CommitRequest request{.snapshot = snapshot.get()};
    request.reads.Add(kRows, "key");
    request.batch.Put(kRows, "another", "value");
    return engine.Commit(std::move(request));
  };
  EXPECT_ERROR(commit(*bob), ErrorCode::invalid_argument);
  EXPECT_ERROR(commit(*host_), ErrorCode::invalid_argument);
  EXPECT_OK(commit(*ada_again));
}

// The statistics of a tenant were those of the whole host: others' rows, commits and snapshots.
TEST_F(TenantsTest, TellOnlyTheirOwnStatistics) {
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host_));
  const std::unique_ptr<Engine> ada = ASSERT_VALUE(tenants.Open("ada"));
  const std::unique_ptr<Engine> bob = ASSERT_VALUE(tenants.Open("bob"));
  for (int commit = 0; commit < 3; ++commit) ASSERT_OK(Put(*bob, "key", "value"));
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(bob->OpenSnapshot());
  const Statistics adas = ASSERT_VALUE(ada->GetStatistics());
  const Statistics bobs = ASSERT_VALUE(bob->GetStatistics());
  EXPECT_EQ(adas.commits, 0u);
  EXPECT_EQ(adas.open_snapshots, 0u);
  EXPECT_EQ(bobs.commits, 3u);
  EXPECT_EQ(bobs.open_snapshots, 1u);
  for (const Metric& metric : bobs.metrics) {
    EXPECT_EQ(metric.label, "") << metric.name;
    EXPECT_TRUE(metric.name.starts_with("talea_host_")) << metric.name;
  }
}

TEST_F(TenantsTest, LeaveTheEngineToItsOwner) {
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host_));
  const std::unique_ptr<Engine> tenant = ASSERT_VALUE(tenants.Open("tenant"));
  EXPECT_ERROR(tenant->Shutdown(std::chrono::seconds(1)), ErrorCode::unsupported);
  EXPECT_ERROR(tenant->Checkpoint("nowhere"), ErrorCode::unsupported);
  EXPECT_OK(Put(*tenant, "key", "value"));
}

TEST_F(TenantsTest, KeepTheEngineThatHoldsThem) {
  std::shared_ptr<Engine> host = MakeHost();
  const std::weak_ptr<Engine> watched = host;
  std::optional<Tenants> tenants = ASSERT_VALUE(Tenants::Over(std::move(host)));
  std::unique_ptr<Engine> tenant = ASSERT_VALUE(tenants->Open("tenant"));
  tenants.reset();
  EXPECT_FALSE(watched.expired());
  EXPECT_OK(Put(*tenant, "key", "value"));
  tenant.reset();
  EXPECT_TRUE(watched.expired());
}

// Whatever a tenant may commit by its own limits fits the host's.
TEST(TenantLimits, LeaveRoomForThePrefix) {
  const Limits host = SimulationProfile::FoundationDb().limits;
  const TenantPrefix prefix(70'000);
  const Limits limits = TenantLimits(host, prefix);
  EXPECT_EQ(limits.key_bytes, host.key_bytes - prefix.size());
  WriteBatch own, hosts;
  ReadSet own_reads, hosts_reads;
  own.Put(kRows, "key", "value");
  own.Add(kCounts, "key", 1);
  own.Erase(kRows, "key");
  own.EraseRange(kRows, KeyRange::Prefix("key"));
  own_reads.Add(kRows, "key");
  own_reads.Add(kRows, KeyRange::Prefix("key"));
  hosts.Put(kRows, prefix.Extend("key"), "value");
  hosts.Add(kCounts, prefix.Extend("key"), 1);
  hosts.Erase(kRows, prefix.Extend("key"));
  hosts.EraseRange(kRows, prefix.Extend(KeyRange::Prefix("key")));
  hosts_reads.Add(kRows, prefix.Extend("key"));
  hosts_reads.Add(kRows, prefix.Extend(KeyRange::Prefix("key")));
  EXPECT_LE(host.Size(hosts, hosts_reads), limits.Size(own, own_reads));
  EXPECT_GT(host.Size(hosts, hosts_reads), host.Size(own, own_reads));
}

// A rule sees, and writes, the tenant's keys.
TEST_F(TenantsTest, UndoByTheRulesOfKeyspaces) {
  static constexpr Keyspace kRuled{202, AccessPattern::scan, "ruled"};
  SetUndoRule({&kRuled}, [](Transaction& transaction, const WriteBatch& restore) -> Status {
    for (const WriteBatch::Operation& operation : restore)
      transaction.Put(kRuled, operation.key, "by the rule");
    return {};
  });
  std::vector<Keyspace> keyspaces = KeyspacesForTest();
  keyspaces.push_back(kRuled);
  std::shared_ptr<Engine> host =
      ASSERT_VALUE(OpenMemoryEngine({.keyspaces = keyspaces, .checkpoint = {}}));
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host));
  const std::unique_ptr<Engine> ada = ASSERT_VALUE(tenants.Open("ada"));
  Transaction transaction(*ada);
  transaction.KeepUndo(kUndoKeyspace, "undo");
  transaction.Put(kRuled, "key", "value");
  transaction.Put(kRows, "key", "value");
  ASSERT_OK(transaction.Commit());
  Transaction back(*ada);
  ASSERT_OK(back.Undo(kUndoKeyspace, "undo"));
  ASSERT_OK(back.Commit());
  EXPECT_EQ(ASSERT_VALUE(Get(*ada, "key")), std::nullopt);
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(ada->OpenSnapshot());
  EXPECT_EQ(ASSERT_VALUE(snapshot->Get(kRuled, "key")), "by the rule");
}

// docs/formats.md shows these bytes.
TEST(TenantFormat, RowsAndPrefixesHaveTheDocumentedBytes) {
  EXPECT_EQ(Hex(TenantRowKey("ada").value()), "02 74 65 6e 61 6e 74 00 02 61 64 61 00");
  EXPECT_EQ(Hex(NextTenantKey()), "02 74 65 6e 61 6e 74 73 00");
  EXPECT_EQ(Hex(EncodeTenantNumber(1)), "15 01");
  EXPECT_EQ(Hex(EncodeTenantNumber(300)), "16 01 2c");
  EXPECT_EQ(Hex(TenantPrefix(1).Extend("key")), "15 01 6b 65 79");
  EXPECT_EQ(Hex(TenantPrefix(300).Extend("")), "16 01 2c");
}

TEST_F(TenantsTest, WriteTheDocumentedRows) {
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host_));
  const std::unique_ptr<Engine> ada = ASSERT_VALUE(tenants.Open("ada"));
  ASSERT_OK(Put(*ada, "key", "value"));
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(host_->OpenSnapshot());
  EXPECT_EQ(ASSERT_VALUE(snapshot->Get(kTaleaKeyspace, TenantRowKey("ada").value())), "\x15\x01");
  EXPECT_EQ(ASSERT_VALUE(snapshot->Get(kTaleaKeyspace, NextTenantKey())), "\x15\x02");
  EXPECT_EQ(ASSERT_VALUE(snapshot->Get(kRows, "\x15\x01key")), "value");
}

TEST(TenantFormat, AnyOtherNumberIsRefused) {
  for (const std::string& value : {std::string(), std::string("\x14"), std::string("\x13\xfe"),
                                   std::string("\x15\x01\x00", 3), std::string("1")}) {
    EXPECT_ERROR(DecodeTenantNumber("key", value), ErrorCode::corruption) << Quoted(value);
  }
  for (const std::uint64_t number : {1ull, 255ull, 256ull, ~0ull}) {
    EXPECT_EQ(ASSERT_VALUE(DecodeTenantNumber("key", EncodeTenantNumber(number))), number);
  }
}

TEST(TenantPrefix, MapsRangesBothWays) {
  const TenantPrefix prefix(255);
  for (const KeyRange& range :
       {KeyRange::All(), KeyRange::From("a"), KeyRange::Before("\xff"), KeyRange::Single(""),
        KeyRange::Prefix("\xff\xff"), KeyRange::From("a").EndingAt("b")}) {
    const KeyRange extended = prefix.Extend(range);
    EXPECT_EQ(prefix.Strip(extended), range) << range.ToString();
    EXPECT_FALSE(extended.Contains(TenantPrefix(256).Extend("a"))) << range.ToString();
    EXPECT_FALSE(extended.Contains(TenantPrefix(254).Extend("a"))) << range.ToString();
  }
}

}  // namespace
}  // namespace talea
