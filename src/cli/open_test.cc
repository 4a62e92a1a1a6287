#include "cli/open.h"

#include <gtest/gtest.h>

namespace talea::cli {
namespace {

TEST(WithoutCreating, AddsAnOptionUnlessTheLocationHasIt) {
  EXPECT_EQ(WithoutCreating("rocksdb:a"), "rocksdb:a?create=no");
  EXPECT_EQ(WithoutCreating("rocksdb:a?cache=1M"), "rocksdb:a?cache=1M&create=no");
  EXPECT_EQ(WithoutCreating("rocksdb:a?create=yes"), "rocksdb:a?create=yes");
}

TEST(WithoutCreating, LeavesWhatIsNotInAFolderAlone) {
  EXPECT_EQ(WithoutCreating("memory:"), "memory:");
  EXPECT_EQ(WithoutCreating("visits.db"), "visits.db");
}

TEST(WithoutCreating, IsNotMisledByAFolderOfThatName) {
  EXPECT_EQ(WithoutCreating("rocksdb:create=no"), "rocksdb:create=no?create=no");
}

}  // namespace
}  // namespace talea::cli
