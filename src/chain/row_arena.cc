#include "chain/row_arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "base/check.h"
#include "base/coding.h"

namespace talea::chain {
namespace {

constexpr std::size_t kHugePage = 2 << 20;
constexpr std::size_t kBlockBytes = 4 << 20;
constexpr std::size_t kWorthAThread = 1 << 16;  // rows
constexpr std::size_t kRowsAhead = 12;          // that are on their way to the cache
constexpr std::size_t kCacheLine = 64;

}  // namespace

bool RowArena::Entry::operator<(const Entry& other) const {
  if (prefix != other.prefix) return prefix < other.prefix;
  return UnpackRow(packed).key < UnpackRow(other.packed).key;
}

void RowArena::Add(ByteView key, ByteView value) {
  TALEA_CHECK(key.size() <= UINT32_MAX && value.size() <= UINT32_MAX);
  char* packed = Allocate(kPackedHeadBytes + key.size() + value.size());
  const std::uint32_t lengths[2] = {static_cast<std::uint32_t>(key.size()),
                                    static_cast<std::uint32_t>(value.size())};
  std::memcpy(packed, lengths, sizeof lengths);
  key.copy(packed + kPackedHeadBytes, key.size());
  value.copy(packed + kPackedHeadBytes + key.size(), value.size());
  entries_.push_back({LeadingNumber(key), packed});
}

void RowArena::Free::operator()(char* bytes) const { std::free(bytes); }

// In huge pages where the system has them: to get memory in small ones takes as long as to sort.
RowArena::Block RowArena::MakeBlock(std::size_t bytes) {
  const std::size_t size = (std::max(bytes, kBlockBytes) + kHugePage - 1) / kHugePage * kHugePage;
  Block block{{static_cast<char*>(std::aligned_alloc(kHugePage, size)), {}}, size};
  TALEA_CHECK(block.bytes != nullptr);
  ::madvise(block.bytes.get(), size, MADV_HUGEPAGE);
  return block;
}

char* RowArena::Allocate(std::size_t bytes) {
  while (current_ < blocks_.size() && blocks_[current_].size - used_ < bytes) {
    ++current_;
    used_ = 0;
  }
  if (current_ == blocks_.size()) {
    blocks_.push_back(MakeBlock(bytes));
  }
  char* allocated = blocks_[current_].bytes.get() + used_;
  used_ += bytes;
  row_bytes_ += bytes;
  return allocated;
}

void RowArena::Sort() {
  const auto middle = entries_.begin() + static_cast<std::ptrdiff_t>(entries_.size() / 2);
  if (entries_.size() < kWorthAThread || std::thread::hardware_concurrency() < 2) {
    return std::sort(entries_.begin(), entries_.end());
  }
  std::nth_element(entries_.begin(), middle, entries_.end());
  std::jthread other;
  try {
    other = std::jthread([&] { std::sort(entries_.begin(), middle); });
  } catch (const std::system_error&) {  // no more threads: then one after the other
    std::sort(entries_.begin(), middle);
  }
  std::sort(middle, entries_.end());
}

const char* RowArena::At(std::size_t place) const {
  if (place + kRowsAhead < entries_.size()) {
    const char* ahead = entries_[place + kRowsAhead].packed;
    __builtin_prefetch(ahead);
    __builtin_prefetch(ahead + kCacheLine);
    __builtin_prefetch(ahead + 2 * kCacheLine);
  }
  return entries_[place].packed;
}

ByteView RowArena::Packed(std::size_t place) const {
  const char* packed = At(place);
  const Row row = UnpackRow(packed);
  return {packed, kPackedHeadBytes + row.key.size() + row.value.size()};
}

void RowArena::Clear() {
  entries_.clear();
  current_ = used_ = row_bytes_ = 0;
}

}  // namespace talea::chain
