#include "chain/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "engine/hex_for_test.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

using testing::HasSubstr, testing::StartsWith;

constexpr std::string_view kThirtyTwo =
    "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f "
    "10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f";

Bytes32 Ascending() { return Bytes32::From(FromHex(kThirtyTwo)).value(); }
Bytes32 All(char byte) { return Bytes32::From(std::string(32, byte)).value(); }

const OutputReference kReference{Ascending(), 258};

std::string Joined(std::string_view before, std::string_view bytes, std::string_view after = {}) {
  return std::string(before) + (before.empty() ? "" : " ") + std::string(bytes) +
         (after.empty() ? "" : " ") + std::string(after);
}

// What others call these namespaces. Whoever changes this test changes the format on disk.
TEST(Namespaces, HaveTheseHashes) {
  const std::map<std::string, std::uint64_t> hashes{
      {"accounts", 0x138a7b25414c083a},        {"pools", 0x9fa7410297c384fb},
      {"epochs", 0xaa956822c555e8cd},          {"dreps", 0x11e699e015737391},
      {"proposals", 0x8572d8f2240d1c15},       {"assets", 0x1c75cd2efad4e635},
      {"datums", 0xa92a1620dd1a7540},          {"eras", 0x93f9bafaceccf919},
      {"rewards", 0x0ae68583cca3a7a4},         {"stakes", 0xaeebd4ef5ff6c129},
      {"pending_rewards", 0xc085dcc712038f08}, {"", 0x2d06800538d394c2},
  };
  for (const auto& [name, hash] : hashes) EXPECT_EQ(HashNamespace(name).number, hash) << name;
  EXPECT_EQ(Hex(EntityRowKey(HashNamespace("rewards"), Ascending())).substr(0, 23),
            "0a e6 85 83 cc a3 a7 a4");
}

// Whoever changes this test changes the format on disk.
TEST(ChainKeys, HaveTheseBytes) {
  const NamespaceHash pools = HashNamespace("pools");
  EXPECT_EQ(Hex(kCursorKey), "00");
  EXPECT_EQ(Hex(OutputKey(kReference)), Joined("", kThirtyTwo, "00 00 01 02"));
  EXPECT_EQ(Hex(EntityRowKey(pools, Ascending())), Joined("9f a7 41 02 97 c3 84 fb", kThirtyTwo));
  EXPECT_EQ(Hex(StagingHeaderKey()), "14");
  EXPECT_EQ(Hex(ImportMarkKey()), "15 01");
  EXPECT_EQ(Hex(NamespaceKey(pools)), "15 02 1c 9f a7 41 02 97 c3 84 fb");
  EXPECT_EQ(Hex(StepKey(258)), "15 03 16 01 02");
  EXPECT_EQ(Hex(PointKey(std::nullopt)), "15 04 01 00");
  EXPECT_EQ(Hex(PointKey(ChainPoint::Origin())), "15 04 01 00 ff 00 ff 00 ff 00 ff 00");
  EXPECT_EQ(Hex(PointKey(ChainPoint::AtSlot(~std::uint64_t{0}))),
            "15 04 01 01 00 ff 00 ff 00 ff ff ff ff ff ff ff ff ff 00");
  EXPECT_EQ(Hex(ValueKey(pools, All('\x0a'), "v")),
            Joined("15 05 1c 9f a7 41 02 97 c3 84 fb 01", Hex(All('\x0a').view()), "00 01 76 00"));
  EXPECT_EQ(Hex(LastStagedKey()), "15 06");
  EXPECT_EQ(Hex(TagKey({TagKind::policy, "ab"}, kReference)),
            Joined("03 00 02 61 62", kThirtyTwo, "00 00 01 02"));
  EXPECT_EQ(Hex(CountKey(ChainCount::outputs)), "00");
  EXPECT_EQ(Hex(CountKey(ChainCount::coin)), "01");
  EXPECT_EQ(Hex(CountKey(ChainCount::entities, pools)), "02 9f a7 41 02 97 c3 84 fb");
  EXPECT_EQ(Hex(CountKey(ChainCount::values, pools)), "03 9f a7 41 02 97 c3 84 fb");
  EXPECT_EQ(Hex(StagedKey(StagedAs::row, kStateCursorKeyspace.id, kCursorKey)), "04 00");
  EXPECT_EQ(Hex(StagedKey(StagedAs::change, kStateCursorKeyspace.id, kCursorKey)), "84 00");
}

