// Random concurrent transactions, whose history must be possible one after the other.
#include <atomic>
#include <random>

#include "engine/contract/fixture.h"
#include "engine/contract/history.h"

namespace talea::contract {
void LinkLinearizabilityTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

using Kind = HistoryStep::Kind;

// How often things are chosen, and from how few keys: the fewer, the more transactions meet.
struct Mix {
  int keys = 12;
  int most_steps = 6;
  int range_erasures = 1;  // of 20 steps
  bool ingests = true;
};

// Makes random transactions in one thread, and their history.
class RandomClient {
 public:
  RandomClient(Engine& engine, History& history, const Mix& mix, std::uint64_t seed)
      : engine_(engine),
        history_(history),
        mix_(mix),
        random_(seed),
        sign_(seed % 2 == 0 ? 1 : -1) {}

  // Runs one transaction; true if it committed.
  bool Run() {
    entry_ = {};
    entry_.began = history_.Moment();
    if (mix_.ingests && Below(100) == 0) return RunIngest();
    Transaction transaction(engine_);
    const bool fresh = UnlessExpired(engine_, [&] {
      for (int step = Below(mix_.most_steps) + 1; step > 0; --step) RandomStep(transaction);
      if (entry_.snapshot) entry_.snapshot = Must(transaction.snapshot_version());
    });
    const Durability durability = Below(20) == 0 ? Durability::synced : Durability::buffered;
    return fresh && Log([&] { return transaction.Commit(durability); });
  }

 private:
  int Below(int bound) { return std::uniform_int_distribution(0, bound - 1)(random_); }
  std::string Key() { return "k" + std::string(1, static_cast<char>('a' + Below(mix_.keys))); }
  std::string Value() { return std::to_string(++values_) + "/" + std::to_string(random_() % 1000); }
  const Keyspace& Rows() { return Below(2) == 0 ? kPoints : kScans; }
  const Keyspace& Counters() { return Below(2) == 0 ? kCounters : kSums; }
  const Keyspace& Any() { return kKeyspaces[Below(std::size(kKeyspaces))]; }

  KeyRange Range() {
    const std::string a = Key(), b = Key();
    if (Below(8) == 0) return Below(2) == 0 ? KeyRange::From(a) : KeyRange::All();
    return Between(std::min(a, b), std::max(a, b) + "+");  // never empty: erasing it is a write
  }

  bool Log(const std::function<Result<Version>()>& commit) {
    entry_.committing = history_.Moment();
    const Result<Version> version = commit();
    entry_.ended = history_.Moment();
    if (!version.has_value()) {
      if (!version.error().retryable()) Must(version);
      return false;
    }
    entry_.version = *version;
    history_.Add(std::move(entry_));
    return true;
  }

  void Note(Kind kind, std::string name, std::function<bool(Model&)> repeat) {
    if (kind != Kind::write) entry_.snapshot.emplace();
    entry_.steps.push_back({kind, std::move(name), std::move(repeat)});
  }

  void RandomStep(Transaction& transaction) {
    const int choice = Below(20);
    if (choice < mix_.range_erasures) return EraseRange(transaction);
    if (choice < 4) return Put(transaction);
    if (choice < 5) return Erase(transaction);
    if (choice < 8) return Add(transaction);
    if (choice < 9) return PutCounter(transaction);
    const bool recorded = Below(5) > 0;
    Reader& reader = recorded ? static_cast<Reader&>(transaction) : transaction.unrecorded();
    const Kind kind = recorded ? Kind::recorded_read : Kind::unrecorded_read;
    if (choice < 14) return Get(reader, kind);
    if (choice < 16) return MultiGet(reader, kind);
    return ReadPage(reader, kind);
  }

  void EraseRange(Transaction& transaction) {
    const Keyspace& keyspace = Any();
    const KeyRange range = Range();
    transaction.EraseRange(keyspace, range);
    NoteWrite("EraseRange", keyspace, range.ToString(),
              [=](Model& model) { model.EraseRange(keyspace, range); });
  }

  void Put(Transaction& transaction) {
    const Keyspace& keyspace = Rows();
    const std::string key = Key(), value = Value();
    transaction.Put(keyspace, key, value);
    NoteWrite("Put", keyspace, key + " = " + value,
              [=](Model& model) { model.Put(keyspace, key, value); });
  }

  void Erase(Transaction& transaction) {
    const Keyspace& keyspace = Any();
    const std::string key = Key();
    transaction.Erase(keyspace, key);
    NoteWrite("Erase", keyspace, key, [=](Model& model) { model.Erase(keyspace, key); });
  }

  void Add(Transaction& transaction) {
    const Keyspace& keyspace = Counters();
    const std::string key = Key();
    const std::int64_t delta = sign_ * (Below(3) + 1);
    transaction.Add(keyspace, key, delta);
    NoteWrite("Add", keyspace, key + " " + std::to_string(delta),
              [=](Model& model) { model.Add(keyspace, key, delta); });
  }

  void PutCounter(Transaction& transaction) {
    const Keyspace& keyspace = Counters();
    const std::string key = Key();
    const std::int64_t value = Below(100);
    transaction.PutCounter(keyspace, key, value);
    NoteWrite("PutCounter", keyspace, key + " = " + std::to_string(value),
              [=](Model& model) { model.PutCounter(keyspace, key, value); });
  }

