// What a route of the server sees of HTTP: a request that arrived whole, and the answer to it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "talea/result.h"

namespace talea {

// Names and values in the order in which they came. Names may repeat.
using HttpFields = std::vector<std::pair<std::string, std::string>>;

// A request, untrusted in every byte, and within the limits of ServerOptions.
struct HttpRequest {
  std::string method;  // as sent: "GET"
  std::string path;    // decoded: "/v1/pages/a b"
  HttpFields query;    // decoded: ?a=1&b gives {"a", "1"}, {"b", ""}
  HttpFields headers;  // values without the white space around them
  std::string body;

  // What stands in the place of each {name} of the route's path, decoded.
  HttpFields parameters;

  // When the last byte of it arrived.
  std::chrono::steady_clock::time_point arrived{};

  // The first value of that name, or nothing. Names of headers are compared without regard to case.
  std::optional<std::string_view> Header(std::string_view name) const;
  std::optional<std::string_view> Query(std::string_view name) const;
  std::optional<std::string_view> Parameter(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  HttpFields headers = {};  // besides those that the server adds: Date, Content-Length, Connection
};

// Answers a request, in one of the server's threads, many at a time. It must not throw; if it does,
// the client gets status 500.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

// One entry of the server's table, from which it also makes its index and the list at GET /v1.
//
// A segment of the path may be a parameter, as in "/v1/pages/{page}"; a segment in plain text wins
// over one. GET answers HEAD as well, and OPTIONS is answered for every path.
struct HttpRoute {
  std::string method;  // "GET"
  std::string path;    // "/v1/stats"
  std::string summary;
  HttpHandler handler;
  bool listed = true;  // false for what only a page asks for
};

// The status for an error of the engine or of a layer, the one mapping of all routes:
//
//   400 invalid_argument                 409 already_exists, conflict
//   404 not_found                        412 precondition_failed
//   413 too_large                        500 corruption, io_error, outcome_unknown
//   501 unsupported                      503 snapshot_expired, timed_out, unavailable, closed
//
// What a client may send again as it is has 409 or 503, where nothing was applied. An unknown
// outcome is neither: the client has to look first, or to use a request key.
int HttpStatus(ErrorCode code);

// An error as every route answers it: {"error": {"code": "not_found", "message": "..."}}.
HttpResponse HttpError(const Error& error);

}  // namespace talea