TEST(ChainKeys, AreReadAsTheyWereWritten) {
  for (const std::uint32_t index : {0u, 1u, ~0u}) {
    const OutputReference reference{Ascending(), index};
    EXPECT_EQ(ASSERT_VALUE(ReferenceOfKey(OutputKey(reference))), reference);
  }
  for (const NamespaceHash hash : {NamespaceHash{0}, NamespaceHash{~0ull}, HashNamespace("eras")}) {
    const EntityKeyParts entity{hash, All('\xff')};
    EXPECT_EQ(ASSERT_VALUE(PartsOfEntityKey(EntityRowKey(hash, entity.key))), entity);
    EXPECT_EQ(ASSERT_VALUE(NamespaceOfKey(NamespaceKey(hash))), hash);
    for (const std::string& value : {std::string(), std::string("\0\xff\0", 3)}) {
      EXPECT_EQ(ASSERT_VALUE(PartsOfValueKey(ValueKey(hash, All('\0'), value))),
                (ValueKeyParts{{hash, All('\0')}, value}));
    }
    for (const ChainCount count : {ChainCount::entities, ChainCount::values}) {
      EXPECT_EQ(ASSERT_VALUE(PartsOfCountKey(CountKey(count, hash))), (CountKeyParts{count, hash}));
    }
  }
  for (const std::uint64_t step : {1ull, 255ull, 256ull, ~0ull}) {
    EXPECT_EQ(ASSERT_VALUE(StepOfKey(StepKey(step))), step);
  }
  for (const Cursor& point : {Cursor(), Cursor(ChainPoint::Origin()), Cursor(ChainPoint::AtSlot(0)),
                              Cursor(ChainPoint::Of(1, Ascending()))}) {
    EXPECT_EQ(ASSERT_VALUE(PointOfKey(PointKey(point))), point);
  }
}

TEST(ChainKeys, OfTagsAreReadAsTheyWereWritten) {
  for (const std::string& bytes : {std::string(), std::string("a"), std::string(4096, '\xff')}) {
    for (const TagKind kind : {TagKind::address, TagKind::asset}) {
      const std::string key = TagKey({kind, bytes}, kReference);
      const TagKeyParts parts = ASSERT_VALUE(PartsOfTagKey(key));
      EXPECT_EQ(parts.kind, kind);
      EXPECT_EQ(parts.bytes, bytes);
      EXPECT_EQ(parts.reference, kReference);
    }
  }
}

// A search for asset "A" must not find "AB".
TEST(ChainKeys, OfATagAreApartFromThoseOfLongerOnes) {
  const KeyRange range = TagKeys({TagKind::asset, "A"});
  EXPECT_TRUE(range.Contains(TagKey({TagKind::asset, "A"}, {All('\0'), 0})));
  EXPECT_TRUE(range.Contains(TagKey({TagKind::asset, "A"}, {All('\xff'), ~0u})));
  for (const Tag& other : {Tag{TagKind::asset, "AB"}, Tag{TagKind::asset, ""},
                           Tag{TagKind::asset, "B"}, Tag{TagKind::policy, "A"}}) {
    EXPECT_FALSE(range.Contains(TagKey(other, kReference)));
    EXPECT_FALSE(range.Contains(TagKey(other, {All('A'), 0})));
  }
}

TEST(ChainKeys, OfANamespaceEndWithTheVeryLastEntity) {
  for (const NamespaceHash hash : {HashNamespace("pools"), NamespaceHash{~0ull}}) {
    for (const EntityKey& key : {All('\0'), Ascending(), All('\xff')}) {
      EXPECT_TRUE(EntityKeys(hash).Contains(EntityRowKey(hash, key)));
      EXPECT_TRUE(EntityKeysWithin(hash, key, std::nullopt).Contains(EntityRowKey(hash, key)));
      EXPECT_FALSE(EntityKeysWithin(hash, std::nullopt, key).Contains(EntityRowKey(hash, key)));
    }
    EXPECT_FALSE(EntityKeys(hash).Contains(EntityRowKey({hash.number - 1}, All('\xff'))));
    EXPECT_FALSE(EntityKeys(hash).Contains(EntityRowKey({hash.number + 1}, All('\0'))));
    EXPECT_TRUE(EntityKeysWithin(hash, All('b'), All('a')).empty());
    EXPECT_TRUE(EntityKeysWithin(hash, All('b'), All('b')).empty());
  }
}

TEST(ChainKeys, OfStepsAreInTheOrderOfTheirNumbers) {
  const KeyRange range = StepKeysUpTo(256);
  EXPECT_TRUE(range.Contains(StepKey(0)));
  EXPECT_TRUE(range.Contains(StepKey(255)));
  EXPECT_TRUE(range.Contains(StepKey(256)));
  EXPECT_FALSE(range.Contains(StepKey(257)));
  EXPECT_FALSE(range.Contains(PointKey(std::nullopt)));
  EXPECT_TRUE(StepKeys().Contains(StepKey(~0ull)));
  EXPECT_FALSE(StepKeys().Contains(NamespaceKey({0})));
}