  void NoteWrite(const char* name, const Keyspace& keyspace, const std::string& what,
                 const std::function<void(Model&)>& repeat) {
    Note(Kind::write, std::string(name) + " " + std::string(keyspace.name) + " " + what,
         [repeat](Model& model) { return repeat(model), true; });
  }

  void Get(Reader& reader, Kind kind) {
    const Keyspace& keyspace = Any();
    const std::string key = Key();
    const std::optional<std::string> found = Must(reader.Get(keyspace, key));
    Note(kind,
         "Get " + std::string(keyspace.name) + " " + key + ": " +
             (found ? Quoted(*found) : "nothing"),
         [=](Model& model) { return model.Get(keyspace, key) == found; });
  }

  void MultiGet(Reader& reader, Kind kind) {
    std::vector<std::pair<Keyspace, std::string>> asked;
    for (int count = Below(4) + 1; count > 0; --count) asked.emplace_back(Any(), Key());
    std::vector<KeyReference> keys;
    std::string name = "MultiGet";
    for (const auto& [keyspace, key] : asked) {
      keys.emplace_back(keyspace, key);
      name += " " + std::string(keyspace.name) + " " + key;
    }
    const std::vector<std::optional<std::string>> found = Must(reader.MultiGet(keys));
    Note(kind, name, [=](Model& model) {
      for (std::size_t position = 0; position < asked.size(); ++position) {
        if (model.Get(asked[position].first, asked[position].second) != found[position])
          return false;
      }
      return found.size() == asked.size();
    });
  }

  // One page, which is right if it holds what the model holds of the range without the rest.
  void ReadPage(Reader& reader, Kind kind) {
    const Keyspace& keyspace = Any();
    const KeyRange range = Range();
    const bool reverse = Below(2) == 0;
    const Page page = Must(
        reader.Range(keyspace, range,
                     {.reverse = reverse, .row_limit = static_cast<std::size_t>(Below(6) + 1)}));
    RowList found;
    for (const Row row : page) found.emplace_back(row.key, row.value);
    const std::optional<KeyRange> rest = page.rest();
    Note(kind,
         "Range " + std::string(keyspace.name) + " " + range.ToString() + ": " +
             std::to_string(found.size()) + " rows, rest " + (rest ? rest->ToString() : "none"),
         [=](Model& model) {
           RowList expected = model.Range(keyspace, range, reverse);
           std::erase_if(expected,
                         [&](const auto& row) { return rest && rest->Contains(row.first); });
           return expected == found;
         });
  }

  class FewRows final : public SortedRun {
   public:
    explicit FewRows(const RowList& rows) : rows_(rows) {}
    Result<std::optional<Row>> Next() override {
      if (next_ == rows_.size()) return std::nullopt;
      const auto& [key, value] = rows_[next_++];
      return Row{key, value};
    }

   private:
    const RowList& rows_;
    std::size_t next_ = 0;
  };

  bool RunIngest() {
    const Keyspace& keyspace = Rows();
    const std::string first = Key(), counter = Key();
    const RowList rows = {{first, Value()}, {first + "+", Value()}};
    FewRows run(rows);
    NoteWrite("Ingest", keyspace, first, [=](Model& model) {
      for (const auto& [key, value] : rows) model.Put(keyspace, key, value);
      model.Add(kCounters, counter, 1);
    });
    return Log([&] {
      return engine_.Ingest(
          {.runs = {{&keyspace, &run}}, .batch = Writes().Add(kCounters, counter, 1)});
    });
  }

  Engine& engine_;
  History& history_;
  const Mix mix_;
  std::mt19937_64 random_;
  const std::int64_t
      sign_;  // of all its Adds: where they cancelled out, the commit would write nothing
  std::uint64_t values_ = 0;
  HistoryEntry entry_;
};

void CheckHistory(Engine& engine, int threads, int transactions, const Mix& mix) {
  SCOPED_TRACE("TALEA_SEED=" + std::to_string(TestSeed()));
  History history;
  std::atomic<int> aborted = 0;
  const TimeLimit limit;
  InThreads(threads, [&](int thread) {
    RandomClient client(engine, history, mix,
                        TestSeed() * 1000 + static_cast<std::uint64_t>(thread));
    int committed = 0;
    for (int step = 0; step < transactions && !limit.over(); ++step) {
      (client.Run() ? ++committed : ++aborted);
    }
    EXPECT_GT(committed, 0) << "thread " << thread << " got nothing done";
  });
  EXPECT_EQ(history.Check(State(engine)), "");
  testing::Test::RecordProperty("aborted", aborted);
}

TEST_P(EngineContract, ConcurrentTransactionsOnFewKeysAreLinearizable) {
  CheckHistory(engine(), 4, Steps(4000), {.keys = 4, .ingests = GetParam().ingests});
}

TEST_P(EngineContract, ConcurrentTransactionsOnManyKeysAreLinearizable) {
  CheckHistory(engine(), 3, Steps(4000), {.keys = 24, .most_steps = 10, .ingests = false});
}

TEST_P(EngineContract, ConcurrentTransactionsWithManyRangeErasuresAreLinearizable) {
  CheckHistory(engine(), 2, Steps(4000), {.keys = 12, .range_erasures = 4, .ingests = false});
}

}  // namespace
}  // namespace talea
