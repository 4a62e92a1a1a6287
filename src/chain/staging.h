// Batches that are larger than a transaction of the engine.
//
// Their rows go to the keyspace chain-staging, in as many commits as it takes; then one commit
// marks them as being in. From that moment on a reader sees them, laid over what is stored
// (staged_reader.h); and whoever comes next moves them to their places. At most one batch is staged
// at a time. One that was not marked is dropped by whoever commits to the ledger next.
#pragma once

#include <functional>
#include <optional>

#include "chain/codec.h"
#include "talea/engine.h"
#include "talea/result.h"
#include "talea/transaction.h"
#include "talea/write_batch.h"

namespace talea::chain {

// Whether writes to this keyspace may be staged: those of the ledger's that its readers lay over
// what is stored, and undo records.
bool MayBeStaged(std::uint8_t keyspace);

// One batch that is being staged.
class Staging {
 public:
  // Writes the header, in a commit that also runs `check`, which fails unless the ledger is where
  // it is expected. Drops what is left of a batch that was never in; one that is in must have been
  // settled, or this fails with precondition_failed.
  static Result<Staging> Begin(Engine& engine, const std::function<Status(Transaction&)>& check);

  // Stages these writes, in as many commits as it takes: Puts, Erases and Adds, to each key at most
  // one among all that are staged. Fails with precondition_failed if somebody else has committed to
  // the ledger meanwhile.
  Status Add(const WriteBatch& writes);

  // Marks the batch as being in, in the same commit as what `body` writes. Fails like Add. Where
  // the outcome is unknown it finds out.
  Status Enter(const std::function<Status(Transaction&)>& body, Durability durability);

 private:
  Staging(Engine& engine, const Uuid& batch) : engine_(&engine), batch_(batch) {}
  Status CheckHeader(Transaction& transaction) const;

  Engine* engine_;
  Uuid batch_;
};

// What a commit to the ledger has to know of staging: the header, read (and recorded) by the
// caller. One that is not in is dropped in this transaction, with its rows.
// Returns whether a batch is in, which then has to be settled first.
Result<bool> CheckStaging(Transaction& transaction, const std::optional<std::string>& header);

// Moves the rows of a batch that is in to their places, in as many commits as it takes, and drops
// the header. Several may do it at once. Does nothing where there is no such batch.
Status SettleStaged(Engine& engine);

}  // namespace talea::chain
