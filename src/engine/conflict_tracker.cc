#include "engine/conflict_tracker.h"

#include <algorithm>
#include <ranges>

namespace talea {

ConflictTracker::ConflictTracker(Version start, Options options)
    : options_(options), lines_(options.lines), forgotten_(start), log_forgotten_(start) {
  keyspace_written_.fill(start);
  keyspace_erased_.fill(start);
}

bool ConflictTracker::Conflicts(const PreparedCommit& commit, Version snapshot) const {
  const ReadSet& reads = commit.request.reads;
  if (reads.empty()) return false;
  if (snapshot < forgotten_) return true;
  for (std::size_t position = 0; position < reads.point_count(); ++position) {
    const ReadSet::Point point = reads.point(position);
    if (keyspace_written_[point.keyspace] > snapshot) return true;
    if (PointConflicts(commit.read_hashes[position], snapshot)) return true;
    if (keyspace_erased_[point.keyspace] > snapshot && ErasedSince(point, snapshot)) return true;
  }
  return std::ranges::any_of(reads.ranges(), [&](const ReadSet::Range& read) {
    return keyspace_written_[read.keyspace] > snapshot || RangeConflicts(read, snapshot);
  });
}

void ConflictTracker::Mark(std::shared_ptr<const PreparedCommit> commit, Version version,
                           Version visible) {
  if (!commit->tracked) return ForgetAll(version);
  // The lines lie anywhere in the table, mostly in no cache.
  constexpr std::size_t kAhead = 16;
  const std::vector<std::uint64_t>& hashes = commit->write_hashes;
  for (std::size_t position = 0; position < hashes.size(); ++position) {
    if (position + kAhead < hashes.size()) {
      __builtin_prefetch(&lines_[hashes[position + kAhead] & (lines_.size() - 1)], 1);
    }
    MarkPoint(hashes[position], version);
  }
  for (const WriteBatch::Operation& erased : commit->erased_ranges) {
    keyspace_erased_[erased.keyspace] = version;
  }
  log_bytes_ += commit->bytes();
  log_.push_back({version, std::move(commit)});
  TrimLog(visible);
}

void ConflictTracker::MarkAll(const std::vector<std::uint8_t>& keyspaces, Version version) {
  for (const std::uint8_t keyspace : keyspaces) keyspace_written_[keyspace] = version;
}

bool ConflictTracker::PointConflicts(std::uint64_t hash, Version snapshot) const {
  const Line& line = lines_[hash & (lines_.size() - 1)];
  for (std::size_t slot = 0; slot < line.hashes.size(); ++slot) {
    if (line.hashes[slot] == hash) return line.versions[slot] > snapshot.number;
  }
  return line.forgotten > snapshot.number;
}

void ConflictTracker::MarkPoint(std::uint64_t hash, Version version) {
  Line& line = lines_[hash & (lines_.size() - 1)];
  std::size_t slot = 0;
  for (std::size_t candidate = 0; candidate < line.hashes.size(); ++candidate) {
    if (line.hashes[candidate] == hash) {
      line.versions[candidate] = version.number;
      return;
    }
    if (line.versions[candidate] < line.versions[slot]) slot = candidate;
  }
  line.forgotten = std::max(line.forgotten, line.versions[slot]);
  line.hashes[slot] = hash;
  line.versions[slot] = version.number;
}

bool ConflictTracker::RangeConflicts(const ReadSet::Range& read, Version snapshot) const {
  if (log_forgotten_ > snapshot) return true;
  for (const LogEntry& entry : std::views::reverse(log_)) {
    if (entry.version <= snapshot) return false;
    if (!PointsWithin(entry.commit->points, read.keyspace, read.range).empty()) return true;
    for (const WriteBatch::Operation& erased : entry.commit->erased_ranges) {
      if (erased.keyspace == read.keyspace && Overlaps(erased, read.range)) return true;
    }
  }
  return false;
}

bool ConflictTracker::ErasedSince(const ReadSet::Point& point, Version snapshot) const {
  if (log_forgotten_ > snapshot) return true;
  for (const LogEntry& entry : std::views::reverse(log_)) {
    if (entry.version <= snapshot) return false;
    for (const WriteBatch::Operation& erased : entry.commit->erased_ranges) {
      const bool before_end = erased.open_end || point.key < erased.value;
      if (erased.keyspace == point.keyspace && point.key >= erased.key && before_end) return true;
    }
  }
  return false;
}

void ConflictTracker::ForgetAll(Version version) {
  forgotten_ = version;
  log_forgotten_ = version;
  log_.clear();
  log_bytes_ = 0;
}

void ConflictTracker::DropOldest() {
  log_bytes_ -= log_.front().commit->bytes();
  log_forgotten_ = log_.front().version;
  log_.pop_front();
}

void ConflictTracker::TrimLog(Version visible) {
  while (log_bytes_ > options_.log_bytes || log_.size() > options_.log_commits) DropOldest();
  if (open_snapshots() > 0) return;
  // Whoever opens a snapshot from now on sees at least `visible`.
  while (!log_.empty() && log_.front().version <= visible) DropOldest();
}

}  // namespace talea
