#include "histograms/fixed.h"

#include <cstdint>
#include <optional>

#include "base/check.h"
#include "keyspace/tuple_format.h"
#include "talea/key_range.h"
#include "talea/tuple_reader.h"

namespace talea::histograms {
namespace {

bool CountsRawBytes(ByteView bound, std::size_t elements) {
  const auto code = static_cast<std::uint8_t>(bound.front());
  return elements == 1 && (code == tuple_format::kBytes || code == tuple_format::kText);
}

// The first `most` bytes of a string that is packed, or of as much of it as there is. A NUL is
// written as 00 ff, so a bound just behind a whole string (00 for its end, and then ff) is read as
// the string and a NUL: the least that follows it.
std::string RawBytes(ByteView packed, std::size_t most) {
  std::string raw;
  for (std::size_t i = 0; i < packed.size() && raw.size() < most; ++i) {
    if (packed[i] == '\0' && !packed.substr(i + 1).starts_with('\xff')) break;
    raw.push_back(packed[i]);
    if (packed[i] == '\0') ++i;
  }
  return raw;
}

std::string Escaped(ByteView raw) {
  std::string packed;
  for (const char byte : raw) {
    packed.push_back(byte);
    if (byte == '\0') packed.push_back('\xff');
  }
  return packed;
}

// What all bytes begin with that fall into the same prefix as this bound, which is the prefix
// without its last zeros: they may be padding.
std::string CommonBeginning(ByteView bound, std::size_t bytes, std::size_t elements) {
  std::string common = PrefixOf(bound, bytes, elements);
  while (common.size() > 1 && common.back() == '\0') common.pop_back();
  if (!CountsRawBytes(bound, elements)) return common;
  return common.front() + Escaped(ByteView(common).substr(1));
}

// How many of these bytes are a whole value, if they begin with one.
std::optional<std::size_t> LengthOfValue(ByteView bytes, std::size_t elements) {
  TupleReader reader(bytes);
  for (std::size_t i = 0; i < elements; ++i) {
    if (!reader.Skip()) return std::nullopt;
  }
  return reader.offset();
}

}  // namespace

std::string PrefixOf(ByteView bound, std::size_t bytes, std::size_t elements) {
  TALEA_CHECK(!bound.empty());
  const ByteView rest = bound.substr(1);
  std::string prefix(1, bound.front());
  if (CountsRawBytes(bound, elements)) {
    prefix += RawBytes(rest, bytes);
  } else {
    prefix += rest.substr(0, bytes);
  }
  prefix.resize(1 + bytes);
  return prefix;
}

std::string PrefixOfEntry(ByteView value_and_document, std::size_t bytes, std::size_t elements) {
  const std::optional<std::size_t> length = LengthOfValue(value_and_document, elements);
  return PrefixOf(value_and_document.substr(0, length.value_or(ByteView::npos)), bytes, elements);
}

double FractionBefore(ByteView bound, std::size_t bytes, std::size_t elements) {
  const char next = PrefixOf(bound, bytes + 1, elements).back();
  return static_cast<std::uint8_t>(next) / 256.0;
}

bool IsLeastOfItsPrefix(ByteView bound, std::size_t bytes, std::size_t elements) {
  const std::string common = CommonBeginning(bound, bytes, elements);
  if (bound.find_first_not_of('\0', common.size()) != ByteView::npos) return false;
  // All that begins so and is less than the bound is the bound with fewer zeros.
  const std::optional<std::size_t> length = LengthOfValue(bound, elements);
  return !length || *length < common.size() || *length == bound.size();
}

PrefixBounds BoundsOf(ByteView prefix, std::size_t elements) {
  const bool raw = CountsRawBytes(prefix, elements);
  const auto packed = [&](ByteView bytes) {
    return bytes.front() + (raw ? Escaped(bytes.substr(1)) : std::string(bytes.substr(1)));
  };
  ByteView shortest = prefix;
  while (shortest.size() > 1 && shortest.back() == '\0') shortest.remove_suffix(1);
  const std::optional<std::string> after = KeyRange::Prefix(prefix).end();
  return {packed(shortest), after ? std::optional(packed(*after)) : std::nullopt};
}

}  // namespace talea::histograms
