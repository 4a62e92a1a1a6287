#include "bench/histograms_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace talea::bench {
namespace {

constexpr std::size_t kMany = 20'000;

ElementType TypeOf(const std::string& packed) { return Unpack(packed).value().at(0).type(); }

TEST(DataSets, AreTheElevenOfTheSpecification) {
  std::vector<std::string_view> names;
  for (const DataSet& set : DataSets()) names.push_back(set.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"uniform", "zipf", "clustered", "user-ids",
                                                  "timestamps", "int64-zipf", "int64-normal",
                                                  "lognormal", "uuid4-text", "uuid7", "urls"}));
}

TEST(DataSets, AreTheSameEachTime) {
  for (const DataSet& set : DataSets()) {
    EXPECT_EQ(set.Values(100), set.Values(100)) << set.name;
    EXPECT_EQ(set.LaterValues(100), set.LaterValues(100)) << set.name;
  }
}

TEST(DataSets, HaveOneTypeEach) {
  for (const DataSet& set : DataSets()) {
    const ElementType type = TypeOf(set.Values(1)[0]);
    for (const std::string& value : set.Values(1'000)) ASSERT_EQ(TypeOf(value), type) << set.name;
    for (const std::string& value : set.LaterValues(10)) ASSERT_EQ(TypeOf(value), type) << set.name;
  }
}

TEST(DataSets, GrowBeyondAllThatCameBefore) {
  for (const DataSet& set : DataSets()) {
    std::string last = std::ranges::max(set.Values(kMany));
    for (std::string& value : set.LaterValues(1'000)) {
      ASSERT_LT(last, value) << set.name;
      last = std::move(value);
    }
    EXPECT_LT(last, Pack({set.later((1 << 25) - 1)}).value()) << set.name;
  }
}

std::map<std::string, std::size_t> ByFirstBytes(std::string_view name, std::size_t bytes) {
  const DataSet& set = DataSet::Named(name);
  std::map<std::string, std::size_t> counts;
  for (const std::string& value : set.Values(kMany)) ++counts[value.substr(0, bytes)];
  return counts;
}

TEST(DataSets, HaveTheirPrefixes) {
  const auto zipf = ByFirstBytes("zipf", 3);  // the type code, and two bytes
  const double with_prefix = static_cast<double>(zipf.at("\x01us") +
                                                 zipf.at("\x01"
                                                         "de") +
                                                 zipf.at("\x01in"));
  EXPECT_NEAR(with_prefix / kMany, 0.8, 0.01);
  EXPECT_EQ(ByFirstBytes("clustered", 5).size(), 5u);
  EXPECT_EQ(ByFirstBytes("user-ids", 6).size(), 1u);
}

TEST(DataSets, StraddleTheSign) {
  const DataSet& set = DataSet::Named("int64-normal");
  std::size_t negative = 0;
  for (const std::string& value : set.Values(kMany)) {
    negative += Unpack(value).value().at(0).AsInt().value() < 0 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(negative) / kMany, 0.5, 0.02);
}

TEST(DrawZipf, GivesEachNumberItsShare) {
  Random random(2);
  std::map<std::uint64_t, double> counts;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) ++counts[DrawZipf(random, 1.1, 1'000)];
  EXPECT_EQ(counts.begin()->first, 1u);
  EXPECT_LE(counts.rbegin()->first, 1'000u);
  EXPECT_NEAR(counts[100] / counts[200], std::pow(2.0, 1.1), 0.5);
  EXPECT_NEAR(counts[10] / counts[20], std::pow(2.0, 1.1), 0.3);
}

TEST(DrawNormal, HasMeanZeroAndVarianceOne) {
  Random random(3);
  double sum = 0, squares = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) {
    const double drawn = DrawNormal(random);
    sum += drawn, squares += drawn * drawn;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
}

}  // namespace
}  // namespace talea::bench
