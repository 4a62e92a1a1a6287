// Fixed and variable-length integers in bytes, and a reader that trusts no length it is given.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "talea/bytes.h"

namespace talea {

static_assert(std::endian::native == std::endian::little,
              "fixed-width integers are copied as they are");

inline void AppendFixed32(std::string& out, std::uint32_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline void AppendFixed64(std::string& out, std::uint64_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class Integer>
Integer LoadLittleEndian(const char* from) {
  Integer value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline void AppendBigEndian32(std::string& out, std::uint32_t value) {
  AppendFixed32(out, __builtin_bswap32(value));
}

inline std::uint32_t LoadBigEndian32(const char* from) {
  return __builtin_bswap32(LoadLittleEndian<std::uint32_t>(from));
}

inline void AppendBigEndian16(std::string& out, std::uint16_t value) {
  out.push_back(static_cast<char>(value >> 8));
  out.push_back(static_cast<char>(value));
}

inline std::uint16_t LoadBigEndian16(const char* from) {
  return __builtin_bswap16(LoadLittleEndian<std::uint16_t>(from));
}

inline void AppendBigEndian64(std::string& out, std::uint64_t value) {
  AppendFixed64(out, __builtin_bswap64(value));
}

inline std::uint64_t LoadBigEndian64(const char* from) {
  return __builtin_bswap64(LoadLittleEndian<std::uint64_t>(from));
}

// What decides between most keys: their first 8 bytes as a number, zeros where they are shorter.
inline std::uint64_t LeadingNumber(ByteView key) {
  std::uint64_t number = 0;
  if (!key.empty()) std::memcpy(&number, key.data(), std::min(key.size(), sizeof number));
  return __builtin_bswap64(number);
}

// 7 bits a byte, low ones first; the high bit says that another byte follows.
inline void AppendVarint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

// A length and then so many bytes.
inline void AppendSized(std::string& out, ByteView bytes) {
  AppendVarint(out, bytes.size());
  out.append(bytes);
}

// A counter as it is stored: 8 bytes, little-endian, two's complement.
inline std::string EncodeCounter(std::int64_t value) {
  std::string bytes;
  AppendFixed64(bytes, static_cast<std::uint64_t>(value));
  return bytes;
}

inline std::optional<std::int64_t> DecodeCounter(ByteView bytes) {
  if (bytes.size() != sizeof(std::int64_t)) return std::nullopt;
  return LoadLittleEndian<std::int64_t>(bytes.data());
}

// Counters wrap, as two's complement does.
inline std::int64_t WrappingAdd(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

inline std::int64_t WrappingNegate(std::int64_t value) {
  return static_cast<std::int64_t>(-static_cast<std::uint64_t>(value));
}

// Takes values off the front of untrusted bytes. Each call answers nothing, and takes nothing,
// where the bytes end too early or the value is not in its one shortest form.
class ByteReader {
 public:
  explicit ByteReader(ByteView bytes) : rest_(bytes), size_(bytes.size()) {}

  bool empty() const { return rest_.empty(); }
  ByteView rest() const { return rest_; }
  std::size_t offset() const { return size_ - rest_.size(); }

  std::optional<ByteView> Bytes(std::size_t count) {
    if (count > rest_.size()) return std::nullopt;
    const ByteView taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  template <class Integer>
  std::optional<Integer> Fixed() {
    const std::optional<ByteView> bytes = Bytes(sizeof(Integer));
    if (!bytes) return std::nullopt;
    return LoadLittleEndian<Integer>(bytes->data());
  }

  std::optional<std::uint64_t> Varint();

  std::optional<ByteView> Sized() {
    const ByteView before = rest_;
    const std::optional<std::uint64_t> size = Varint();
    if (size && *size <= rest_.size()) return Bytes(*size);
    rest_ = before;
    return std::nullopt;
  }

 private:
  ByteView rest_;
  std::size_t size_;
};

}  // namespace talea
