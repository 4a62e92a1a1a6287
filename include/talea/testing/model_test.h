// Model tests: the same random operations on a real store and on a plain model of it must agree,
// whatever the simulation does to the store meanwhile.
//
// Describe the store once:
//
//   struct TallySystem {
//     using Model = std::map<std::string, std::int64_t>;
//     struct Operation { std::string name; std::int64_t delta; };      // printable with <<
//     static std::vector<Keyspace> Keyspaces() { return {kTallies}; }
//     static Operation Generate(Random& random);
//     static Status ApplyToModel(Model& model, const Operation&);      // the rule, as plainly as
//     can be
//
//     explicit TallySystem(Engine& engine);                            // made anew after every
//     crash Status Apply(const Operation&);                                  // on the store, all
//     or nothing Result<Model> Observe();                                         // all that the
//     store holds
//   };
//
// An operation that takes several commits, and may be interrupted between them, also says where:
//     static std::vector<Model> Between(const Model& before, const Operation&);   // in order
//
// and then ask, in any test:
//
//   TEST(Tally, AgreesWithItsModel) {
//     EXPECT_TRUE(AgreesWithModel<TallySystem>({.profile = SimulationProfile::RocksDb()}));
//   }
//
// A disagreement is shrunk to few operations and printed with its seed; TALEA_SEED=... runs it
// again.
#pragma once

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "talea/testing/random.h"
#include "talea/testing/simulation.h"

namespace talea {

struct ModelTestOptions {
  SimulationProfile profile = SimulationProfile::RocksDb();
  std::size_t steps = 2000;  // as StepsInThisBuild says
  bool every_step = false;   // under a sanitizer as well
  std::uint64_t seed = TestSeed();
  std::size_t check_every = 20;  // steps between two looks at the whole store
  double crash_between_steps = 0.005;
  double power_cut_between_steps = 0.005;
};

template <class T>
concept ModelledSystem = requires(
    Engine& engine, Random& random, typename T::Model& model, const typename T::Model& same,
    const typename T::Operation& operation, T& system, std::ostream& out) {
  { T::Keyspaces() } -> std::convertible_to<std::vector<Keyspace>>;
  { T::Generate(random) } -> std::same_as<typename T::Operation>;
  { T::ApplyToModel(model, operation) } -> std::same_as<Status>;
  { system.Apply(operation) } -> std::same_as<Status>;
  { system.Observe() } -> std::same_as<Result<typename T::Model>>;
  { same == same } -> std::convertible_to<bool>;
  T(engine);
  out << operation;
};

// A disagreement: what was expected and what was found.
using Disagreement = std::optional<std::string>;

// Leaves out steps for as long as the run still fails: returns the numbers of those that remain.
// `run` is given the numbers of the steps to run.
std::vector<std::size_t> Shrink(std::size_t steps,
                                const std::function<bool(const std::vector<std::size_t>&)>& fails);

// How many steps of a run are taken: ten times as many in long tests. In others the address
// sanitizer, under which a step takes about ten times as long, sees the first quarter of the steps
// that the other builds take, unless every one is asked for.
std::size_t StepsInThisBuild(const ModelTestOptions& options);

// One run of some of the steps that follow from a seed.
template <ModelledSystem System>
class ModelRun {
 public:
  using Model = typename System::Model;
  using Operation = typename System::Operation;

  ModelRun(const ModelTestOptions& options, std::size_t steps) : options_(options) {
    Random random(options.seed);
    for (std::size_t step = 0; step < steps; ++step) {
      const std::uint64_t seed = random.Next();
      steps_.push_back({System::Generate(random), seed});
    }
  }

  const Operation& operation(std::size_t step) const { return steps_[step].operation; }

  Disagreement Run(const std::vector<std::size_t>& chosen) {
    Result<Simulation> simulation =
        Simulation::Make(System::Keyspaces(), options_.profile, options_.seed);
    if (!simulation) return Describe("making the simulation", simulation.error());
    simulation_ = &*simulation;
    power_cuts_ = 0;
    model_ = Model();
    possible_ = {model_};
    if (Disagreement failed = Open()) return failed;
    for (std::size_t count = 0; count < chosen.size(); ++count) {
      const Step& step = steps_[chosen[count]];
      simulation_->Reseed(step.seed);
      Disagreement failed = Perform(step);
      if (!failed && (count + 1) % options_.check_every == 0) failed = LookNow();
      if (failed)
        return Close("step " + std::to_string(chosen[count]) + ", " + Print(step.operation) + ": " +
                     *failed);
    }
    Disagreement failed = LookNow();
    return failed ? Close("at the end: " + *failed) : Close(std::nullopt);
  }

  static std::string Print(const Operation& operation) {
    std::ostringstream out;
    out << operation;
    return out.str();
  }

 private:
  struct Step {
    Operation operation;
    std::uint64_t seed;  // of the faults during it
  };

  static std::string Describe(std::string_view what, const Error& error) {
    std::ostringstream out;
    out << what << " failed: " << error;
    return out.str();
  }

  Disagreement Close(Disagreement disagreement) {
    system_.reset();
    engine_.reset();
    return disagreement;
  }

  Disagreement Open() {
    system_.reset();
    engine_.reset();
    Result<std::unique_ptr<Engine>> engine = simulation_->Open();
    if (!engine) return Describe("opening the engine", engine.error());
    engine_ = std::move(*engine);
    system_ = std::make_unique<System>(*engine_);
    return std::nullopt;
  }

