#include "server/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "json/json.h"
#include "server/url.h"
#include "talea/bytes.h"

namespace talea {
namespace {

bool IsParameter(std::string_view segment) {
  return segment.size() > 2 && segment.starts_with('{') && segment.ends_with('}');
}

bool Fits(std::span<const std::string> pattern, std::span<const std::string> segments) {
  return std::ranges::equal(pattern, segments, [](const auto& expected, const auto& found) {
    return IsParameter(expected) ? !found.empty() : expected == found;
  });
}

auto CountParameters(std::span<const std::string> pattern) {
  return std::ranges::count_if(pattern, IsParameter);
}

// The path without the names of its parameters, to find two that are the same.
std::string Shape(std::span<const std::string> pattern) {
  std::string shape;
  for (const std::string& segment : pattern) shape += "/" + (IsParameter(segment) ? "{}" : segment);
  return shape;
}

HttpFields TakeParameters(std::span<const std::string> pattern,
                          std::span<const std::string> segments) {
  HttpFields parameters;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (!IsParameter(pattern[at])) continue;
    parameters.emplace_back(pattern[at].substr(1, pattern[at].size() - 2), segments[at]);
  }
  return parameters;
}

}  // namespace

Result<Router> Router::Make(std::vector<HttpRoute> routes) {
  std::vector<Pattern> patterns;
  std::set<std::pair<std::string, std::string>> seen;
  for (const HttpRoute& route : routes) {
    const Result<Target> target = ParseTarget(route.path);
    if (!route.path.starts_with('/') || !target || target->path != route.path) {
      return Fail(ErrorCode::invalid_argument,
                  fmt::format("route {}: expected a plain path", Quoted(route.path)));
    }
    if (!seen.emplace(route.method, Shape(target->segments)).second) {
      return Fail(ErrorCode::already_exists,
                  fmt::format("route {} {}: expected one, found two", route.method, route.path));
    }
    patterns.push_back(target->segments);
  }
  return Router(std::move(routes), std::move(patterns));
}

std::vector<std::size_t> Router::BestFits(std::span<const std::string> segments) const {
  std::map<std::ptrdiff_t, std::vector<std::size_t>> fits;  // by the number of parameters
  for (std::size_t at = 0; at < routes_.size(); ++at) {
    if (Fits(patterns_[at], segments)) fits[CountParameters(patterns_[at])].push_back(at);
  }
  return fits.empty() ? std::vector<std::size_t>() : fits.begin()->second;
}

std::string Router::Allow(std::span<const std::size_t> fits) const {
  std::string allow;
  for (const std::size_t at : fits) {
    allow += routes_[at].method + (routes_[at].method == "GET" ? ", HEAD, " : ", ");
  }
  return allow + "OPTIONS";
}

Router::Answered Router::Answer(HttpRequest request, std::span<const std::string> segments) const {
  if (request.method == "OPTIONS" && request.path == "*") {
    return {{.status = 204, .headers = {{"Allow", "GET, HEAD, OPTIONS"}}}, ""};
  }
  const std::vector<std::size_t> fits = BestFits(segments);
  if (fits.empty()) return {NotFound(request), ""};

  const std::string_view method =
      request.method == "HEAD" ? std::string_view("GET") : request.method;
  const std::string& path = routes_[fits.front()].path;
  if (method == "OPTIONS") return {{.status = 204, .headers = {{"Allow", Allow(fits)}}}, path};
  for (const std::size_t at : fits) {
    if (routes_[at].method != method) continue;
    request.parameters = TakeParameters(patterns_[at], segments);
    return {routes_[at].handler(request), path};
  }
  const std::string message = fmt::format("{}: expected one of {}, found {}", Quoted(request.path),
                                          Allow(fits), Quoted(request.method));
  return {{.status = 405,
           .body = ErrorJson("method_not_allowed", message).text() + "\n",
           .headers = {{"Allow", Allow(fits)}}},
          path};
}

HttpResponse Router::NotFound(const HttpRequest& request) const {
  std::string paths;
  for (const HttpRoute& route : routes_) {
    if (route.listed) paths += (paths.empty() ? "" : ", ") + route.path;
  }
  const std::string message =
      fmt::format("there is no {} here; there are {}", Quoted(request.path), paths);
  return {.status = 404, .body = ErrorJson("not_found", message).text() + "\n"};
}

}  // namespace talea
