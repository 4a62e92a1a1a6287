// The keys of tenants: the rows that list them, and the prefix behind which each one's keys stand.
// docs/formats.md describes the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "talea/bytes.h"
#include "talea/key_range.h"
#include "talea/result.h"

namespace talea {

// Rows of the host's kTaleaKeyspace. They begin with a text, and keys of tenants with an integer.
Result<std::string> TenantRowKey(std::string_view name);  // the name: 1 to 255 bytes of UTF-8
Result<std::string> TenantOfRowKey(ByteView key);         // its name
KeyRange TenantRowKeys();
std::string NextTenantKey();  // the row of the number that the next tenant gets

// The value of both kinds of rows: a number from 1 on.
std::string EncodeTenantNumber(std::uint64_t number);
Result<std::uint64_t> DecodeTenantNumber(ByteView key, ByteView value);

// What stands before each key of a tenant. No prefix is the beginning of another one.
class TenantPrefix {
 public:
  explicit TenantPrefix(std::uint64_t number);

  std::size_t size() const { return bytes_.size(); }
  KeyRange AllKeys() const { return KeyRange::Prefix(bytes_); }

  // From the tenant's terms to the host's.
  std::string Extend(ByteView key) const;
  void ExtendInto(std::string& out, ByteView key) const { out.assign(bytes_).append(key); }
  KeyRange Extend(const KeyRange& range) const;

  // And back, of a range that lies within AllKeys().
  KeyRange Strip(const KeyRange& range) const;

 private:
  std::string bytes_;
  std::string end_;  // the first key beyond
};

}  // namespace talea
