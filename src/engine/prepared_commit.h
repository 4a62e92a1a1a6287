// A commit request made ready, in its caller's thread, for the commit queue.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "talea/engine.h"

namespace talea {

// Where keys are told apart by hash, as the conflict tracker does: 64 bits, keyspace included.
std::uint64_t HashKey(std::uint8_t keyspace, ByteView key);

// The request, its writes as a sorted list, and the hashes of what it read and writes. Views point
// into the request's batch, so it is neither copied nor moved.
class PreparedCommit {
 public:
  using Operation = WriteBatch::Operation;

  // With `tracked` false the hashes of the writes are left out: see ConflictTracker::Mark.
  PreparedCommit(CommitRequest request, bool tracked);
  PreparedCommit(const PreparedCommit&) = delete;
  PreparedCommit& operator=(const PreparedCommit&) = delete;

  CommitRequest request;

  // The range erasures, in the order given; and the other writes sorted by keyspace and key, those
  // to one key in the order given. `ordered` says that erasures and writes overlap, so that only
  // the batch's own order is right.
  std::vector<Operation> erased_ranges;
  std::vector<Operation> points;
  bool ordered = false;

  bool tracked;
  std::vector<std::uint64_t> read_hashes;
  std::vector<std::uint64_t> write_hashes;

  // Drops everything but the writes, which others may be checked against for some time to come.
  void KeepWritesOnly();

  // About how much memory it holds once only the writes are kept.
  std::size_t bytes() const;
};

// The points of one keyspace that lie in a range, out of a sorted list.
std::span<const WriteBatch::Operation> PointsWithin(std::span<const WriteBatch::Operation> points,
                                                    std::uint8_t keyspace, const KeyRange& range);

bool Overlaps(const WriteBatch::Operation& erased_range, const KeyRange& range);

}  // namespace talea
