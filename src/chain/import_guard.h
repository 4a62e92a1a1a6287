// One import at a time into a ledger, within this process.
#pragma once

#include <utility>

#include "talea/engine.h"
#include "talea/result.h"

namespace talea::chain {

// Held by whoever imports, ingests or abandons. An ingest is a blind write, so it cannot find out
// by itself that another call has meanwhile finished the same import.
class ImportGuard {
 public:
  // precondition_failed while another one is held for this engine.
  static Result<ImportGuard> Take(Engine& engine);
  ImportGuard(ImportGuard&& other) noexcept : engine_(std::exchange(other.engine_, nullptr)) {}
  ImportGuard& operator=(ImportGuard&&) = delete;
  ~ImportGuard();

 private:
  explicit ImportGuard(Engine& engine) : engine_(&engine) {}
  Engine* engine_;
};

}  // namespace talea::chain
