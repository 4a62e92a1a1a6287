// What the tests of the database share. For tests alone.
#pragma once

#include <gtest/gtest.h>

#include "coordination/keys.h"
#include "coordination/times.h"
#include "database/scripted_engine_for_test.h"
#include "talea/database.h"
#include "talea/testing/result_matchers.h"

namespace talea {

// A database over a scripted engine. Attempts follow each other without a pause.
class ScriptedDatabase : public ::testing::Test {
 protected:
  using Fate = ScriptedEngine::Fate;

  void Open(bool outlives_unknown_outcomes = true) {
    database_.reset();
    engine_ = std::make_shared<ScriptedEngine>(outlives_unknown_outcomes);
    database_ = OpenAnother();
  }
  std::unique_ptr<Database> OpenAnother() {
    return Database::Over(engine_, {.clock = clock_,
                                    .retry = retry_,
                                    .pause =
                                        [this](auto) {
                                          if (in_pause_) in_pause_();
                                        }})
        .value();
  }

  // Adds one to the number in the row "n", and returns the sum. A read and a write, so that doing
  // it twice shows.
  Result<int> Count() {
    return database_->Transact([&](Transaction& transaction) -> Result<int> {
      ++runs_;
      const int sum = std::stoi(TALEA_TRY(transaction.Get(kRows, "n")).value_or("0")) + 1;
      transaction.Put(kRows, "n", std::to_string(sum));
      if (in_body_) in_body_();
      return sum;
    });
  }
  int Sum() { return std::stoi(Get(kRows, "n").value_or("0")); }

  std::optional<std::string> Get(const Keyspace& keyspace, ByteView key) {
    return engine_->OpenSnapshot().value()->Get(keyspace, key).value();
  }
  std::size_t RowsBehind(TaleaPrefix prefix) {
    const std::unique_ptr<Snapshot> snapshot = engine_->OpenSnapshot().value();
    return snapshot->Range(kTaleaKeyspace, KeyRange::Prefix(PackedPrefix(prefix))).value().size();
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  RetryOptions retry_;
  std::shared_ptr<ScriptedEngine> engine_ = std::make_shared<ScriptedEngine>();
  std::unique_ptr<Database> database_ = OpenAnother();
  int runs_ = 0;                         // of the body
  std::function<void()> in_body_ = {};   // called before the body returns
  std::function<void()> in_pause_ = {};  // called between two attempts
};

}  // namespace talea
