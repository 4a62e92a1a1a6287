#include "chain/import_guard.h"

#include <atomic>

namespace talea::chain {
namespace {

constinit std::atomic<bool> held = false;

}  // namespace

Result<ImportGuard> ImportGuard::Take() {
  if (!held.exchange(true)) return ImportGuard(true);
  return Fail(ErrorCode::precondition_failed,
              "import: expected no other one under way, found one in this process");
}

ImportGuard::~ImportGuard() {
  if (holds_) held = false;
}

}  // namespace talea::chain