  Disagreement Perform(const Step& step) {
    Random random(step.seed);
    if (random.Chance(options_.crash_between_steps)) simulation_->Crash();
    if (random.Chance(options_.power_cut_between_steps)) simulation_->PowerCut();
    if (simulation_->processes() == 0) {
      if (Disagreement failed = Reopen({})) return failed;
    }
    Model next = model_;
    const Status expected = System::ApplyToModel(next, step.operation);
    const Status found = system_->Apply(step.operation);
    if (found) {
      if (!expected)
        return "it succeeded, where the model refuses it: " + expected.error().message();
      // A power cut in what it does beside, after its commit, may take the commit as well.
      if (simulation_->power_cuts() == power_cuts_)
        return AcknowledgeAll(Between(step.operation), std::move(next));
    }
    std::vector<Model> reached = Between(step.operation);
    const bool died = simulation_->processes() == 0;
    if (found || died || found.error().code() == ErrorCode::outcome_unknown) {
      if (expected) reached.push_back(std::move(next));
      return Reopen(std::move(reached));
    }
    if (found.error().retryable() && !reached.empty()) {
      reached.insert(reached.begin(), model_);
      return Look(std::move(reached), 0);
    }
    if (found.error().retryable())
      return std::nullopt;  // it gave up, and must have changed nothing
    if (expected || expected.error().code() != found.error().code()) {
      return Describe(expected ? "it" : "it, with another error than the model's,", found.error());
    }
    return std::nullopt;
  }

  // Where an operation of several commits may be interrupted.
  std::vector<Model> Between(const Operation& operation) const {
    if constexpr (requires { System::Between(model_, operation); }) {
      return System::Between(model_, operation);
    }
    return {};
  }

  Disagreement AcknowledgeAll(std::vector<Model> passed, Model next) {
    for (Model& model : passed) Acknowledge(std::move(model));
    return Acknowledge(std::move(next));
  }

  Disagreement Acknowledge(Model next) {
    model_ = std::move(next);
    if (simulation_->unsynced_commits() == 0) possible_.clear();
    if (possible_.empty() || !(possible_.back() == model_)) possible_.push_back(model_);
    return std::nullopt;
  }

  // After a death or an unknown outcome: the store is as after the last acknowledged operation, or
  // as the unacknowledged one may have left it, or, where the power was cut, as after any that was
  // not synced yet.
  Disagreement Reopen(std::vector<Model> unacknowledged) {
    simulation_->Settle();
    std::vector<Model> candidates;
    if (simulation_->power_cuts() != power_cuts_) candidates = possible_;
    power_cuts_ = simulation_->power_cuts();
    candidates.push_back(model_);
    const std::size_t passed = candidates.size();
    for (Model& model : unacknowledged) candidates.push_back(std::move(model));
    if (simulation_->processes() == 0) {
      simulation_->InjectFaults(false);
      const Disagreement failed = Open();
      simulation_->InjectFaults(true);
      if (failed) return failed;
    }
    return Look(std::move(candidates), passed);
  }

  // An operation may have succeeded and then died, of something that it does beside.
  Disagreement LookNow() { return simulation_->processes() == 0 ? Reopen({}) : Look({model_}); }

  // The store must be as one of the candidates, oldest first; which it is, is then the model. Those
  // from `passed` on lead to each other, so it has been as the ones before it too.
  Disagreement Look(std::vector<Model> candidates, std::size_t passed = ~std::size_t{0}) {
    simulation_->InjectFaults(false);
    const Result<Model> observed = system_->Observe();
    simulation_->InjectFaults(true);
    if (!observed) return Describe("observing the store", observed.error());
    for (std::size_t found = candidates.size(); found-- > 0;) {
      if (!(candidates[found] == *observed)) continue;
      for (std::size_t step = passed; step < found; ++step) Acknowledge(candidates[step]);
      return Acknowledge(std::move(candidates[found]));
    }
    return "the store and its model differ" + Difference(*observed);
  }

  std::string Difference(const Model& observed) const {
    if constexpr (requires { System::Difference(model_, observed); }) {
      return ": " + System::Difference(model_, observed);
    }
    return "";
  }

  const ModelTestOptions options_;
  std::vector<Step> steps_;

  Simulation* simulation_ = nullptr;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<System> system_;
  std::uint64_t power_cuts_ = 0;  // seen so far
  Model model_;                   // as acknowledged
  std::vector<Model> possible_;   // what a power cut could leave, oldest first; the last is model_
};

template <ModelledSystem System>
testing::AssertionResult AgreesWithModel(const ModelTestOptions& options) {
  const std::size_t steps = StepsInThisBuild(options);
  ModelRun<System> run(options, steps);
  std::vector<std::size_t> all(steps);
  for (std::size_t step = 0; step < steps; ++step) all[step] = step;
  const Disagreement found = run.Run(all);
  if (!found) return testing::AssertionSuccess();

  const std::vector<std::size_t> few = Shrink(
      steps, [&](const std::vector<std::size_t>& some) { return run.Run(some).has_value(); });
  testing::AssertionResult failure = testing::AssertionFailure();
  failure << "profile " << options.profile.name << ", seed " << options.seed
          << " (TALEA_SEED=" << options.seed << " runs it again): " << *found << "\nshrunk to "
          << few.size() << " of " << steps << " steps:\n";
  for (const std::size_t step : few)
    failure << "  " << step << ": " << ModelRun<System>::Print(run.operation(step)) << "\n";
  return failure << "which end with: " << run.Run(few).value_or("nothing, this time");
}

}  // namespace talea
