// Batches that are larger than a transaction of the engine.
//
// Their rows go to the keyspace chain-staging, in as many commits as it takes; then one commit
// marks them as being in. From that moment on a reader sees them, laid over what is stored
// (staged_reader.h); and whoever comes next moves them to their places. At most one batch is staged
// at a time.
//
// Everybody who commits to the ledger reads the header, and records that. Where it says that a
// batch is in, the rows are moved first (SettleStaged); where one is being written, it is dropped
// first (DropStaged), in a commit of its own: what a step erases itself its undo would bring back.
// Then the step starts again. Whoever stages reads the header in each commit too, and finds its own
// batch or gives up. So between Begin and Enter nobody else has committed to the ledger.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "chain/staged_row.h"
#include "talea/engine.h"
#include "talea/result.h"
#include "talea/transaction.h"
#include "talea/uuid.h"
#include "talea/write_batch.h"

namespace talea::chain {

// One batch that is being staged. For one thread at a time; the engine must outlive it.
//
// If it goes before the batch is in it drops it, as far as one attempt can; what stays behind is
// dropped by whoever commits to the ledger next.
class Staging {
 public:
  using Body = std::function<Status(Transaction&)>;

  Staging(Staging&& other) noexcept
      : engine_(other.engine_), batch_(other.batch_), open_(std::exchange(other.open_, false)) {}
  Staging& operator=(Staging&&) = delete;
  ~Staging();

  // Writes the header, in a commit that also runs `check`, which fails unless the ledger is where
  // it is expected. Drops what is left of a batch that was never in; one that is in must have been
  // settled, or this fails with precondition_failed.
  static Result<Staging> Begin(Engine& engine, const Body& check);

  // Stages these writes, in as many commits as it takes: Puts, Erases and Adds, to each key at most
  // one among all that are staged. A write that cannot be staged (CheckStageable) is refused before
  // any of them is. Fails with precondition_failed if somebody else has committed to the ledger, or
  // begun to stage a batch, meanwhile.
  Status Add(const WriteBatch& writes);

  // Marks the batch as being in, in the same commit as what `body` writes, which keeps no undo.
  // Fails like Add. Where the outcome is unknown it finds out, and it stays unknown only where
  // another batch was in since, or the engine is closed.
  Status Enter(const Body& body, Durability durability);

  // Told apart from all others by this.
  const Uuid& batch() const { return batch_; }

 private:
  Staging(Engine& engine, const Uuid& batch) : engine_(&engine), batch_(batch) {}

  Status CheckHeader(const std::optional<std::string>& header) const;
  Result<WriteBatch::Iterator> AddSome(WriteBatch::Iterator next, WriteBatch::Iterator end);
  Status TryToEnter(const Body& body, Durability durability,
                    std::optional<std::string>& last_staged);

  Engine* engine_;
  Uuid batch_;
  bool open_ = true;  // it may have to be dropped
};

// What the header says.
enum class StagingState : std::uint8_t { none, being_written, in };
Result<StagingState> ReadStagingState(const std::optional<std::string>& header);

// Drops a batch that is being written, with its rows: whoever writes it will fail. Does nothing
// where there is no such batch. Only for those who are about to commit to the ledger.
Status DropStaged(Engine& engine);

// Moves the rows of a batch that is in to their places, in as many commits as it takes, and drops
// the header. Several may do it at once. Does nothing where there is no such batch.
Status SettleStaged(Engine& engine);

}  // namespace talea::chain
