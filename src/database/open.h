// From a location to an engine: what Database::Open, OpenEngine and OpenCopy have in common.
#pragma once

#include <memory>

#include "database/location.h"
#include "talea/database.h"
#include "talea/engine.h"
#include "talea/result.h"
#include "talea/tenants.h"

namespace talea {

// The engine that a location names, whatever it holds; a tenant's is shut down with its host.
Result<std::shared_ptr<Engine>> OpenLocation(const Location& location,
                                             const DatabaseOptions& options);

// The two steps of it where the location names a tenant.
Result<std::shared_ptr<Engine>> OpenHost(const Location& location, const DatabaseOptions& options);
Result<std::unique_ptr<Engine>> OpenTenantOf(Tenants& tenants, const Location& location,
                                             const DatabaseOptions& options);

}  // namespace talea
