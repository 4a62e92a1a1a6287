#include "talea/read_set.h"

#include <algorithm>
#include <tuple>

namespace talea {

void ReadSet::Add(const Keyspace& keyspace, ByteView key) {
  if (points_.size() >= drop_repeated_at_) DropRepeatedPoints();
  points_.push_back({keys_.size(), static_cast<std::uint32_t>(key.size()), keyspace.id});
  keys_.append(key);
}

void ReadSet::Add(const Keyspace& keyspace, KeyRange range) {
  if (range.empty()) return;
  Range added{keyspace.id, std::move(range)};
  // A range that is read again is mostly one of the latest; the others are found in the long run.
  const std::size_t compared = std::min<std::size_t>(ranges_.size(), 16);
  if (std::ranges::find(ranges_.end() - static_cast<std::ptrdiff_t>(compared), ranges_.end(),
                        added) != ranges_.end()) {
    return;
  }
  if (ranges_.size() >= drop_repeated_ranges_at_) DropRepeatedRanges();
  ranges_.push_back(std::move(added));
}

void ReadSet::Clear() { *this = {}; }

void ReadSet::DropRepeatedRanges() {
  std::ranges::sort(ranges_, [](const Range& a, const Range& b) {
    return std::tie(a.keyspace, a.range.begin(), a.range.end()) <
           std::tie(b.keyspace, b.range.begin(), b.range.end());
  });
  const auto repeated = std::ranges::unique(ranges_);
  ranges_.erase(repeated.begin(), repeated.end());
  drop_repeated_ranges_at_ = std::max<std::size_t>(1024, 2 * ranges_.size());
}

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
