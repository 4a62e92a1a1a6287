// Random work on a ledger, by all ways there are, for AgreesWithModel. For tests alone.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "chain/store_checks_for_test.h"
#include "chain/store_rules_for_test.h"
#include "talea/chain_loader.h"

namespace talea::chain {

class StoreSystem : public StoreRules {
 public:
  explicit StoreSystem(Engine& engine) : engine_(engine) {}
  virtual ~StoreSystem() = default;

  // By the plan that ApplyToModel has made.
  Status Apply(const Operation& operation) {
    const Plan& plan = operation.plan;
    ChainStore store(engine_,
                     {.undo_window = operation.window,
                      .durability = operation.synced ? Durability::synced : Durability::buffered});
    switch (plan.kind) {
      case Kind::block:
        return ApplyBlock(store, operation);
      case Kind::blocks:
        return ApplyBlocks(store, operation);
      case Kind::batch:
        return ApplyBatch(store, operation);
      case Kind::overlap:
        return ApplyOverlap(store, plan);
      case Kind::roll_back:
        TALEA_TRY(store.RollBack(plan.target));
        return {};
      case Kind::step_back:
        return Transact(
            [&](Transaction& transaction) -> Status {
              TALEA_TRY(store.StepBack(transaction));
              return {};
            },
            store.options().durability);
      case Kind::prune:
        TALEA_TRY(store.Prune(plan.keep));
        return {};
      case Kind::settle:
        return store.Settle();
      default:
        return {};
    }
  }

  // All there is, after every check of it; and what was held before is as it was.
  Result<Model> Observe() {
    const std::shared_ptr<Snapshot> snapshot = TALEA_TRY(engine_.OpenSnapshot());
    Random random(snapshot->version().number);
    const ChainView view = TALEA_TRY(ChainView::Over(snapshot));
    Model seen = TALEA_TRY(StoreChecks(engine_, *snapshot, view, random).Read());
    TALEA_TRY(AlsoCheck(*snapshot, seen.state()));
    TALEA_TRY(CheckHeld(random));
    if (!held_ || random.Chance(0.5)) {
      held_ = view;
      held_state_ = seen.state();
    }
    return seen;
  }

 protected:
  // One attempt.
  virtual Status Transact(const std::function<Status(Transaction&)>& body, Durability durability) {
    return InOne(engine_, body, durability);
  }
  // What other layers do in the transaction of a step, and whether they agree with the ledger.
  virtual Status AlsoWrite(Transaction&, const Plan&) { return {}; }
  virtual Status AlsoCheck(Snapshot&, const LedgerState&) { return {}; }

  Engine& engine_;

 private:
  Status WriteBeside(Transaction& transaction, const Operation& operation) {
    transaction.Put(kRows, Model::kBesideKey, std::to_string(operation.seed));
    return AlsoWrite(transaction, operation.plan);
  }

  Status Check(const Applied& expected, const Result<Applied>& applied) const {
    if (!applied) return std::unexpected(applied.error());
    // A block whose outcome was unknown, and that is found to be in, was in before for all one
    // knows.
    const bool found_in = applied->already && engine_.limits().outlives_unknown_outcomes;
    if (*applied == expected || found_in) return {};
    return Disagree(fmt::format("a block answered {}, {} missing, and not {}, {} missing",
                                applied->already, applied->missing_inputs, expected.already,
                                expected.missing_inputs));
  }

  Status ApplyBlock(ChainStore& store, const Operation& operation) {
    const Plan& plan = operation.plan;
    const Block block = BlockOf(plan.batch, plan.parent);
    if (!operation.in_transaction) return Check(plan.applied, store.Apply(block, plan.options));
    return Transact(
        [&](Transaction& transaction) -> Status {
          const Result<Applied> applied = store.Apply(transaction, block, plan.options);
          TALEA_TRY(Check(plan.applied, applied));
          return applied->already ? Status() : WriteBeside(transaction, operation);
        },
        store.options().durability);
  }

  Status ApplyBlocks(ChainStore& store, const Operation& operation) {
    const Plan& plan = operation.plan;
    std::vector<Block> blocks;
    Cursor parent = plan.parent;
    for (const TestBatch& block : plan.blocks) {
      blocks.push_back(BlockOf(block, parent));
      parent = block.cursor;
    }
    const std::size_t at_once = operation.seed % 4;
    const std::vector<Applied> applied =
        TALEA_TRY(at_once == 0 ? store.ApplyAll(blocks, plan.options)
                               : LoadAll(store, blocks, plan.options, at_once));
    if (applied.size() != blocks.size()) return Disagree("answers for other blocks");
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      TALEA_TRY(Check(plan.all_applied[i], applied[i]));
    }
    return {};
  }

  // Without a thread, so that a seed has the same effect each time.
  static Result<std::vector<Applied>> LoadAll(ChainStore& store, std::span<const Block> blocks,
                                              const ApplyOptions& options, std::size_t at_once) {
    ChainLoader loader(store, {.apply = options, .in_background = false});
    std::vector<Applied> all;
    for (std::size_t done = 0; done < blocks.size(); done += at_once) {
      const std::size_t count = std::min(at_once, blocks.size() - done);
      const auto some = TALEA_TRY(loader.Load(blocks.subspan(done, count)));
      all.insert(all.end(), some.begin(), some.end());
    }
    const auto rest = TALEA_TRY(loader.Finish());
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  }

  Status ApplyBatch(ChainStore& store, const Operation& operation) {
    const Plan& plan = operation.plan;
    ChainWriter writer = store.StartWriter();
    WriteTo(writer, plan.batch);
    if (!operation.in_transaction) return writer.Commit(plan.options);
    return Transact(
        [&](Transaction& transaction) -> Status {
          TALEA_TRY(store.Write(transaction, writer, plan.options));
          return WriteBeside(transaction, operation);
        },
        store.options().durability);
  }

  // Of two blocks with the same parent the one that commits first is in, and the other is not.
  Status ApplyOverlap(ChainStore& store, const Plan& plan) {
    Transaction late(engine_);
    const Result<Applied> first = store.Apply(late, BlockOf(plan.batch, plan.parent));
    TALEA_TRY(Transact(
        [&](Transaction& transaction) -> Status {
          TALEA_TRY(store.Apply(transaction, BlockOf(plan.in_between, plan.parent), plan.options));
          return AlsoWrite(transaction, plan);
        },
        store.options().durability));
    if (!first) return {};
    const Result<Version> committed = late.Commit();
    if (committed) return Disagree("two blocks with one parent are in");
    return committed.error().retryable() ? Status() : std::unexpected(committed.error());
  }

  Status CheckHeld(Random& random) {
    if (!held_) return {};
    const Result<LedgerState> again = LedgerChecks(*held_, random).Read();
    if (!again && again.error().code() == ErrorCode::snapshot_expired) return {};
    if (!again) return std::unexpected(again.error());
    if (*again == held_state_) return {};
    return Disagree("an older view has changed: " + chain::Difference(held_state_, *again));
  }

  std::optional<ChainView> held_;
  LedgerState held_state_;
};

}  // namespace talea::chain
