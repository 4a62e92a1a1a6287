#include "terminal/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace talea {
namespace {

constexpr Screen kUnicode{.unicode = true};

TEST(TextWidth, CountsColumnsAndNotBytes) {
  EXPECT_EQ(TextWidth(""), 0);
  EXPECT_EQ(TextWidth("abc"), 3);
  EXPECT_EQ(TextWidth("größe"), 5);
  EXPECT_EQ(TextWidth("計数"), 4);
  EXPECT_EQ(TextWidth("e\u0301"), 1);
  EXPECT_EQ(TextWidth("🦀"), 2);
}

TEST(Showable, ReplacesWhatIsNotTextAndWhatSteersATerminal) {
  EXPECT_EQ(Showable("größe"), "größe");
  EXPECT_EQ(Showable("a\tb\x7f"), "a?b?");
  EXPECT_EQ(Showable("\xc2\x9b"
                     "31m"),
            "?31m");
  EXPECT_EQ(Showable("\xff\xfe"), "??");
  EXPECT_EQ(Showable("\xc0\xaf"), "??") << "not the shortest form of /";
  EXPECT_EQ(Showable("\xed\xa0\x80"), "???") << "half of a pair of UTF-16";
  EXPECT_EQ(Showable("\xf4\x90\x80\x80"), "????") << "beyond the last character";
  EXPECT_EQ(Showable("\xe8\xa8"), "??") << "the end is missing";
  EXPECT_EQ(Showable("a\u202e"
                     "b"),
            "a?b")
      << "turns the direction of writing";
}

TEST(CutToWidth, MarksWhereItCuts) {
  EXPECT_EQ(CutToWidth("abc", 3, {}), "abc");
  EXPECT_EQ(CutToWidth("abcd", 3, {}), "ab~");
  EXPECT_EQ(CutToWidth("abcd", 3, kUnicode), "ab…");
  EXPECT_EQ(CutToWidth("abcd", 1, kUnicode), "…");
  EXPECT_EQ(CutToWidth("abcd", 0, kUnicode), "");
}

TEST(CutToWidth, LeavesWideCharactersWhole) {
  EXPECT_EQ(CutToWidth("計数棒", 6, kUnicode), "計数棒");
  EXPECT_EQ(CutToWidth("計数棒", 5, kUnicode), "計数…");
  EXPECT_EQ(CutToWidth("計数棒", 4, kUnicode), "計…");
}

RC_GTEST_PROP(CutToWidth, FitsAndIsShowableWhateverTheBytes, (const std::string& bytes)) {
  const auto width = *rc::gen::inRange<std::size_t>(0, 12);
  const std::string cut = CutToWidth(Showable(bytes), width, kUnicode);
  RC_ASSERT(TextWidth(cut) <= width);
  RC_ASSERT(Showable(cut) == cut);
}

TEST(Pad, FillsUpToAWidthAndNotBeyond) {
  EXPECT_EQ(PadRight("計", 4), "計  ");
  EXPECT_EQ(PadLeft("計", 4), "  計");
  EXPECT_EQ(PadLeft("abc", 2), "abc");
}

}  // namespace
}  // namespace talea
