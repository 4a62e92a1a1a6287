// A model test on an engine where nothing goes wrong, and which now and then is opened again. For
// tests alone, which link RocksDB.
//
// The system is described as for AgreesWithModel. One whose operations may conflict with themselves
// says which: those have then come as far as the first of its Between().
//     static bool MayConflict(const Operation&);
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "coordination/engines_for_test.h"
#include "talea/testing/model_test.h"
#include "talea/testing/result_matchers.h"

namespace talea {

inline int StepsOnAnEngine() { return LongTests() ? 20'000 : 2000; }

template <ModelledSystem System>
class EngineModelRun {
 public:
  using Model = typename System::Model;
  using Operation = typename System::Operation;
  using Make = std::function<std::unique_ptr<System>(Engine& engine)>;
  using Met = std::function<void(const Operation& operation, bool taken)>;

  explicit EngineModelRun(const EngineForTest& engine,
                          Make make = std::make_unique<System, Engine&>)
      : make_(std::move(make)), engine_(engine), system_(make_(*engine_)) {}

  // Random operations. `met` is told of each, and whether the model takes it.
  void Run(int steps, const Met& met = [](const Operation&, bool) {}) {
    Random random(TestSeed());
    for (int step = 0; step < steps; ++step) {
      const Operation operation = System::Generate(random);
      SCOPED_TRACE(testing::Message() << "seed " << TestSeed() << " (TALEA_SEED), step " << step);
      ASSERT_NO_FATAL_FAILURE(Step(operation, met));
      if (step % 20 == 19) {
        ASSERT_NO_FATAL_FAILURE(Look());
      }
      if (random.Chance(0.005)) Reopen();
    }
    Look();
  }

  void Step(const Operation& operation, const Met& met = [](const Operation&, bool) {}) {
    Model next = model_;
    const Status expected = System::ApplyToModel(next, operation);
    SCOPED_TRACE(testing::Message() << operation);
    const Status found = system_->Apply(operation);
    met(operation, expected.has_value());
    if (!expected) {
      ASSERT_ERROR(found, expected.error().code());
      return;
    }
    if constexpr (requires { System::MayConflict(operation); }) {
      if (!found && found.error().code() == ErrorCode::conflict && System::MayConflict(operation)) {
        model_ = System::Between(model_, operation).at(0);
        return;
      }
    }
    ASSERT_OK(found);
    model_ = std::move(next);
  }

  void Look() {
    const Model found = ASSERT_VALUE(system_->Observe());
    ASSERT_TRUE(found == model_) << System::Difference(model_, found);
  }

  const Model& model() const { return model_; }

 private:
  void Reopen() {
    system_.reset();
    engine_.Reopen();
    system_ = make_(*engine_);
  }

  const Make make_;
  EngineUnderTest engine_;
  std::unique_ptr<System> system_;
  Model model_;
};

}  // namespace talea
