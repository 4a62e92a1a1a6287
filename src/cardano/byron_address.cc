#include "cardano/byron_address.h"

#include <fmt/format.h>

#include <cstdint>

#include "cardano/cbor_cursor.h"
#include "cardano/steady_bytes.h"

namespace talea::cardano {
namespace {

constexpr std::uint64_t kEncodedCbor = 24;
constexpr ByteView kStart = "\x82\xd8\x18";  // an array of two, the first of them tagged 24

// CRC-32 as zlib has it, bit by bit: there is one short address to check, once.
std::uint32_t Crc32(ByteView bytes) {
  constexpr std::uint32_t kPolynomial = 0xedb88320;
  std::uint32_t sum = ~std::uint32_t{0};
  for (const char c : bytes) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? kPolynomial : 0);
  }
  return ~sum;
}

}  // namespace

bool BeginsAsByronAddress(ByteView bytes) { return bytes.starts_with(kStart); }

Status CheckByronAddress(ByteView address) {
  SteadyBytes joined;
  CborCursor cursor(address, joined);
  const CborItems fields = TALEA_TRY(cursor.Record("the address", 2));
  TALEA_TRY(cursor.Tag("the address", kEncodedCbor));
  const std::uint64_t right = Crc32(TALEA_TRY(cursor.Bytes("the address")));
  const std::size_t begin = cursor.offset();
  const std::uint64_t found = TALEA_TRY(cursor.Unsigned("the address's checksum"));
  TALEA_TRY(cursor.Close(fields));
  TALEA_TRY(cursor.CheckEnd("the address"));
  if (found == right) return {};
  return cursor.Wrong(begin, fmt::format("expected the checksum {:08x} of what stands before it, "
                                         "found {:08x}: a character is wrong",
                                         right, found));
}

}  // namespace talea::cardano
