#include "cardano/steady_bytes.h"

#include <algorithm>
#include <utility>

namespace talea::cardano {
namespace {

constexpr std::size_t kPieceBytes = 4096;

}  // namespace

ByteView SteadyBytes::Join(std::initializer_list<ByteView> parts) {
  std::size_t size = 0;
  for (const ByteView part : parts) size += part.size();
  char* const joined = Allocate(size);
  char* end = joined;
  for (const ByteView part : parts) end = std::ranges::copy(part, end).out;
  return {joined, size};
}

char* SteadyBytes::Allocate(std::size_t size) {
  if (size > left_) {
    left_ = std::max(size, kPieceBytes);
    pieces_.push_back(std::make_unique_for_overwrite<char[]>(left_));
    next_ = pieces_.back().get();
  }
  left_ -= size;
  return std::exchange(next_, next_ + size);
}

std::vector<std::unique_ptr<char[]>> SteadyBytes::Release() {
  next_ = nullptr;
  left_ = 0;
  return std::exchange(pieces_, {});
}

}  // namespace talea::cardano
