// The whole server over a memory engine, over real sockets.
#include "talea/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "server/http_client_testing.h"
#include "server/prometheus_parser_testing.h"
#include "talea/memory_engine.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using namespace std::chrono_literals;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr Keyspace kPages{200, AccessPattern::point, "pages"};
constexpr Keyspace kVisits{201, AccessPattern::counter, "visits"};

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<Keyspace> keyspaces = TaleaKeyspaces();
    keyspaces.insert(keyspaces.end(), {kPages, kVisits});
    std::shared_ptr<Engine> engine = ASSERT_VALUE(OpenMemoryEngine({.keyspaces = keyspaces}));
    database_ = ASSERT_VALUE(Database::Over(std::move(engine), {.keyspaces = {kPages, kVisits}}));
    options_.listen = "127.0.0.1:0";
    options_.location = "memory:?secret=1";
  }

  void Start() { server_ = ASSERT_VALUE(Server::Start(*database_, options_)); }

  ReceivedResponse Ask(const std::string& method, const std::string& target,
                       const std::string& headers = "") {
    const auto response = HttpClient(server_->port()).Request(method, target, headers);
    EXPECT_TRUE(response.has_value()) << target;
    return response.value_or(ReceivedResponse{});
  }
  ReceivedResponse Get(const std::string& target) { return Ask("GET", target); }

  std::unique_ptr<Database> database_;
  ServerOptions options_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, TellsThatItLivesAndIsReady) {
  Start();
  EXPECT_EQ(Get("/healthz").body, "ok\n");
  EXPECT_EQ(Get("/readyz").status, 200);
}

TEST_F(ServerTest, IsNotReadyOnceTheEngineIsClosed) {
  Start();
  ASSERT_OK(database_->Shutdown(10s));
  const ReceivedResponse ready = Get("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(ready.body, HasSubstr("\"code\":\"closed\""));
  EXPECT_EQ(Get("/healthz").status, 200);
  EXPECT_EQ(Get("/v1/stats").status, 503);
  EXPECT_EQ(ParseMetrics(Get("/metrics").body).at("talea_engine_up"), 0);
}

