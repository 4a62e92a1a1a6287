// The table of routes: finds the one for a path and a method, and says what there is where none is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "talea/http.h"
#include "talea/result.h"

namespace talea {

class Router {
 public:
  // Refuses a malformed path, and a method and path that are given twice, naming them. Paths that
  // differ in the names of their parameters alone are the same.
  static Result<Router> Make(std::vector<HttpRoute> routes);

  // In the order given.
  std::span<const HttpRoute> routes() const { return routes_; }

  // An answer, and the path of the route that gave it; empty if there was none.
  struct Answered {
    HttpResponse response;
    std::string_view route;
  };

  // Answers a request, whose path is also given in segments. 404 tells the paths there are, 405 the
  // methods. HEAD is answered as GET; to leave out the body is up to the caller.
  Answered Answer(HttpRequest request, std::span<const std::string> segments) const;

 private:
  using Pattern = std::vector<std::string>;  // segments; a parameter is "{name}"

  explicit Router(std::vector<HttpRoute> routes, std::vector<Pattern> patterns)
      : routes_(std::move(routes)), patterns_(std::move(patterns)) {}

  // The positions of those routes whose path fits best: with the fewest parameters.
  std::vector<std::size_t> BestFits(std::span<const std::string> segments) const;
  std::string Allow(std::span<const std::size_t> fits) const;
  HttpResponse NotFound(const HttpRequest& request) const;

  std::vector<HttpRoute> routes_;
  std::vector<Pattern> patterns_;  // of each route
};

}  // namespace talea
