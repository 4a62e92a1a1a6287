// Verifying takes any rows, in a database or behind the numbers of tenants, and comes to the same
// report each time. The input is a write batch.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "keyspace/registry.h"
#include "talea/memory_engine.h"
#include "talea/verify.h"

namespace talea {
namespace {

constexpr Keyspace kRows{128, AccessPattern::scan, "rows"};

void CheckRows(ByteView bytes) {
  Result<WriteBatch> batch = WriteBatch::Decode(bytes);
  if (!batch) return;
  std::vector<Keyspace> keyspaces(kAllKeyspaces.begin(), kAllKeyspaces.end());
  keyspaces.push_back(kRows);
  const std::unique_ptr<Engine> engine =
      OpenMemoryEngine({.keyspaces = keyspaces, .checkpoint = {}}).value();
  if (!engine->Commit({.batch = std::move(*batch)})) return;
  const VerifyReport report = VerifyDatabase(*engine).value();
  TALEA_CHECK(report.finished && report.keyspaces.size() == keyspaces.size());
  TALEA_CHECK(report.well() == (report.problem_count() == 0));
  const VerifyReport again = VerifyDatabase(*engine).value();
  for (std::size_t part = 0; part < report.keyspaces.size(); ++part) {
    TALEA_CHECK(report.keyspaces[part].digest == again.keyspaces[part].digest);
    TALEA_CHECK(report.keyspaces[part].problems == again.keyspaces[part].problems);
  }
}

}  // namespace
}  // namespace talea

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talea::CheckRows(talea::ByteView(reinterpret_cast<const char*>(data), size));
  return 0;
}
