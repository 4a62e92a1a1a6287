// Random work on a ledger, and what it should lead to, as plain maps. For tests alone.
//
// An operation is a seed: what it does is planned when its turn comes, from what the model holds by
// then, so that most blocks are such as the ledger takes.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <ostream>

#include "chain/ledger_checks_for_test.h"
#include "chain/ledger_for_test.h"
#include "chain/random_ledger_for_test.h"
#include "chain/standing.h"
#include "coordination/keys.h"

namespace talea::chain {

// The steps of a ledger, of which the newest can be taken back.
struct LedgerModel {
  struct Step {
    std::uint64_t number = 0;
    LedgerState state;
    std::string beside;  // a row of the program's own, which steps write too
    std::shared_ptr<const Step> before = {};
  };

  std::shared_ptr<const Step> newest = std::make_shared<Step>();
  // The first step that can be gone back to: between these two. Those that a window lets go are
  // forgotten some time later.
  std::uint64_t lowest = 0;
  std::uint64_t certain = 0;
  // Of what was observed: the places that were passed, and the states of some of them.
  bool observed = false;
  std::map<std::uint64_t, Cursor> passed = {};
  std::map<std::uint64_t, LedgerState> states = {};

  std::uint64_t number() const { return newest->number; }
  const LedgerState& state() const { return newest->state; }
  const Step& At(std::uint64_t wanted) const {
    const Step* step = newest.get();
    while (step->number > wanted) step = step->before.get();
    return *step;
  }
  // The newest step, not before `from`, after which the cursor was there.
  std::optional<std::uint64_t> Find(const Cursor& point, std::uint64_t from) const {
    for (const Step* step = newest.get(); step && step->number >= from; step = step->before.get())
      if (step->state.cursor == point) return step->number;
    return std::nullopt;
  }

  bool Observes(const LedgerModel& model) const {
    for (const auto& [number, cursor] : passed)
      if (model.At(number).state.cursor != cursor) return false;
    for (const auto& [number, state] : states)
      if (!(model.At(number).state == state)) return false;
    return true;
  }
  friend bool operator==(const LedgerModel& a, const LedgerModel& b) {
    const bool bounds = a.observed || b.observed ? a.lowest <= b.certain && b.lowest <= a.certain
                                                 : a.lowest == b.lowest && a.certain == b.certain;
    return bounds && a.number() == b.number() && a.newest->beside == b.newest->beside &&
           a.state() == b.state() && a.Observes(b) && b.Observes(a);
  }
};

class StoreSystem {
 public:
  using Model = LedgerModel;

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

  // What an operation does, as the model stood before it.
  struct Plan {
    Kind kind = Kind::nothing;
    TestBatch batch = {};
    Cursor parent = {};         // of a block
    TestBatch in_between = {};  // of an overlap: the block that comes first
    std::vector<TestBatch> blocks = {};
    ApplyOptions options = {};
    Applied applied = {};                            // what a block should answer
    std::vector<Applied> all_applied = {};           // and what blocks should
    std::shared_ptr<const Model::Step> before = {};  // of a step
    std::shared_ptr<const Model::Step> after = {};
    Cursor target = {};      // of a rolling back
    std::uint64_t keep = 0;  // of a prune
  };

  struct Operation {
    Kind kind = Kind::block;
    std::uint64_t seed = 0;
    RandomBatches::Sizes sizes = {};
    std::uint64_t window = 2160;
    bool in_transaction = false;  // with a row of the program's own
    bool synced = false;
    mutable Plan plan = {};  // by ApplyToModel

    friend std::ostream& operator<<(std::ostream& out, const Operation& operation) {
      return out << Describe(operation);
    }
  };

  static std::vector<Keyspace> Keyspaces() { return KeyspacesForTest(); }
  static Operation Generate(Random& random);
  static std::string Describe(const Operation& operation);
  static Status ApplyToModel(Model& model, const Operation& operation);
  static std::vector<Model> Between(const Model& before, const Operation& operation);
  static std::string Difference(const Model& model, const Model& observed);

