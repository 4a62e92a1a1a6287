// What random work on a ledger should lead to, as plainly as can be. For tests alone.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "chain/ledger_model_for_test.h"
#include "chain/store_operation_for_test.h"

namespace talea::chain {

// What AgreesWithModel asks of a system, but for the store.
class StoreRules {
 public:
  using Model = LedgerModel;
  using Operation = StoreOperation;
  using Kind = Operation::Kind;
  using Plan = Operation::Plan;

  static std::vector<Keyspace> Keyspaces() { return KeyspacesForTest(); }
  static Operation Generate(Random& random) { return Operation::Generate(random); }

  // Makes the operation's plan too.
  static Status ApplyToModel(Model& model, const Operation& operation) {
    operation.plan = StorePlanner(model, operation).Make();
    Plan& plan = operation.plan;
    switch (plan.kind) {
      case Kind::block:
        return ApplyBlock(model, operation);
      case Kind::blocks:
        for (const TestBatch& block : plan.blocks) {
          TALEA_TRY(Step(model, operation, block));
          plan.all_applied.push_back(plan.applied);
        }
        return {};
      case Kind::batch:
        return Step(model, operation, plan.batch);
      case Kind::overlap:
        return Step(model, operation, plan.in_between);
      case Kind::roll_back:
        return RollBack(model, plan.target);
      case Kind::step_back:
        if (model.number() == model.lowest)
          return Fail(ErrorCode::not_found, "nothing to take back");
        model.StepBack();
        return {};
      case Kind::prune:
        model.lowest = std::max(model.lowest, model.Before(plan.keep));
        model.certain = std::max(model.certain, model.lowest);
        return {};
      default:
        return {};
    }
  }

  static std::vector<Model> Between(const Model& before, const Operation& operation) {
    const Plan& plan = operation.plan;
    std::vector<Model> between;
    Model model = before;
    if (plan.kind == Kind::roll_back) {
      const auto target = model.Find(plan.target, model.lowest);
      while (target && model.number() > *target + 1) {
        model.StepBack();
        between.push_back(model);
      }
    } else if (plan.kind == Kind::blocks) {
      // Where they do not go into one commit.
      for (std::size_t done = 1; done < plan.blocks.size(); ++done) {
        if (!Step(model, operation, plan.blocks[done - 1])) break;
        between.push_back(model);
      }
    } else if (plan.kind == Kind::prune && ApplyToModel(model, operation)) {
      model.lowest = before.lowest;
      between.push_back(model);
    }
    return between;
  }

  static std::string Difference(const Model& model, const Model& observed) {
    return chain::Difference(model, observed);
  }

 private:
  static Status Step(Model& model, const Operation& operation, const TestBatch& batch) {
    Plan& plan = operation.plan;
    Model::Step next{model.number() + 1, model.state(), model.newest->beside, model.newest};
    plan.applied.missing_inputs =
        TALEA_TRY(ApplyTo(next.state, batch, plan.options.allow_missing_inputs));
    if (operation.in_transaction && plan.kind != Kind::overlap && plan.kind != Kind::blocks)
      next.beside = std::to_string(operation.seed);
    plan.before = model.newest;
    plan.after = model.newest = std::make_shared<Model::Step>(std::move(next));
    if (operation.window == 0) model.lowest = model.number();
    model.certain = std::max({model.certain, model.lowest, model.Before(operation.window)});
    return {};
  }

  static Status ApplyBlock(Model& model, const Operation& operation) {
    Plan& plan = operation.plan;
    if (plan.parent == plan.batch.cursor) return Fail(ErrorCode::invalid_argument, "no move");
    plan.applied.already = model.state().cursor == plan.batch.cursor;
    if (plan.applied.already) return {};
    if (plan.parent == model.state().cursor) return Step(model, operation, plan.batch);
    plan.applied.already = model.Find(plan.batch.cursor, model.lowest).has_value();
    if (plan.applied.already) return {};
    return Fail(ErrorCode::precondition_failed, "another parent");
  }

  static Status RollBack(Model& model, const Cursor& target) {
    const std::optional<std::uint64_t> step = model.Find(target, model.lowest);
    if (!step) return Fail(ErrorCode::not_found, "no such point");
    while (model.number() > *step) model.StepBack();
    return {};
  }
};

}  // namespace talea::chain
