// Serves a database over HTTP/1.1: health, metrics, statistics as JSON, and a page to look at.
//
//   auto server = TALEA_TRY(Server::Start(*database, {.listen = "127.0.0.1:7474"}));
//   ...
//   TALEA_TRY(server->Stop(std::chrono::seconds(10)));
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "talea/database.h"
#include "talea/http.h"
#include "talea/result.h"

namespace talea {

// Everything that a client can make grow has its limit here.
struct ServerOptions {
  // A numeric address, or localhost, and a port: "127.0.0.1:7474", "[::1]:0". Port 0 takes any that
  // is free.
  std::string listen = "127.0.0.1:7474";

  // There is no authentication: whoever reaches the port may ask everything. So an address that
  // other computers can reach is refused unless this is set; and while it is not, so is a request
  // whose Host header is not this computer's, with which a web page could get at the server through
  // the browser (DNS rebinding).
  bool allow_remote = false;

  // Where the database is, as Database::Open takes it; clients are told the scheme alone.
  std::string location;

  std::size_t threads = 0;  // that run handlers; 0 for as many as there are cores

  std::size_t header_bytes = 16 << 10;  // of the request line and all headers; beyond: 431
  std::size_t body_bytes = 1 << 20;     // beyond: 413
  std::size_t connections = 1024;       // at a time; beyond: 503

  // How long a connection may be silent between two requests.
  std::chrono::milliseconds idle_timeout{60'000};

  // How long a request may take to arrive (408), then to be answered by its handler (503), and then
  // its answer to be taken by the client; each by itself. A handler goes on nevertheless, and has
  // its thread until it returns.
  std::chrono::milliseconds request_timeout{10'000};

  // More routes, besides those of Talea's own. A method and path that are there already are
  // refused.
  std::vector<HttpRoute> routes;
};

class Server {
 public:
  // Fails as Start would for options that are wrong in themselves: for a program that wants to know
  // before it opens a database.
  static Status Check(const ServerOptions& options);

  // Listens, and answers from now on. The database must outlive the server; the server does not
  // shut it down.
  static Result<std::unique_ptr<Server>> Start(Database& database, ServerOptions options = {});

  // Stops at once, but waits, without a bound, for handlers that are running.
  virtual ~Server() = default;

  virtual std::uint16_t port() const = 0;
  virtual std::string url() const = 0;  // "http://127.0.0.1:7474/"

  // Takes no more connections, closes those on which no whole request has arrived, and lets the
  // requests that have finish. After `bound` it drops the connections that are left, and fails with
  // timed_out, telling what was still under way; every later call answers for what is left by then.
  virtual Status Stop(std::chrono::milliseconds bound) = 0;
};

}  // namespace talea
