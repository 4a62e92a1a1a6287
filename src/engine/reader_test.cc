#include "talea/reader.h"

#include <gtest/gtest.h>

namespace talea {
namespace {

TEST(Page, GivesBackKeysAndValuesOfEveryLength) {
  Page page;
  const auto bytes_of = [](std::size_t length, int seed) {
    std::string bytes(length, '\0');
    for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<char>(i * 7 + seed);
    return bytes;
  };
  constexpr std::size_t kLongest = 600;
  for (std::size_t length = 0; length <= kLongest; ++length) {
    page.Append(bytes_of(length, 1), bytes_of(kLongest - length, 2));
  }
  ASSERT_EQ(page.size(), kLongest + 1);
  for (std::size_t length = 0; length <= kLongest; ++length) {
    ASSERT_EQ(page[length].key, bytes_of(length, 1));
    ASSERT_EQ(page[length].value, bytes_of(kLongest - length, 2));
  }
}

TEST(Page, TakesAPrefixOffEveryKey) {
  Page page;
  page.Append("ab", "1");
  page.Append("abc", "2");
  page.RemovePrefix(2);
  EXPECT_EQ(page[0], (Row{"", "1"}));
  EXPECT_EQ(page[1], (Row{"c", "2"}));
}

}  // namespace
}  // namespace talea
