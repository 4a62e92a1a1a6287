// Bytes that other implementations of the format write, which ours must write and read too.
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <limits>
#include <sstream>

#include "keyspace/tuple_testing.h"
#include "talea/tuple.h"

namespace talea {
namespace {

using testing::FromHex;
using testing::PackedHex;

constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

struct Golden {
  Tuple tuple;
  std::string_view hex;
};

void ExpectAll(std::initializer_list<Golden> goldens) {
  for (const Golden& golden : goldens) {
    const std::string packed = FromHex(golden.hex);
    EXPECT_EQ(PackedHex(golden.tuple), testing::ToHex(packed)) << golden.tuple;
    EXPECT_EQ(Unpack(packed), golden.tuple) << golden.hex;
  }
}

Element PowerOfTwo(unsigned exponent, bool negative = false) {
  std::string magnitude(exponent / 8 + 1, '\0');
  magnitude.front() = static_cast<char>(1 << (exponent % 8));
  return *BigInteger::FromMagnitude(negative, magnitude);
}

// The "test case" of each type in FoundationDB's design/tuple.md.
TEST(TupleGolden, ExamplesOfFoundationDbsDesignDocument) {
  ExpectAll({
      {{Bytes(FromHex("66 6f 6f 00 62 61 72"))}, "01 66 6f 6f 00 ff 62 61 72 00"},
      {{Text(FromHex("46 c3 94 4f 00 62 61 72"))}, "02 46 c3 94 4f 00 ff 62 61 72 00"},
      {{Element(Tuple{Bytes(FromHex("66 6f 6f 00 62 61 72")), nullptr, Tuple{}})},
       "05 01 66 6f 6f 00 ff 62 61 72 00 00 ff 05 00 00"},
      {{Element(Tuple{})}, "05 00"},
      {{Element(Tuple{nullptr})}, "05 00 ff 00"},
      {{-5551212}, "11 ab 4b 93"},
      {{-1}, "13 fe"},
      {{-42.0f}, "20 3d d7 ff ff"},
  });
}

// serializedForms() of the Java binding's TupleSerializationTest.
TEST(TupleGolden, IntegersOfTheJavaBindingsTests) {
  ExpectAll({
      {{}, ""},
      {{0}, "14"},
      {{1}, "15 01"},
      {{255}, "15 ff"},
      {{-255}, "13 00"},
      {{256}, "16 01 00"},
      {{-256}, "12 fe ff"},
      {{65536}, "17 01 00 00"},
      {{-65536}, "11 fe ff ff"},
      {{0x3019}, "16 30 19"},
      {{-((std::int64_t{1} << 32) - 1)}, "10 00 00 00 00"},
      {{kInt64Max}, "1c 7f ff ff ff ff ff ff ff"},
      {{std::uint64_t{1} << 63}, "1c 80 00 00 00 00 00 00 00"},
      {{~std::uint64_t{0}}, "1c ff ff ff ff ff ff ff ff"},
      {{PowerOfTwo(64)}, "1d 09 01 00 00 00 00 00 00 00 00"},
      {{kInt64Min + 2}, "0c 80 00 00 00 00 00 00 01"},
      {{kInt64Min + 1}, "0c 80 00 00 00 00 00 00 00"},
      {{kInt64Min}, "0c 7f ff ff ff ff ff ff ff"},
      {{*BigInteger::FromDecimal("-9223372036854775809")}, "0c 7f ff ff ff ff ff ff fe"},
      {{*BigInteger::FromDecimal("-18446744073709551615")}, "0c 00 00 00 00 00 00 00 00"},
      {{PowerOfTwo(64, true)}, "0b f6 fe ff ff ff ff ff ff ff ff"},
  });
}

TEST(TupleGolden, FloatsOfTheJavaBindingsTests) {
  const float float_infinity = std::numeric_limits<float>::infinity();
  const double infinity = std::numeric_limits<double>::infinity();
  ExpectAll({
      {{3.14f}, "20 c0 48 f5 c3"},
      {{-3.14f}, "20 3f b7 0a 3c"},
      {{3.14}, "21 c0 09 1e b8 51 eb 85 1f"},
      {{-3.14}, "21 3f f6 e1 47 ae 14 7a e0"},
      {{0.0f}, "20 80 00 00 00"},
      {{-0.0f}, "20 7f ff ff ff"},
      {{0.0}, "21 80 00 00 00 00 00 00 00"},
      {{-0.0}, "21 7f ff ff ff ff ff ff ff"},
      {{float_infinity}, "20 ff 80 00 00"},
      {{-float_infinity}, "20 00 7f ff ff"},
      {{infinity}, "21 ff f0 00 00 00 00 00 00"},
      {{-infinity}, "21 00 0f ff ff ff ff ff ff"},
      {{std::bit_cast<float>(0x7fffffffu)}, "20 ff ff ff ff"},
      {{std::bit_cast<float>(~0u)}, "20 00 00 00 00"},
      {{std::bit_cast<double>(~0ull >> 1)}, "21 ff ff ff ff ff ff ff ff"},
      {{std::bit_cast<double>(~0ull)}, "21 00 00 00 00 00 00 00 00"},
  });
}

TEST(TupleGolden, StringsAndTheRestOfTheJavaBindingsTests) {
  ExpectAll({
      {{Bytes("")}, "01 00"},
      {{Bytes("\x01\x02\x03")}, "01 01 02 03 00"},
      {{Bytes(FromHex("00 00 00 04"))}, "01 00 ff 00 ff 00 ff 04 00"},
      {{""}, "02 00"},
      {{"hello"}, "02 68 65 6c 6c 6f 00"},
      {{"\u4e2d\u6587"}, "02 e4 b8 ad e6 96 87 00"},
      {{"\u03bc\u03ac\u03b8\u03b7\u03bc\u03b1"}, "02 ce bc ce ac ce b8 ce b7 ce bc ce b1 00"},
      {{"\U0001f525"}, "02 f0 9f 94 a5 00"},
      {{"\U0010ffff"}, "02 f4 8f bf bf 00"},
      {{Element(Tuple{nullptr, "hello"})}, "05 00 ff 02 68 65 6c 6c 6f 00 00"},
      {{Element(Tuple{nullptr, Text(FromHex("68 65 6c 6c 00"))})},
       "05 00 ff 02 68 65 6c 6c 00 ff 00 00"},
      {{Tuple{nullptr}, "hello", Bytes(FromHex("01 00")), Bytes("")},
       "05 00 ff 00 02 68 65 6c 6c 6f 00 01 01 00 ff 00 01 00"},
      {{*Uuid::Parse("ffffffff-ba5e-ba11-0000-00005ca1ab1e")},
       "30 ff ff ff ff ba 5e ba 11 00 00 00 00 5c a1 ab 1e"},
      {{false}, "26"},
      {{true}, "27"},
  });
}

// testdata/tuples.golden of the Go binding: the cases Simple, Namespaces and UUIDs
// (shortened), and the valid ones of NilCases.
TEST(TupleGolden, TuplesOfTheGoBindingsTests) {
  const Uuid uuid = *Uuid::Parse("1100aabb-ccdd-eeff-1100-aabbccddeeff");
  ExpectAll({
      {{uuid, "foobarbaz", 1234, nullptr},
       "30 1100aabbccddeeff1100aabbccddeeff 02 666f6f62617262617a 00 16 04d2 00"},
      {{uuid, "github", "com", "apple", "foundationdb", "tree"},
       "30 1100aabbccddeeff1100aabbccddeeff 02 676974687562 00 02 636f6d 00 02 6170706c65 00"
       "02 666f756e646174696f6e6462 00 02 74726565 00"},
      {{uuid, true, uuid, false},
       "30 1100aabbccddeeff1100aabbccddeeff 27 30 1100aabbccddeeff1100aabbccddeeff 26"},
      {{Text(FromHex("00")), Text(FromHex("00 00 00")), ""}, "02 00ff 00 02 00ff00ff00ff 00 02 00"},
  });
}

// malformedSequences() of the Java binding's TuplePackingTest.
TEST(TupleGolden, MalformedBytesOfTheJavaBindingsTestsAreRefused) {
  for (const std::string_view hex :
       {"01 de ad c0 de", "01 de ad 00 ff c0 de", "02 68 65 6c 6c 6f", "02 68 65 6c 00 ff 6c 6f",
        "02 75 74 66 08 80 00", "02 75 74 66 08 c0 01 00", "02 75 74 66 10 ed a0 bd 00",
        "02 75 74 66 10 ed b4 a5 00", "02 75 74 66 10 ed a0 bd ed b4 a5 00",
        "05 02 68 65 6c 6c 6f 00", "05 02 68 65 6c 6c 6f 00 00 ff 02 74 68 65 72 65 00", "16 01",
        "12 01", "1d 09 01 02 03 04 05 06 07 08", "0b f6 01 02 03 04 05 06 07 08", "20 01 02 03",
        "21 01 02 03 04 05 06 07", "30 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e", "ff"}) {
    const Result<Tuple> unpacked = Unpack(FromHex(hex));
    ASSERT_FALSE(unpacked) << hex;
    EXPECT_EQ(unpacked.error().code(), ErrorCode::corruption) << hex;
  }
}

// Reads the elements of a line of tuple_golden.txt, up to the end or a closing parenthesis.
Tuple ReadElements(std::istringstream& words) {
  const auto integer = [](std::string_view hex) {
    return std::stoull(std::string(hex), nullptr, 16);
  };
  Tuple tuple;
  for (std::string word; words >> word && word != ")";) {
    const std::size_t colon = word.find(':');
    const std::string kind = word.substr(0, colon);
    const std::string value = colon == std::string::npos ? "" : word.substr(colon + 1);
    if (kind == "(")
      tuple.push_back(ReadElements(words));
    else if (kind == "null")
      tuple.push_back(nullptr);
    else if (kind == "true" || kind == "false")
      tuple.push_back(kind == "true");
    else if (kind == "bytes")
      tuple.push_back(Bytes(FromHex(value)));
    else if (kind == "text")
      tuple.push_back(Text(FromHex(value)));
    else if (kind == "int")
      tuple.push_back(BigInteger::FromDecimal(value).value());
    else if (kind == "float")
      tuple.push_back(std::bit_cast<float>(std::uint32_t(integer(value))));
    else if (kind == "double")
      tuple.push_back(std::bit_cast<double>(std::uint64_t{integer(value)}));
    else if (kind == "uuid")
      tuple.push_back(Uuid::Parse(value).value());
    else
      ADD_FAILURE() << "unknown word " << word;
  }
  return tuple;
}

// The file was written by the Python binding, in its order; see its first lines.
TEST(TupleGolden, EveryTupleOfThePythonBindingHasTheSameBytesAndTheSamePlace) {
  std::ifstream file("src/keyspace/testdata/tuple_golden.txt");
  ASSERT_TRUE(file) << "run from the root of the repository";
  std::size_t count = 0;
  Tuple previous;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t equals = line.find('=');
    ASSERT_NE(equals, std::string::npos) << line;
    const std::string packed = FromHex(line.substr(0, equals));
    std::istringstream words(line.substr(equals + 1));
    const Tuple tuple = ReadElements(words);
    EXPECT_EQ(PackedHex(tuple), testing::ToHex(packed)) << line;
    EXPECT_EQ(Unpack(packed), tuple) << line;
    EXPECT_TRUE(count == 0 || previous < tuple) << line;
    previous = tuple;
    ++count;
  }
  EXPECT_EQ(count, 474u);
}

}  // namespace
}  // namespace talea
