// The outputs that bench/chain_bench.cc writes and reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "talea/bytes.h"
#include "talea/chain_types.h"
#include "talea/testing/random.h"

namespace talea::bench {

inline constexpr std::size_t kKeyBytes = 36;
inline constexpr std::uint16_t kEra = 6;

// Output `number` of all that there will ever be. Its name is spread over the whole range of keys,
// as a hash is.
OutputReference ReferenceTo(std::uint64_t number);

// The bytes of a row: the key, and the value with its era. Three fifths of the value are an
// address, which no compression makes smaller; the rest is alike in all of them.
void AppendKey(std::string& bytes, std::uint64_t number);
void AppendValue(std::string& bytes, std::uint64_t number, std::size_t value_bytes);

// Rows of outputs in memory, one after the other.
class OutputRows {
 public:
  // The outputs with these numbers, in this order; their values are of `value_bytes`, era included.
  OutputRows(const std::vector<std::uint64_t>& numbers, std::size_t value_bytes);
  // The first `count`, in the order of their keys.
  static OutputRows Sorted(std::size_t count, std::size_t value_bytes);
  // The first `count`, in the order of their numbers: in none.
  static OutputRows Unsorted(std::size_t count, std::size_t value_bytes);
  // The same, but each `batch` of them in the order of keys: as blocks come, of which each is
  // sorted before it is written.
  static OutputRows SortedInBatches(std::size_t count, std::size_t value_bytes, std::size_t batch);

  std::size_t size() const { return bytes_.size() / row_bytes_; }
  ByteView key(std::size_t row) const { return Bytes(row).substr(0, kKeyBytes); }
  ByteView value(std::size_t row) const { return Bytes(row).substr(kKeyBytes); }
  OutputReference reference(std::size_t row) const;
  Output output(std::size_t row) const;

 private:
  ByteView Bytes(std::size_t row) const {
    return ByteView(bytes_).substr(row * row_bytes_, row_bytes_);
  }

  std::size_t row_bytes_;
  std::string bytes_;
};

// A number for an output, by which two sides compare what they have read.
std::uint64_t WeighOutput(ByteView transaction, ByteView cbor);
// The same for a row; 0 for one that is no output.
std::uint64_t WeighRow(ByteView key, ByteView value);

// Where the chain is after so many blocks; nowhere yet after none.
Cursor CursorAfter(std::uint64_t blocks);

// A UTxO set as it changes: every block spends some outputs, each any one that is there, and makes
// as many new ones.
class UtxoWorkload {
 public:
  UtxoWorkload(std::uint64_t outputs, std::uint64_t seed);

  struct Batch {
    std::vector<std::uint64_t> consumed;
    std::vector<std::uint64_t> produced;
  };
  Batch Next(std::size_t size);

  std::uint64_t outputs() const { return unspent_.size(); }

 private:
  std::vector<std::uint32_t> unspent_;
  std::uint32_t next_;
  Random random_;
};

}  // namespace talea::bench
