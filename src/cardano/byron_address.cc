#include "cardano/byron_address.h"

#include <fmt/format.h>

#include <boost/crc.hpp>
#include <cstdint>

#include "cardano/cbor_cursor.h"
#include "cardano/steady_bytes.h"

namespace talea::cardano {
namespace {

constexpr std::uint64_t kEncodedCbor = 24;
constexpr ByteView kStart = "\x82\xd8\x18";  // an array of two, the first of them tagged 24

std::uint32_t Crc32(ByteView bytes) {
  boost::crc_32_type sum;
  sum.process_bytes(bytes.data(), bytes.size());
  return sum.checksum();
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
