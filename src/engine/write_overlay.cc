#include "engine/write_overlay.h"

#include <algorithm>

#include "base/coding.h"

namespace talea {
namespace {

bool EndsBefore(const std::optional<std::string>& end, ByteView key) { return end && *end < key; }

}  // namespace

void KeyspaceOverlay::Put(ByteView key, ByteView value, bool inserted) {
  const bool zero = keyspace_->pattern == AccessPattern::counter && DecodeCounter(value) == 0;
  if (zero) return Erase(key);
  Write& write = Touch(key);
  Count(write, kOut);
  if (write.value.size() >= value.size() && write.kind == Kind::put) {
    value.copy(const_cast<char*>(write.value.data()), value.size());
    write.value = write.value.substr(0, value.size());
  } else {
    write.value = Keep(value);
  }
  write.inserted = inserted && write.kind == Kind::dropped;
  write.kind = Kind::put;
  Count(write, kIn);
}

void KeyspaceOverlay::Erase(ByteView key) {
  Write& write = Touch(key);
  Count(write, kOut);
  write.kind = Kind::erase;
  write.inserted = false;
  Count(write, kIn);
}

void KeyspaceOverlay::Add(ByteView key, std::int64_t delta) {
  const Write* known = Find(key);
  if (known == nullptr && !Erased(key)) {
    Write& write = Touch(key);
    write.kind = Kind::add;
    write.delta = delta;
    return Count(write, kIn);
  }
  if (known != nullptr && known->kind == Kind::add) {
    Write& write = Touch(key);
    write.delta = WrappingAdd(write.delta, delta);
    return;
  }
  const std::int64_t base =
      known && known->kind == Kind::put ? DecodeCounter(known->value).value_or(0) : 0;
  Put(key, EncodeCounter(WrappingAdd(base, delta)), false);
}

void KeyspaceOverlay::EraseRange(const KeyRange& range) {
  if (range.empty()) return;
  Index();
  ordered();
  std::set<ByteView>& keys = *ordered_;
  auto key = keys.lower_bound(range.begin());
  while (key != keys.end() && range.Contains(*key)) {
    const auto position = positions_.find(*key);
    Write& write = writes_[position->second];
    Count(write, kOut);
    write.kind = Kind::dropped;
    positions_.erase(position);
    key = keys.erase(key);
  }

  std::string begin = range.begin();
  std::optional<std::string> end = range.end();
  auto next = erased_.upper_bound(begin);
  if (next != erased_.begin() && !EndsBefore(std::prev(next)->second, begin)) --next;
  while (next != erased_.end() && !EndsBefore(end, next->first)) {  // it overlaps or touches: join
    begin = std::min(begin, next->first);
    end = !end || !next->second ? std::nullopt : std::max(end, next->second);
    next = erased_.erase(next);
  }
  erased_.emplace(std::move(begin), std::move(end));
}

bool KeyspaceOverlay::TakeBack(ByteView key) {
  const std::size_t position = PositionOf(key);
  if (position == kNowhere || !writes_[position].inserted) return false;
  Index();
  if (ordered_) ordered_->erase(key);
  positions_.erase(key);
  Count(writes_[position], kOut);
  writes_[position].kind = Kind::dropped;
  return true;
}

const KeyspaceOverlay::Write* KeyspaceOverlay::Find(ByteView key) const {
  const std::size_t position = PositionOf(key);
  return position == kNowhere ? nullptr : &writes_[position];
}

std::size_t KeyspaceOverlay::PositionOf(ByteView key) const {
  if (indexed_) {
    const auto found = positions_.find(key);
    return found == positions_.end() ? kNowhere : found->second;
  }
  if (writes_.empty() || writes_.back().key < key) return kNowhere;
  const auto found = std::ranges::lower_bound(writes_, key, {}, &Write::key);
  return found->key == key ? static_cast<std::size_t>(found - writes_.begin()) : kNowhere;
}

void KeyspaceOverlay::Index() {
  if (indexed_) return;
  indexed_ = true;
  positions_.reserve(2 * writes_.size());
  for (std::uint32_t position = 0; position < writes_.size(); ++position) {
    positions_.emplace(writes_[position].key, position);
  }
}

bool KeyspaceOverlay::Erased(ByteView key) const {
  if (erased_.empty()) return false;
  const auto next = erased_.upper_bound(std::string(key));
  if (next == erased_.begin()) return false;
  const std::optional<std::string>& end = std::prev(next)->second;
  return !end || key < *end;
}

bool KeyspaceOverlay::ErasedWholly(const KeyRange& range) const {
  const auto next = erased_.upper_bound(range.begin());
  if (next == erased_.begin()) return false;
  const std::optional<std::string>& end = std::prev(next)->second;
  return !end || (range.end() && *range.end() <= *end);
}

std::optional<std::string> KeyspaceOverlay::Resolve(ByteView key,
                                                    std::optional<ByteView> stored) const {
  const Write* write = Find(key);
  if (write == nullptr) {
    if (!stored || Erased(key)) return std::nullopt;
    return std::string(*stored);
  }
  if (write->kind == Kind::put) return std::string(write->value);
  if (write->kind == Kind::erase) return std::nullopt;
  const std::int64_t base = stored ? DecodeCounter(*stored).value_or(0) : 0;
  const std::int64_t sum = WrappingAdd(base, write->delta);
  if (sum == 0) return std::nullopt;
  return EncodeCounter(sum);
}

bool KeyspaceOverlay::NeedsStored(ByteView key) const {
  const Write* write = Find(key);
  return write ? write->kind == Kind::add : !Erased(key);
}

const std::set<ByteView>& KeyspaceOverlay::ordered() {
  if (!ordered_) {
    Index();
    ordered_.emplace();
    for (const auto& [key, position] : positions_) ordered_->insert(key);
  }
  return *ordered_;
}

std::vector<KeyRange> KeyspaceOverlay::erased_ranges() const {
  std::vector<KeyRange> ranges;
  for (const auto& [begin, end] : erased_) {
    ranges.push_back(end ? KeyRange::From(begin).EndingAt(*end) : KeyRange::From(begin));
  }
  return ranges;
}

void KeyspaceOverlay::AppendTo(WriteBatch& batch) const {
  for (const KeyRange& range : erased_ranges()) batch.EraseRange(*keyspace_, range);
  for (const Write& write : writes_) {
    switch (write.kind) {
      case Kind::dropped:
        break;
      case Kind::put:
        batch.Put(*keyspace_, write.key, write.value);
        break;
      case Kind::erase:
        if (!Erased(write.key)) batch.Erase(*keyspace_, write.key);
        break;
      case Kind::add:  // of 0 too: it changes nothing, but whoever has read the counter conflicts
        batch.Add(*keyspace_, write.key, write.delta);
        break;
    }
  }
}

std::size_t KeyspaceOverlay::EncodedBytes() const {
  constexpr std::size_t kMostHeadBytes = 2 + 2 * 5;  // kind, keyspace and two lengths
  std::size_t bytes = written_.key_bytes + written_.value_bytes + cleared_.key_bytes +
                      (written_.count + cleared_.count) * kMostHeadBytes;
  for (const auto& [begin, end] : erased_) {
    bytes += begin.size() + (end ? end->size() : 0) + kMostHeadBytes + 1;
  }
  return bytes;
}

std::size_t KeyspaceOverlay::Size(const Limits& limits) const {
  std::size_t size = written_.Size(limits.write) + cleared_.Size(limits.clear);
  for (const auto& [begin, end] : erased_)
    size += limits.clear.Of(begin.size(), end ? end->size() : 0);
  return size;
}

KeyspaceOverlay::Write& KeyspaceOverlay::Touch(ByteView key) {
  if (const std::size_t known = PositionOf(key); known != kNowhere) return writes_[known];
  if (!indexed_ && !writes_.empty() && key < writes_.back().key) Index();
  const ByteView kept = Keep(key);
  if (indexed_) positions_.emplace(kept, static_cast<std::uint32_t>(writes_.size()));
  if (ordered_) ordered_->insert(kept);
  return writes_.emplace_back(Write{.key = kept, .value = {}});
}

ByteView KeyspaceOverlay::Keep(ByteView bytes) {
  if (bytes.empty()) return {};
  char* kept = static_cast<char*>(arena_.allocate(bytes.size(), 1));
  bytes.copy(kept, bytes.size());
  return {kept, bytes.size()};
}

void KeyspaceOverlay::Count(const Write& write, std::size_t sign) {
  if (write.kind == Kind::dropped) return;
  Totals& totals = write.kind == Kind::erase ? cleared_ : written_;
  const std::size_t value = write.kind == Kind::put   ? write.value.size()
                            : write.kind == Kind::add ? sizeof write.delta
                                                      : 0;
  totals.count += sign;
  totals.key_bytes += sign * write.key.size();
  totals.value_bytes += sign * value;
}

}  // namespace talea
