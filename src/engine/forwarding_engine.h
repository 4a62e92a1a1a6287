// An engine that is another one, but for what a derived class does otherwise.
#pragma once

#include <memory>
#include <utility>

#include "talea/engine.h"

namespace talea {

// Passes every call on. Snapshots are the other engine's own, so a class that wraps them overrides
// Commit as well, which is given them back.
class ForwardingEngine : public Engine {
 public:
  explicit ForwardingEngine(std::shared_ptr<Engine> inner) : inner_(std::move(inner)) {}

  const KeyspaceSet& keyspaces() const override { return inner_->keyspaces(); }
  const Limits& limits() const override { return inner_->limits(); }
  Result<std::unique_ptr<Snapshot>> OpenSnapshot() override { return inner_->OpenSnapshot(); }
  Result<Version> Commit(CommitRequest request) override {
    return inner_->Commit(std::move(request));
  }
  Result<Version> Ingest(IngestRequest request) override {
    return inner_->Ingest(std::move(request));
  }
  Status Checkpoint(const std::filesystem::path& folder) override {
    return inner_->Checkpoint(folder);
  }
  Result<Statistics> GetStatistics() override { return inner_->GetStatistics(); }
  Status Shutdown(std::chrono::milliseconds bound) override { return inner_->Shutdown(bound); }

 protected:
  Engine& inner() const { return *inner_; }

 private:
  const std::shared_ptr<Engine> inner_;
};

}  // namespace talea
