// An engine in memory whose commits go wrong as a test says, one by one. For tests alone.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "coordination/coordination_for_test.h"
#include "engine/forwarding_engine.h"
#include "talea/engine.h"

namespace talea {

class ScriptedEngine final : public ForwardingEngine {
 public:
  // What happens to a commit.
  enum class Fate {
    decided,  // as it should be
    applied,  // it happens, and the outcome is unknown
    lost,     // it does not happen, and the outcome is unknown
    held,     // it may happen when Release is called, and the outcome is unknown
    refused,  // unavailable
    denied,   // io_error
  };

  explicit ScriptedEngine(bool outlives_unknown_outcomes = true)
      : ForwardingEngine(OpenEngineForTest()), limits_(inner().limits()) {
    limits_.outlives_unknown_outcomes = outlives_unknown_outcomes;
    limits_.value_bytes = 1000;
  }

  // The fates of the next commits; all after them are decided.
  void Expect(std::initializer_list<Fate> fates) { fates_.assign(fates); }

  // Lets the oldest held commit happen now, and returns what became of it.
  Result<Version> Release() {
    Held held = std::move(held_.front());
    held_.pop_front();
    held.request.snapshot = held.snapshot.get();
    return inner().Commit(std::move(held.request));
  }
  std::size_t held() const { return held_.size(); }

  const Limits& limits() const override { return limits_; }
  Result<std::unique_ptr<Snapshot>> OpenSnapshot() override {
    return std::make_unique<SharedSnapshot>(TALEA_TRY(inner().OpenSnapshot()));
  }
  Result<Version> Commit(CommitRequest request) override;

 private:
  // A snapshot that a held commit keeps open.
  class SharedSnapshot final : public Snapshot {
   public:
    explicit SharedSnapshot(std::shared_ptr<Snapshot> inner) : inner_(std::move(inner)) {}
    const std::shared_ptr<Snapshot>& inner() const { return inner_; }
    Version version() const override { return inner_->version(); }
    Result<std::optional<std::string>> Get(const Keyspace& keyspace, ByteView key) override {
      return inner_->Get(keyspace, key);
    }
    Result<std::vector<std::optional<std::string>>> MultiGet(
        std::span<const KeyReference> keys) override {
      return inner_->MultiGet(keys);
    }
    Result<Page> Range(const Keyspace& keyspace, const KeyRange& range,
                       const PageOptions& options) override {
      return inner_->Range(keyspace, range, options);
    }

   private:
    const std::shared_ptr<Snapshot> inner_;
  };

  struct Held {
    std::shared_ptr<Snapshot> snapshot;
    CommitRequest request;
  };

  Limits limits_;
  std::deque<Fate> fates_;
  std::deque<Held> held_;
};

inline Result<Version> ScriptedEngine::Commit(CommitRequest request) {
  auto* snapshot = static_cast<SharedSnapshot*>(request.snapshot);
  Held attempt{snapshot ? snapshot->inner() : nullptr, std::move(request)};
  attempt.request.snapshot = attempt.snapshot.get();
  if (attempt.request.batch.empty()) return inner().Commit(std::move(attempt.request));
  Fate fate = Fate::decided;
  if (!fates_.empty()) fate = fates_.front(), fates_.pop_front();
  switch (fate) {
    case Fate::decided:
      return inner().Commit(std::move(attempt.request));
    case Fate::applied:
      TALEA_TRY(inner().Commit(std::move(attempt.request)));
      break;
    case Fate::held:
      held_.push_back(std::move(attempt));
      break;
    case Fate::lost:
      break;
    case Fate::refused:
      return Fail(ErrorCode::unavailable, "scripted: unavailable");
    case Fate::denied:
      return Fail(ErrorCode::io_error, "scripted: io error");
  }
  return Fail(ErrorCode::outcome_unknown, "scripted: unknown");
}

}  // namespace talea