TEST(ChainKeys, OfTheValuesOfAKeyAreApartFromOthers) {
  const NamespaceHash hash = HashNamespace("stakes");
  const KeyRange range = ValueKeys(hash, All('\0'));
  for (const std::string& value : {std::string(), std::string("\0", 1), std::string(99, '\xff')}) {
    EXPECT_TRUE(range.Contains(ValueKey(hash, All('\0'), value)));
    EXPECT_FALSE(range.Contains(ValueKey(hash, All('\1'), value)));
    EXPECT_FALSE(range.Contains(ValueKey({hash.number + 1}, All('\0'), value)));
    EXPECT_TRUE(ValueKeys(hash).Contains(ValueKey(hash, All('\xff'), value)));
    EXPECT_FALSE(ValueKeys(hash).Contains(ValueKey({hash.number + 1}, All('\0'), value)));
    EXPECT_TRUE(ValueKeys().Contains(ValueKey({0}, All('\xff'), value)));
    EXPECT_TRUE(ValueKeys().Contains(ValueKey({~0ull}, All('\xff'), value)));
  }
}

template <class Parts>
void ExpectRefused(const Result<Parts>& parts, const Keyspace& keyspace, std::string_view why) {
  ASSERT_ERROR(parts, ErrorCode::corruption);
  EXPECT_THAT(parts.error().message(), StartsWith("keyspace " + Quoted(keyspace.name) + ", key "));
  EXPECT_THAT(parts.error().message(), HasSubstr(why));
}

TEST(ChainKeys, OfOtherLengthsAreRefused) {
  for (const std::size_t size : {0u, 1u, 35u, 37u, 40u}) {
    const std::string key(size, 'x');
    ExpectRefused(ReferenceOfKey(key), kStateUtxosKeyspace, "the key of an output: 36 bytes");
    ExpectRefused(ReferenceOfKey(key, kChainNotesKeyspace), kChainNotesKeyspace, "36 bytes, found");
  }
  for (const std::size_t size : {0u, 8u, 39u, 41u}) {
    const std::string key(size, 'x');
    ExpectRefused(PartsOfEntityKey(key), kStateEntitiesKeyspace, "of an entity: 40 bytes, found");
    ExpectRefused(PartsOfEntityKey(key, kChainCountersKeyspace), kChainCountersKeyspace, "40");
  }
  ExpectRefused(PartsOfStagedKey(""), kChainStagingKeyspace, "a keyspace's id first");
}

TEST(ChainKeys, OfTagsThatAreMalformedAreRefused) {
  const std::string good = TagKey({TagKind::stake, "tag"}, kReference);
  for (std::size_t size = 0; size < good.size(); ++size) {
    ExpectRefused(PartsOfTagKey(good.substr(0, size)), kChainTagsKeyspace, "the key of a tag");
  }
  ExpectRefused(PartsOfTagKey(good + "x"), kChainTagsKeyspace, "42 bytes, found 43");
  ExpectRefused(PartsOfTagKey("\x05" + good.substr(1)), kChainTagsKeyspace, "up to 4, found 5");
  const std::string longer = "\1\x10\1" + std::string(4097 + kOutputKeyBytes, 'x');
  ExpectRefused(PartsOfTagKey(longer), kChainTagsKeyspace, "of up to 4096 bytes, found 4097");
}

TEST(ChainKeys, OfCountsThatAreMalformedAreRefused) {
  const std::string nine(9, '\2');
  ExpectRefused(PartsOfCountKey(""), kChainCountsKeyspace, "a kind first");
  ExpectRefused(PartsOfCountKey("\4"), kChainCountsKeyspace, "a kind that Talea writes, found 4");
  ExpectRefused(PartsOfCountKey(std::string(2, '\0')), kChainCountsKeyspace, "1 bytes, found 2");
  ExpectRefused(PartsOfCountKey(nine.substr(1)), kChainCountsKeyspace, "9 bytes, found 8");
  ExpectRefused(PartsOfCountKey(nine + '\2'), kChainCountsKeyspace, "9 bytes, found 10");
}

TEST(ChainKeys, OfKeyspaceChainAreRefusedWhereTheyAreCutOrLonger) {
  const auto refused = [](auto parts_of, const std::string& good, std::string_view kind) {
    ASSERT_OK(parts_of(good));
    for (std::size_t size = 0; size < good.size(); ++size) {
      ExpectRefused(parts_of(good.substr(0, size)), kChainKeyspace, kind);
    }
    ExpectRefused(parts_of(good + '\x14'), kChainKeyspace, kind);
    ExpectRefused(parts_of("\x15\x09" + good.substr(2)), kChainKeyspace, "at the front, found 9");
  };
  const NamespaceHash hash{~0ull};
  refused(NamespaceOfKey, NamespaceKey(hash), "the key of a namespace");
  refused(StepOfKey, StepKey(300), "the key of a step");
  refused(PointOfKey, PointKey(ChainPoint::Of(5, Ascending())), "the key of a point");
  refused(PartsOfValueKey, ValueKey(hash, Ascending(), "value"), "the key of a value");
}

}  // namespace
}  // namespace talea::chain
