#include "bench/chain_data.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include "base/check.h"
#include "base/coding.h"

namespace talea::bench {
namespace {

constexpr std::uint64_t kValueSeed = 0x5eed;

}  // namespace

OutputReference ReferenceTo(std::uint64_t number) {
  OutputReference reference{.transaction = {}, .index = static_cast<std::uint32_t>(number % 2)};
  Random random(number);
  for (std::size_t word = 0; word < reference.transaction.bytes.size(); word += 8) {
    const std::uint64_t bytes = random.Next();
    std::memcpy(reference.transaction.bytes.data() + word, &bytes, sizeof bytes);
  }
  return reference;
}

void AppendKey(std::string& bytes, std::uint64_t number) {
  const OutputReference reference = ReferenceTo(number);
  bytes.append(reference.transaction.view());
  AppendBigEndian32(bytes, reference.index);
}

void AppendValue(std::string& bytes, std::uint64_t number, std::size_t value_bytes) {
  TALEA_CHECK(value_bytes >= sizeof kEra);
  const std::size_t end = bytes.size() + value_bytes;
  bytes.push_back(static_cast<char>(kEra >> 8));
  bytes.push_back(static_cast<char>(kEra & 0xff));
  Random random(number ^ kValueSeed);
  for (std::size_t left = value_bytes * 3 / 5; left > 0; left -= std::min<std::size_t>(8, left)) {
    const std::uint64_t word = random.Next();
    bytes.append(reinterpret_cast<const char*>(&word), std::min<std::size_t>(8, left));
  }
  bytes.resize(end, '\x18');
}

OutputRows::OutputRows(const std::vector<std::uint64_t>& numbers, std::size_t value_bytes)
    : row_bytes_(kKeyBytes + value_bytes) {
  bytes_.reserve(numbers.size() * row_bytes_);
  for (const std::uint64_t number : numbers) {
    AppendKey(bytes_, number);
    AppendValue(bytes_, number, value_bytes);
  }
}

OutputRows OutputRows::Sorted(std::size_t count, std::size_t value_bytes) {
  return SortedInBatches(count, value_bytes, count);
}

OutputRows OutputRows::Unsorted(std::size_t count, std::size_t value_bytes) {
  return SortedInBatches(count, value_bytes, 1);
}

OutputRows OutputRows::SortedInBatches(std::size_t count, std::size_t value_bytes,
                                       std::size_t batch) {
  std::vector<std::uint64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (std::size_t first = 0; batch > 1 && first < count; first += batch) {
    const std::span some = std::span(numbers).subspan(first, std::min(batch, count - first));
    std::ranges::sort(some, {}, ReferenceTo);
  }
  return {numbers, value_bytes};
}

OutputReference OutputRows::reference(std::size_t row) const {
  OutputReference reference;
  const char* bytes = key(row).data();
  std::memcpy(reference.transaction.bytes.data(), bytes, reference.transaction.bytes.size());
  reference.index = LoadBigEndian32(bytes + reference.transaction.bytes.size());
  return reference;
}

Output OutputRows::output(std::size_t row) const {
  return {.reference = reference(row), .era = kEra, .cbor = value(row).substr(sizeof kEra)};
}

std::uint64_t WeighOutput(ByteView transaction, ByteView cbor) {
  if (transaction.size() < 8 || cbor.size() < 8) return 0;
  return LoadLittleEndian<std::uint64_t>(transaction.data()) * 31 +
         LoadLittleEndian<std::uint64_t>(cbor.data()) + cbor.size();
}

std::uint64_t WeighRow(ByteView key, ByteView value) {
  if (value.size() < sizeof kEra) return 0;
  return WeighOutput(key, value.substr(sizeof kEra));
}

Cursor CursorAfter(std::uint64_t blocks) {
  if (blocks == 0) return std::nullopt;
  constexpr std::uint64_t kSlotsPerBlock = 20;
  return ChainPoint::Of(kSlotsPerBlock * blocks, ReferenceTo(~blocks).transaction);
}

UtxoWorkload::UtxoWorkload(std::uint64_t outputs, std::uint64_t seed)
    : unspent_(outputs), next_(static_cast<std::uint32_t>(outputs)), random_(seed) {
  std::iota(unspent_.begin(), unspent_.end(), 0);
}

UtxoWorkload::Batch UtxoWorkload::Next(std::size_t size) {
  Batch batch;
  for (std::size_t i = 0; i < size; ++i) {
    std::uint32_t& chosen = unspent_[random_.Below(unspent_.size())];
    batch.consumed.push_back(chosen);
    chosen = unspent_.back();
    unspent_.pop_back();
  }
  for (std::size_t i = 0; i < size; ++i) {
    batch.produced.push_back(next_);
    unspent_.push_back(next_++);
  }
  return batch;
}

}  // namespace talea::bench
