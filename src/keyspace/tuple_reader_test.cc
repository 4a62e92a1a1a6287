#include "talea/tuple_reader.h"

#include <gtest/gtest.h>

#include <limits>

#include "keyspace/tuple_testing.h"

namespace talea {
namespace {

using testing::FromHex;

TEST(TupleReader, ReadsEveryType) {
  const BigInteger big = *BigInteger::FromDecimal("-36893488147419103232");
  const std::string packed = *Pack({nullptr, Bytes("b"), "t", -7, ~std::uint64_t{0}, big, 1.5f, 2.5,
                                    true, Uuid{{1}}, Tuple{nullptr, 1}, nullptr});
  TupleReader reader(packed);
  EXPECT_TRUE(reader.Null());
  EXPECT_EQ(reader.Bytes(), "b");
  EXPECT_EQ(reader.Text(), "t");
  EXPECT_EQ(reader.Int(), -7);
  EXPECT_EQ(reader.Uint(), ~std::uint64_t{0});
  EXPECT_EQ(reader.BigInteger(), big);
  EXPECT_EQ(reader.Float(), 1.5f);
  EXPECT_EQ(reader.Double(), 2.5);
  EXPECT_EQ(reader.Bool(), true);
  EXPECT_EQ(reader.Uuid(), (Uuid{{1}}));
  EXPECT_TRUE(reader.BeginNested());
  EXPECT_TRUE(reader.Null());
  EXPECT_EQ(reader.Int(), 1);
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_TRUE(reader.EndNested());
  EXPECT_FALSE(reader.AtEnd());
  EXPECT_TRUE(reader.Null());
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_TRUE(reader.Finish());
}

TEST(TupleReader, ReadsTheEdgesOfTheIntegerTypes) {
  using Int64 = std::numeric_limits<std::int64_t>;
  using Uint64 = std::numeric_limits<std::uint64_t>;
  const std::string packed = *Pack({Int64::min(), Int64::max(), 0, 0, Uint64::max()});
  TupleReader reader(packed);
  EXPECT_EQ(reader.Int(), Int64::min());
  EXPECT_EQ(reader.Int(), Int64::max());
  EXPECT_EQ(reader.Int(), 0);
  EXPECT_EQ(reader.Uint(), 0u);
  EXPECT_EQ(reader.Uint(), Uint64::max());
  EXPECT_TRUE(reader.Finish());
}

TEST(TupleReader, TellsTheTypeOfWhatComesNext) {
  const std::string packed = *Pack({"t", Tuple{nullptr}});
  TupleReader reader(packed);
  EXPECT_EQ(reader.Type(), ElementType::text);
  EXPECT_TRUE(reader.Skip());
  EXPECT_EQ(reader.Type(), ElementType::nested);
  EXPECT_TRUE(reader.BeginNested());
  EXPECT_EQ(reader.Type(), ElementType::null);
  EXPECT_TRUE(reader.Skip());
  EXPECT_FALSE(reader.Type());
}

TEST(TupleReader, GivesViewsIntoThePackedBytes) {
  const std::string packed = *Pack({"text", Bytes("bytes")});
  TupleReader reader(packed);
  EXPECT_EQ(reader.Text()->data(), packed.data() + 1);
  EXPECT_EQ(reader.Bytes()->data(), packed.data() + 7);
}

// A NUL is escaped in the packed bytes, so a view of it must lie elsewhere, and
// outlive later reads.
TEST(TupleReader, KeepsEveryViewOfAnElementWithNulsValid) {
  const std::string nuls("a\0b", 3);
  const std::string packed = *Pack({Bytes(nuls), Text(nuls), Bytes(nuls + nuls)});
  TupleReader reader(packed);
  const ByteView first = *reader.Bytes();
  const std::string_view second = *reader.Text();
  const ByteView third = *reader.Bytes();
  const TupleReader moved = std::move(reader);
  EXPECT_EQ(first, nuls);
  EXPECT_EQ(second, nuls);
  EXPECT_EQ(third, nuls + nuls);
}

TEST(TupleReader, ShowsWhatIsLeft) {
  const std::string packed = *Pack({1}) + "tail";
  TupleReader reader(packed);
  EXPECT_EQ(reader.Int(), 1);
  EXPECT_EQ(reader.offset(), 2u);
  EXPECT_EQ(reader.rest(), "tail");
}

TEST(TupleReader, TakesNothingWhenItFails) {
  const std::string packed = FromHex("05 01 61 00 05 15 07 ff");
  TupleReader reader(packed);
  EXPECT_FALSE(reader.Int());
  EXPECT_FALSE(reader.Next());
  EXPECT_FALSE(reader.Skip());
  EXPECT_EQ(reader.offset(), 0u);
  ASSERT_TRUE(reader.BeginNested());
  EXPECT_EQ(reader.Bytes(), "a");
  ASSERT_TRUE(reader.BeginNested());
  EXPECT_FALSE(reader.EndNested());
  EXPECT_EQ(reader.Int(), 7);
}

TEST(TupleReaderDeathTest, ChecksThatEachEndHasItsBegin) {
  TupleReader reader("");
  EXPECT_DEATH((void)reader.EndNested(), "depth_ > 0");
}

// What a read of these bytes fails with.
template <class Read>
Error ErrorOf(std::string_view hex, Read read) {
  const std::string packed = FromHex(hex);
  TupleReader reader(packed);
  const auto result = read(reader);
  EXPECT_FALSE(result) << hex;
  EXPECT_EQ(reader.offset(), 0u) << hex;
  return result ? Error(ErrorCode::not_found, "no error") : result.error();
}

Error NextError(std::string_view hex) {
  return ErrorOf(hex, [](TupleReader& reader) { return reader.Next(); });
}

Error Corruption(std::string_view message) {
  return Error(ErrorCode::corruption, std::string(message));
}

TEST(TupleReader, NamesTheTypeItExpectedAndTheOneItFound) {
  EXPECT_EQ(ErrorOf("02 61 00", [](TupleReader& reader) { return reader.Int(); }),
            Corruption("tuple at byte 0: expected integer, found text (type code 0x02)"));
  EXPECT_EQ(ErrorOf("", [](TupleReader& reader) { return reader.Uuid(); }),
            Corruption("tuple at byte 0: expected uuid, found the end of the bytes"));
  EXPECT_EQ(ErrorOf("14", [](TupleReader& reader) { return reader.Null(); }),
            Corruption("tuple at byte 0: expected null, found integer (type code 0x14)"));
  EXPECT_EQ(ErrorOf("14", [](TupleReader& reader) { return reader.Finish(); }),
            Corruption("tuple at byte 0: expected the end of the tuple, found integer (type code "
                       "0x14)"));
  EXPECT_EQ(ErrorOf("14", [](TupleReader& reader) { return reader.BeginNested(); }),
            Corruption("tuple at byte 0: expected a nested tuple, found integer (type code 0x14)"));
  EXPECT_EQ(NextError("50"),
            Corruption("tuple at byte 0: expected an element, found 0x50, which is no type code"));
}

TEST(TupleReader, NamesTheEndOfANestedTuple) {
  const std::string packed = FromHex("05 00");
  TupleReader reader(packed);
  ASSERT_TRUE(reader.BeginNested());
  EXPECT_EQ(reader.Null().error(),
            Corruption("tuple at byte 1: expected null, found the end of the nested tuple"));
  EXPECT_EQ(reader.Finish().error(),
            Corruption("tuple at byte 1: expected the end of the tuple, found a nested tuple "
                       "without end"));
}

// Two encodings of one number would break equality, and 0x16 00 05 would sort after 0x15 ff.
TEST(TupleReader, RefusesIntegersThatAreNotInTheirShortestForm) {
  EXPECT_EQ(NextError("16 00 05"),
            Corruption("tuple at byte 1: expected an integer in its shortest form, so not the byte "
                       "0x00, found 0x00"));
  EXPECT_EQ(NextError("12 ff fa"),
            Corruption("tuple at byte 1: expected an integer in its shortest form, so not the byte "
                       "0xff, found 0xff"));
  EXPECT_EQ(NextError("15 00").code(), ErrorCode::corruption);
  EXPECT_EQ(NextError("13 ff").code(), ErrorCode::corruption);
  EXPECT_EQ(NextError("1d 09 00 01 02 03 04 05 06 07 08").code(), ErrorCode::corruption);
  EXPECT_EQ(NextError("0b f6 ff 01 02 03 04 05 06 07 08").code(), ErrorCode::corruption);
}

// Python's binding alone writes 2^64 - 1 and its negative so.
TEST(TupleReader, RefusesTheLongFormOfAnIntegerThatHasAShortOne) {
  EXPECT_EQ(NextError("1d 08 ff ff ff ff ff ff ff ff"),
            Corruption("tuple at byte 1: expected a length of 9 to 255, as a shorter integer has a "
                       "shorter form, found 8"));
  EXPECT_EQ(NextError("0b f7 00 00 00 00 00 00 00 00").code(), ErrorCode::corruption);
  EXPECT_EQ(NextError("1d 00").code(), ErrorCode::corruption);
  EXPECT_EQ(NextError("0b ff").code(), ErrorCode::corruption);
}

TEST(TupleReader, NamesHowManyBytesAreMissing) {
  EXPECT_EQ(NextError("16 01"),
            Corruption("tuple at byte 1: expected 2 bytes of an integer, found 1"));
  EXPECT_EQ(NextError("1d"),
            Corruption("tuple at byte 1: expected a length, found the end of the bytes"));
  EXPECT_EQ(NextError("0b f6 01"),
            Corruption("tuple at byte 2: expected 9 bytes of an integer, found 1"));
  EXPECT_EQ(NextError("20 01"),
            Corruption("tuple at byte 1: expected 4 bytes of a float32, found 1"));
  EXPECT_EQ(NextError("21"), Corruption("tuple at byte 1: expected 8 bytes of a float64, found 0"));
  EXPECT_EQ(NextError("30 01"),
            Corruption("tuple at byte 1: expected 16 bytes of a uuid, found 1"));
  EXPECT_EQ(NextError("01 61 00 ff"),
            Corruption("tuple at byte 1: expected bytes and then 0x00, found 3 bytes without that "
                       "end"));
  EXPECT_EQ(
      NextError("05 14"),
      Corruption("tuple at byte 2: expected the end of the nested tuple, found the end of the "
                 "bytes"));
}

TEST(TupleReader, NamesTheByteThatIsNotUtf8) {
  EXPECT_EQ(NextError("02 61 00 ff c3 28 00"),
            Corruption("tuple at byte 4: expected UTF-8, found 0xc3"));
  EXPECT_EQ(NextError("02 61 ff 00"), Corruption("tuple at byte 2: expected UTF-8, found 0xff"));
  EXPECT_EQ(NextError("02 ff 00"), Corruption("tuple at byte 1: expected UTF-8, found 0xff"));
  EXPECT_EQ(NextError("02 00 ff ff 00"), Corruption("tuple at byte 3: expected UTF-8, found 0xff"));
}

TEST(TupleReader, RefusesIntegersThatTheTypeCannotHold) {
  EXPECT_EQ(ErrorOf("1c 80 00 00 00 00 00 00 00", [](TupleReader& r) { return r.Int(); }),
            Corruption("tuple at byte 0: expected a signed integer of 64 bits, found "
                       "9223372036854775808"));
  EXPECT_EQ(ErrorOf("0c 7f ff ff ff ff ff ff fe", [](TupleReader& r) { return r.Int(); }),
            Corruption("tuple at byte 0: expected a signed integer of 64 bits, found "
                       "-9223372036854775809"));
  EXPECT_EQ(ErrorOf("13 fe", [](TupleReader& r) { return r.Uint(); }),
            Corruption("tuple at byte 0: expected an unsigned integer of 64 bits, found -1"));
  EXPECT_EQ(ErrorOf("1d 09 01 00 00 00 00 00 00 00 00", [](TupleReader& r) { return r.Uint(); }),
            Corruption("tuple at byte 0: expected an unsigned integer of 64 bits, found "
                       "18446744073709551616"));
}

TEST(TupleReader, SaysWhichCodeOfTheFormatIsNotSupported) {
  EXPECT_EQ(NextError("33 00 01 02 03 04 05 06 07 08 09 0a 0b"),
            Error(ErrorCode::unsupported,
                  "tuple at byte 0: expected an element, found type code 0x33 (96-bit "
                  "versionstamp), which is not supported"));
  EXPECT_EQ(NextError("22").code(), ErrorCode::unsupported);
}

}  // namespace
}  // namespace talea
