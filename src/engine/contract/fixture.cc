#include "engine/contract/fixture.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <latch>
#include <thread>
#include <vector>

namespace talea {
namespace contract {

// One in each file of tests. A linker takes from a library only what something refers to, and the
// tests of a file are referred to by nothing else.
void LinkAfterCommitTests();
void LinkWatchTests();
void LinkAfterwardsTests();
void LinkBatchTests();
void LinkCheckpointTests();
void LinkConflictTests();
void LinkCounterTests();
void LinkDurabilityTests();
void LinkExpectationTests();
void LinkIngestTests();
void LinkLimitTests();
void LinkLinearizabilityTests();
void LinkPointTests();
void LinkRangeTests();
void LinkRangeConflictTests();
void LinkRefusalTests();
void LinkShutdownTests();
void LinkStatisticsTests();
void LinkTransactionTests();
void LinkTransactionReadTests();
void LinkTransactionRecordTests();
void LinkUndoTests();
void LinkUndoRandomTests();
void LinkVersionTests();

namespace {

void LinkAllTests() {
  LinkAfterCommitTests();
  LinkWatchTests();
  LinkAfterwardsTests();
  LinkBatchTests();
  LinkCheckpointTests();
  LinkConflictTests();
  LinkCounterTests();
  LinkDurabilityTests();
  LinkExpectationTests();
  LinkIngestTests();
  LinkLimitTests();
  LinkLinearizabilityTests();
  LinkPointTests();
  LinkRangeTests();
  LinkRangeConflictTests();
  LinkRefusalTests();
  LinkShutdownTests();
  LinkStatisticsTests();
  LinkTransactionTests();
  LinkTransactionReadTests();
  LinkTransactionRecordTests();
  LinkUndoTests();
  LinkUndoRandomTests();
  LinkVersionTests();
}

constexpr std::chrono::seconds kShutdownBound{30};
constexpr int kSpuriousAttempts = 30;
constexpr int kMostAttempts = 10'000;
constexpr int kLongFactor = 10;
constexpr std::chrono::seconds kUsualTime{2};

#if defined(__SANITIZE_THREAD__)
constexpr double kBuildFactor = 0.25;
#elif defined(__SANITIZE_ADDRESS__)
constexpr double kBuildFactor = 0.5;
#else
constexpr double kBuildFactor = 1;
#endif

constexpr ByteView kMarker = "~the commit that raced";

int Attempts() { return EngineContract::GetParam().fails_spuriously ? kSpuriousAttempts : 1; }

// Repeats a race as Conflicts says. An attempt lets the others write, and commits the marker.
bool ConflictsEveryTime(Engine& engine, const WriteBatch& before,
                        const std::function<Result<Version>()>& attempt) {
  for (int attempts = 0; attempts < Attempts(); ++attempts) {
    Write(engine, before);
    Write(engine, Writes().Erase(kPoints, kMarker));
    const Result<Version> outcome = attempt();
    const bool applied = Read(engine, kPoints, kMarker).has_value();
    if (outcome.has_value() != applied) {
      throw std::runtime_error(applied ? "a commit that failed left its writes"
                                       : "a commit that succeeded left no trace");
    }
    if (outcome.has_value()) return false;
    if (outcome.error().code() != ErrorCode::conflict &&
        outcome.error().code() != ErrorCode::snapshot_expired) {
      Must(outcome);
    }
  }
  return true;
}

}  // namespace

KeyRange Between(ByteView begin, ByteView end) { return Must(KeyRange::Make(begin, end)); }

CommitRequest Blind(WriteBatch batch) {
  CommitRequest request;
  request.batch = std::move(batch);
  return request;
}

Version Write(Engine& engine, const WriteBatch& batch) {
  Result<Version> version = engine.Commit(Blind(batch));
  for (int attempts = 1; attempts < Attempts(); ++attempts) {
    if (version.has_value() || !version.error().retryable()) break;
    version = engine.Commit(Blind(batch));
  }
  return Must(std::move(version));
}

Version Transact(Engine& engine, const std::function<void(Transaction&)>& body) {
  for (int attempts = 1;; ++attempts) {
    Transaction transaction(engine);
    if (!UnlessExpired(engine, [&] { body(transaction); })) continue;
    Result<Version> version = transaction.Commit();
    const bool again = !version.has_value() && version.error().retryable();
    if (!again || attempts == kMostAttempts) return Must(std::move(version));
  }
}

std::unique_ptr<Snapshot> Now(Engine& engine) { return Must(engine.OpenSnapshot()); }

Model State(Engine& engine) { return Dump(*Now(engine)); }

std::optional<std::string> Read(Engine& engine, const Keyspace& keyspace, ByteView key) {
  return Must(Now(engine)->Get(keyspace, key));
}

std::int64_t ReadCounter(Engine& engine, const Keyspace& keyspace, ByteView key) {
  return Must(Now(engine)->GetCounter(keyspace, key));
}

WriteBatch EraseEverything() {
  WriteBatch batch;
  for (const Keyspace& keyspace : kKeyspaces) batch.EraseRange(keyspace, KeyRange::All());
  return batch;
}

bool Conflicts(Engine& engine, const WriteBatch& before, const ReadSet& reads,
               const std::function<void()>& others) {
  return ConflictsEveryTime(engine, before, [&] {
    const std::unique_ptr<Snapshot> snapshot = Now(engine);
    others();
    CommitRequest request = Blind(Writes().Put(kPoints, kMarker, ""));
    request.snapshot = snapshot.get();
    request.reads = reads;
    return engine.Commit(std::move(request));
  });
}

bool Conflicts(Engine& engine, const WriteBatch& before, const ReadSet& reads,
               const WriteBatch& others) {
  return Conflicts(engine, before, reads, [&] { Write(engine, others); });
}

bool Conflicts(Engine& engine, const WriteBatch& before,
               const std::function<void(Transaction&)>& body, const WriteBatch& others) {
  return ConflictsEveryTime(engine, before, [&] {
    Transaction transaction(engine);
    body(transaction);
    Write(engine, others);
    transaction.Put(kPoints, kMarker, "");
    return transaction.Commit();
  });
}

bool UnlessExpired(Engine& engine, const std::function<void()>& body) {
  try {
    body();
    return true;
  } catch (const SnapshotExpired&) {
    if (!engine.limits().transaction_age) throw;
    return false;
  }
}

void InThreads(int count, const std::function<void(int)>& body) {
  std::latch start(count);
  std::vector<std::jthread> threads;
  for (int number = 0; number < count; ++number) {
    threads.emplace_back([&, number] {
      start.arrive_and_wait();
      try {
        body(number);
      } catch (const std::exception& failure) {
        ADD_FAILURE() << "thread " << number << ": " << failure.what();
      }
    });
  }
}

int Steps(int usual) {
  const double factor =
      EngineContract::GetParam().effort * kBuildFactor * (LongTests() ? kLongFactor : 1);
  return std::max(1, static_cast<int>(std::lround(usual * factor)));
}

TimeLimit::TimeLimit()
    : end_(std::chrono::steady_clock::now() + (LongTests() ? kLongFactor : 1) * kUsualTime) {}

}  // namespace contract

std::ostream& operator<<(std::ostream& out, const ContractEngine& engine) {
  return out << engine.name;
}

std::string EngineContract::Name(const testing::TestParamInfo<ContractEngine>& info) {
  return info.param.name;
}

EngineContract::EngineContract() { contract::LinkAllTests(); }

EngineContract::~EngineContract() = default;

void EngineContract::SetUp() {
  std::string path = (std::filesystem::temp_directory_path() / "talea-contract-XXXXXX").string();
  ASSERT_NE(mkdtemp(path.data()), nullptr) << path << ": " << std::strerror(errno);
  folder_ = path;
  ASSERT_TRUE(std::filesystem::create_directory(folder_ / "engine"));
  engine_ = Open(GetParam().open, folder_ / "engine");
}

void EngineContract::TearDown() {
  engine_.reset();
  if (!folder_.empty()) std::filesystem::remove_all(folder_);
}

void EngineContract::Reopen(Goodbye goodbye) {
  if (goodbye == Goodbye::shutdown) contract::Must(engine_->Shutdown(contract::kShutdownBound));
  engine_.reset();
  engine_ = Open(GetParam().open, folder_ / "engine");
}

std::unique_ptr<Engine> EngineContract::OpenCheckpoint(const std::filesystem::path& folder) {
  return Open(GetParam().open_checkpoint, folder);
}

std::unique_ptr<Engine> EngineContract::Open(const ContractEngine::Opener& opener,
                                             const std::filesystem::path& folder) {
  return contract::Must(
      opener(folder, {std::begin(contract::kKeyspaces), std::end(contract::kKeyspaces)}));
}

}  // namespace talea