  explicit StoreSystem(Engine& engine) : engine_(engine) {}
  virtual ~StoreSystem() = default;

  Status Apply(const Operation& operation);

  // All there is, after every check of it; and what was held before is as it was.
  Result<Model> Observe();

 protected:
  // One attempt.
  virtual Status Transact(const std::function<Status(Transaction&)>& body, Durability durability) {
    Transaction transaction(engine_);
    TALEA_TRY(body(transaction));
    TALEA_TRY(transaction.Commit(durability));
    return {};
  }
  // What other layers do in the transaction of a step, and whether they agree with the ledger.
  virtual Status AlsoWrite(Transaction&, const Plan&) { return {}; }
  virtual Status AlsoCheck(Snapshot&, const LedgerState&) { return {}; }

  Engine& engine_;

 private:
  static constexpr std::string_view kBeside = "beside";

  static Plan MakePlan(const Model& model, const Operation& operation);
  static void PlanRollBack(const Model& model, Random& random, Plan& plan);
  static void PlanBlocks(const Model& model, const Operation& operation, Random& random,
                         Plan& plan);
  static Status StepInModel(Model& model, const Operation& operation, const TestBatch& batch);
  static Status RollBackInModel(Model& model, const Cursor& target);

  ChainStore Store(const Operation& operation) {
    return ChainStore(engine_,
                      {.undo_window = operation.window,
                       .durability = operation.synced ? Durability::synced : Durability::buffered});
  }
  Status ApplyBlock(const Operation& operation);
  Status ApplyBlocks(const Operation& operation);
  Status ApplyBatch(const Operation& operation);
  Status ApplyOverlap(const Operation& operation);
  Status Check(const Applied& expected, const Result<Applied>& applied);
  Result<Model> ObserveSteps(const ChainView& view, Snapshot& snapshot);
  Status CheckUndoRecords(const ChainView& view, const Model& seen);
  Status CheckStepRows(const ChainView& view, Model& seen, const Cursor& oldest);
  Status CheckOlderPoint(Model& seen, Random& random);
  Status CheckFeed(const Model& seen, const LedgerState& from);
  Status CheckIntersection(const Model& seen, Random& random);
  Status CheckHeld(Random& random);

