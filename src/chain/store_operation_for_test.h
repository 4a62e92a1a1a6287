// A piece of random work on a ledger. For tests alone.
//
// It is a seed: what it does is planned when its turn comes, from what the model holds by then, so
// that most blocks are such as the ledger takes.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <vector>

#include "chain/ledger_model_for_test.h"
#include "chain/random_ledger_for_test.h"

namespace talea::chain {

struct StoreOperation {
  enum class Kind {
    block,
    blocks,
    batch,
    again,
    overlap,
    roll_back,
    step_back,
    prune,
    settle,
    nothing
  };

  // What it does, as the model stood before it.
  struct Plan {
    Kind kind = Kind::nothing;
    TestBatch batch = {};
    Cursor parent = {};         // of a block
    TestBatch in_between = {};  // of an overlap: the block that comes first
    std::vector<TestBatch> blocks = {};
    ApplyOptions options = {};
    Applied applied = {};                                  // what a block should answer
    std::vector<Applied> all_applied = {};                 // and what blocks should
    std::shared_ptr<const LedgerModel::Step> before = {};  // of a step
    std::shared_ptr<const LedgerModel::Step> after = {};
    Cursor target = {};      // of a rolling back
    std::uint64_t keep = 0;  // of a prune
  };

  Kind kind = Kind::block;
  std::uint64_t seed = 0;
  RandomBatches::Sizes sizes = {};
  std::uint64_t window = 2160;
  bool in_transaction = false;  // with a row of the program's own
  bool synced = false;
  mutable Plan plan = {};  // by StoreRules::ApplyToModel

  static StoreOperation Generate(Random& random) {
    StoreOperation operation{.seed = random.Next()};
    const std::uint64_t kind = random.Below(100);
    operation.kind = kind < 35   ? Kind::block
                     : kind < 45 ? Kind::blocks
                     : kind < 65 ? Kind::batch
                     : kind < 70 ? Kind::again
                     : kind < 75 ? Kind::overlap
                     : kind < 86 ? Kind::roll_back
                     : kind < 92 ? Kind::step_back
                     : kind < 95 ? Kind::prune
                                 : Kind::settle;
    operation.in_transaction = random.Chance(0.4);
    operation.synced = random.Chance(0.2);
    if (random.Chance(0.25)) operation.window = 1 + random.Below(8);
    if (random.Chance(0.01)) operation.window = 0;
    return operation;
  }

  friend std::ostream& operator<<(std::ostream& out, const StoreOperation& operation) {
    constexpr const char* kKinds[] = {"block",     "blocks",    "batch", "again",  "overlap",
                                      "roll back", "step back", "prune", "settle", "nothing"};
    const Plan& plan = operation.plan;
    out << kKinds[static_cast<int>(plan.kind)]
        << (operation.in_transaction ? " in a transaction" : "") << ", window " << operation.window;
    if (plan.kind == Kind::roll_back) return out << " to " << Describe(plan.target);
    if (plan.kind == Kind::prune) return out << " keep " << plan.keep;
    if (plan.kind == Kind::blocks) return out << ", " << plan.blocks.size() << " of them";
    if (plan.kind == Kind::block) out << " from " << Describe(plan.parent);
    out << " to " << Describe(plan.batch.cursor);
    for (const TestDelta& delta : plan.batch.deltas) {
      out << fmt::format("; +{} ++{} -{} --{} outputs", delta.produced.size(),
                         delta.recovered.size(), delta.consumed.size(), delta.undone.size());
    }
    return out << fmt::format("; {} entities, {} values, {} counters", plan.batch.entities.size(),
                              plan.batch.values.size(), plan.batch.counters.size());
  }
};

// Makes the plan of one operation.
class StorePlanner {
 public:
  using Kind = StoreOperation::Kind;
  using Plan = StoreOperation::Plan;

