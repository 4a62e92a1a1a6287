// The head of a CBOR item: what it is, and how much of it follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "talea/bytes.h"

namespace talea::cardano {

enum class CborKind : std::uint8_t {
  unsigned_integer,
  negative_integer,
  bytes,
  text,
  array,
  map,
  tag,
  null,
  other,      // a boolean, a floating-point number, undefined
  stop,       // of what has no length at its front
  end,        // the bytes end before the item does
  malformed,  // no item begins so
};

struct CborHead {
  CborKind kind = CborKind::end;
  bool indefinite = false;  // a string, array or map that goes on until a stop

  // Of an integer (-1 - value of a negative one) or a tag; how many bytes, items or pairs there
  // are; at an end, how many bytes there would have to be at least; the byte that is malformed.
  std::uint64_t value = 0;

  std::size_t size = 0;  // in bytes, those of a string included
};

// The head that the bytes begin with. A count of more items than bytes that are left is an end.
// Tags 6 to 20 in one byte and unassigned simple values, which libcbor does not know and no block
// has, are malformed.
CborHead DecodeHead(ByteView bytes);

std::string_view Name(CborKind kind);        // such as "an array"
std::string Describe(const CborHead& head);  // such as "an array of 3"

}  // namespace talea::cardano
