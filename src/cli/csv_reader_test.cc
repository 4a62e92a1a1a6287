#include "cli/csv_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "talea/testing/result_matchers.h"

namespace talea::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Fields = std::vector<std::string>;

// The fields of all records; a record that is malformed gives its error's message alone.
std::vector<Fields> Read(const std::string& text) {
  std::istringstream in(text);
  CsvReader reader(in);
  std::vector<Fields> all;
  while (true) {
    const auto record = reader.Next();
    if (!record) {
      EXPECT_EQ(record.error().code(), ErrorCode::invalid_argument);
      all.push_back({"error: " + record.error().message()});
      continue;
    }
    if (!*record) break;
    all.push_back((*record)->fields);
  }
  EXPECT_EQ(reader.bytes(), text.size());
  return all;
}

TEST(CsvReader, DividesLinesIntoFields) {
  EXPECT_THAT(Read("id,city\nada,London\n"),
              ElementsAre(Fields{"id", "city"}, Fields{"ada", "London"}));
  EXPECT_THAT(Read(""), ElementsAre());
  EXPECT_THAT(Read("a"), ElementsAre(Fields{"a"}));
  EXPECT_THAT(Read(",\n"), ElementsAre(Fields{"", ""}));
  EXPECT_THAT(Read("a,"), ElementsAre(Fields{"a", ""}));
  EXPECT_THAT(Read(" a , b "), ElementsAre(Fields{" a ", " b "}));
}

TEST(CsvReader, KeepsWhatStandsInQuotes) {
  EXPECT_THAT(Read("\"a,b\",\"c\nd\",\"say \"\"hi\"\"\",\"\"\nx"),
              ElementsAre(Fields{"a,b", "c\nd", "say \"hi\"", ""}, Fields{"x"}));
  EXPECT_THAT(Read("\"a\r\nb\"\r\n"), ElementsAre(Fields{"a\r\nb"}));
  EXPECT_THAT(Read("\"\"\n"), ElementsAre(Fields{""}));
}

TEST(CsvReader, TakesBothLineEndsAndPassesOverEmptyLines) {
  EXPECT_THAT(Read("a,b\r\nc,d\n\r\n\n\ne,f\r\n\r\n"),
              ElementsAre(Fields{"a", "b"}, Fields{"c", "d"}, Fields{"e", "f"}));
}

TEST(CsvReader, PassesOverAByteOrderMarkAtTheBeginningAlone) {
  EXPECT_THAT(Read("\xef\xbb\xbfid\n\xef\xbb\xbfx"),
              ElementsAre(Fields{"id"}, Fields{"\xef\xbb\xbfx"}));
}

TEST(CsvReader, TakesAnyBytes) {
  const std::string bytes("\0\xff\x01", 3);
  EXPECT_THAT(Read(bytes + "\n"), ElementsAre(Fields{bytes}));
}

TEST(CsvReader, TellsOnWhichLineARecordBegins) {
  std::istringstream in("\n\"a\nb\"\n\nc\n");
  CsvReader reader(in);
  EXPECT_EQ(reader.Next().value()->line, 2u);
  EXPECT_EQ(reader.Next().value()->line, 5u);
}

TEST(CsvReader, NamesWhatIsMalformedAndGoesOnWithTheNextLine) {
  EXPECT_THAT(
      Read("a,b\n1,x\"y\n2,\"z\"z\n3,\rc\n4,d\n"),
      ElementsAre(
          Fields{"a", "b"},
          ElementsAre(HasSubstr("line 2, character 4: expected quotes around the whole field")),
          ElementsAre(HasSubstr("line 3, character 6: expected a comma or the end of the line "
                                "after a closing quote, found \"z\"")),
          ElementsAre(HasSubstr("line 4, character 4: expected LF after CR, found \"c\"")),
          Fields{"4", "d"}));
}

TEST(CsvReader, NamesTheLineOfAQuoteThatIsNeverClosed) {
  EXPECT_THAT(
      Read("a\n\"b\nc\nd\n"),
      ElementsAre(Fields{"a"}, ElementsAre(HasSubstr("line 5, character 1: expected a closing "
                                                     "quote for that of line 2, found the end"))));
}

TEST(CsvReader, ReadsFilesThatAreLargerThanItsBuffer) {
  const std::string large(100'000, 'x');
  EXPECT_THAT(Read("a,\"" + large + "\"\n" + large + ",\"b\"\n"),
              ElementsAre(Fields{"a", large}, Fields{large, "b"}));
}

TEST(CsvReader, HasABoundForRecords) {
  for (const char* text : {"aaaaaaaaaaaa\nb\n", "\"aaaaaaaaaaaa\"\nb\n", "a,a,a,a,a,a,a,a\nb\n"}) {
    std::istringstream in(text);
    CsvReader reader(in, 10);
    ASSERT_ERROR(reader.Next(), ErrorCode::invalid_argument);
    EXPECT_EQ(reader.Next().value()->fields, Fields{"b"});
  }
}

// A stream that breaks off.
class BrokenBuffer : public std::stringbuf {
 public:
  using std::stringbuf::stringbuf;
  std::streamsize xsgetn(char*, std::streamsize) override { throw std::runtime_error("broken"); }
};

TEST(CsvReader, TellsApartTheEndAndAFileThatCannotBeRead) {
  BrokenBuffer buffer("a,b\n");
  std::istream in(&buffer);
  CsvReader reader(in);
  EXPECT_ERROR(reader.Next(), ErrorCode::io_error);
}

}  // namespace
}  // namespace talea::cli
