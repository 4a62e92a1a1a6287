#include "talea/keyspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Keyspace kCells{3, AccessPattern::point, "cells"};
constexpr Keyspace kEvents{1, AccessPattern::scan, "events"};
constexpr Keyspace kVisits{255, AccessPattern::counter, "visits-2"};

TEST(KeyspaceSet, HoldsItsKeyspacesInOrderOfTheirIds) {
  const KeyspaceSet set = ASSERT_VALUE(KeyspaceSet::Make({kCells, kVisits, kEvents}));
  EXPECT_THAT(set.all(), testing::ElementsAre(kEvents, kCells, kVisits));
  for (std::size_t position = 0; position < 3; ++position) {
    const Keyspace& keyspace = set.all()[position];
    EXPECT_EQ(set.Position(keyspace.id), position);
    EXPECT_EQ(set.Find(keyspace.id), &keyspace);
    EXPECT_OK(set.Check(keyspace));
  }
  EXPECT_EQ(set.Find(0), nullptr);
  EXPECT_EQ(set.Find(2), nullptr);
}

TEST(KeyspaceSet, MayBeEmpty) {
  const KeyspaceSet set = ASSERT_VALUE(KeyspaceSet::Make({}));
  EXPECT_TRUE(set.all().empty());
  for (int id = 0; id < 256; ++id) EXPECT_EQ(set.Find(static_cast<std::uint8_t>(id)), nullptr);
}

TEST(KeyspaceSet, RefusesARepeatedIdNamingBoth) {
  const Keyspace other{3, AccessPattern::point, "cells-again"};
  const Result<KeyspaceSet> set = KeyspaceSet::Make({kCells, kEvents, other});
  ASSERT_ERROR(set, ErrorCode::invalid_argument);
  EXPECT_THAT(set.error().message(),
              AllOf(HasSubstr("\"cells\" (id 3"), HasSubstr("\"cells-again\" (id 3")));
}

TEST(KeyspaceSet, RefusesARepeatedNameNamingBoth) {
  const Keyspace other{200, AccessPattern::counter, "cells"};
  const Result<KeyspaceSet> set = KeyspaceSet::Make({kCells, kEvents, other});
  ASSERT_ERROR(set, ErrorCode::invalid_argument);
  EXPECT_THAT(set.error().message(), AllOf(HasSubstr("\"cells\" (id 3, point)"),
                                           HasSubstr("\"cells\" (id 200, counter)")));
}

TEST(KeyspaceSet, RefusesAMalformedNameNamingIt) {
  const std::string too_long(65, 'a');
  for (const std::string_view name :
       {std::string_view(""), std::string_view("Cells"), std::string_view("cells_2"),
        std::string_view("a b"), std::string_view("a\0", 2), std::string_view("caf\xc3\xa9"),
        std::string_view(too_long)}) {
    const Result<KeyspaceSet> set =
        KeyspaceSet::Make({Keyspace{130, AccessPattern::scan, name}, kCells});
    ASSERT_ERROR(set, ErrorCode::invalid_argument);
    EXPECT_THAT(set.error().message(), HasSubstr("(id 130, scan)"));
  }
}

TEST(KeyspaceSet, TakesEveryCharacterAndLengthThatANameMayHave) {
  const std::string longest(64, 'z');
  EXPECT_OK(KeyspaceSet::Make(
      {Keyspace{0, AccessPattern::scan, "abcdefghijklmnopqrstuvwxyz-0123456789"},
       Keyspace{1, AccessPattern::scan, longest}, Keyspace{2, AccessPattern::scan, "-"}}));
}

TEST(KeyspaceSet, HasABound) {
  std::vector<std::string> names;
  for (int id = 0; id < 129; ++id) names.push_back("k" + std::to_string(id));
  std::vector<Keyspace> keyspaces;
  for (std::size_t id = 0; id < 129; ++id) {
    keyspaces.push_back({static_cast<std::uint8_t>(id), AccessPattern::point, names[id]});
  }
  const Result<KeyspaceSet> set = KeyspaceSet::Make(keyspaces);
  ASSERT_ERROR(set, ErrorCode::invalid_argument);
  EXPECT_THAT(set.error().message(), AllOf(HasSubstr("128"), HasSubstr("129")));
  keyspaces.pop_back();
  EXPECT_OK(KeyspaceSet::Make(keyspaces));
}

TEST(KeyspaceSet, ChecksIdPatternAndName) {
  const KeyspaceSet set = ASSERT_VALUE(KeyspaceSet::Make({kCells, kEvents}));
  EXPECT_OK(set.Check(kCells));
  const std::string name = "cells";  // elsewhere in memory than the literal
  EXPECT_OK(set.Check(Keyspace{3, AccessPattern::point, name}));

  const Status unknown = set.Check(kVisits);
  ASSERT_ERROR(unknown, ErrorCode::invalid_argument);
  EXPECT_THAT(unknown.error().message(),
              AllOf(HasSubstr("visits-2"), HasSubstr("none of that id")));

  const Status renamed = set.Check({3, AccessPattern::point, "sells"});
  ASSERT_ERROR(renamed, ErrorCode::invalid_argument);
  EXPECT_THAT(renamed.error().message(), AllOf(HasSubstr("sells"), HasSubstr("\"cells\"")));

  const Status repurposed = set.Check({3, AccessPattern::counter, "cells"});
  ASSERT_ERROR(repurposed, ErrorCode::invalid_argument);
  EXPECT_THAT(repurposed.error().message(), AllOf(HasSubstr("counter"), HasSubstr("point")));
}

TEST(KeyspaceSet, StaysRightWhenItIsCopiedOrMoved) {
  KeyspaceSet first = ASSERT_VALUE(KeyspaceSet::Make({kCells, kEvents}));
  const KeyspaceSet copy = first;
  const KeyspaceSet moved = std::move(first);
  for (const KeyspaceSet* set : {&copy, &moved}) {
    ASSERT_NE(set->Find(3), nullptr);
    EXPECT_EQ(*set->Find(3), kCells);
    EXPECT_EQ(set->Find(3), &set->all()[1]);
  }
}

}  // namespace
}  // namespace talea