  std::optional<ChainView> held_;
  LedgerState held_state_;
};

inline std::string StoreSystem::Describe(const Operation& operation) {
  constexpr const char* kKinds[] = {"block",     "blocks",    "batch", "again",  "overlap",
                                    "roll back", "step back", "prune", "settle", "nothing"};
  const Plan& plan = operation.plan;
  std::string text =
      fmt::format("{}{}, window {}", kKinds[static_cast<int>(plan.kind)],
                  operation.in_transaction ? " in a transaction" : "", operation.window);
  if (plan.kind == Kind::roll_back) return text + " to " + talea::Describe(plan.target);
  if (plan.kind == Kind::prune) return text + fmt::format(" keep {}", plan.keep);
  if (plan.kind == Kind::blocks) return text + fmt::format(", {} of them", plan.blocks.size());
  if (plan.kind == Kind::block) text += fmt::format(" from {}", talea::Describe(plan.parent));
  text += " to " + talea::Describe(plan.batch.cursor);
  for (const TestDelta& delta : plan.batch.deltas) {
    text += fmt::format("; +{} ++{} -{} --{} outputs", delta.produced.size(),
                        delta.recovered.size(), delta.consumed.size(), delta.undone.size());
  }
  return text + fmt::format("; {} entities, {} values, {} counters", plan.batch.entities.size(),
                            plan.batch.values.size(), plan.batch.counters.size());
}

inline StoreSystem::Operation StoreSystem::Generate(Random& random) {
  Operation operation{.seed = random.Next()};
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

inline void StoreSystem::PlanRollBack(const Model& model, Random& random, Plan& plan) {
  const std::uint64_t depth = random.Chance(0.9) ? random.Below(4) : random.Below(20);
  std::uint64_t wanted = model.number() - std::min(depth, model.number());
  if (wanted < model.certain && wanted >= model.lowest) wanted = model.certain;
  plan.target = model.At(wanted).state.cursor;
  if (random.Chance(0.1)) plan.target = ChainPoint::Of(random.Below(50), HashOf(random.Next()));
  const std::optional<std::uint64_t> found = model.Find(plan.target, model.lowest);
  if (found && *found < model.certain) plan.kind = Kind::nothing;
}

inline void StoreSystem::PlanBlocks(const Model& model, const Operation& operation, Random& random,
                                    Plan& plan) {
  LedgerState state = model.state();
  for (std::uint64_t left = 1 + random.Below(5); left > 0; --left) {
    TestBatch block = RandomBatches(state, random, operation.sizes).ForABlock(Flaw::none);
    if (!ApplyTo(state, block, plan.options.allow_missing_inputs)) break;
    plan.blocks.push_back(std::move(block));
  }
  if (plan.blocks.empty()) plan.kind = Kind::nothing;
}

inline StoreSystem::Plan StoreSystem::MakePlan(const Model& model, const Operation& operation) {
  Random random(operation.seed);
  Plan plan{.kind = operation.kind, .parent = model.state().cursor, .keep = random.Below(12)};
  const Flaw flaw = random.Chance(0.1) ? static_cast<Flaw>(1 + random.Below(5)) : Flaw::none;
  RandomBatches batches(model.state(), random, operation.sizes);
  plan.batch = operation.kind == Kind::batch ? batches.ForAWriter(flaw) : batches.ForABlock(flaw);
  if (plan.batch.empty()) plan.kind = Kind::nothing;
  plan.in_between = batches.ForABlock(Flaw::none);
  plan.options.allow_missing_inputs = random.Chance(0.1);
  plan.options.outputs_are_new = flaw == Flaw::none && random.Chance(0.2);
  const bool back_is_certain = model.number() > model.certain || model.lowest == model.certain;
  if (operation.kind == Kind::roll_back) PlanRollBack(model, random, plan);
  if (operation.kind == Kind::blocks) PlanBlocks(model, operation, random, plan);
  if (operation.kind == Kind::step_back && !back_is_certain) plan.kind = Kind::nothing;
  const std::uint64_t passed = model.number() - model.certain;
  const auto any_passed = [&] {
    return model.At(model.number() - random.Below(passed)).state.cursor;
  };
  if (operation.kind == Kind::batch && passed > 0 && random.Chance(0.05))
    plan.batch.cursor = any_passed();  // as somebody does who rolls back by the writer
  if (operation.kind == Kind::again) {
    const Cursor point = passed > 0 ? any_passed() : std::nullopt;
    plan.kind = point ? Kind::block : Kind::nothing;
    if (point) plan.batch.cursor = point;
    if (random.Chance(0.7)) plan.parent = ChainPoint::AtSlot(random.Next());
  } else if (operation.kind == Kind::block && random.Chance(0.05)) {
    plan.parent = ChainPoint::AtSlot(random.Next());
  }
  // Whether a point is still known that steps before the window led to, nobody can say.
  const auto known = model.Find(plan.batch.cursor, 0);
  const bool fits = plan.parent == model.state().cursor;
  if (plan.kind == Kind::block && !fits && known && *known <= model.certain)
    plan.kind = Kind::nothing;
  return plan;
}

// The rules, as plainly as can be.

inline Status StoreSystem::StepInModel(Model& model, const Operation& operation,
                                       const TestBatch& batch) {
  const Plan& plan = operation.plan;
  Model::Step next{model.number() + 1, model.state(), model.newest->beside, model.newest};
  const std::uint64_t missing =
      TALEA_TRY(ApplyTo(next.state, batch, plan.options.allow_missing_inputs));
  operation.plan.applied.missing_inputs = missing;
  if (operation.in_transaction && plan.kind != Kind::overlap && plan.kind != Kind::blocks)
    next.beside = std::to_string(operation.seed);
  operation.plan.before = model.newest;
  model.newest = std::make_shared<Model::Step>(std::move(next));
  operation.plan.after = model.newest;
  if (operation.window == 0) model.lowest = model.number();
  model.certain = std::max(
      {model.certain, model.lowest, model.number() - std::min(model.number(), operation.window)});
  return {};
}

inline Status StoreSystem::RollBackInModel(Model& model, const Cursor& target) {
  const std::optional<std::uint64_t> step = model.Find(target, model.lowest);
  if (!step) return Fail(ErrorCode::not_found, "no such point");
  while (model.number() > *step) model.newest = model.newest->before;
  return {};
}

inline Status StoreSystem::ApplyToModel(Model& model, const Operation& operation) {
  operation.plan = MakePlan(model, operation);
  Plan& plan = operation.plan;
  switch (plan.kind) {
    case Kind::block:
      if (plan.parent == plan.batch.cursor) return Fail(ErrorCode::invalid_argument, "no move");
      plan.applied.already = model.state().cursor == plan.batch.cursor;
      if (plan.applied.already) return {};
      if (plan.parent == model.state().cursor) return StepInModel(model, operation, plan.batch);
      plan.applied.already = model.Find(plan.batch.cursor, model.lowest).has_value();
      if (plan.applied.already) return {};
      return Fail(ErrorCode::precondition_failed, "another parent");
    case Kind::blocks:
      for (const TestBatch& block : plan.blocks) {
        TALEA_TRY(StepInModel(model, operation, block));
        plan.all_applied.push_back(plan.applied);
      }
      return {};
    case Kind::batch:
      return StepInModel(model, operation, plan.batch);
    case Kind::overlap:
      return StepInModel(model, operation, plan.in_between);
    case Kind::roll_back:
      return RollBackInModel(model, plan.target);
    case Kind::step_back:
      if (model.number() == model.lowest) return Fail(ErrorCode::not_found, "nothing to take back");
      model.newest = model.newest->before;
      return {};
    case Kind::prune:
      model.lowest = std::max(model.lowest, model.number() - std::min(model.number(), plan.keep));
      model.certain = std::max(model.certain, model.lowest);
      return {};
    default:
      return {};
  }
}

inline std::vector<LedgerModel> StoreSystem::Between(const Model& before,
                                                     const Operation& operation) {
  std::vector<Model> between;
  Model model = before;
  if (operation.plan.kind == Kind::roll_back) {
    const auto target = model.Find(operation.plan.target, model.lowest);
    while (target && model.number() > *target + 1) {
      model.newest = model.newest->before;
      between.push_back(model);
    }
  } else if (operation.plan.kind == Kind::blocks) {
    // Where they do not go into one commit.
    for (std::size_t done = 1; done < operation.plan.blocks.size(); ++done) {
      if (!StepInModel(model, operation, operation.plan.blocks[done - 1])) break;
      between.push_back(model);
    }
  } else if (operation.plan.kind == Kind::prune && ApplyToModel(model, operation)) {
    model.lowest = before.lowest;
    between.push_back(model);
  }
  return between;
}

inline std::string StoreSystem::Difference(const Model& model, const Model& observed) {
  std::string text =
      fmt::format("step {} and not {}, back to {} and not {} to {}; ", observed.number(),
                  model.number(), observed.lowest, model.lowest, model.certain);
  if (observed.newest->beside != model.newest->beside) text += "another row beside; ";
  if (observed.number() == model.number()) {
    for (const auto& [number, state] : observed.states)
      text +=
          fmt::format("at step {}: {}", number, chain::Difference(model.At(number).state, state));
    for (const auto& [number, cursor] : observed.passed)
      if (model.At(number).state.cursor != cursor)
        text += fmt::format("another point {}; ", number);
  }
  return text + "now: " + chain::Difference(model.state(), observed.state());
}

// The same on the store.

inline Status StoreSystem::Check(const Applied& expected, const Result<Applied>& applied) {
  if (!applied) return std::unexpected(applied.error());
  // A block whose outcome was unknown, and that is found to be in, was in before for all one knows.
  const bool found_in = applied->already && engine_.limits().outlives_unknown_outcomes;
  if (*applied == expected || found_in) return {};
  return Fail(
      ErrorCode::corruption,
      fmt::format("a block answered {}, {} missing, and not {}, {} missing", applied->already,
                  applied->missing_inputs, expected.already, expected.missing_inputs));
}

inline Status StoreSystem::ApplyBlock(const Operation& operation) {
  const Plan& plan = operation.plan;
  ChainStore store = Store(operation);
  const Block block = BlockOf(plan.batch, plan.parent);
  if (!operation.in_transaction) return Check(plan.applied, store.Apply(block, plan.options));
  return Transact(
      [&](Transaction& transaction) -> Status {
        const Result<Applied> applied = store.Apply(transaction, block, plan.options);
        TALEA_TRY(Check(plan.applied, applied));
        if (applied->already) return {};
        TALEA_TRY(AlsoWrite(transaction, plan));
        transaction.Put(kRows, kBeside, std::to_string(operation.seed));
        return {};
      },
      store.options().durability);
}

inline Status StoreSystem::ApplyBlocks(const Operation& operation) {
  const Plan& plan = operation.plan;
  ChainStore store = Store(operation);
  std::vector<Block> blocks;
  Cursor parent = plan.parent;
  for (const TestBatch& block : plan.blocks) {
    blocks.push_back(BlockOf(block, parent));
    parent = block.cursor;
  }
  const std::vector<Applied> applied = TALEA_TRY(store.ApplyAll(blocks, plan.options));
  if (applied.size() != blocks.size()) return Disagree("answers for other blocks");
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    TALEA_TRY(Check(plan.all_applied[i], applied[i]));
  }
  return {};
}

inline Status StoreSystem::ApplyBatch(const Operation& operation) {
  const Plan& plan = operation.plan;
  ChainStore store = Store(operation);
  ChainWriter writer = store.StartWriter();
  WriteTo(writer, plan.batch);
  if (!operation.in_transaction) return writer.Commit(plan.options);
  return Transact(
      [&](Transaction& transaction) -> Status {
        TALEA_TRY(store.Write(transaction, writer, plan.options));
        TALEA_TRY(AlsoWrite(transaction, plan));
        transaction.Put(kRows, kBeside, std::to_string(operation.seed));
        return {};
      },
      store.options().durability);
}

// Of two blocks with the same parent the one that commits first is in, and the other is not.
inline Status StoreSystem::ApplyOverlap(const Operation& operation) {
  const Plan& plan = operation.plan;
  ChainStore store = Store(operation);
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
  if (committed) return Fail(ErrorCode::corruption, "two blocks with one parent are in");
  return committed.error().retryable() ? Status() : std::unexpected(committed.error());
}

inline Status StoreSystem::Apply(const Operation& operation) {
  ChainStore store = Store(operation);
  switch (operation.plan.kind) {
    case Kind::block:
      return ApplyBlock(operation);
    case Kind::blocks:
      return ApplyBlocks(operation);
    case Kind::batch:
      return ApplyBatch(operation);
    case Kind::overlap:
      return ApplyOverlap(operation);
    case Kind::roll_back:
      TALEA_TRY(store.RollBack(operation.plan.target));
      return {};
    case Kind::step_back:
      return Transact(
          [&](Transaction& transaction) -> Status {
            TALEA_TRY(store.StepBack(transaction));
            return {};
          },
          store.options().durability);
    case Kind::prune:
      TALEA_TRY(store.Prune(operation.plan.keep));
      return {};
    case Kind::settle:
      return store.Settle();
    default:
      return {};
  }
}

inline Result<LedgerModel> StoreSystem::ObserveSteps(const ChainView& view, Snapshot& snapshot) {
  Model seen;
  auto newest = std::make_shared<Model::Step>();
  const Progress::Position position = TALEA_TRY(LedgerProgress().Read(snapshot));
  if (position) newest->number = TALEA_TRY(DecodeStep(*position));
  newest->beside = TALEA_TRY(snapshot.Get(kRows, kBeside))
  .value_or("");
  const ChainStatistics statistics = TALEA_TRY(view.Statistics());
  seen.newest = newest;
  seen.observed = true;
  if (statistics.undo_steps > seen.number()) return Disagree("more undo than steps");
  seen.lowest = seen.certain = seen.number() - statistics.undo_steps;
  TALEA_TRY(CheckStepRows(view, seen, statistics.oldest));
  TALEA_TRY(CheckUndoRecords(view, seen));
  return seen;
}

// A row for each step that can be taken back, and for each point the newest step that led there.
inline Status StoreSystem::CheckStepRows(const ChainView& view, Model& seen, const Cursor& oldest) {
  seen.passed[seen.lowest] = oldest;
  Scanner steps(view.reader(), kChainKeyspace, StepKeys());
  while (const std::optional<Row> row = TALEA_TRY(steps.Next())) {
    const StepRow step = TALEA_TRY(DecodeStepRow(row->value));
    const std::uint64_t number = TALEA_TRY(StepOfKey(row->key));
    if (number <= seen.lowest) continue;  // what a step without undo has left is forgotten later
    const auto before = seen.passed.find(number - 1);
    if (before == seen.passed.end() || before->second != step.before)
      return Disagree("a step that does not begin where the one before it ends");
    seen.passed[before->first + 1] = step.after;
  }
  if (seen.passed.rbegin()->first != seen.number() || seen.passed.rbegin()->second != view.cursor())
    return Disagree("the steps do not lead to the cursor");
  std::map<std::string, std::uint64_t> expected;
  for (const auto& [number, cursor] : seen.passed)
    if (number > seen.lowest) expected[PointKey(cursor)] = number;
  Scanner points(view.reader(), kChainKeyspace, PointKeys());
  while (const std::optional<Row> row = TALEA_TRY(points.Next())) {
    const std::uint64_t number = TALEA_TRY(DecodeStep(row->value));
    const auto point = expected.find(std::string(row->key));
    const bool known = point != expected.end() && point->second == number;
    if (!known && number > seen.lowest) return Disagree("a point that no step led to");
    if (known) expected.erase(point);
  }
  return expected.empty() ? Status() : Disagree("a step whose point is not known");
}

inline Status StoreSystem::CheckUndoRecords(const ChainView& view, const Model& seen) {
  std::set<std::uint64_t> records;
  Scanner rows(view.reader(), kUndoKeyspace, UndoRecords(LedgerProgress().source()));
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    const std::string position = TALEA_TRY(UndoRecordPosition(LedgerProgress().source(), row->key));
    const std::uint64_t number = TALEA_TRY(DecodeStep(position));
    if (number > seen.lowest) records.insert(number);
  }
  if (records.size() == seen.number() - seen.lowest &&
      (records.empty() ||
       (*records.begin() == seen.lowest + 1 && *records.rbegin() == seen.number())))
    return {};
  return Disagree(fmt::format("{} undo records for steps {} to {}", records.size(), seen.lowest + 1,
                              seen.number()));
}

