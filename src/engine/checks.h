// The checks that every engine makes of a call before it touches storage.
#pragma once

#include "talea/engine.h"

namespace talea {

// A read of a key beyond the limits is refused rather than answered with nothing.
Status CheckRead(const KeyspaceSet& keyspaces, const Limits& limits, const Keyspace& keyspace,
                 ByteView key);
Status CheckRange(const KeyspaceSet& keyspaces, const Keyspace& keyspace,
                  const PageOptions& options);

// Whether a keyspace takes such a write: a counter one takes Add and Put of 8 bytes, another one no
// Add.
Status CheckOperation(const Keyspace& keyspace, const WriteBatch::Operation& operation);

// Says that a write names a keyspace that the engine does not hold.
Error UnknownKeyspace(const WriteBatch::Operation& operation);

// Everything about a commit but its conflicts.
Status CheckCommit(const KeyspaceSet& keyspaces, const Limits& limits,
                   const CommitRequest& request);

// The request's snapshot as the engine's own type, or null if it has none; fails if it is another
// engine's. `Own` tells by BelongsTo(engine).
template <class Own, class Owner>
Result<Own*> OwnSnapshot(const CommitRequest& request, const Owner& engine) {
  auto* own = dynamic_cast<Own*>(request.snapshot);
  if (request.snapshot == nullptr || (own != nullptr && own->BelongsTo(engine))) return own;
  return Fail(ErrorCode::invalid_argument,
              "commit: expected a snapshot of this engine, found another's");
}

// The shape of an ingest; its rows are checked as they come.
Status CheckIngest(const KeyspaceSet& keyspaces, const Limits& limits,
                   const IngestRequest& request);

// The ids of the keyspaces that an ingest writes.
std::vector<std::uint8_t> WrittenKeyspaces(const IngestRequest& request);

// Gives a run's rows with each one checked: keys ascend strictly, sizes are within the limits,
// counters have 8 bytes.
class CheckedRun final : public SortedRun {
 public:
  CheckedRun(const IngestRequest::Run& run, const Limits& limits) : run_(run), limits_(limits) {}
  Result<std::optional<Row>> Next() override;

 private:
  const IngestRequest::Run run_;
  const Limits& limits_;
  std::optional<std::string> previous_;
};

}  // namespace talea
