// Byte strings. Keys and values are arbitrary bytes, compared as unsigned bytes, the shorter first.
#pragma once

#include <string>
#include <string_view>

namespace talea {

// Bytes that somebody else owns. The owner must outlive the call it is passed to, and no longer.
using ByteView = std::string_view;

// The first key that follows every key that starts with `prefix`; empty when there is none, which
// is so for the empty prefix and for one of only 0xff bytes.
std::string PrefixSuccessor(ByteView prefix);

// The first key that follows `key`.
std::string KeySuccessor(ByteView key);

// Bytes for a message to a person: quoted, escaped where not printable, cut where long.
std::string Quoted(ByteView bytes);

}  // namespace talea
