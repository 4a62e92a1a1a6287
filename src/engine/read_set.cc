#include "talea/read_set.h"

#include <algorithm>

namespace talea {

void ReadSet::Add(const Keyspace& keyspace, ByteView key) {
  if (points_.size() >= drop_repeated_at_) DropRepeatedPoints();
  points_.push_back({keys_.size(), static_cast<std::uint32_t>(key.size()), keyspace.id});
  keys_.append(key);
}

void ReadSet::Add(const Keyspace& keyspace, KeyRange range) {
  if (range.empty()) return;
  for (const Range& known : ranges_) {
    if (known.keyspace == keyspace.id && known.range == range) return;
  }
  ranges_.push_back({keyspace.id, std::move(range)});
}

void ReadSet::Clear() { *this = {}; }

void ReadSet::DropRepeatedPoints() {
  std::vector<Point> points;
  points.reserve(points_.size());
  for (std::size_t position = 0; position < points_.size(); ++position) {
    points.push_back(point(position));
  }
  std::ranges::sort(points);
  const auto repeated = std::ranges::unique(points);
  points.erase(repeated.begin(), repeated.end());

  std::string keys;
  points_.clear();
  for (const Point& kept : points) {
    points_.push_back({keys.size(), static_cast<std::uint32_t>(kept.key.size()), kept.keyspace});
    keys.append(kept.key);
  }
  keys_ = std::move(keys);
  drop_repeated_at_ = std::max<std::size_t>(1024, 2 * points_.size());
}

}  // namespace talea
