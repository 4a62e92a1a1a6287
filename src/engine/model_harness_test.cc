// The model test harness, tried on a small store that keeps accounts, with and without bugs.
#include <gtest/gtest.h>

#include <map>
#include <ostream>

#include "talea/testing/model_test.h"
#include "talea/transaction.h"

namespace talea {
namespace {

constexpr Keyspace kAccounts{200, AccessPattern::point, "accounts"};
constexpr Keyspace kTotals{201, AccessPattern::counter, "totals"};

enum class Bug { none, forgets_the_total, moves_money_twice, overdraws };

// Moves amounts between accounts; beside them it counts the transfers of each account.
struct Ledger {
  std::map<std::string, std::int64_t> balances;
  std::map<std::string, std::int64_t> transfers;
  friend bool operator==(const Ledger&, const Ledger&) = default;
};

struct Transfer {
  std::string source;
  std::string target;
  std::int64_t amount;
  bool synced;
};

std::ostream& operator<<(std::ostream& out, const Transfer& transfer) {
  return out << transfer.amount << " from " << transfer.source << " to " << transfer.target
             << (transfer.synced ? ", synced" : "");
}

constexpr std::int64_t kCredit = 50;

template <Bug bug>
struct LedgerSystem {
  using Model = Ledger;
  using Operation = Transfer;

  static std::vector<Keyspace> Keyspaces() { return {kAccounts, kTotals}; }

  static Operation Generate(Random& random) {
    const auto account = [&] { return std::string(1, static_cast<char>('a' + random.Below(6))); };
    return {account(), account(), random.Between(1, 30), random.Chance(0.3)};
  }

  static Status ApplyToModel(Model& model, const Operation& transfer) {
    if (model.balances[transfer.source] - transfer.amount < -kCredit) {
      return Fail(ErrorCode::too_large, "the source's credit is too small");
    }
    model.balances[transfer.source] -= transfer.amount;
    model.balances[transfer.target] += transfer.amount;
    ++model.transfers[transfer.source];
    return {};
  }

  explicit LedgerSystem(Engine& opened) : engine(opened) {}

  Status Apply(const Operation& transfer) {
    const Status done = ApplyOnce(transfer);
    const bool unknown = !done && done.error().code() == ErrorCode::outcome_unknown;
    if (bug == Bug::moves_money_twice && unknown) return ApplyOnce(transfer);
    return done;
  }

  Status ApplyOnce(const Operation& transfer) {
    Transaction transaction(engine);
    const std::int64_t source = TALEA_TRY(Balance(transaction, transfer.source));
    if (bug != Bug::overdraws && source - transfer.amount < -kCredit) {
      return Fail(ErrorCode::too_large, "the source's credit is too small");
    }
    transaction.Put(kAccounts, transfer.source, std::to_string(source - transfer.amount));
    const std::int64_t target = TALEA_TRY(Balance(transaction, transfer.target));
    transaction.Put(kAccounts, transfer.target, std::to_string(target + transfer.amount));
    if (bug != Bug::forgets_the_total || transfer.amount != 13)
      transaction.Add(kTotals, transfer.source, 1);
    TALEA_TRY(transaction.Commit(transfer.synced ? Durability::synced : Durability::buffered));
    return {};
  }

  static Result<std::int64_t> Balance(Reader& reader, const std::string& account) {
    const std::optional<std::string> stored = TALEA_TRY(reader.Get(kAccounts, account));
    return stored ? std::stoll(*stored) : 0;
  }

  Result<Model> Observe() {
    const std::unique_ptr<Snapshot> snapshot = TALEA_TRY(engine.OpenSnapshot());
    Model seen;
    for (char account = 'a'; account < 'g'; ++account) {
      const std::string name(1, account);
      if (TALEA_TRY(snapshot->Get(kAccounts, name)))
        seen.balances[name] = TALEA_TRY(Balance(*snapshot, name));
      const std::int64_t count = TALEA_TRY(snapshot->GetCounter(kTotals, name));
      if (count != 0) seen.transfers[name] = count;
    }
    return seen;
  }

  Engine& engine;
};

using Correct = LedgerSystem<Bug::none>;

// ApplyToModel creates zero balances where it only looks; the store does not. Models compare what
// is there.
TEST(ModelHarness, AgreesWithACorrectStoreOnBothProfiles) {
  EXPECT_TRUE(AgreesWithModel<Correct>({.profile = SimulationProfile::RocksDb(), .steps = 5000}));
  EXPECT_TRUE(
      AgreesWithModel<Correct>({.profile = SimulationProfile::FoundationDb(), .steps = 5000}));
}

template <Bug bug>
std::string MessageOf(SimulationProfile profile) {
  const testing::AssertionResult result = AgreesWithModel<LedgerSystem<bug>>(
      {.profile = std::move(profile), .steps = 3000, .every_step = true, .seed = 77});
  return result ? "" : result.message();
}

TEST(ModelHarness, FindsALostDeltaAndShrinksItToOneStep) {
  const std::string message = MessageOf<Bug::forgets_the_total>(SimulationProfile::RocksDb());
  EXPECT_NE(message.find("TALEA_SEED=77"), std::string::npos) << message;
  EXPECT_NE(message.find("shrunk to 1 of 3000 steps"), std::string::npos) << message;
  EXPECT_NE(message.find("13 from "), std::string::npos) << message;
}

TEST(ModelHarness, FindsARetryThatCountsTwiceAfterAnUnknownOutcome) {
  EXPECT_NE(MessageOf<Bug::moves_money_twice>(SimulationProfile::FoundationDb()), "");
}

TEST(ModelHarness, FindsASuccessThatTheModelRefuses) {
  const std::string message = MessageOf<Bug::overdraws>(SimulationProfile::RocksDb());
  EXPECT_NE(message.find("where the model refuses it"), std::string::npos) << message;
}

TEST(ModelHarness, ReproducesAFailureFromItsSeed) {
  EXPECT_EQ(MessageOf<Bug::moves_money_twice>(SimulationProfile::FoundationDb()),
            MessageOf<Bug::moves_money_twice>(SimulationProfile::FoundationDb()));
}

TEST(Shrink, KeepsOnlyTheStepsThatMatter) {
  const auto fails = [](const std::vector<std::size_t>& steps) {
    return std::ranges::count(steps, 17u) + std::ranges::count(steps, 480u) == 2;
  };
  EXPECT_EQ(Shrink(500, fails), (std::vector<std::size_t>{17, 480}));
}

}  // namespace
}  // namespace talea
