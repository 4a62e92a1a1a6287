// What a transaction has read, for the engine to check at commit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "talea/bytes.h"
#include "talea/key_range.h"
#include "talea/keyspace.h"

namespace talea {

// Keys and ranges of keys. Reading one twice records it once, in the long run.
class ReadSet {
 public:
  struct Point {
    std::uint8_t keyspace;
    ByteView key;
    friend auto operator<=>(const Point&, const Point&) = default;
  };
  struct Range {
    std::uint8_t keyspace;
    KeyRange range;
    friend bool operator==(const Range&, const Range&) = default;
  };

  void Add(const Keyspace& keyspace, ByteView key);
  void Add(const Keyspace& keyspace, KeyRange range);
  void Clear();

  bool empty() const { return points_.empty() && ranges_.empty(); }
  std::size_t point_count() const { return points_.size(); }
  Point point(std::size_t position) const {
    const Entry& entry = points_[position];
    return {entry.keyspace, ByteView(keys_).substr(entry.offset, entry.bytes)};
  }
  const std::vector<Range>& ranges() const { return ranges_; }

 private:
  struct Entry {
    std::size_t offset;
    std::uint32_t bytes;
    std::uint8_t keyspace;
  };

  void DropRepeatedPoints();
  void DropRepeatedRanges();

  std::string keys_;
  std::vector<Entry> points_;
  std::size_t drop_repeated_at_ = 1024;
  std::vector<Range> ranges_;
  std::size_t drop_repeated_ranges_at_ = 1024;
};

}  // namespace talea
