#include "server/dispatcher.h"

#include <fmt/format.h>

#include <strings.h>
#include <algorithm>

#include "json/json.h"
#include "server/address.h"
#include "server/url.h"
#include "talea/bytes.h"

namespace talea {
namespace {

// What an error is called that HTTP knows and the engine does not.
std::string_view RefusalCode(int status) {
  switch (status) {
    case 400:
      return "bad_request";
    case 403:
      return "forbidden";
    case 408:
      return "request_timeout";
    case 413:
      return "body_too_large";
    case 431:
      return "headers_too_large";
    case 503:
      return "overloaded";
    default:
      return "internal_error";
  }
}

HttpResponse Refusal(int status, std::string_view message) {
  return {.status = status, .body = ErrorJson(RefusalCode(status), message).text() + "\n"};
}

// What every answer has, unless its route says otherwise.
void AddCommonHeaders(HttpResponse& response) {
  const bool has_caching = std::ranges::any_of(
      response.headers, [](const auto& header) { return header.first == "Cache-Control"; });
  if (!has_caching) response.headers.emplace_back("Cache-Control", "no-store");
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
}

}  // namespace

HttpResponse Dispatcher::Answer(IncomingRequest incoming) const {
  const auto arrived = incoming.request.arrived;
  Router::Answered answered = Dispatch(std::move(incoming));
  AddCommonHeaders(answered.response);
  metrics_.Count(answered.route, answered.response.status,
                 std::chrono::steady_clock::now() - arrived);
  return std::move(answered.response);
}

HttpResponse Dispatcher::Refuse(int status, std::string_view message) const {
  metrics_.CountRefused(status);
  HttpResponse response = Refusal(status, message);
  AddCommonHeaders(response);
  return response;
}

Router::Answered Dispatcher::Dispatch(IncomingRequest incoming) const {
  if (const Status host = CheckHost(incoming); !host) {
    const bool malformed = host.error().code() == ErrorCode::invalid_argument;
    return {Refusal(malformed ? 400 : 403, host.error().message()), ""};
  }
  Result<Target> target = ParseTarget(incoming.target);
  if (!target) return {Refusal(400, target.error().message()), ""};
  incoming.request.path = std::move(target->path);
  incoming.request.query = std::move(target->query);
  return router_.Answer(std::move(incoming.request), target->segments);
}

Status Dispatcher::CheckHost(const IncomingRequest& incoming) const {
  const auto is_host = [](const auto& header) {
    return strcasecmp(header.first.c_str(), "host") == 0;
  };
  const auto hosts = std::ranges::count_if(incoming.request.headers, is_host);
  if (hosts > 1 || (hosts == 0 && incoming.requires_host)) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("expected one Host header, found {}", hosts));
  }
  if (allow_remote_ || hosts == 0) return {};
  const std::string_view host = *incoming.request.Header("Host");
  if (IsLoopbackHostHeader(host)) return {};
  return Fail(ErrorCode::unsupported,
              fmt::format("Host header: expected localhost or a loopback address, found {}; start "
                          "the server with allow_remote to serve others",
                          Quoted(host)));
}

}  // namespace talea
