// The state of a ledger under a moving cursor: what each block did is applied once, and can be
// taken back.
//
//   ChainStore chain(database->engine());
//   const auto applied = TALEA_TRY(chain.Apply(block));           // in a commit of its own
//   TALEA_TRY(database->Transact([&](Transaction& transaction) -> Status {
//     // Together with other layers, which have what belongs to the block if it is in already.
//     if (TALEA_TRY(chain.Apply(transaction, block)).already) return {};
//     TALEA_TRY(indexes.Add(transaction, "outputs-by-coin", {coin}, reference));
//     return {};
//   }));
//   const ChainView view = TALEA_TRY(chain.Open());
//   const auto output = TALEA_TRY(view.GetOutput(reference));
//   TALEA_TRY(chain.RollBack(earlier_point));                      // the index goes back too
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "talea/chain_changes.h"
#include "talea/chain_types.h"
#include "talea/chain_view.h"
#include "talea/engine.h"
#include "talea/result.h"
#include "talea/row_progress.h"
#include "talea/transaction.h"

namespace talea {

struct ChainOptions {
  // How many of the newest steps can be taken back; 0 keeps no undo at all. Steps that are older
  // are forgotten now and then, so somewhat more may be there.
  std::uint64_t undo_window = 2160;

  // Of the commits that the store makes itself. `synced` is what others call flush on commit.
  Durability durability = Durability::buffered;
};

// What a caller knows about a block or a batch.
struct ApplyOptions {
  // Outputs that are put are not there yet, the caller promises: none is looked up. An output that
  // is there all the same is overwritten, the counts are wrong from then on, and taking the step
  // back erases it.
  bool outputs_are_new = false;

  // An output that is consumed and was never seen is passed over: the ledger begins in the middle
  // of the chain. Otherwise that is not_found, and nothing is changed.
  bool allow_missing_inputs = false;
};

// What became of a block.
struct Applied {
  bool already = false;              // it was in before: nothing was changed
  std::uint64_t missing_inputs = 0;  // that were passed over
  friend bool operator==(const Applied&, const Applied&) = default;
};

// Writes that are collected to be made together, in the order of the calls. It owns its bytes.
class ChainBatch {
 public:
  ChainBatch();
  ~ChainBatch();
  ChainBatch(ChainBatch&&) noexcept;
  ChainBatch& operator=(ChainBatch&&) noexcept;

  void WriteEntity(std::string_view name_space, const EntityKey& key, ByteView value);
  void DeleteEntity(std::string_view name_space, const EntityKey& key);
  void AddValue(std::string_view name_space, const EntityKey& key, ByteView value);
  void RemoveValue(std::string_view name_space, const EntityKey& key, ByteView value);
  void AddToCounter(std::string_view name_space, const EntityKey& key, std::int64_t delta);
  void ApplyUtxoSet(const UtxoSetDelta& delta);
  void SetCursor(const ChainPoint& point);

  bool empty() const;

  // As views, valid until the next call that writes.
  struct Parts {
    std::span<const UtxoSetDelta> deltas;
    std::span<const EntityWrite> entities;
    std::span<const ValueWrite> values;
    std::span<const CounterAdd> counters;
    std::optional<ChainPoint> cursor;
  };
  Parts parts() const;

 private:
  struct Contents;
  std::unique_ptr<Contents> contents_;
};

class ChainStore;

// A batch with the store that it will be committed to.
class ChainWriter : public ChainBatch {
 public:
  // Once; see ChainStore::Commit.
  Status Commit(const ApplyOptions& options = {});

 private:
  friend class ChainStore;
  explicit ChainWriter(ChainStore& store) : store_(&store) {}
  ChainStore* store_;
};

// A ledger on an engine: one for each database. Any number of stores, in any number of processes,
// may use it; commits to the ledger exclude each other, and the later of two gets `conflict` or is
// tried again. Calls may come from any thread. The engine must outlive the store.
//
// Open the engine by a Database where other layers take part in the commits, so that their rules
// for undo are known.
//
// Every commit to the ledger is a step, with an undo record of all that it did, in every layer.
class ChainStore {
 public:
  explicit ChainStore(Engine& engine, ChainOptions options = {})
      : engine_(&engine), options_(options) {}

