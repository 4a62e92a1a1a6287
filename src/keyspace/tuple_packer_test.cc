#include "talea/tuple_packer.h"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "keyspace/tuple_testing.h"

namespace talea {
namespace {

using testing::FromHex;
using testing::ToHex;

TEST(TuplePacker, WritesWhatPackWrites) {
  const Uuid uuid{{1, 2, 3}};
  const std::uint64_t large = std::numeric_limits<std::uint64_t>::max();
  const BigInteger larger = *BigInteger::FromDecimal("-36893488147419103232");
  std::string key;
  TuplePacker packer(key);
  packer.Null().Bytes("b\xff").Int(-7).Int(large).BigInteger(larger).BigInteger(5);
  packer.Float(1.5f).Double(-2.5).Bool(true).Bool(false).Uuid(uuid);
  ASSERT_TRUE(packer.Text("text"));
  ASSERT_TRUE(packer.BeginNested());
  packer.Null().Int(std::uint8_t{1});
  ASSERT_TRUE(packer.BeginNested());
  packer.EndNested().EndNested().Null();
  EXPECT_EQ(ToHex(key),
            testing::PackedHex({nullptr, Bytes("b\xff"), -7, large, larger, 5, 1.5f, -2.5, true,
                                false, uuid, "text", Tuple{nullptr, 1, Tuple{}}, nullptr}));
}

TEST(TuplePacker, AppendsToWhatIsThere) {
  std::string key = "prefix";
  TuplePacker(key).Int(1);
  EXPECT_EQ(key, "prefix\x15\x01");
}

TEST(TuplePacker, AddsElementsAndTuples) {
  std::string key;
  TuplePacker packer(key);
  ASSERT_TRUE(packer.Add(Tuple{1}));
  ASSERT_TRUE(packer.AddAll({2, nullptr}));
  ASSERT_TRUE(packer.BeginNested());
  ASSERT_TRUE(packer.AddAll({nullptr}));
  packer.EndNested();
  EXPECT_EQ(ToHex(key), testing::PackedHex({Tuple{1}, 2, nullptr, Tuple{nullptr}}));
}

TEST(TuplePacker, AppendsNothingWhenItFails) {
  const Text no_text("\x80");
  std::string key = "k";
  TuplePacker packer(key);
  EXPECT_EQ(packer.Text(no_text.value).error().code(), ErrorCode::invalid_argument);
  EXPECT_FALSE(packer.Add(Tuple{1, Tuple{2, no_text}}));
  EXPECT_FALSE(packer.AddAll({1, Tuple{2, no_text}}));
  EXPECT_EQ(key, "k");
  packer.Null();
  EXPECT_EQ(key, std::string("k\0", 2)) << "it must not believe to be in a nested tuple still";
}

TEST(TuplePacker, RefusesToNestTooDeep) {
  std::string key;
  TuplePacker packer(key);
  for (std::size_t i = 0; i < kMaxTupleDepth; ++i) ASSERT_TRUE(packer.BeginNested());
  EXPECT_EQ(packer.BeginNested().error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(key.size(), kMaxTupleDepth);
  for (std::size_t i = 0; i < kMaxTupleDepth; ++i) packer.EndNested();
  EXPECT_TRUE(Unpack(key));
}

TEST(TuplePackerDeathTest, ChecksThatEachEndHasItsBegin) {
  std::string key;
  EXPECT_DEATH(TuplePacker(key).EndNested(), "depth_ > 0");
}

template <class Packer, class Value>
concept TakesAsInt = requires(Packer packer, Value value) { packer.Int(value); };
template <class Packer, class Value>
concept TakesAsFloat = requires(Packer packer, Value value) { packer.Float(value); };
template <class Packer, class Value>
concept TakesAsBool = requires(Packer packer, Value value) { packer.Bool(value); };

TEST(TuplePacker, ConvertsNoValueWithALoss) {
  static_assert(TakesAsInt<TuplePacker, std::uint64_t>);
  static_assert(!TakesAsInt<TuplePacker, double>);
  static_assert(!TakesAsInt<TuplePacker, bool>);
  static_assert(!TakesAsFloat<TuplePacker, double>);
  static_assert(!TakesAsBool<TuplePacker, const char*>);
}

}  // namespace
}  // namespace talea
