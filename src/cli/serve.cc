// talea serve: the database over HTTP, until a signal.
#include "talea/server.h"

#include <fmt/format.h>
#include <unistd.h>
#include <csignal>
#include <ctime>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/sample.h"
#include "json/json.h"
#include "talea/database.h"

namespace talea::cli {
namespace {

using std::chrono::milliseconds;

constexpr int kSecondsBetweenCollections = 10;
constexpr std::uint64_t kMostCollected = 10'000;
constexpr std::uint64_t kMostStopSeconds = 86'400;

struct ServeArguments {
  std::string listen = "127.0.0.1:7474";
  bool allow_remote = false;
  bool sample = false;
  std::uint64_t stop_seconds = 10;
};

// Holds back SIGINT and SIGTERM, in this thread and in all that it starts, to be waited for.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    sigaddset(&held_, SIGINT);
    sigaddset(&held_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { Release(); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  // Whether one came within that time.
  bool Await(int seconds) const {
    const timespec bound{.tv_sec = seconds, .tv_nsec = 0};
    return sigtimedwait(&held_, nullptr, &bound) > 0;
  }

  // From now on one ends the process.
  void Release() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t held_{};
  sigset_t before_{};
};

Result<std::unique_ptr<Database>> OpenServed(const Context& context, bool sample) {
  DatabaseOptions options;
  options.warn = [&err = context.err](std::string_view line) {
    err << fmt::format("talea: {}\n", line);
  };
  if (sample) options.keyspaces = SampleKeyspaces();
  auto database = TALEA_TRY(Database::Open(context.location, std::move(options)));
  if (sample) TALEA_TRY(WriteSample(*database));
  return database;
}

void TellReady(Context& context, const Server& server) {
  if (context.json) {
    context.out << JsonObject().Add("url", server.url()).Add("port", server.port()).text() << "\n";
  } else {
    context.out << fmt::format("talea serves {} at {}\n", context.location, server.url());
  }
  context.out.flush();
}

// Between requests somebody has to clear away what they leave behind.
void ServeUntilSignal(Context& context, Database& database, const HeldSignals& signals) {
  std::string told;
  while (!signals.Await(kSecondsBetweenCollections)) {
    const Result<std::uint64_t> collected = database.CollectExpired(kMostCollected);
    if (collected || collected.error().message() == told) continue;
    told = collected.error().message();
    context.err << fmt::format("talea: clearing away what is expired: {}\n", told);
  }
}

// A handler that does not come to an end has the server and the database, and neither can be taken
// down in order. What was acknowledged is safe: it survives the crash of a process.
[[noreturn]] void Abandon(Context& context, const Error& error) {
  context.err << fmt::format("talea: {}\n", error.message());
  context.err.flush();
  std::_Exit(static_cast<int>(ExitCode::failed));
}

Result<ExitCode> Serve(Context& context, const ServeArguments& arguments) {
  if (arguments.stop_seconds > kMostStopSeconds) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("--stop-seconds: expected at most {}, found {}", kMostStopSeconds,
                            arguments.stop_seconds));
  }
  const milliseconds bound = std::chrono::seconds(arguments.stop_seconds);
  const ServerOptions options{.listen = arguments.listen,
                              .allow_remote = arguments.allow_remote,
                              .location = context.location};
  TALEA_TRY(Server::Check(options));
  HeldSignals signals;
  const auto database = TALEA_TRY(OpenServed(context, arguments.sample));
  const auto server = TALEA_TRY(Server::Start(*database, options));
  TellReady(context, *server);
  ServeUntilSignal(context, *database, signals);
  signals.Release();
  if (const Status stopped = server->Stop(bound); !stopped) Abandon(context, stopped.error());
  if (const Status closed = database->Shutdown(bound); !closed) Abandon(context, closed.error());
  return ExitCode::done;
}

}  // namespace

Command ServeCommand() {
  const auto arguments = std::make_shared<ServeArguments>();
  return {
      .name = "serve",
      .summary = "Serves a database over HTTP: health, metrics, statistics, and a page to look at",
      .examples = {"talea --db rocksdb:/var/lib/visits serve",
                   "talea --db memory: serve --sample --listen 127.0.0.1:0"},
      .parameters = {{.name = "--listen",
                      .target = &arguments->listen,
                      .help = "Where to listen (127.0.0.1:7474 if not given); port 0 takes any "
                              "that is free",
                      .value = "HOST:PORT"},
                     {.name = "--allow-remote",
                      .target = &arguments->allow_remote,
                      .help = "Also take an address that other computers can reach; there is "
                              "no authentication yet"},
                     {.name = "--sample",
                      .target = &arguments->sample,
                      .help = "Write sample data first, if the database is empty"},
                     {.name = "--stop-seconds",
                      .target = &arguments->stop_seconds,
                      .help = "How long requests may take to finish after SIGINT or SIGTERM "
                              "(10 if not given); a second signal ends it at once",
                      .value = "SECONDS"}},
      .run = [arguments](Context& context) { return Serve(context, *arguments); }};
}

}  // namespace talea::cli
