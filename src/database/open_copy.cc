// OpenCopy: the two ends of a copy, in an order in which a refusal leaves nothing behind.
#include <fmt/format.h>

#include "coordination/keys.h"
#include "database/copied_rows.h"
#include "database/open.h"
#include "talea/copy.h"

namespace talea {
namespace {

// Databases in memory are never the same: each opening makes another.
bool AreInOneFolder(const Location& a, const Location& b) {
  if (a.scheme == Location::Scheme::memory || a.scheme != b.scheme) return false;
  std::error_code error;
  const bool same = std::filesystem::equivalent(a.path, b.path, error);
  return same && !error;
}

// The target gets the keyspaces that programs have brought to the source.
DatabaseOptions WithKeyspacesOf(const Engine& source, DatabaseOptions options) {
  options.keyspaces.clear();
  for (const Keyspace& keyspace : source.keyspaces().all()) {
    if (keyspace.id >= kFirstUserKeyspaceId) options.keyspaces.push_back(keyspace);
  }
  return options;
}

DatabaseOptions WithoutCreating(DatabaseOptions options) {
  options.create = false;
  return options;
}

// A folder can be open only once, so both are tenants on one engine.
Result<CopyEnds> OpenTenants(const Location& source, const Location& target,
                             const DatabaseOptions& options) {
  const DatabaseOptions existing = WithoutCreating(options);
  Tenants tenants = TALEA_TRY(Tenants::Over(TALEA_TRY(OpenHost(source, existing))));
  CopyEnds ends;
  ends.source = TALEA_TRY(OpenTenantOf(tenants, source, existing));
  TALEA_TRY(CheckCanBeCopied(*ends.source));
  ends.target = TALEA_TRY(OpenTenantOf(tenants, target, options));
  return ends;
}

}  // namespace

Result<bool> HoldsUnfinishedCopy(Engine& engine) {
  const Status whole = CheckIsWhole(engine);
  if (whole) return false;
  if (whole.error().code() == ErrorCode::precondition_failed) return true;
  return std::unexpected(whole.error());
}

Result<CopyEnds> OpenCopy(std::string_view source, std::string_view target,
                          const DatabaseOptions& options) {
  const Location from = TALEA_TRY(ParseLocation(source));
  const Location to = TALEA_TRY(ParseLocation(target));
  if (AreInOneFolder(from, to)) {
    if (from.tenant && to.tenant && from.tenant != to.tenant) return OpenTenants(from, to, options);
    return Fail(ErrorCode::invalid_argument,
                fmt::format("copy to {}: expected another folder than the source's, or another "
                            "tenant of it, found the source itself or the engine that holds it",
                            Quoted(target)));
  }
  CopyEnds ends;
  ends.source = TALEA_TRY(OpenLocation(from, WithoutCreating(options)));
  TALEA_TRY(CheckCanBeCopied(*ends.source));
  ends.target = TALEA_TRY(OpenLocation(to, WithKeyspacesOf(*ends.source, options)));
  return ends;
}

}  // namespace talea
