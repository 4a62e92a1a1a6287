// One import at a time, within this process.
#pragma once

#include <utility>

#include "talea/result.h"

namespace talea::chain {

// Held by whoever imports, ingests or abandons. An ingest is a blind write, so it cannot find out
// by itself that another call has meanwhile finished the same import. Whether two engines are of
// the same ledger is not known, as a tenant may be open twice; so there is one for all of them.
class ImportGuard {
 public:
  // precondition_failed while another one is held.
  static Result<ImportGuard> Take();
  ImportGuard(ImportGuard&& other) noexcept : holds_(std::exchange(other.holds_, false)) {}
  ImportGuard& operator=(ImportGuard&&) = delete;
  ~ImportGuard();

 private:
  explicit ImportGuard(bool holds) : holds_(holds) {}
  bool holds_;
};

}  // namespace talea::chain
