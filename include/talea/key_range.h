// Half-open ranges of keys.
#pragma once

#include <optional>
#include <string>

#include "talea/bytes.h"
#include "talea/result.h"

namespace talea {

// The keys from `begin` up to, and without, `end`. An absent end means the end of the keyspace, so
// the last key, whatever it is, can always be reached. A range is never inverted: Make refuses
// that.
class KeyRange {
 public:
  // Every key.
  KeyRange() = default;

  // [begin, end); fails when end sorts before begin. Equal ends give an empty range.
  static Result<KeyRange> Make(ByteView begin, ByteView end);

  static KeyRange All() { return {}; }
  static KeyRange From(ByteView begin) { return KeyRange(std::string(begin), std::nullopt); }
  static KeyRange Before(ByteView end) { return KeyRange({}, std::string(end)); }
  static KeyRange Prefix(ByteView prefix);
  static KeyRange Single(ByteView key);

  const std::string& begin() const { return begin_; }
  const std::optional<std::string>& end() const { return end_; }

  bool empty() const { return end_ && *end_ <= begin_; }
  bool Contains(ByteView key) const { return key >= begin_ && (!end_ || key < *end_); }

  // The part of this range that lies at or after `key`, and the part that lies before it.
  KeyRange StartingAt(ByteView key) const;
  KeyRange EndingAt(ByteView key) const;

  // For messages: ["a", "b") or ["a", end).
  std::string ToString() const;

  friend bool operator==(const KeyRange&, const KeyRange&) = default;

 private:
  KeyRange(std::string begin, std::optional<std::string> end)
      : begin_(std::move(begin)), end_(std::move(end)) {}

  std::string begin_;
  std::optional<std::string> end_;
};

}  // namespace talea
