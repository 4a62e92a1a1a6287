// Staging against plain maps, under both profiles of the simulation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "base/coding.h"
#include "chain/staging_for_test.h"
#include "coordination/attempts.h"
#include "talea/testing/model_test.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

// A ledger without rules: every step writes some rows, and its number.
struct StagingSystem {
  using Model = StoredRows;
  enum class Kind { step, staged_step, staged_and_settled_step, abandoned, settle };
  struct Operation {
    Kind kind;
    std::uint64_t number;  // differs from step to step
    WriteBatch writes;
    Durability durability;
  };

  static std::vector<Keyspace> Keyspaces() { return KeyspacesForTest(); }
  static Operation Generate(Random& random);
  static Status ApplyToModel(Model& model, const Operation& operation);

  explicit StagingSystem(Engine& engine) : engine_(engine) {}
  Status Apply(const Operation& operation);
  Result<Model> Observe() { return ReadLedger(engine_); }

 private:
  Status ApplyDirectly(const Operation& operation);
  Status ApplyStaged(const Operation& operation);

  Engine& engine_;
  std::optional<Staging> abandoned_;  // by one who does not go on, and does not go
};

constexpr ByteView kNumber = "number";

std::ostream& operator<<(std::ostream& out, const StagingSystem::Operation& operation) {
  constexpr const char* kNames[] = {"step", "staged step", "staged and settled step",
                                    "abandoned batch", "settle"};
  return out << kNames[static_cast<int>(operation.kind)] << " " << operation.number << " of "
             << operation.writes.count() << " writes";
}

// To each key one write.
WriteBatch GenerateWrites(Random& random, std::size_t most_bytes) {
  WriteBatch writes;
  for (int key = 0; key < 24; ++key) {
    const std::string name = fmt::format("{}", key);
    const std::uint64_t choice = random.Below(8);
    if (choice < 2) {
      writes.Put(kStateUtxosKeyspace, name, std::string(random.Below(most_bytes), 'v'));
    } else if (choice < 4) {
      writes.Erase(kStateUtxosKeyspace, name);
    } else if (choice < 6) {
      writes.Add(kChainCountersKeyspace, name, random.Between(-2, 2));
    }
  }
  writes.Add(kChainCountsKeyspace, "steps", 1);
  return writes;
}

StagingSystem::Operation StagingSystem::Generate(Random& random) {
  const auto kind = static_cast<Kind>(random.Below(5));
  const Durability durability = random.Chance(0.3) ? Durability::synced : Durability::buffered;
  const std::size_t most_bytes = kind == Kind::step ? 50 : 300;
  return {kind, random.Next(), GenerateWrites(random, most_bytes), durability};
}

void AddTo(StoredRows& rows, const std::pair<int, std::string>& key, std::int64_t delta) {
  const auto found = rows.find(key);
  const std::int64_t sum = delta + (found == rows.end() ? 0 : *DecodeCounter(found->second));
  rows[key] = EncodeCounter(sum);
  if (sum == 0) rows.erase(key);
}

Status StagingSystem::ApplyToModel(Model& model, const Operation& operation) {
  if (operation.kind == Kind::abandoned || operation.kind == Kind::settle) return {};
  for (const WriteBatch::Operation& write : operation.writes) {
    const std::pair key(int{write.keyspace}, std::string(write.key));
    if (write.kind == WriteBatch::Kind::put) model[key] = write.value;
    if (write.kind == WriteBatch::Kind::erase) model.erase(key);
    if (write.kind == WriteBatch::Kind::add) AddTo(model, key, write.delta);
  }
  model[{kRows.id, std::string(kNumber)}] = std::to_string(operation.number);
  return {};
}

Status StagingSystem::Apply(const Operation& operation) {
  switch (operation.kind) {
    case Kind::step:
      return ApplyDirectly(operation);
    case Kind::settle:
      return SettleStaged(engine_);
    default:
      return ApplyStaged(operation);
  }
}

// As every commit to the ledger does.
Status StagingSystem::ApplyDirectly(const Operation& operation) {
  const std::string number = std::to_string(operation.number);
  return TryUntilDecided([&]() -> Status {
    Transaction transaction(engine_);
    const StagingState state = TALEA_TRY(ReadState(transaction));
    if (TALEA_TRY(transaction.Get(kRows, kNumber)) == number) return {};  // an earlier attempt
    if (state != StagingState::none) {
      TALEA_TRY(SettleStaged(engine_));
      TALEA_TRY(DropStaged(engine_));
      return Fail(ErrorCode::conflict, "settled first");
    }
    transaction.Apply(operation.writes);
    transaction.Put(kRows, kNumber, number);
    TALEA_TRY(transaction.Commit(operation.durability));
    return {};
  });
}

Status StagingSystem::ApplyStaged(const Operation& operation) {
  TALEA_TRY(SettleStaged(engine_));
  Staging staging = TALEA_TRY(Staging::Begin(engine_, Anything));
  TALEA_TRY(staging.Add(operation.writes));
  if (operation.kind == Kind::abandoned) {
    abandoned_.emplace(std::move(staging));
    return {};
  }
  const auto body = [&](Transaction& transaction) -> Status {
    transaction.Put(kRows, kNumber, std::to_string(operation.number));
    return {};
  };
  TALEA_TRY(staging.Enter(body, operation.durability));
  if (operation.kind == Kind::staged_and_settled_step) return SettleStaged(engine_);
  return {};
}

// So small that most batches take several commits, and a step one.
SimulationProfile WithSmallTransactions(SimulationProfile profile) {
  profile.limits.transaction_bytes = 4'000;
  return profile;
}

TEST(StagingModel, AgreesOnTheEmbeddedProfile) {
  EXPECT_TRUE(AgreesWithModel<StagingSystem>(
      {.profile = WithSmallTransactions(SimulationProfile::RocksDb()), .steps = 1000}));
}

TEST(StagingModel, AgreesOnTheClusterProfile) {
  EXPECT_TRUE(AgreesWithModel<StagingSystem>(
      {.profile = WithSmallTransactions(SimulationProfile::FoundationDb()), .steps = 1000}));
}

}  // namespace
}  // namespace talea::chain
