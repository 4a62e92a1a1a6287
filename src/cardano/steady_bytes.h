// Bytes that are put together while a block is read, and stay where they are.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <vector>

#include "talea/bytes.h"

namespace talea::cardano {

// Memory that views may point into for as long as what Release() returns is kept. For one thread.
class SteadyBytes {
 public:
  // A copy of the parts, one behind the other.
  ByteView Join(std::initializer_list<ByteView> parts);

  std::vector<std::unique_ptr<char[]>> Release();

 private:
  char* Allocate(std::size_t size);

  std::vector<std::unique_ptr<char[]>> pieces_;
  char* next_ = nullptr;  // in the newest piece
  std::size_t left_ = 0;  // there
};

}  // namespace talea::cardano