// The state at an earlier point, and what has changed since then.
inline Status StoreSystem::CheckOlderPoint(Model& seen, Random& random) {
  const std::uint64_t chosen = static_cast<std::uint64_t>(random.Between(
      static_cast<std::int64_t>(seen.lowest), static_cast<std::int64_t>(seen.number())));
  std::uint64_t newest_there = chosen;
  for (const auto& [number, cursor] : seen.passed)
    if (cursor == seen.passed[chosen]) newest_there = std::max(newest_there, number);
  const ChainStore store(engine_);
  const ChainView older = TALEA_TRY(store.OpenAt(seen.passed[chosen]));
  const LedgerState state = TALEA_TRY(LedgerChecks(older, random).Read());
  seen.states[newest_there] = state;
  return CheckFeed(seen, state);
}

inline Status StoreSystem::CheckFeed(const Model& seen, const LedgerState& from) {
  LedgerState state = from;
  std::uint64_t number = seen.states.begin()->first;
  ChangeFeed feed = TALEA_TRY(ChainStore(engine_).Changes(from.cursor));
  while (const std::optional<ChainChange> change = TALEA_TRY(feed.Next())) {
    if (!seen.passed.contains(number + 1) || change->parent != seen.passed.at(number) ||
        change->point != seen.passed.at(number + 1))
      return Disagree(fmt::format("a change that is not that of step {}", number + 1));
    ++number;
    if (!Replay(state, *change)) return Disagree("a change from what was not there");
  }
  if (number != seen.number()) return Disagree("changes that end too early");
  const auto values = [](const LedgerState& of) {
    std::map<OutputReference, std::string> stored;
    for (const auto& [reference, output] : of.outputs)
      stored[reference] = EncodeOutput(output.view());
    return stored;
  };
  if (values(state) == values(seen.state()) && state.entities == seen.state().entities &&
      state.values == seen.state().values && state.counters == seen.state().counters)
    return {};
  return Disagree("changes that do not lead to the state of now: " +
                  chain::Difference(seen.state(), state));
}

