// An engine in memory on which something happens in the worst moment. For tests alone.
#pragma once

#include <functional>
#include <utility>

#include "coordination/coordination_for_test.h"
#include "engine/forwarding_engine.h"

namespace talea::histograms {

// Does something before the n-th commit from now on.
class InterruptedEngine final : public ForwardingEngine {
 public:
  InterruptedEngine() : ForwardingEngine(OpenEngineForTest()) {}

  void Before(int commit, std::function<void()> action) {
    left_ = commit;
    action_ = std::move(action);
  }
  bool pending() const { return left_ > 0; }

  Result<Version> Commit(CommitRequest request) override {
    if (left_ > 0 && --left_ == 0) std::exchange(action_, {})();
    return inner().Commit(std::move(request));
  }

 private:
  int left_ = 0;
  std::function<void()> action_;
};

}  // namespace talea::histograms
