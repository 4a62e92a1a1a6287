#include "coordination/tenant_keys.h"

#include <fmt/format.h>

#include "base/check.h"
#include "coordination/keys.h"
#include "talea/tuple_packer.h"
#include "talea/tuple_reader.h"

namespace talea {
namespace {

constexpr std::string_view kTenant = "tenant";
constexpr std::string_view kTenants = "tenants";

std::string PackText(std::string_view text) {
  std::string packed;
  TALEA_CHECK(TuplePacker(packed).Text(text).has_value());
  return packed;
}

std::string PackNumber(std::uint64_t number) {
  std::string packed;
  TuplePacker(packed).Int(number);
  return packed;
}

}  // namespace

Result<std::string> TenantRowKey(std::string_view name) {
  TALEA_TRY(CheckName("tenant", name));
  return PackText(kTenant) + PackText(name);
}

Result<std::string> TenantOfRowKey(ByteView key) {
  TupleReader reader(key);
  TALEA_TRY(reader.Text());
  const std::string name(TALEA_TRY(reader.Text()));
  TALEA_TRY(reader.Finish());
  return name;
}

KeyRange TenantRowKeys() { return KeysInsidePacked(PackText(kTenant)); }

std::string NextTenantKey() { return PackText(kTenants); }

std::string EncodeTenantNumber(std::uint64_t number) { return PackNumber(number); }

Result<std::uint64_t> DecodeTenantNumber(ByteView key, ByteView value) {
  TupleReader reader(value);
  const Result<std::uint64_t> number = reader.Uint();
  if (number && *number > 0 && reader.AtEnd()) return *number;
  return Fail(
      ErrorCode::corruption,
      fmt::format("keyspace \"talea\", key {}: expected a packed number from 1 on, found {}",
                  Quoted(key), Quoted(value)));
}

TenantPrefix::TenantPrefix(std::uint64_t number)
    : bytes_(PackNumber(number)), end_(PrefixSuccessor(bytes_)) {
  TALEA_CHECK(!end_.empty());
}

std::string TenantPrefix::Extend(ByteView key) const {
  std::string extended;
  ExtendInto(extended, key);
  return extended;
}

KeyRange TenantPrefix::Extend(const KeyRange& range) const {
  return KeyRange::From(Extend(range.begin())).EndingAt(range.end() ? Extend(*range.end()) : end_);
}

KeyRange TenantPrefix::Strip(const KeyRange& range) const {
  TALEA_CHECK(range.begin().starts_with(bytes_) && range.end());
  const KeyRange rest = KeyRange::From(ByteView(range.begin()).substr(size()));
  if (*range.end() == end_) return rest;
  TALEA_CHECK(range.end()->starts_with(bytes_));
  return rest.EndingAt(ByteView(*range.end()).substr(size()));
}

}  // namespace talea
