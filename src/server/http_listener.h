// The HTTP/1.1 part of the server, and the only one that knows Boost: sockets, connections, limits.
//
// One thread does all reading and writing, so it never waits for a handler; handlers run in a pool.
// The requests of one connection are answered one after the other, in their order.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/address.h"
#include "talea/http.h"
#include "talea/result.h"

namespace talea {

// A request as it came: the path and the query are still in the target, undecoded.
struct IncomingRequest {
  std::string target;
  bool requires_host = true;  // as HTTP/1.1 does, and HTTP/1.0 does not
  HttpRequest request;
};

struct ListenerOptions {
  ListenAddress address;
  std::size_t threads = 1;
  std::size_t header_bytes = 0;
  std::size_t body_bytes = 0;
  std::size_t connections = 0;
  std::chrono::milliseconds idle_timeout{};
  std::chrono::milliseconds request_timeout{};

  // Answers a request. Called in the pool.
  std::function<HttpResponse(IncomingRequest)> answer;

  // Makes the answer to what is no request, is beyond a limit, or took too long. Called in any
  // thread; must be quick.
  std::function<HttpResponse(int status, std::string_view message)> refuse;
};

class HttpListener {
 public:
  // Takes the port. Nobody is answered before Start.
  static Result<std::unique_ptr<HttpListener>> Bind(ListenerOptions options);
  virtual void Start() = 0;

  virtual ~HttpListener() = default;  // waits for handlers

  virtual std::uint16_t port() const = 0;
  virtual std::size_t connections() const = 0;
  virtual Status Stop(std::chrono::milliseconds bound) = 0;  // see Server::Stop
};

}  // namespace talea
