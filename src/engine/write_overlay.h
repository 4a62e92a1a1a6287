// A transaction's own writes, as its reads see them and as its commit will write them.
#pragma once

#include <xxhash.h>

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "talea/engine.h"

namespace talea {

struct HashBytes {
  using is_transparent = void;
  std::size_t operator()(ByteView bytes) const { return XXH3_64bits(bytes.data(), bytes.size()); }
};

// The writes to one keyspace: at most one to each key, and the ranges that were erased before them.
class KeyspaceOverlay {
 public:
  enum class Kind : std::uint8_t { dropped, put, erase, add };

  struct Write {
    ByteView key;
    ByteView value;          // put
    std::int64_t delta = 0;  // add
    Kind kind = Kind::dropped;
    bool inserted = false;  // put of a key that the caller knows to be absent
  };

  explicit KeyspaceOverlay(const Keyspace& keyspace) : keyspace_(&keyspace) {}

  const Keyspace& keyspace() const { return *keyspace_; }
  bool empty() const {
    return (indexed_ ? positions_.empty() : writes_.empty()) && erased_.empty();
  }

  void Put(ByteView key, ByteView value, bool inserted);
  void Erase(ByteView key);
  void Add(ByteView key, std::int64_t delta);
  void EraseRange(const KeyRange& range);

  // Erases a key that was inserted here, as if it had never been. False, and nothing is done, where
  // it was not.
  bool TakeBack(ByteView key);

  // The write to a key, or null.
  const Write* Find(ByteView key) const;

  // Whether the stored key was erased with a range. A write to it, if there is one, came later.
  bool Erased(ByteView key) const;
  bool ErasedWholly(const KeyRange& range) const;

  // What a reader sees of a key: own writes over the stored value.
  std::optional<std::string> Resolve(ByteView key, std::optional<ByteView> stored) const;

  // Whether Resolve looks at the stored value at all.
  bool NeedsStored(ByteView key) const;

  // The keys written, in order.
  const std::set<ByteView>& ordered();

  // In the order of the first write to each; some may be dropped.
  const std::vector<Write>& writes() const { return writes_; }
  std::vector<KeyRange> erased_ranges() const;

  void AppendTo(WriteBatch& batch) const;

  // At least as many bytes as AppendTo will append.
  std::size_t EncodedBytes() const;

  // What these writes weigh.
  std::size_t Size(const Limits& limits) const;

 private:
  // How many, and of how many bytes; for Limits.
  struct Totals {
    std::size_t count = 0;
    std::size_t key_bytes = 0;
    std::size_t value_bytes = 0;
    std::size_t Size(const Limits::Cost& cost) const {
      return cost.key_factor * key_bytes + cost.value_factor * value_bytes + cost.fixed * count;
    }
  };

  // Where the key's write is, or kNowhere.
  static constexpr std::size_t kNowhere = -std::size_t{1};
  std::size_t PositionOf(ByteView key) const;
  void Index();

  Write& Touch(ByteView key);
  ByteView Keep(ByteView bytes);
  static constexpr std::size_t kIn = 1, kOut = -std::size_t{1};  // sums wrap, so this subtracts
  void Count(const Write& write, std::size_t sign);

  const Keyspace* keyspace_;
  std::pmr::monotonic_buffer_resource arena_;
  // As long as they come in ascending order of keys the writes are their own index.
  std::vector<Write> writes_;
  bool indexed_ = false;
  boost::unordered_flat_map<ByteView, std::uint32_t, HashBytes> positions_;
  std::optional<std::set<ByteView>> ordered_;  // made when first asked for
  std::map<std::string, std::optional<std::string>>
      erased_;  // begin -> end; disjoint, not adjacent
  Totals written_;
  Totals cleared_;
};

}  // namespace talea
