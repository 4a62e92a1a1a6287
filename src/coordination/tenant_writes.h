// What is written and was read, from a tenant's terms to its host's.
#pragma once

#include <memory>
#include <vector>

#include "coordination/tenant_keys.h"
#include "engine/checks.h"
#include "talea/engine.h"

namespace talea {

// The same with every key behind the prefix. All keyspaces must be among those given.
WriteBatch Extend(const TenantPrefix& prefix, const WriteBatch& batch,
                  const KeyspaceSet& keyspaces);
ReadSet Extend(const TenantPrefix& prefix, const ReadSet& reads, const KeyspaceSet& keyspaces);

// Runs whose rows have the prefix, checked before they get it. They draw from the runs given, and
// neither they nor the limits may go before this.
class ExtendedRuns {
 public:
  ExtendedRuns(const TenantPrefix& prefix, const std::vector<IngestRequest::Run>& runs,
               const Limits& limits);

  std::vector<IngestRequest::Run> runs() const;

 private:
  struct Extended;
  std::vector<std::shared_ptr<Extended>> extended_;
};

}  // namespace talea
