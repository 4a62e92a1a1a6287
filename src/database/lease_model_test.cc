// Two writers of one database, each a process of its own, and one lease between them: however slow
// they are and whatever becomes of their commits, what is written comes in the order of the tokens.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "coordination/coordination_for_test.h"
#include "talea/database.h"
#include "talea/lease.h"
#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"
#include "talea/testing/simulation.h"

namespace talea {
namespace {

using std::chrono::seconds;

constexpr seconds kDuration{10};

struct Writer {
  std::string name;
  std::unique_ptr<Database> database;
  std::optional<Lease> lease;  // as it believes
};

class TwoWriters {
 public:
  explicit TwoWriters(std::uint64_t seed)
      : random_(seed), simulation_(Simulation::Make(KeyspacesForTest(), Profile(), seed).value()) {
    for (Writer& writer : writers_) {
      const DatabaseOptions options{.clock = clock_, .pause = [](auto) {}};
      writer.name = &writer == &writers_[0] ? "ada" : "bob";
      writer.database = Database::Over(simulation_.Open().value(), options).value();
    }
  }

  void Step() {
    Writer& writer = writers_[random_.Below(2)];
    switch (random_.Below(8)) {
      case 0:
        return clock_->Advance(seconds(random_.Below(8)));
      case 1:
      case 2:
        return Acquire(writer);
      case 3:
        return Renew(writer);
      case 4:
        return Release(writer);
      default:
        return Write(writer);
    }
  }

  // The tokens of all writes, in their order.
  std::vector<std::uint64_t> Written() {
    simulation_.InjectFaults(false);
    std::vector<std::uint64_t> tokens;
    const std::unique_ptr<Snapshot> snapshot = writers_[0].database->OpenSnapshot().value();
    Scanner rows(*snapshot, kRows, KeyRange::Prefix("write/"));
    while (const std::optional<Row> row = rows.Next().value()) {
      tokens.push_back(std::stoull(std::string(row->value)));
    }
    simulation_.InjectFaults(true);
    return tokens;
  }

  int acknowledged = 0;  // writes
  int fenced_off = 0;    // writes that were refused to who believed to hold the lease

 private:
  static SimulationProfile Profile() {
    SimulationProfile profile = SimulationProfile::FoundationDb();
    profile.faults.crash = profile.faults.power_cut = 0;
    return profile;
  }

  void Acquire(Writer& writer) {
    const Result<Lease> taken =
        writer.database->Transact([&](Transaction& transaction, Timestamp now) {
          return AcquireLease(transaction, "writer", writer.name, kDuration, now);
        });
    if (!taken) {
      EXPECT_EQ(taken.error().code(), ErrorCode::precondition_failed) << taken.error();
      return;
    }
    EXPECT_GT(taken->token, newest_) << "a token must grow each time";
    newest_ = taken->token;
    writer.lease = *taken;
  }

  void Renew(Writer& writer) {
    if (!writer.lease) return;
    const Result<Lease> renewed =
        writer.database->Transact([&](Transaction& transaction, Timestamp now) {
          return RenewLease(transaction, *writer.lease, kDuration, now);
        });
    EXPECT_EQ(renewed.has_value(), writer.lease->token == newest_);
    if (!renewed) writer.lease.reset();
  }

  void Release(Writer& writer) {
    if (!writer.lease || random_.Below(4) > 0) return;
    const Status released = writer.database->Transact(
        [&](Transaction& transaction) { return ReleaseLease(transaction, *writer.lease); });
    EXPECT_EQ(released.has_value(), writer.lease->token == newest_);
    writer.lease.reset();
  }

  // Appends the token to the list of writes. Half-way, the other may take the lease.
  void Write(Writer& writer) {
    if (!writer.lease) return;
    const bool slow = random_.Chance(0.3);
    bool first = true;
    const Status written = writer.database->Transact([&](Transaction& transaction) -> Status {
      TALEA_TRY(CheckLease(transaction, *writer.lease));
      const std::int64_t token = static_cast<std::int64_t>(writer.lease->token);
      if (slow && first) {
        first = false;
        clock_->Advance(kDuration);
        Acquire(&writer == &writers_[0] ? writers_[1] : writers_[0]);
      }
      transaction.Put(kRows, fmt::format("write/{:06}", next_), std::to_string(token));
      return {};
    });
    ++next_;
    if (written) {
      ++acknowledged;
      EXPECT_EQ(writer.lease->token, newest_) << "a write without the lease";
    } else {
      EXPECT_EQ(written.error().code(), ErrorCode::precondition_failed) << written.error();
      ++fenced_off;
      writer.lease.reset();
    }
  }

  Random random_;
  Simulation simulation_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  std::array<Writer, 2> writers_;
  std::uint64_t newest_ = 0;
  int next_ = 0;
};

TEST(LeaseModel, FencesASecondWriterOff) {
  const std::uint64_t seed = TestSeed();
  SCOPED_TRACE("TALEA_SEED=" + std::to_string(seed) + " runs it again");
  TwoWriters writers(seed);
  for (int step = 0; step < (LongTests() ? 100'000 : 10'000); ++step) {
    writers.Step();
    if (testing::Test::HasFailure()) FAIL() << "at step " << step;
  }
  const std::vector<std::uint64_t> written = writers.Written();
  EXPECT_TRUE(std::ranges::is_sorted(written));
  EXPECT_EQ(written.size(), static_cast<std::size_t>(writers.acknowledged));
  EXPECT_GT(writers.acknowledged, 500);
  EXPECT_GT(writers.fenced_off, 100);
}

}  // namespace
}  // namespace talea
