#include "talea/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "server/address.h"
#include "server/database_routes.h"
#include "server/dispatcher.h"
#include "server/http_listener.h"
#include "server/request_metrics.h"
#include "server/router.h"
#include "server/static_files.h"

namespace talea {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostHeaderBytes = 1 << 30;

Status CheckAtLeastOne(std::string_view name, auto value) {
  if (value >= decltype(value)(1)) return {};
  return Fail(ErrorCode::invalid_argument,
              fmt::format("server option {}: expected at least 1, found less", name));
}

Status CheckLimits(const ServerOptions& options) {
  TALEA_TRY(CheckAtLeastOne("header_bytes", options.header_bytes));
  TALEA_TRY(CheckAtLeastOne("connections", options.connections));
  TALEA_TRY(CheckAtLeastOne("idle_timeout", options.idle_timeout));
  TALEA_TRY(CheckAtLeastOne("request_timeout", options.request_timeout));
  if (options.header_bytes <= kMostHeaderBytes) return {};
  return Fail(ErrorCode::invalid_argument,
              fmt::format("server option header_bytes: expected at most {}, found {}",
                          kMostHeaderBytes, options.header_bytes));
}

// Where to listen, if that is allowed.
Result<ListenAddress> CheckedAddress(const ServerOptions& options) {
  ListenAddress address = TALEA_TRY(ParseListenAddress(options.listen));
  if (!options.allow_remote && !IsLoopback(address.host)) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("listen address {}: other computers can reach it, and there is no "
                            "authentication; expected a loopback address, or allow_remote",
                            address.ToString()));
  }
  return address;
}

std::string Scheme(const std::string& location) { return location.substr(0, location.find(':')); }

// The whole table. The lists in it are made from it.
Result<Router> MakeRouter(const ServedDatabase& served, std::vector<HttpRoute> more) {
  std::vector<HttpRoute> routes = DatabaseRoutes(served);
  routes.insert(routes.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  routes.push_back(ListingRoute({}));  // to be in its own list
  routes.back() = ListingRoute(routes);
  std::vector<HttpRoute> pages = PageRoutes(routes);
  routes.insert(routes.end(), std::make_move_iterator(pages.begin()),
                std::make_move_iterator(pages.end()));
  return Router::Make(std::move(routes));
}

class DatabaseServer final : public Server {
 public:
  DatabaseServer(Database& database, const std::string& location)
      : statistics_(database.engine()),
        served_{.database = database,
                .statistics = statistics_,
                .requests = requests_,
                .engine = Scheme(location),
                .started = std::chrono::steady_clock::now(),
                .connections = [this] { return listener_->connections(); }} {}

  Status Listen(ServerOptions options);

  std::uint16_t port() const override { return address_.port; }
  std::string url() const override { return fmt::format("http://{}/", address_.ToString()); }
  Status Stop(milliseconds bound) override { return listener_->Stop(bound); }

 private:
  ListenerOptions Limits(const ServerOptions& options) const;

  RequestMetrics requests_;
  RecentStatistics statistics_;
  const ServedDatabase served_;
  std::unique_ptr<const Dispatcher> dispatcher_;
  ListenAddress address_;
  std::unique_ptr<HttpListener> listener_;  // the last, as its threads use all else
};

ListenerOptions DatabaseServer::Limits(const ServerOptions& options) const {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return {.address = address_,
          .threads = options.threads == 0 ? cores : options.threads,
          .header_bytes = options.header_bytes,
          .body_bytes = options.body_bytes,
          .connections = options.connections,
          .idle_timeout = options.idle_timeout,
          .request_timeout = options.request_timeout,
          .answer =
              [this](IncomingRequest incoming) { return dispatcher_->Answer(std::move(incoming)); },
          .refuse = [this](int status,
                           std::string_view why) { return dispatcher_->Refuse(status, why); }};
}

Status DatabaseServer::Listen(ServerOptions options) {
  TALEA_TRY(CheckLimits(options));
  address_ = TALEA_TRY(CheckedAddress(options));
  Router router = TALEA_TRY(MakeRouter(served_, std::move(options.routes)));
  dispatcher_ =
      std::make_unique<const Dispatcher>(std::move(router), options.allow_remote, requests_);
  listener_ = TALEA_TRY(HttpListener::Bind(Limits(options)));
  address_.port = listener_->port();
  listener_->Start();
  return {};
}

}  // namespace

Status Server::Check(const ServerOptions& options) {
  TALEA_TRY(CheckLimits(options));
  TALEA_TRY(CheckedAddress(options));
  return {};
}

Result<std::unique_ptr<Server>> Server::Start(Database& database, ServerOptions options) {
  auto server = std::make_unique<DatabaseServer>(database, options.location);
  TALEA_TRY(server->Listen(std::move(options)));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace talea