  StorePlanner(const LedgerModel& model, const StoreOperation& operation)
      : model_(model), operation_(operation), random_(operation.seed) {}

  Plan Make() {
    plan_ = {.kind = operation_.kind, .parent = Now(), .keep = random_.Below(12)};
    const Flaw flaw = random_.Chance(0.1) ? static_cast<Flaw>(1 + random_.Below(5)) : Flaw::none;
    RandomBatches batches(model_.state(), random_, operation_.sizes);
    plan_.batch =
        operation_.kind == Kind::batch ? batches.ForAWriter(flaw) : batches.ForABlock(flaw);
    if (plan_.batch.empty()) plan_.kind = Kind::nothing;
    plan_.in_between = batches.ForABlock(Flaw::none);
    plan_.options.allow_missing_inputs = random_.Chance(0.1);
    plan_.options.outputs_are_new = flaw == Flaw::none && random_.Chance(0.2);
    PlanByKind();
    // Whether a point is still known that steps before the window led to, nobody can say.
    const auto known = model_.Find(plan_.batch.cursor, 0);
    if (plan_.kind == Kind::block && plan_.parent != Now() && known && *known <= model_.certain)
      plan_.kind = Kind::nothing;
    return std::move(plan_);
  }

 private:
  const Cursor& Now() const { return model_.state().cursor; }
  bool HasPassed() const { return model_.number() > model_.certain; }
  Cursor AnyPassed() {
    return model_.At(model_.number() - random_.Below(model_.number() - model_.certain))
        .state.cursor;
  }

  void PlanByKind() {
    switch (operation_.kind) {
      case Kind::roll_back:
        return PlanRollBack();
      case Kind::blocks:
        return PlanBlocks();
      case Kind::again:
        return PlanAgain();
      case Kind::block:
        if (random_.Chance(0.05)) plan_.parent = ChainPoint::AtSlot(random_.Next());
        return;
      case Kind::batch:  // to a point that it was at, as somebody does who rolls back by the writer
        if (HasPassed() && random_.Chance(0.05)) plan_.batch.cursor = AnyPassed();
        return;
      case Kind::step_back:
        if (!HasPassed() && model_.lowest != model_.certain) plan_.kind = Kind::nothing;
        return;
      default:
        return;
    }
  }

  void PlanRollBack() {
    const std::uint64_t depth = random_.Chance(0.9) ? random_.Below(4) : random_.Below(20);
    std::uint64_t wanted = model_.Before(depth);
    if (wanted < model_.certain && wanted >= model_.lowest) wanted = model_.certain;
    plan_.target = model_.At(wanted).state.cursor;
    if (random_.Chance(0.1))
      plan_.target = ChainPoint::Of(random_.Below(50), HashOf(random_.Next()));
    const std::optional<std::uint64_t> found = model_.Find(plan_.target, model_.lowest);
    if (found && *found < model_.certain) plan_.kind = Kind::nothing;
  }

  void PlanBlocks() {
    LedgerState state = model_.state();
    for (std::uint64_t left = 1 + random_.Below(5); left > 0; --left) {
      TestBatch block = RandomBatches(state, random_, operation_.sizes).ForABlock(Flaw::none);
      if (!ApplyTo(state, block, plan_.options.allow_missing_inputs)) break;
      plan_.blocks.push_back(std::move(block));
    }
    if (plan_.blocks.empty()) plan_.kind = Kind::nothing;
  }

  // A block that is in already, often said to have another parent.
  void PlanAgain() {
    const Cursor point = HasPassed() ? AnyPassed() : std::nullopt;
    plan_.kind = point ? Kind::block : Kind::nothing;
    if (point) plan_.batch.cursor = point;
    if (random_.Chance(0.7)) plan_.parent = ChainPoint::AtSlot(random_.Next());
  }

  const LedgerModel& model_;
  const StoreOperation& operation_;
  Random random_;
  Plan plan_;
};

}  // namespace talea::chain
