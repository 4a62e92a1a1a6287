#include "base/coding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace talea {
namespace {

using namespace std::string_literals;

std::string Varint(std::uint64_t value) {
  std::string bytes;
  AppendVarint(bytes, value);
  return bytes;
}

TEST(Varint, HasTheseBytes) {
  EXPECT_EQ(Varint(0), "\x00"s);
  EXPECT_EQ(Varint(1), "\x01");
  EXPECT_EQ(Varint(127), "\x7f");
  EXPECT_EQ(Varint(128), "\x80\x01");
  EXPECT_EQ(Varint(300), "\xac\x02");
  EXPECT_EQ(Varint(16383), "\xff\x7f");
  EXPECT_EQ(Varint(16384), "\x80\x80\x01");
  EXPECT_EQ(Varint(std::uint64_t{1} << 63), "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01");
  EXPECT_EQ(Varint(std::numeric_limits<std::uint64_t>::max()),
            "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

RC_GTEST_PROP(Varint, IsReadBackWithNothingMoreTaken, (std::uint64_t value, std::string after)) {
  value >>= *rc::gen::inRange(0, 64);
  const std::string bytes = Varint(value) + after;
  ByteReader reader(bytes);
  RC_ASSERT(reader.Varint() == value);
  RC_ASSERT(reader.rest() == after);
}

RC_GTEST_PROP(Varint, CutShortGivesAndTakesNothing, (std::uint64_t value)) {
  value >>= *rc::gen::inRange(0, 64);
  const std::string bytes = Varint(value);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader reader(ByteView(bytes).substr(0, size));
    RC_ASSERT(reader.Varint() == std::nullopt);
    RC_ASSERT(reader.offset() == 0u);
  }
}

// One value, one encoding: what the reader takes is what AppendVarint writes.
RC_GTEST_PROP(Varint, IsTakenInItsShortestFormOnly, ()) {
  const auto byte = rc::gen::element<char>('\x00', '\x01', '\x02', '\x7f', '\x80', '\x81', '\xff');
  const auto bytes = *rc::gen::container<std::string>(byte);
  ByteReader reader(bytes);
  const std::optional<std::uint64_t> value = reader.Varint();
  if (value) {
    RC_ASSERT(Varint(*value) == bytes.substr(0, reader.offset()));
  } else {
    RC_ASSERT(reader.offset() == 0u);
  }
}

TEST(Varint, PaddedWithZerosIsRefused) {
  for (const std::string& bytes : {"\x80\x00"s, "\x81\x80\x00"s, "\xff\xff\x00"s,
                                   "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"s}) {
    EXPECT_EQ(ByteReader(bytes).Varint(), std::nullopt);
  }
}

TEST(Varint, Beyond64BitsIsRefused) {
  for (const std::string& bytes :
       {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"s, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"s,
        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81"s,
        "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"s}) {
    ByteReader reader(bytes);
    EXPECT_EQ(reader.Varint(), std::nullopt);
    EXPECT_EQ(reader.offset(), 0u);
  }
}

TEST(Fixed, IsLittleEndian) {
  std::string bytes;
  AppendFixed32(bytes, 0x01020304);
  AppendFixed64(bytes, 0x05060708090a0b0c);
  EXPECT_EQ(bytes, "\x04\x03\x02\x01\x0c\x0b\x0a\x09\x08\x07\x06\x05");
  ByteReader reader(bytes);
  EXPECT_EQ(reader.Fixed<std::uint32_t>(), 0x01020304u);
  EXPECT_EQ(reader.Fixed<std::uint64_t>(), 0x05060708090a0b0cu);
  EXPECT_TRUE(reader.empty());
}

TEST(BigEndian, SortsAsNumbersDo) {
  std::string small, large;
  AppendBigEndian32(small, 0x000000ff);
  AppendBigEndian32(large, 0x00000100);
  EXPECT_EQ(small, "\x00\x00\x00\xff"s);
  EXPECT_LT(small, large);
}

TEST(Fixed, CutShortGivesAndTakesNothing) {
  ByteReader reader("\x01\x02\x03");
  EXPECT_EQ(reader.Fixed<std::uint32_t>(), std::nullopt);
  EXPECT_EQ(reader.Fixed<std::uint64_t>(), std::nullopt);
  EXPECT_EQ(reader.offset(), 0u);
  EXPECT_EQ(reader.Fixed<std::uint8_t>(), 1);
  EXPECT_EQ(reader.rest(), "\x02\x03");
}

RC_GTEST_PROP(Sized, IsReadBackWithNothingMoreTaken, (std::string value, std::string after)) {
  std::string bytes;
  AppendSized(bytes, value);
  bytes += after;
  ByteReader reader(bytes);
  RC_ASSERT(reader.Sized() == value);
  RC_ASSERT(reader.rest() == after);
}

TEST(Sized, WithMoreThanThereIsGivesAndTakesNothing) {
  for (const std::string& bytes :
       {""s, "\x01"s, "\x03xy"s, "\x80"s, "\x80\x00"s,
        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01xy"s}) {  // a length whose sum with the offset
                                                           // wraps
    ByteReader reader(bytes);
    EXPECT_EQ(reader.Sized(), std::nullopt);
    EXPECT_EQ(reader.offset(), 0u);
    EXPECT_EQ(reader.rest(), bytes);
  }
}

TEST(Bytes, WithMoreThanThereIsGivesAndTakesNothing) {
  ByteReader reader("abc");
  EXPECT_EQ(reader.Bytes(4), std::nullopt);
  EXPECT_EQ(reader.Bytes(std::numeric_limits<std::size_t>::max()), std::nullopt);
  EXPECT_EQ(reader.offset(), 0u);
  EXPECT_EQ(reader.Bytes(3), "abc");
  EXPECT_EQ(reader.Bytes(0), "");
  EXPECT_EQ(reader.Bytes(1), std::nullopt);
}

TEST(Counter, IsEightBytesLittleEndianInTwosComplement) {
  EXPECT_EQ(EncodeCounter(1), "\x01\x00\x00\x00\x00\x00\x00\x00"s);
  EXPECT_EQ(EncodeCounter(-2), "\xfe\xff\xff\xff\xff\xff\xff\xff"s);
  EXPECT_EQ(EncodeCounter(std::numeric_limits<std::int64_t>::min()),
            "\x00\x00\x00\x00\x00\x00\x00\x80"s);
}

TEST(Counter, OfAnyOtherSizeIsRefused) {
  for (const std::size_t size : {0, 1, 7, 9, 16}) {
    EXPECT_EQ(DecodeCounter(std::string(size, '\x01')), std::nullopt) << size;
  }
}

RC_GTEST_PROP(Counter, IsReadBack, (std::int64_t value)) {
  RC_ASSERT(DecodeCounter(EncodeCounter(value)) == value);
}

TEST(Counter, Wraps) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(WrappingAdd(most, 1), least);
  EXPECT_EQ(WrappingAdd(least, -1), most);
  EXPECT_EQ(WrappingNegate(least), least);
  EXPECT_EQ(WrappingNegate(most), least + 1);
}

RC_GTEST_PROP(Counter, AddedAndTakenAwayIsUnchanged, (std::int64_t value, std::int64_t delta)) {
  RC_ASSERT(WrappingAdd(WrappingAdd(value, delta), WrappingNegate(delta)) == value);
}

}  // namespace
}  // namespace talea
