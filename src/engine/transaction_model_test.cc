// Transactions of every kind of write, with undo, against two plain maps, under both simulation
// profiles.
#include <gtest/gtest.h>

#include <map>
#include <ostream>

#include "base/coding.h"
#include "talea/testing/model_test.h"
#include "talea/transaction.h"

namespace talea {
namespace {

constexpr Keyspace kRows{200, AccessPattern::scan, "rows"};
constexpr Keyspace kCounts{201, AccessPattern::counter, "counts"};
constexpr Keyspace kUndo{202, AccessPattern::point,
                         "undo"};  // and, at "depth", how many records there are
constexpr char kDepth[] = "depth";

struct State {
  std::map<std::string, std::string> rows;
  std::map<std::string, std::int64_t> counts;
  friend bool operator==(const State&, const State&) = default;
};

struct TransactionSystem {
  struct Model {
    State state;
    std::vector<State> undo;  // what each commit can be taken back to; compared by depth alone
    friend bool operator==(const Model& a, const Model& b) {
      return a.state == b.state && a.undo.size() == b.undo.size();
    }
  };

  struct Write {
    WriteBatch::Kind kind;
    bool counter;
    std::string key;
    std::string end;  // of a range
    std::int64_t number;
  };

  // A commit of some writes, or else the undoing of the last one.
  struct Operation {
    std::vector<Write> writes;
    bool synced = false;
    friend std::ostream& operator<<(std::ostream& out, const Operation& operation) {
      if (operation.writes.empty()) return out << "undo";
      for (const Write& write : operation.writes) {
        constexpr const char* kNames[] = {"", "put", "erase", "erase range", "add"};
        out << kNames[static_cast<int>(write.kind)] << (write.counter ? " count " : " row ")
            << write.key;
        if (write.kind == WriteBatch::Kind::erase_range) out << " to " << write.end;
        out << " " << write.number << "; ";
      }
      return out;
    }
  };

  static std::vector<Keyspace> Keyspaces() { return {kRows, kCounts, kUndo}; }

  static Operation Generate(Random& random) {
    const auto key = [&] {
      return std::string(1 + random.Below(2), static_cast<char>('a' + random.Below(5)));
    };
    Operation operation{.writes = {}, .synced = random.Chance(0.2)};
    if (random.Chance(0.48)) return operation;
    for (std::uint64_t count = 1 + random.Below(5); count > 0; --count) {
      const bool counter = random.Chance(0.5);
      auto kind = static_cast<WriteBatch::Kind>(1 + random.Below(counter ? 4 : 3));
      Write write{kind, counter, key(), key(), random.Between(-2, 2)};
      if (write.end < write.key) std::swap(write.key, write.end);
      operation.writes.push_back(std::move(write));
    }
    return operation;
  }

  static Status ApplyToModel(Model& model, const Operation& operation) {
    if (operation.writes.empty()) {
      if (model.undo.empty()) return Fail(ErrorCode::not_found, "nothing to undo");
      model.state = std::move(model.undo.back());
      model.undo.pop_back();
      return {};
    }
    model.undo.push_back(model.state);
    for (const Write& write : operation.writes) ApplyToModel(model.state, write);
    return {};
  }

  static void ApplyToModel(State& state, const Write& write) {
    const auto erase = [&](auto& map) {
      if (write.kind == WriteBatch::Kind::erase) map.erase(write.key);
      if (write.kind != WriteBatch::Kind::erase_range) return;
      map.erase(map.lower_bound(write.key), map.lower_bound(write.end));
    };
    if (!write.counter) {
      if (write.kind == WriteBatch::Kind::put) state.rows[write.key] = std::to_string(write.number);
      return erase(state.rows);
    }
    if (write.kind == WriteBatch::Kind::put) state.counts[write.key] = write.number;
    if (write.kind == WriteBatch::Kind::add) state.counts[write.key] += write.number;
    erase(state.counts);
    std::erase_if(state.counts, [](const auto& count) { return count.second == 0; });
  }

  explicit TransactionSystem(Engine& opened) : engine(opened) {}

  Status Apply(const Operation& operation) {
    Transaction transaction(engine);
    const std::int64_t depth = TALEA_TRY(Depth(transaction));
    if (operation.writes.empty()) {
      TALEA_TRY(transaction.Undo(kUndo, std::to_string(depth - 1)));
    } else {
      transaction.KeepUndo(kUndo, std::to_string(depth));
      transaction.Put(kUndo, kDepth, std::to_string(depth + 1));
      for (const Write& write : operation.writes) ApplyToTransaction(transaction, write);
    }
    TALEA_TRY(transaction.Commit(operation.synced ? Durability::synced : Durability::buffered));
    return {};
  }

  static void ApplyToTransaction(Transaction& transaction, const Write& write) {
    const Keyspace& keyspace = write.counter ? kCounts : kRows;
    switch (write.kind) {
      case WriteBatch::Kind::put:
        return write.counter ? transaction.PutCounter(keyspace, write.key, write.number)
                             : transaction.Put(keyspace, write.key, std::to_string(write.number));
      case WriteBatch::Kind::erase:
        return transaction.Erase(keyspace, write.key);
      case WriteBatch::Kind::erase_range:
        return transaction.EraseRange(keyspace, KeyRange::Make(write.key, write.end).value());
      case WriteBatch::Kind::add:
        return transaction.Add(keyspace, write.key, write.number);
    }
  }

  static Result<std::int64_t> Depth(Reader& reader) {
    return std::stoll(TALEA_TRY(reader.Get(kUndo, kDepth)).value_or("0"));
  }

  Result<Model> Observe() {
    const std::unique_ptr<Snapshot> snapshot = TALEA_TRY(engine.OpenSnapshot());
    Model seen;
    Scanner rows(*snapshot, kRows, KeyRange::All());
    while (const std::optional<Row> row = TALEA_TRY(rows.Next()))
      seen.state.rows.emplace(row->key, row->value);
    Scanner counts(*snapshot, kCounts, KeyRange::All());
    while (const std::optional<Row> row = TALEA_TRY(counts.Next())) {
      seen.state.counts.emplace(row->key, DecodeCounter(row->value).value());
    }
    seen.undo.resize(static_cast<std::size_t>(TALEA_TRY(Depth(*snapshot))));
    std::size_t undo_rows = 0;
    Scanner records(*snapshot, kUndo, KeyRange::All());
    while (TALEA_TRY(records.Next())) ++undo_rows;
    if (undo_rows != seen.undo.size() + (seen.undo.empty() ? 0 : 1)) {
      return Fail(ErrorCode::corruption, "undo records left over: " + std::to_string(undo_rows));
    }
    return seen;
  }

  Engine& engine;
};

TEST(TransactionModel, AgreesOnTheEmbeddedProfile) {
  EXPECT_TRUE(AgreesWithModel<TransactionSystem>(
      {.profile = SimulationProfile::RocksDb(), .steps = 10'000}));
}

TEST(TransactionModel, AgreesOnTheClusterProfile) {
  EXPECT_TRUE(AgreesWithModel<TransactionSystem>(
      {.profile = SimulationProfile::FoundationDb(), .steps = 10'000}));
}

}  // namespace
}  // namespace talea