// Of some points, known or not, the newest.
inline Status StoreSystem::CheckIntersection(const Model& seen, Random& random) {
  std::vector<Cursor> points;
  std::optional<std::uint64_t> newest;
  for (std::uint64_t count = random.Below(4); count > 0; --count) {
    points.push_back(ChainPoint::Of(random.Below(50), HashOf(random.Next())));
    const auto passed = std::next(seen.passed.begin(),
                                  static_cast<std::ptrdiff_t>(random.Below(seen.passed.size())));
    if (random.Chance(0.5)) continue;
    points.push_back(passed->second);
    for (const auto& [number, cursor] : seen.passed)
      if (cursor == passed->second) newest = std::max(newest.value_or(0), number);
  }
  const auto found = TALEA_TRY(ChainStore(engine_).FindIntersection(points));
  const std::optional<Cursor> expected =
      newest ? std::optional<Cursor>(seen.passed.at(*newest)) : std::nullopt;
  return found == expected ? Status() : Disagree("another intersection");
}

inline Status StoreSystem::CheckHeld(Random& random) {
  if (!held_) return {};
  const Result<LedgerState> again = LedgerChecks(*held_, random).Read();
  if (!again && again.error().code() == ErrorCode::snapshot_expired) return {};
  if (!again) return std::unexpected(again.error());
  if (*again == held_state_) return {};
  return Disagree("an older view has changed: " + chain::Difference(held_state_, *again));
}

inline Result<LedgerModel> StoreSystem::Observe() {
  const std::shared_ptr<Snapshot> snapshot = TALEA_TRY(engine_.OpenSnapshot());
  Random random(snapshot->version().number);
  const ChainView view = TALEA_TRY(ChainView::Over(snapshot));
  Model seen = TALEA_TRY(ObserveSteps(view, *snapshot));
  const LedgerState state = TALEA_TRY(LedgerChecks(view, random).Read());
  auto newest = std::make_shared<Model::Step>(*seen.newest);
  newest->state = state;
  seen.newest = newest;
  TALEA_TRY(CheckOlderPoint(seen, random));
  TALEA_TRY(CheckIntersection(seen, random));
  TALEA_TRY(AlsoCheck(*snapshot, state));
  TALEA_TRY(CheckHeld(random));
  if (!held_ || random.Chance(0.5)) {
    held_ = view;
    held_state_ = state;
  }
  return seen;
}

}  // namespace talea::chain
