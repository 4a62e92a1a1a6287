// Checks the rows of an engine that holds tenants: its own, and those of each tenant.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "coordination/row_check.h"

namespace talea {

// The tenants that the engine lists, by their numbers.
using TenantNames = std::map<std::uint64_t, std::string>;

// Rows that do not tell a tenant are left out, to be noted by the check.
Result<TenantNames> ReadTenantNames(Reader& host);

std::unique_ptr<RowCheck> MakeTenantRowCheck(const Keyspace& keyspace, const CheckedDatabase& host,
                                             const TenantNames& tenants);

}  // namespace talea
