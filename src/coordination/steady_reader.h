// Reading a whole engine, however long that takes.
#pragma once

#include <memory>

#include "talea/engine.h"

namespace talea {

// Reads one state where the engine's snapshots do not expire, and elsewhere the newest one for each
// call; tries again what passes. The engine must outlive it.
class SteadyReader final : public Reader {
 public:
  static Result<std::unique_ptr<SteadyReader>> Open(Engine& engine);

  Result<std::optional<std::string>> Get(const Keyspace& keyspace, ByteView key) override;
  Result<std::vector<std::optional<std::string>>> MultiGet(
      std::span<const KeyReference> keys) override;
  Result<Page> Range(const Keyspace& keyspace, const KeyRange& range,
                     const PageOptions& options = {}) override;

  // The state that is read, or the newest when this was opened.
  Version version() const { return version_; }

 private:
  SteadyReader(Engine& engine, std::unique_ptr<Snapshot> snapshot)
      : paged_(engine), version_(snapshot->version()), snapshot_(std::move(snapshot)) {}
  Reader& reader() { return snapshot_ ? static_cast<Reader&>(*snapshot_) : paged_; }

  PagedReader paged_;
  const Version version_;
  std::unique_ptr<Snapshot> snapshot_;  // or none
};

}  // namespace talea
