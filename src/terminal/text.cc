#include "terminal/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace talea {
namespace {

struct Character {
  std::string_view bytes;
  std::uint32_t code;  // or `malformed`
};

constexpr std::uint32_t malformed = 0xffffffff;

std::uint32_t ReadTail(std::string_view bytes, std::uint32_t code) {
  for (const char byte : bytes) {
    if ((static_cast<unsigned char>(byte) & 0xc0) != 0x80) return malformed;
    code = code << 6 | (static_cast<unsigned char>(byte) & 0x3f);
  }
  return code;
}

// The first character of a text that is not empty; a byte that begins none stands for itself.
Character First(std::string_view text) {
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t size = lead < 0x80   ? 1
                           : lead < 0xc2 ? 0
                           : lead < 0xe0 ? 2
                           : lead < 0xf0 ? 3
                                         : 4;
  if (size == 1) return {text.substr(0, 1), lead};
  if (size == 0 || lead > 0xf4 || text.size() < size) return {text.substr(0, 1), malformed};
  const std::uint32_t code = ReadTail(text.substr(1, size - 1), lead & (0x7fU >> size));
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < least[size] || code > 0x10ffff || surrogate) return {text.substr(0, 1), malformed};
  return {text.substr(0, size), code};
}

struct Interval {
  std::uint32_t first;
  std::uint32_t last;
};

// Rough, as terminals are: whole blocks of Unicode rather than a table of each character.
constexpr Interval joined[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x0610, 0x061a},  {0x064b, 0x065f},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},   {0x20d0, 0x20ff},  {0xfe00, 0xfe0f},
    {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0x1f3fb, 0x1f3ff}, {0xe0100, 0xe01ef}};
constexpr Interval wide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xa960, 0xa97f}, {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd}};

template <std::size_t count>
bool IsIn(const Interval (&intervals)[count], std::uint32_t code) {
  const auto* found = std::ranges::lower_bound(intervals, code, {}, &Interval::last);
  return found != std::end(intervals) && found->first <= code;
}

// Characters that turn the direction of writing could make a line say what is not stored.
bool IsControl(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == malformed;
}

std::size_t Width(std::uint32_t code) { return IsIn(joined, code) ? 0 : IsIn(wide, code) ? 2 : 1; }

}  // namespace

std::string Showable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character character = First(text);
    shown += IsControl(character.code) ? "?" : character.bytes;
    text.remove_prefix(character.bytes.size());
  }
  return shown;
}

std::size_t TextWidth(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = First(text);
    width += Width(character.code);
    text.remove_prefix(character.bytes.size());
  }
  return width;
}

std::string CutToWidth(std::string_view text, std::size_t width, const Screen& screen) {
  if (TextWidth(text) <= width) return std::string(text);
  const std::string_view mark = screen.unicode ? "…" : "~";
  if (width == 0) return {};
  std::size_t taken = 0;
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Character character = First(text.substr(bytes));
    if (taken + Width(character.code) > width - 1) break;
    taken += Width(character.code);
    bytes += character.bytes.size();
  }
  return std::string(text.substr(0, bytes)).append(mark);
}

std::string PadRight(std::string_view text, std::size_t width) {
  const std::size_t taken = TextWidth(text);
  return std::string(text).append(taken < width ? width - taken : 0, ' ');
}

std::string PadLeft(std::string_view text, std::size_t width) {
  const std::size_t taken = TextWidth(text);
  return std::string(taken < width ? width - taken : 0, ' ').append(text);
}

}  // namespace talea