// Lets no file of this process grow beyond a size, for as long as it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(ServerTest, IsNotReadyOnceTheEngineHasClosedItselfAfterAFailedWrite) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("talea_server_" + std::to_string(::getpid()));
  database_ = ASSERT_VALUE(Database::Open("rocksdb:" + folder.string(), {.keyspaces = {kPages}}));
  Start();
  EXPECT_EQ(Get("/readyz").status, 200);
  {
    const FileSizeLimit limit(100'000);
    EXPECT_FALSE(database_
                     ->Transact([&](Transaction& transaction) -> Status {
                       transaction.Put(kPages, "a", std::string(1 << 20, 'x'));
                       return {};
                     })
                     .has_value());
  }
  const ReceivedResponse ready = Get("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(ready.body, HasSubstr("open it again"));
  EXPECT_EQ(Get("/v1/stats").status, 200) << "reads go on";
  server_.reset();
  database_.reset();
  std::filesystem::remove_all(folder);
}

TEST_F(ServerTest, ReadinessChangesNothing) {
  Start();
  const Version before = ASSERT_VALUE(database_->engine().GetStatistics()).version;
  EXPECT_EQ(Get("/readyz").status, 200);
  EXPECT_EQ(ASSERT_VALUE(database_->engine().GetStatistics()).version, before);
}

TEST_F(ServerTest, TellsItsVersionAndNoSecret) {
  Start();
  const std::string body = Get("/version").body;
  EXPECT_THAT(body, ContainsRegex("\"version\":\"[0-9]+\\.[0-9]+\\.[0-9]+\""));
  EXPECT_THAT(body, HasSubstr("\"engine\":\"memory\""));
  EXPECT_THAT(body, HasSubstr("\"uptime_seconds\":"));
  EXPECT_THAT(body, Not(HasSubstr("secret")));
}

TEST_F(ServerTest, TellsMetricsThatPrometheusReads) {
  Start();
  ASSERT_OK(database_->Transact([&](Transaction& transaction) -> Status {
    transaction.Put(kPages, "a", "b");
    transaction.Add(kVisits, "a", 3);
    return {};
  }));
  Get("/healthz");
  Get("/nothing");
  const ReceivedResponse response = Get("/metrics");
  EXPECT_EQ(response.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  const ParsedMetrics metrics = ParseMetrics(response.body);
  EXPECT_EQ(metrics.at("talea_engine_up"), 1);
  EXPECT_GE(metrics.at("talea_engine_commits_total"), 1);
  EXPECT_EQ(metrics.at("talea_engine_rows{keyspace=\"visits\"}"), 1);
  EXPECT_EQ(metrics.at("talea_http_requests_total{route=\"/healthz\",status=\"200\"}"), 1);
  EXPECT_EQ(metrics.at("talea_http_requests_total{route=\"none\",status=\"404\"}"), 1);
  EXPECT_EQ(metrics.types.at("talea_engine_commits_total"), "counter");
  EXPECT_EQ(metrics.types.at("talea_http_request_duration_seconds"), "histogram");
}

TEST_F(ServerTest, CountsWhatItRefused) {
  Start();
  HttpClient client(server_->port());
  client.Send("nonsense\r\n\r\n");
  const auto response = client.Receive();
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->status, 400);
  EXPECT_THAT(response->body, HasSubstr("{\"error\":{\"code\":\"bad_request\",\"message\":"));
  EXPECT_EQ(ParseMetrics(Get("/metrics").body).at("talea_http_refused_total{status=\"400\"}"), 1);
}

TEST_F(ServerTest, TellsStatisticsOfEachKeyspace) {
  Start();
  ASSERT_OK(database_->Transact([&](Transaction& transaction) -> Status {
    transaction.Put(kPages, "a", "b");
    return {};
  }));
  const std::string body = Get("/v1/stats").body;
  EXPECT_THAT(body, HasSubstr("{\"name\":\"pages\",\"id\":200,\"pattern\":\"point\",\"rows\":1,"
                              "\"rows_are_estimated\":false,\"bytes\":2,"
                              "\"write_buffer_bytes\":null}"));
  EXPECT_THAT(body,
              HasSubstr("{\"name\":\"visits\",\"id\":201,\"pattern\":\"counter\",\"rows\":0,"));
  EXPECT_THAT(body, HasSubstr("\"conflicts\":0,"));
}

TEST_F(ServerTest, TellsWhatIsNewWithinATenthOfASecond) {
  Start();
  const std::string before = Get("/v1/stats").body;
  ASSERT_OK(database_->Transact([&](Transaction& transaction) -> Status {
    transaction.Put(kPages, "a", "b");
    return {};
  }));
  std::this_thread::sleep_for(100ms);
  EXPECT_THAT(Get("/v1/stats").body,
              HasSubstr("\"name\":\"pages\",\"id\":200,\"pattern\":\"point\",\"rows\":1"));
  EXPECT_THAT(before, Not(HasSubstr("\"rows\":1,\"rows_are_estimated\":false,\"bytes\":2")));
}

TEST_F(ServerTest, ListsItsRoutesForMachinesAndPeople) {
  options_.routes = {{"GET", "/v1/mine/{name}", "Mine", [](const HttpRequest& request) {
                        return HttpResponse{.body = std::string(*request.Parameter("name")) +
                                                    std::string(request.Query("q").value_or(""))};
                      }}};
  Start();
  for (const char* path :
       {"/healthz", "/readyz", "/version", "/metrics", "/v1", "/v1/stats", "/v1/mine/{name}"}) {
    EXPECT_THAT(Get("/v1").body, HasSubstr("\"path\":\"" + std::string(path) + "\""));
    EXPECT_THAT(Get("/").body, HasSubstr(std::string(path) + "<")) << path;
    EXPECT_THAT(Get("/nothing").body, HasSubstr(path));
  }
  EXPECT_EQ(Get("/v1/mine/a%20b?q=+c").body, "a b c");
}

TEST_F(ServerTest, ServesThePageWithItsFiles) {
  Start();
  const ReceivedResponse page = Get("/");
  EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_THAT(page.header("Content-Security-Policy"), HasSubstr("default-src 'self'"));
  EXPECT_EQ(page.header("X-Content-Type-Options"), "nosniff");
  for (const char* file : {"/page/overview.js", "/page/style.css", "/page/icon.svg"}) {
    EXPECT_THAT(page.body, HasSubstr(file));
    EXPECT_EQ(Get(file).status, 200) << file;
  }
  const std::string tag = page.header("ETag");
  EXPECT_EQ(Ask("GET", "/", "If-None-Match: " + tag + "\r\n").status, 304);
}

TEST_F(ServerTest, AnswersHeadOptionsAndUnknownMethods) {
  Start();
  EXPECT_EQ(Ask("HEAD", "/healthz").header("Content-Length"), "3");
  EXPECT_EQ(Ask("OPTIONS", "/healthz").header("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(Ask("OPTIONS", "*").status, 204);
  EXPECT_EQ(Ask("DELETE", "/healthz").status, 405);
  EXPECT_EQ(Ask("DELETE", "/healthz").header("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(Ask("FROBNICATE", "/healthz").status, 405);
  EXPECT_EQ(Get("/a%zz").status, 400);
  EXPECT_EQ(Get("/healthz").header("Cache-Control"), "no-store");
}

TEST_F(ServerTest, RefusesAHostThatIsNotThisComputer) {
  Start();
  for (const auto& [host, status] :
       {std::pair("Host: 127.0.0.1:1\r\n", 200), std::pair("Host: evil.example\r\n", 403),
        std::pair("", 400), std::pair("Host: localhost\r\nHost: localhost\r\n", 400)}) {
    HttpClient client(server_->port());
    client.Send(std::string("GET /healthz HTTP/1.1\r\n") + host + "\r\n");
    EXPECT_EQ(client.Receive()->status, status) << host;
  }
  HttpClient old(server_->port());
  old.Send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.Receive()->status, 200);
}

TEST_F(ServerTest, RefusesAnAddressThatOthersReachUnlessAllowed) {
  options_.listen = "0.0.0.0:0";
  const auto refused = Server::Start(*database_, options_);
  ASSERT_ERROR(refused, ErrorCode::invalid_argument);
  EXPECT_THAT(refused.error().message(), HasSubstr("no authentication"));
  options_.allow_remote = true;
  Start();
  EXPECT_EQ(Ask("GET", "/healthz").status, 200);
  HttpClient client(server_->port());
  client.Send("GET /healthz HTTP/1.1\r\nHost: db.example\r\n\r\n");
  EXPECT_EQ(client.Receive()->status, 200);
}

TEST_F(ServerTest, RefusesOptionsThatMakeNoSense) {
  const auto refuses = [&](auto change, ErrorCode code) {
    ServerOptions options = options_;
    change(options);
    EXPECT_ERROR(Server::Start(*database_, options), code);
  };
  refuses([](ServerOptions& options) { options.listen = "nowhere"; }, ErrorCode::invalid_argument);
  refuses([](ServerOptions& options) { options.connections = 0; }, ErrorCode::invalid_argument);
  refuses([](ServerOptions& options) { options.request_timeout = 0ms; },
          ErrorCode::invalid_argument);
  refuses([](ServerOptions& options) { options.routes = {{"GET", "/healthz", "", nullptr}}; },
          ErrorCode::already_exists);
}

TEST_F(ServerTest, StopsAndStartsAgainOnTheSamePort) {
  Start();
  EXPECT_EQ(server_->url(), "http://127.0.0.1:" + std::to_string(server_->port()) + "/");
  options_.listen = "127.0.0.1:" + std::to_string(server_->port());
  HttpClient client(server_->port());
  EXPECT_EQ(client.Get("/healthz")->status, 200);
  EXPECT_ERROR(Server::Start(*database_, options_), ErrorCode::already_exists);
  EXPECT_OK(server_->Stop(10s));
  EXPECT_TRUE(client.Ends());
  server_.reset();
  Start();
  EXPECT_EQ(Get("/healthz").status, 200);
}

}  // namespace
}  // namespace talea
