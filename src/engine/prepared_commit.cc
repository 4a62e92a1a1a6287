#include "engine/prepared_commit.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "base/coding.h"

namespace talea {
namespace {

using Operation = WriteBatch::Operation;
using Place = std::pair<std::uint8_t, ByteView>;

Place PlaceOf(const Operation& operation) { return {operation.keyspace, operation.key}; }

// By place, those to one key in the order given. Numbers are compared rather than bytes where they
// decide, as they mostly do.
void SortByPlace(std::vector<Operation>& points) {
  if (std::ranges::is_sorted(points, {}, PlaceOf)) return;
  struct Entry {
    std::uint64_t leading;
    std::uint32_t position;
    std::uint8_t keyspace;
  };
  std::vector<Entry> entries;
  entries.reserve(points.size());
  for (const Operation& point : points) {
    entries.push_back(
        {LeadingNumber(point.key), static_cast<std::uint32_t>(entries.size()), point.keyspace});
  }
  std::ranges::sort(entries, [&](const Entry& a, const Entry& b) {
    if (a.keyspace != b.keyspace) return a.keyspace < b.keyspace;
    if (a.leading != b.leading) return a.leading < b.leading;
    const int order = points[a.position].key.compare(points[b.position].key);
    return order != 0 ? order < 0 : a.position < b.position;
  });
  std::vector<Operation> sorted;
  sorted.reserve(points.size());
  for (const Entry& entry : entries) sorted.push_back(points[entry.position]);
  points = std::move(sorted);
}

}  // namespace

std::uint64_t HashKey(std::uint8_t keyspace, ByteView key) {
  return XXH3_64bits_withSeed(key.data(), key.size(), keyspace);
}

PreparedCommit::PreparedCommit(CommitRequest given, bool track)
    : request(std::move(given)), tracked(track) {
  points.reserve(request.batch.count());
  for (const Operation& operation : request.batch) {
    const bool range = operation.kind == WriteBatch::Kind::erase_range;
    (range ? erased_ranges : points).push_back(operation);
  }
  SortByPlace(points);
  ordered = std::ranges::any_of(erased_ranges, [&](const Operation& erased) {
    return !PointsWithin(points, erased.keyspace, erased.Range()).empty();
  });

  const ReadSet& reads = request.reads;
  read_hashes.reserve(reads.point_count());
  for (std::size_t position = 0; position < reads.point_count(); ++position) {
    const ReadSet::Point point = reads.point(position);
    read_hashes.push_back(HashKey(point.keyspace, point.key));
  }
  if (!tracked) return;
  write_hashes.reserve(points.size());
  for (const Operation& point : points) write_hashes.push_back(HashKey(point.keyspace, point.key));
}

void PreparedCommit::KeepWritesOnly() {
  request.snapshot = nullptr;
  request.after_commit = nullptr;
  std::exchange(request.reads, {});  // unlike an assignment, it gives the memory back
  std::exchange(request.expected, {});
  std::exchange(read_hashes, {});
}

std::size_t PreparedCommit::bytes() const {
  return sizeof(*this) + request.batch.bytes() +
         (points.size() + erased_ranges.size()) * sizeof(Operation) +
         write_hashes.size() * sizeof(write_hashes[0]);
}

std::span<const Operation> PointsWithin(std::span<const Operation> points, std::uint8_t keyspace,
                                        const KeyRange& range) {
  const auto first = std::ranges::lower_bound(points, Place(keyspace, range.begin()), {}, PlaceOf);
  const auto after = [&](const Operation& point) {
    return point.keyspace != keyspace || (range.end() && point.key >= *range.end());
  };
  const auto last = std::partition_point(first, points.end(),
                                         [&](const Operation& point) { return !after(point); });
  return {first, last};
}

bool Overlaps(const Operation& erased_range, const KeyRange& range) {
  const bool starts_before_its_end = erased_range.open_end || range.begin() < erased_range.value;
  const bool ends_after_its_start = !range.end() || *range.end() > erased_range.key;
  const bool empty = !erased_range.open_end && erased_range.value <= erased_range.key;
  return starts_before_its_end && ends_after_its_start && !empty && !range.empty();
}

}  // namespace talea
