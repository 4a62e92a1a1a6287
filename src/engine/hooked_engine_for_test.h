// Engines whose commits a test takes part in. For tests alone.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "engine/forwarding_engine.h"

namespace talea {

// Makes its commits by a function that is given the engine, which is somebody else's.
class HookedEngine final : public ForwardingEngine {
 public:
  using Hook = std::function<Result<Version>(Engine&, CommitRequest)>;

  HookedEngine(Engine& engine, Hook hook)
      : ForwardingEngine(std::shared_ptr<Engine>(&engine, [](Engine*) {})),
        hook_(std::move(hook)) {}

  Result<Version> Commit(CommitRequest request) override {
    return hook_(inner(), std::move(request));
  }

 private:
  const Hook hook_;
};

// Does something before each commit that writes, and so between any two.
inline HookedEngine::Hook BeforeCommits(std::function<void()> action) {
  return [action = std::move(action)](Engine& engine, CommitRequest request) {
    if (!request.batch.empty()) action();
    return engine.Commit(std::move(request));
  };
}

}  // namespace talea