  // The newest state.
  Result<ChainView> Open() const;

  // The state when the cursor was there (the newest such), from the undo records since: memory
  // and time grow with what was changed in between. not_found if the point is not within the undo
  // window. For one thread at a time.
  Result<ChainView> OpenAt(const Cursor& point) const;

  // Applies a block, once: one that is in already, within the undo window, changes nothing. Fails,
  // and changes nothing, with
  // - precondition_failed if its parent is not the cursor, naming both;
  // - not_found if it consumes an output that is not there, already_exists if it produces one that
  //   is, naming block and output;
  // - already_exists if the hash of a new namespace is that of another one;
  // - invalid_argument for what is out of bounds, and for a point that is that of its parent.
  //
  // In the caller's transaction it must come before any write. Where it finds a staged batch it
  // moves that to its place, and answers `conflict`, for the transaction to be tried again. Round
  // trips: three, beside those of the commit.
  Result<Applied> Apply(Transaction& transaction, const Block& block,
                        const ApplyOptions& options = {});

  // The same in a commit of its own, tried again until it is decided. A block that is larger than
  // the engine's transactions is staged: readers see all of it from one moment on, or nothing.
  // outcome_unknown where that cannot be found out: others have gone on, and there is no undo of
  // it.
  Result<Applied> Apply(const Block& block, const ApplyOptions& options = {});

  // Applies blocks, each as Apply does and a step of its own, which can be taken back alone; but as
  // many in one commit as go together, which takes less time where blocks are small. Where one of
  // them fails, those before it are in. What became of each is returned in their order.
  Result<std::vector<Applied>> ApplyAll(std::span<const Block> blocks,
                                        const ApplyOptions& options = {});

  // The writer of single changes, which the blocks stand on.
  ChainWriter StartWriter() { return ChainWriter(*this); }
  Status Write(Transaction& transaction, const ChainBatch& batch, const ApplyOptions& options = {});
  // A batch that was committed may be committed again by mistake, unlike a block: where the outcome
  // is unknown and cannot be found out, that is what is returned.
  Status Commit(const ChainBatch& batch, const ApplyOptions& options = {});

  // Takes back, newest first, every step since the cursor was at this point, in every layer, each
  // in a commit of its own; nothing for all of them. If it is interrupted it has come part of the
  // way, and can be called again. Returns the number of steps. not_found, before anything is
  // changed, if the point is not within the undo window.
  Result<std::uint64_t> RollBack(const Cursor& point);

  // How many steps that would be; not_found likewise.
  Result<std::uint64_t> CountStepsSince(const Cursor& point) const;

  // The same by so many steps; not_found, before anything is changed, if fewer can be taken back.
  // Progress is told of steps, and stops it; what was taken back until then is returned.
  Result<std::uint64_t> RollBackBy(std::uint64_t steps, const RowProgress& progress = {});

  // Takes the newest step back in the caller's transaction, and returns the cursor that this leads
  // to; not_found if there is none, or no record of it.
  Result<Cursor> StepBack(Transaction& transaction);

  // Forgets how to take back all but the newest `keep` steps. Returns how many were forgotten.
  Result<std::uint64_t> Prune(std::uint64_t keep);

  // The newest of these points that the ledger has passed, within the undo window: where somebody
  // who has followed it so far can go on. Nothing if it knows none of them.
  Result<std::optional<Cursor>> FindIntersection(std::span<const Cursor> points) const;

  // What each step since this point has done, oldest first. not_found if the point is not within
  // the undo window: it was rolled back, perhaps, and FindIntersection helps.
  Result<ChangeFeed> Changes(const Cursor& since) const;

  // Moves a staged batch to its place, if there is one. Whoever writes next does it too.
  Status Settle();

  Engine& engine() const { return *engine_; }
  const ChainOptions& options() const { return options_; }

 private:
  // Takes one step back, unless the ledger is at `target` already. Returns the step it is at then.
  Result<std::uint64_t> TakeBackOne(std::uint64_t target);

  Engine* engine_;
  ChainOptions options_;
};

}  // namespace talea
