// Rows in memory, in the order of their keys.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "talea/reader.h"

namespace talea::chain {

// A row in one piece: the lengths of key and value, 4 bytes each in the machine's order, and both.
inline constexpr std::size_t kPackedHeadBytes = 8;

inline Row UnpackRow(const char* packed) {
  std::uint32_t lengths[2];
  std::memcpy(lengths, packed, sizeof lengths);
  const char* key = packed + kPackedHeadBytes;
  return {{key, lengths[0]}, {key + lengths[0], lengths[1]}};
}

// Collects rows, and then sorts them.
class RowArena {
 public:
  void Add(ByteView key, ByteView value);

  // About what it takes of memory.
  std::size_t bytes() const { return row_bytes_ + entries_.size() * 2 * sizeof(Entry); }
  std::size_t size() const { return entries_.size(); }

  // By key; those of equal keys in any order. Uses two threads where it is worth it.
  void Sort();

  // The row at this place of the order, as it is packed and as it is meant. Whoever goes from one
  // to the next finds those that follow in the processor's cache.
  ByteView Packed(std::size_t place) const;
  Row operator[](std::size_t place) const { return UnpackRow(At(place)); }

  void Clear();  // keeps the memory

 private:
  struct Entry {
    std::uint64_t prefix;
    const char* packed;
    bool operator<(const Entry& other) const;
  };
  struct Free {
    void operator()(char* bytes) const;
  };
  struct Block {
    std::unique_ptr<char[], Free> bytes;
    std::size_t size;
  };

  static Block MakeBlock(std::size_t bytes);
  char* Allocate(std::size_t bytes);
  const char* At(std::size_t place) const;

  std::vector<Block> blocks_;
  std::size_t current_ = 0;  // the block that is being filled
  std::size_t used_ = 0;     // of it
  std::size_t row_bytes_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace talea::chain
