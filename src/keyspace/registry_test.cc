#include "keyspace/registry.h"

#include <gtest/gtest.h>

#include <set>

namespace talea {
namespace {

TEST(Registry, IsAcceptedAsASet) {
  const Result<KeyspaceSet> set = KeyspaceSet::Make(kAllKeyspaces);
  ASSERT_TRUE(set) << set.error();
  EXPECT_EQ(set->all().size(), kAllKeyspaces.size());
  for (const Keyspace& keyspace : kAllKeyspaces) EXPECT_TRUE(set->Check(keyspace)) << keyspace.name;
}

TEST(Registry, GivesEachKeyspaceItsOwnIdAndName) {
  std::set<int> ids;
  std::set<std::string_view> names;
  for (const Keyspace& keyspace : kAllKeyspaces) {
    EXPECT_TRUE(ids.insert(keyspace.id).second) << int{keyspace.id};
    EXPECT_TRUE(names.insert(keyspace.name).second) << keyspace.name;
  }
}

TEST(Registry, LeavesTheIdsOfUsersAlone) {
  for (const Keyspace& keyspace : kAllKeyspaces) {
    EXPECT_LT(keyspace.id, kFirstUserKeyspaceId) << keyspace.name;
  }
}

// Ids and names are on disk: whoever changes this test changes the format.
TEST(Registry, KeepsTheIdsAndNamesThatAreOnDisk) {
  EXPECT_EQ(kTaleaKeyspace, (Keyspace{0, AccessPattern::point, "talea"}));
  EXPECT_EQ(kUndoKeyspace, (Keyspace{1, AccessPattern::scan, "undo"}));
  EXPECT_EQ(kHistogramsKeyspace, (Keyspace{2, AccessPattern::scan, "histograms"}));
  EXPECT_EQ(kHistogramCountersKeyspace,
            (Keyspace{3, AccessPattern::counter, "histograms-counters"}));
  EXPECT_EQ(kStateCursorKeyspace, (Keyspace{4, AccessPattern::point, "state-cursor"}));
  EXPECT_EQ(kStateUtxosKeyspace, (Keyspace{5, AccessPattern::point, "state-utxos"}));
  EXPECT_EQ(kStateEntitiesKeyspace, (Keyspace{6, AccessPattern::scan, "state-entities"}));
  EXPECT_EQ(kChainKeyspace, (Keyspace{7, AccessPattern::scan, "chain"}));
  EXPECT_EQ(kChainNotesKeyspace, (Keyspace{8, AccessPattern::point, "chain-notes"}));
  EXPECT_EQ(kChainTagsKeyspace, (Keyspace{9, AccessPattern::scan, "chain-tags"}));
  EXPECT_EQ(kChainCountersKeyspace, (Keyspace{10, AccessPattern::counter, "chain-counters"}));
  EXPECT_EQ(kChainCountsKeyspace, (Keyspace{11, AccessPattern::counter, "chain-counts"}));
  EXPECT_EQ(kChainStagingKeyspace, (Keyspace{12, AccessPattern::scan, "chain-staging"}));
  static_assert(kAllKeyspaces.size() == 13, "a new keyspace has a line here");
}

}  // namespace
}  // namespace talea
