// A hash of rows, in the order in which they are given.
#pragma once

#include <memory>
#include <string>

#include "talea/keyspace.h"
#include "talea/reader.h"

namespace talea {

// XXH3 of 128 bits, over the keyspace's name, the key and the value of each row, all with their
// lengths; docs/formats.md has the bytes.
class RowDigest {
 public:
  RowDigest();
  ~RowDigest();

  void Add(const Keyspace& keyspace, const Row& row);
  std::string Hex() const;  // 32 digits, of all rows so far

 private:
  struct State;
  const std::unique_ptr<State> state_;
  std::string buffer_;
};

}  // namespace talea
