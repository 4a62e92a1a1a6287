// Writes CBOR for tests: each function returns the bytes of an item.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "talea/bytes.h"

namespace talea::cardano {

// How arrays, maps and strings are written: with their length, or with a stop at their end.
enum class CborLengths { definite, indefinite };

class CborWriter {
 public:
  explicit CborWriter(CborLengths lengths = CborLengths::definite) : lengths_(lengths) {}

  std::string Unsigned(std::uint64_t value) const { return Head(0, value); }
  std::string Null() const { return "\xf6"; }
  std::string Tagged(std::uint64_t tag, const std::string& item) const {
    return Head(6, tag) + item;
  }

  // In two chunks, if it is without a length.
  std::string Bytes(ByteView bytes) const {
    if (lengths_ == CborLengths::definite) return Head(2, bytes.size()) + std::string(bytes);
    const std::size_t half = bytes.size() / 2;
    return "\x5f" + Head(2, half) + std::string(bytes.substr(0, half)) +
           Head(2, bytes.size() - half) + std::string(bytes.substr(half)) + "\xff";
  }

  std::string Text(ByteView text) const { return Head(3, text.size()) + std::string(text); }

  std::string Array(const std::vector<std::string>& items) const {
    return Container(4, items.size(), Joined(items));
  }

  std::string Map(const std::vector<std::pair<std::string, std::string>>& pairs) const {
    std::string joined;
    for (const auto& [key, value] : pairs) joined += key + value;
    return Container(5, pairs.size(), joined);
  }

  static std::string Head(unsigned kind, std::uint64_t value) {
    std::string head;
    if (value < 24) {
      head.push_back(static_cast<char>(kind << 5 | value));
    } else if (value < 0x100) {
      head = {static_cast<char>(kind << 5 | 24), static_cast<char>(value)};
    } else if (value < 0x1'0000) {
      head.push_back(static_cast<char>(kind << 5 | 25));
      AppendBigEndian16(head, static_cast<std::uint16_t>(value));
    } else {
      head.push_back(static_cast<char>(kind << 5 | 27));
      AppendBigEndian64(head, value);
    }
    return head;
  }

 private:
  static std::string Joined(const std::vector<std::string>& items) {
    std::string joined;
    for (const std::string& item : items) joined += item;
    return joined;
  }

  std::string Container(unsigned kind, std::size_t count, const std::string& inside) const {
    if (lengths_ == CborLengths::definite) return Head(kind, count) + inside;
    return std::string(1, static_cast<char>(kind << 5 | 31)) + inside + "\xff";
  }

  CborLengths lengths_;
};

}  // namespace talea::cardano
