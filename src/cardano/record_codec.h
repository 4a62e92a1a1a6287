// CBOR by libcbor, as far as records use it: unsigned numbers, bytes, truth values, null, and
// arrays of a known length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "talea/bytes.h"
#include "talea/chain_types.h"

namespace talea::cardano {

class RecordWriter {
 public:
  explicit RecordWriter(std::string& out) : out_(out) { out_.clear(); }

  void Array(std::size_t size);
  void Number(std::uint64_t number);
  void Hash(const Bytes32& hash);
  void Truth(bool truth);
  void Null();

 private:
  std::string& out_;
};

// Takes elements off the front of untrusted bytes. Each call answers nothing where the next element
// is another one, or cut.
class RecordReader {
 public:
  explicit RecordReader(ByteView bytes) : bytes_(bytes) {}

  std::optional<std::uint64_t> Array();
  std::optional<std::uint64_t> Number();
  std::optional<Bytes32> Hash();
  std::optional<bool> Truth();
  bool Null();

  std::size_t offset() const { return offset_; }

 private:
  struct Element;
  template <class Take>
  auto Next(Take take);

  ByteView bytes_;
  std::size_t offset_ = 0;
};

}  // namespace talea::cardano
