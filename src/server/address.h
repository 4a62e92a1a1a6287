// Where to listen, and which hosts are this computer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "talea/result.h"

namespace talea {

struct ListenAddress {
  std::string host;  // numeric: "127.0.0.1", "::1"
  std::uint16_t port = 0;

  // As in a URL: "127.0.0.1:7474", "[::1]:7474".
  std::string ToString() const;
  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

// From "127.0.0.1:7474", "[::1]:0" or "localhost:80". Names are not looked up.
Result<ListenAddress> ParseListenAddress(std::string_view text);

// Whether only this computer can reach that numeric address: 127.0.0.0/8 and ::1.
bool IsLoopback(const std::string& host);

// Whether a Host header, with its port or without, names this computer: localhost or a loopback
// address.
bool IsLoopbackHostHeader(std::string_view header);

}  // namespace talea
