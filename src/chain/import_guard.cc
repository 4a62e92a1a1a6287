#include "chain/import_guard.h"

#include <mutex>
#include <set>

namespace talea::chain {
namespace {

struct Held {
  std::mutex mutex;
  std::set<const Engine*> engines;
};

Held& AllHeld() {
  static Held held;
  return held;
}

}  // namespace

Result<ImportGuard> ImportGuard::Take(Engine& engine) {
  Held& held = AllHeld();
  std::lock_guard lock(held.mutex);
  if (held.engines.insert(&engine).second) return ImportGuard(engine);
  return Fail(ErrorCode::precondition_failed,
              "import: expected no other one under way, found one in this process");
}

ImportGuard::~ImportGuard() {
  if (engine_ == nullptr) return;
  Held& held = AllHeld();
  std::lock_guard lock(held.mutex);
  held.engines.erase(engine_);
}

}  // namespace talea::chain
