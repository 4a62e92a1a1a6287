#include "server/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "talea/bytes.h"

namespace talea {
namespace {

std::optional<in_addr> ParseIpv4(const std::string& host) {
  in_addr address{};
  if (inet_pton(AF_INET, host.c_str(), &address) != 1) return std::nullopt;
  return address;
}

std::optional<in6_addr> ParseIpv6(const std::string& host) {
  in6_addr address{};
  if (inet_pton(AF_INET6, host.c_str(), &address) != 1) return std::nullopt;
  return address;
}

std::optional<std::uint16_t> ParsePort(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

std::string WithoutBrackets(std::string_view host) {
  const bool brackets = host.starts_with('[') && host.ends_with(']');
  return std::string(brackets ? host.substr(1, host.size() - 2) : host);
}

std::string Lowercase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return lower;
}

}  // namespace

std::string ListenAddress::ToString() const {
  return host.contains(':') ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<ListenAddress> ParseListenAddress(std::string_view text) {
  const auto fail = [&](std::string_view expected) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("listen address: expected {}, found {}", expected, Quoted(text)));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return fail("HOST:PORT, such as 127.0.0.1:7474");
  const std::optional<std::uint16_t> port = ParsePort(text.substr(colon + 1));
  if (!port) return fail("a port from 0 to 65535 after the last colon");

  const std::string_view given = text.substr(0, colon);
  if (given == "localhost") return ListenAddress{"127.0.0.1", *port};
  const std::string host = WithoutBrackets(given);
  if (host.contains('\0')) return fail("a numeric address");
  const bool bracketed = host.size() != given.size();
  if (bracketed ? !ParseIpv6(host) : !ParseIpv4(host)) {
    return fail("a numeric address, such as 127.0.0.1 or [::1], or localhost");
  }
  return ListenAddress{host, *port};
}

bool IsLoopback(const std::string& host) {
  if (host.contains('\0')) return false;
  if (const std::optional<in_addr> address = ParseIpv4(host)) {
    return ntohl(address->s_addr) >> 24 == 127;
  }
  const std::optional<in6_addr> address = ParseIpv6(host);
  return address && std::memcmp(&*address, &in6addr_loopback, sizeof in6addr_loopback) == 0;
}

bool IsLoopbackHostHeader(std::string_view header) {
  const std::size_t colon = header.rfind(':');
  const std::size_t bracket = header.rfind(']');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  if (has_port && !ParsePort(header.substr(colon + 1))) return false;
  const std::string host = Lowercase(header.substr(0, has_port ? colon : header.size()));
  return host == "localhost" || IsLoopback(WithoutBrackets(host));
}

}  // namespace talea
