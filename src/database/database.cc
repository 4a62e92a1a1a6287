#include "talea/database.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "coordination/progress_row.h"
#include "coordination/schema.h"
#include "database/request.h"
#include "database/retries.h"
#include "database/roll_back.h"
#include "database/run.h"
#include "database/session.h"
#include "histograms/changes.h"
#include "keyspace/registry.h"

namespace talea {
namespace {

constexpr std::uint64_t kCollectedInOneCommit = 256;
constexpr std::uint64_t kCollectedAtTheStart = 16;
// Collects twice as many requests as are made.
constexpr std::uint64_t kRequestsBetweenCollections = 64;
constexpr std::uint64_t kCollectedBetweenRequests = 2 * kRequestsBetweenCollections;

class EngineDatabase final : public Database {
 public:
  EngineDatabase(std::shared_ptr<Engine> engine, DatabaseOptions options)
      : engine_(std::move(engine)),
        options_(std::move(options)),
        finds_out_(engine_->limits().outlives_unknown_outcomes),
        sessions_(*engine_) {
    histograms::SetUndoRules();
    if (!options_.clock) options_.clock = std::make_shared<SystemClock>();
    if (!options_.pause) options_.pause = [](auto pause) { std::this_thread::sleep_for(pause); };
  }
  ~EngineDatabase() override { sessions_.EndIfIdle(); }

  Result<RequestAnswer> TransactOnce(
      const RequestKey& request,
      const std::function<Result<std::string>(Transaction&, Timestamp now)>& body,
      Durability durability) override;
  Result<std::uint64_t> RollBack(const Progress& progress,
                                 const Progress::Position& position) override;

  Engine& engine() override { return *engine_; }
  const Clock& clock() const override { return *options_.clock; }

  Result<std::uint64_t> CollectExpired(std::uint64_t most) override;
  Status Shutdown(std::chrono::milliseconds bound) override {
    sessions_.EndIfIdle();
    return engine_->Shutdown(bound);
  }

  // The same, where it is nobody's business whether it succeeds.
  void CollectSome(std::uint64_t most);

 protected:
  Result<std::size_t> Run(const Attempt& attempt, Durability durability) override;

 private:
  Result<bool> StepBackTo(const Progress& progress, const Progress::Position& position);

  const std::shared_ptr<Engine> engine_;
  DatabaseOptions options_;
  const bool finds_out_;
  Sessions sessions_;
  std::atomic<std::uint64_t> requests_ = 0;
  std::mutex collecting_;
};

Result<std::size_t> EngineDatabase::Run(const Attempt& attempt, Durability durability) {
  const Timestamp now = clock().Now();
  Retries retries(options_.retry, options_.pause);
  if (!finds_out_) {
    NoOutcomeGuard guard;
    return RunUntilDecided({*engine_, guard, attempt, durability, now}, std::move(retries));
  }
  sessions_.RenewIfDue(now);
  SlotGuard guard(sessions_, now);
  return RunUntilDecided({*engine_, guard, attempt, durability, now}, std::move(retries));
}

Result<RequestAnswer> EngineDatabase::TransactOnce(
    const RequestKey& request,
    const std::function<Result<std::string>(Transaction&, Timestamp now)>& body,
    Durability durability) {
  TALEA_TRY(Check(request));
  RequestCall call(*engine_, clock(), request, body);
  const Attempt attempt = [&](Transaction& transaction, Timestamp now, std::size_t) {
    return call.Run(transaction, now);
  };
  TALEA_TRY(RunUntilDecided({*engine_, call, attempt, durability, clock().Now()},
                            Retries(options_.retry, options_.pause)));
  if (++requests_ % kRequestsBetweenCollections == 0) CollectSome(kCollectedBetweenRequests);
  return call.TakeAnswer();
}

Result<std::uint64_t> EngineDatabase::RollBack(const Progress& progress,
                                               const Progress::Position& position) {
  TALEA_TRY(Transact([&](Transaction&) { return CheckReachable(*engine_, progress, position); }));
  std::uint64_t steps = 0;
  while (TALEA_TRY(StepBackTo(progress, position))) ++steps;
  return steps;
}

// One step; false when there is none to go.
Result<bool> EngineDatabase::StepBackTo(const Progress& progress,
                                        const Progress::Position& position) {
  return Transact([&](Transaction& transaction) -> Result<bool> {
    const Progress::Position current = TALEA_TRY(progress.Read(transaction));
    if (current == position) return false;
    if (current < position) {
      return Fail(
          ErrorCode::precondition_failed,
          fmt::format("progress of source {}: expected to roll back to position {}, found that "
                      "somebody else has taken it back to {}",
                      Quoted(progress.source()), Describe(position), Describe(current)));
    }
    TALEA_TRY(progress.StepBack(transaction));
    return true;
  });
}

Result<std::uint64_t> EngineDatabase::CollectExpired(std::uint64_t most) {
  std::uint64_t collected = 0;
  while (collected < most) {
    const std::uint64_t bound = std::min(most - collected, kCollectedInOneCommit);
    const std::uint64_t step =
        TALEA_TRY(Transact([&](Transaction& transaction, Timestamp now) -> Result<std::uint64_t> {
          const std::shared_ptr<Session> own = sessions_.current();
          const auto requests = TALEA_TRY(CollectRequests(transaction, now, bound));
          const auto sessions = TALEA_TRY(CollectSessions(
              transaction, now, own ? std::optional(own->id()) : std::nullopt, bound - requests));
          return requests + sessions;
        }));
    if (step == 0) break;
    collected += step;
  }
  return collected;
}

void EngineDatabase::CollectSome(std::uint64_t most) {
  const std::unique_lock lock(collecting_, std::try_to_lock);
  if (!lock) return;
  const Result<std::uint64_t> collected = CollectExpired(most);
  if (!collected && options_.warn) {
    options_.warn("collecting what is expired failed: " + collected.error().message());
  }
}

}  // namespace

Result<std::unique_ptr<Database>> Database::Over(std::shared_ptr<Engine> engine,
                                                 DatabaseOptions options) {
  if (!engine) return Fail(ErrorCode::invalid_argument, "database: expected an engine, found null");
  TALEA_TRY(Check(options.retry));
  TALEA_TRY(OpenSchema(*engine, Layout::plain));
  auto database = std::make_unique<EngineDatabase>(std::move(engine), std::move(options));
  database->CollectSome(kCollectedAtTheStart);
  return database;
}

std::vector<Keyspace> TaleaKeyspaces() { return {kAllKeyspaces.begin(), kAllKeyspaces.end()}; }

}  // namespace talea
