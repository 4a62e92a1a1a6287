#include "cardano/address.h"

#include <fmt/format.h>

namespace talea::cardano {
namespace {

// The upper half of the first byte; in the even ones of the first eight the payment's credential
// is that of a key, in the odd ones of a script.
constexpr unsigned kFirstPointer = 4;
constexpr unsigned kByron = 8;

std::unexpected<Error> Wrong(std::string_view expected, std::string_view found) {
  return Fail(ErrorCode::invalid_argument,
              fmt::format("address: expected {}, found {}", expected, found));
}

}  // namespace

Result<Credentials> CredentialsOf(ByteView address) {
  if (address.empty()) return Wrong("a byte at least", "none");
  const unsigned kind = static_cast<unsigned char>(address.front()) >> 4;
  if (kind == kByron) return Credentials{};
  if (kind > kByron) return Wrong("one of an output, of kind 0 to 8", fmt::format("kind {}", kind));
  const std::size_t credentials = kind < kFirstPointer ? 2 : 1;
  const std::size_t size = 1 + credentials * kCredentialBytes;
  if (address.size() < size)
    return Wrong(fmt::format("at least {} bytes for kind {}", size, kind),
                 fmt::format("{}", address.size()));
  Credentials found{.payment = address.substr(1, kCredentialBytes), .stake = {}};
  if (kind < kFirstPointer) found.stake = address.substr(1 + kCredentialBytes, kCredentialBytes);
  return found;
}

}  // namespace talea::cardano
