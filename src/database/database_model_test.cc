// Two toy layers that change together in one transaction, accounts and a ledger with counters,
// against plain maps, with everything going wrong: all or nothing, once or not at all, back again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <ostream>

#include "base/coding.h"
#include "coordination/coordination_for_test.h"
#include "coordination/keys.h"
#include "coordination/progress_row.h"
#include "database/request.h"
#include "talea/database.h"
#include "talea/testing/model_test.h"
#include "talea/tuple_reader.h"

namespace talea {
namespace {

using std::chrono::minutes;
using Rows = std::map<std::string, std::string>;
using Counts = std::map<std::string, std::int64_t>;

constexpr minutes kTimeToLive{30};
constexpr std::int64_t kFirstBalance = 10;
const Progress kProgress("blocks");

// The clock of every database here. Each operation has its own time, so leaving some out changes
// nothing about the others.
const std::shared_ptr<ManualClock> kClock = std::make_shared<ManualClock>();

std::string Block(std::uint64_t height) { return fmt::format("{:08}", height); }

std::uint64_t Height(const Progress::Position& position) {
  return position ? std::stoull(*position) : 0;
}

Progress::Position AtHeight(std::int64_t height) {
  if (height <= 0) return std::nullopt;
  return Block(static_cast<std::uint64_t>(height));
}

// What undo takes back.
struct State {
  Rows rows;  // "account/x": the balance; "ledger/n": the id of the operation; "entries": how many
  Counts counts;  // "paid/x"; "transfers"
  std::optional<ProgressRow> progress;
  friend bool operator==(const State&, const State&) = default;
};

struct Record {
  std::string position;
  std::shared_ptr<const State> before;
};

struct Answered {
  std::string answer;
  Timestamp expires;
  bool wrong_fingerprint = false;  // is stored as a hash, and not compared
  friend bool operator==(const Answered& a, const Answered& b) {
    return a.answer == b.answer && a.expires == b.expires;
  }
};

struct DatabaseModel {
  State state;
  Rows loose;  // rows that no move touches, "loose/x": a number
  std::int64_t loose_count = 0;
  std::vector<Record> undo;  // compared by position alone
  std::map<std::string, Answered> requests;
  Timestamp now;

  // An expired request may be there or not.
  std::map<std::string, Answered> Live(Timestamp at) const {
    auto live = requests;
    std::erase_if(live, [&](const auto& request) { return request.second.expires <= at; });
    return live;
  }
  friend bool operator==(const DatabaseModel& a, const DatabaseModel& b) {
    const Timestamp at = std::max(a.now, b.now);
    return a.state == b.state && a.loose == b.loose && a.loose_count == b.loose_count &&
           std::ranges::equal(a.undo, b.undo, {}, &Record::position, &Record::position) &&
           a.Live(at) == b.Live(at);
  }
};

struct DatabaseSystem {
  using Model = DatabaseModel;

  enum class Kind { transfer, settle, loose, blind, look, roll_back, prune };
  enum class Mode { move, move_with_undo };

  struct Operation {
    Kind kind = Kind::look;
    Mode mode = Mode::move;
    std::string id;  // unique
    Timestamp now;
    char from = 'a';
    char to = 'b';
    std::int64_t amount = 0;
    std::uint64_t stride = 1;  // of a move
    std::int64_t depth = 0;    // of a rolling back, or of a prune
    std::string request;       // its key, if any
    bool wrong_fingerprint = false;
    bool synced = false;

    friend std::ostream& operator<<(std::ostream& out, const Operation& operation) {
      constexpr const char* kKinds[] = {"transfer", "settle",    "loose",
                                        "look",     "roll back", "prune"};
      constexpr const char* kModes[] = {" (move)", " (move with undo)"};
      out << kKinds[static_cast<int>(operation.kind)] << kModes[static_cast<int>(operation.mode)]
          << " " << operation.from << operation.to << " " << operation.amount << " by "
          << operation.stride << " depth " << operation.depth;
      if (!operation.request.empty()) out << " request " << operation.request;
      if (operation.wrong_fingerprint) out << " with a wrong fingerprint";
      return out;
    }
  };

  static std::vector<Keyspace> Keyspaces() { return KeyspacesForTest(); }
  static Operation Generate(Random& random);
  static Status ApplyToModel(Model& model, const Operation& operation);
  static std::vector<Model> Between(const Model& before, const Operation& operation);

  explicit DatabaseSystem(Engine& opened) : engine(opened) {}
  Status Apply(const Operation& operation);
  Result<Model> Observe();

 private:
  Result<Database*> Open();
  static Result<std::string> Body(Transaction& transaction, const Operation& operation);
  Status ApplyRequest(Database& database, const Operation& operation);
  Status CheckReturned(Database& database, const Operation& operation, const std::string& returned);
  static Status ObserveTalea(Snapshot& snapshot, Model& seen);
  static Status ObserveUndo(Snapshot& snapshot, Model& seen);

  Engine& engine;
  std::unique_ptr<Database> database_;
};

DatabaseSystem::Operation DatabaseSystem::Generate(Random& random) {
  static std::uint64_t last_id = 0;
  static Timestamp last{};
  last += minutes(random.Below(3));
  Operation operation;
  operation.now = last;
  operation.id = std::to_string(++last_id);
  const std::uint64_t kind = random.Below(100);
  operation.kind = kind < 45   ? Kind::transfer
                   : kind < 50 ? Kind::settle
                   : kind < 65 ? Kind::loose
                   : kind < 77 ? Kind::blind
                   : kind < 80 ? Kind::look
                   : kind < 95 ? Kind::roll_back
                               : Kind::prune;
  operation.mode = random.Chance(0.1) ? Mode::move : Mode::move_with_undo;
  operation.from = static_cast<char>('a' + random.Below(4));
  operation.to = static_cast<char>('a' + random.Below(4));
  operation.amount = random.Between(1, 6);
  operation.stride = 1 + random.Below(2);
  operation.depth = random.Between(-1, 6) + (operation.kind == Kind::prune ? 4 : 0);
  if (random.Chance(0.3)) operation.request = "request" + std::to_string(random.Below(12));
  operation.wrong_fingerprint = random.Chance(0.1);
  operation.synced = random.Chance(0.2);
  return operation;
}

// The rules, as plainly as can be.

std::string Entry(std::uint64_t number) { return fmt::format("ledger/{:06}", number); }

Status TransferInModel(State& state, const DatabaseSystem::Operation& operation) {
  const auto balance = [&](char name) -> std::int64_t {
    const auto found = state.rows.find(std::string("account/") + name);
    return found == state.rows.end() ? kFirstBalance : std::stoll(found->second);
  };
  if (balance(operation.from) < operation.amount)
    return Fail(ErrorCode::already_exists, "not enough");
  state.rows[std::string("account/") + operation.from] =
      std::to_string(balance(operation.from) - operation.amount);
  state.rows[std::string("account/") + operation.to] =
      std::to_string(balance(operation.to) + operation.amount);
  const std::uint64_t entries =
      state.rows.contains("entries") ? std::stoull(state.rows["entries"]) : 0;
  state.rows["entries"] = std::to_string(entries + 1);
  state.rows[Entry(entries)] = operation.id;
  state.counts[std::string("paid/") + operation.from] += operation.amount;
  state.counts["transfers"] += 1;
  return {};
}

void SettleInModel(State& state) {
  std::erase_if(state.rows, [](const auto& row) { return row.first.starts_with("ledger/"); });
  state.rows.erase("entries");
  state.counts.erase("transfers");
}

Status MoveInModel(DatabaseModel& model, const DatabaseSystem::Operation& operation) {
  const auto before = std::make_shared<const State>(model.state);
  const std::optional<ProgressRow> old = model.state.progress;
  const std::string to = Block((old ? Height(old->position) : 0) + operation.stride);
  if (operation.kind == DatabaseSystem::Kind::settle) {
    SettleInModel(model.state);
  } else {
    TALEA_TRY(TransferInModel(model.state, operation));
  }
  const bool with_undo = operation.mode == DatabaseSystem::Mode::move_with_undo;
  model.state.progress = ProgressRow{to, to};
  if (!with_undo) return {};
  model.state.progress->base = old ? old->base : std::nullopt;
  model.undo.push_back({to, before});
  return {};
}

Status ChangeModel(DatabaseModel& model, const DatabaseSystem::Operation& operation) {
  using Kind = DatabaseSystem::Kind;
  if (operation.kind == Kind::transfer || operation.kind == Kind::settle)
    return MoveInModel(model, operation);
  model.loose_count += operation.amount;
  if (operation.kind == Kind::blind) return {};
  std::string& number = model.loose[std::string("loose/") + operation.from];
  number = std::to_string((number.empty() ? 0 : std::stoll(number)) + operation.amount);
  return {};
}

Status RequestInModel(DatabaseModel& model, const DatabaseSystem::Operation& operation) {
  const auto known = model.requests.find(operation.request);
  if (known != model.requests.end() && known->second.expires > operation.now) {
    if (operation.wrong_fingerprint == known->second.wrong_fingerprint) return {};
    return Fail(ErrorCode::invalid_argument, "another fingerprint");
  }
  TALEA_TRY(ChangeModel(model, operation));
  model.requests[operation.request] = {operation.id, operation.now + kTimeToLive,
                                       operation.wrong_fingerprint};
  return {};
}

// The states that lead back to the position, the last one first to be reached; or why none does.
Result<std::vector<DatabaseModel>> WayBack(const DatabaseModel& from,
                                           const Progress::Position& position) {
  std::vector<DatabaseModel> way;
  DatabaseModel model = from;
  const auto at = [&]() -> Progress::Position {
    return model.state.progress ? Progress::Position(model.state.progress->position) : std::nullopt;
  };
  if (at() < position) return Fail(ErrorCode::precondition_failed, "not there yet");
  while (at() != position) {
    if (at() < position) return Fail(ErrorCode::precondition_failed, "never there");
    if (model.undo.empty() || model.undo.back().position != at())
      return Fail(ErrorCode::not_found, "no record");
    model.state = State(*model.undo.back().before);
    model.undo.pop_back();
    way.push_back(model);
  }
  return way;
}

Progress::Position Target(const Progress::Position& current, std::int64_t depth) {
  return AtHeight(static_cast<std::int64_t>(Height(current)) - depth);
}

Progress::Position PositionOf(const DatabaseModel& model) {
  return model.state.progress ? Progress::Position(model.state.progress->position) : std::nullopt;
}

Status RollBackInModel(DatabaseModel& model, const DatabaseSystem::Operation& operation) {
  std::vector<DatabaseModel> way =
      TALEA_TRY(WayBack(model, Target(PositionOf(model), operation.depth)));
  if (!way.empty()) model = std::move(way.back());
  return {};
}

void PruneInModel(DatabaseModel& model, const DatabaseSystem::Operation& operation) {
  const Progress::Position up_to = Target(PositionOf(model), operation.depth);
  std::erase_if(model.undo, [&](const Record& record) { return record.position <= up_to; });
}

Status DatabaseSystem::ApplyToModel(Model& model, const Operation& operation) {
  model.now = operation.now;
  switch (operation.kind) {
    case Kind::look:
      return {};
    case Kind::roll_back:
      return RollBackInModel(model, operation);
    case Kind::prune:
      return PruneInModel(model, operation), Status();
    default:
      return operation.request.empty() ? ChangeModel(model, operation)
                                       : RequestInModel(model, operation);
  }
}

std::vector<DatabaseModel> DatabaseSystem::Between(const Model& before,
                                                   const Operation& operation) {
  if (operation.kind != Kind::roll_back) return {};
  Result<std::vector<Model>> way = WayBack(before, Target(PositionOf(before), operation.depth));
  if (!way || way->empty()) return {};
  way->pop_back();
  return std::move(*way);
}

// The same on the database.

Status Transfer(Transaction& transaction, const DatabaseSystem::Operation& operation) {
  const std::string from = std::string("account/") + operation.from;
  const std::string to = std::string("account/") + operation.to;
  const auto balance = [&](const std::string& name) -> Result<std::int64_t> {
    const auto row = TALEA_TRY(transaction.Get(kRows, name));
    return row ? std::stoll(*row) : kFirstBalance;
  };
  const std::int64_t old = TALEA_TRY(balance(from));
  if (old < operation.amount) return Fail(ErrorCode::already_exists, "not enough");
  transaction.Put(kRows, from, std::to_string(old - operation.amount));
  transaction.Put(kRows, to, std::to_string(TALEA_TRY(balance(to)) + operation.amount));
  const auto row = TALEA_TRY(transaction.Get(kRows, "entries"));
  const std::uint64_t entries = row ? std::stoull(*row) : 0;
  transaction.Put(kRows, "entries", std::to_string(entries + 1));
  transaction.Put(kRows, Entry(entries), operation.id);
  transaction.Add(kCounts, std::string("paid/") + operation.from, operation.amount);
  transaction.Add(kCounts, "transfers", 1);
  return {};
}

Status Settle(Transaction& transaction) {
  transaction.EraseRange(kRows, KeyRange::Prefix("ledger/"));
  transaction.Erase(kRows, "entries");
  transaction.Erase(kCounts, "transfers");
  return {};
}

// Returns what is true only of the attempt that was committed: where it has left the progress, or
// the sum it has stored.
Result<std::string> DatabaseSystem::Body(Transaction& transaction, const Operation& operation) {
  if (operation.kind == Kind::blind) {
    transaction.Add(kCounts, "loose", operation.amount);
    return operation.id;
  }
  if (operation.kind == Kind::loose) {
    const std::string key = std::string("loose/") + operation.from;
    const auto row = TALEA_TRY(transaction.Get(kRows, key));
    const std::string sum = std::to_string((row ? std::stoll(*row) : 0) + operation.amount);
    transaction.Put(kRows, key, sum);
    transaction.Add(kCounts, "loose", operation.amount);
    return sum;
  }
  const Progress::Position from = TALEA_TRY(kProgress.Read(transaction));
  const std::string to = Block(Height(from) + operation.stride);
  TALEA_TRY(operation.mode == Mode::move ? kProgress.Move(transaction, from, to)
                                         : kProgress.MoveWithUndo(transaction, from, to));
  TALEA_TRY(operation.kind == Kind::settle ? Settle(transaction)
                                           : Transfer(transaction, operation));
  return to;
}

Result<Database*> DatabaseSystem::Open() {
  if (!database_) {
    DatabaseOptions options{.clock = kClock, .pause = [](auto) {}};
    database_ =
        TALEA_TRY(Database::Over(std::shared_ptr<Engine>(&engine, [](Engine*) {}), options));
  }
  return database_.get();
}

Status DatabaseSystem::ApplyRequest(Database& database, const Operation& operation) {
  const RequestKey request{.key = operation.request,
                           .time_to_live = kTimeToLive,
                           .fingerprint = operation.wrong_fingerprint ? "wrong" : "right"};
  const auto body = [&](Transaction& transaction, Timestamp) -> Result<std::string> {
    TALEA_TRY(Body(transaction, operation));
    return operation.id;
  };
  const RequestAnswer answer = TALEA_TRY(database.TransactOnce(
      request, body, operation.synced ? Durability::synced : Durability::buffered));
  if (answer.replayed != (answer.answer != operation.id))
    return Fail(ErrorCode::corruption, "replayed, or not, with the answer of " + answer.answer);
  return {};
}

Status DatabaseSystem::CheckReturned(Database& database, const Operation& operation,
                                     const std::string& returned) {
  if (operation.kind == Kind::blind) return {};
  const Result<std::string> stored =
      database.Transact([&](Transaction& transaction) -> Result<std::string> {
        if (operation.kind != Kind::loose) return TALEA_TRY(kProgress.Read(transaction))
        .value_or("none");
        return TALEA_TRY(transaction.Get(kRows, std::string("loose/") + operation.from))
        .value_or("none");
      });
  if (!stored || *stored == returned) return {};
  return Fail(ErrorCode::corruption, "it returned " + returned + ", and stored is " + *stored);
}

Status DatabaseSystem::Apply(const Operation& operation) {
  kClock->Set(operation.now);
  Database& database = *TALEA_TRY(Open());
  const Durability durability = operation.synced ? Durability::synced : Durability::buffered;
  const auto current = [&] {
    return database.Transact([](Transaction& transaction) { return kProgress.Read(transaction); });
  };
  switch (operation.kind) {
    case Kind::look:
      TALEA_TRY(current());
      return {};
    case Kind::roll_back:
      TALEA_TRY(database.RollBack(kProgress, Target(TALEA_TRY(current()), operation.depth)));
      return {};
    case Kind::prune:
      return database.Transact([&](Transaction& transaction) -> Status {
        const auto up_to = Target(TALEA_TRY(kProgress.Read(transaction)), operation.depth);
        return up_to ? kProgress.PruneUndo(transaction, *up_to) : Status();
      });
    default:
      break;
  }
  if (!operation.request.empty()) return ApplyRequest(database, operation);
  const std::string returned = TALEA_TRY(database.Transact(
      [&](Transaction& transaction) { return Body(transaction, operation); }, durability));
  return CheckReturned(database, operation, returned);
}

// Every stored byte that is not a session's.

Status DatabaseSystem::ObserveTalea(Snapshot& snapshot, Model& seen) {
  Scanner rows(snapshot, kTaleaKeyspace, KeyRange::All());
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    if (row->key == SchemaKey()) continue;
    TupleReader key(row->key);
    switch (static_cast<TaleaPrefix>(TALEA_TRY(key.Int()))) {
      case TaleaPrefix::session:
      case TaleaPrefix::session_slot:
      case TaleaPrefix::request_expiry:
        break;
      case TaleaPrefix::request: {
        const RequestRow request = TALEA_TRY(DecodeRequestRow(row->key, row->value));
        const std::string name(TALEA_TRY(key.Bytes()));
        if (!TALEA_TRY(snapshot.Get(kTaleaKeyspace, RequestExpiryKey(request.expires, name))))
          return Fail(ErrorCode::corruption, "request without its expiry: " + name);
        seen.requests[name] = {.answer = request.answer, .expires = request.expires};
        break;
      }
      case TaleaPrefix::progress:
        seen.state.progress = TALEA_TRY(DecodeProgressRow("blocks", row->value));
        break;
      default:
        return Fail(ErrorCode::corruption, "nobody's row: " + Quoted(row->key));
    }
  }
  return {};
}

Status DatabaseSystem::ObserveUndo(Snapshot& snapshot, Model& seen) {
  Scanner records(snapshot, kUndoKeyspace, KeyRange::All());
  while (const std::optional<Row> row = TALEA_TRY(records.Next())) {
    seen.undo.push_back({
      TALEA_TRY(UndoRecordPosition("blocks", row->key))
      , nullptr
    });
  }
  return {};
}

Result<DatabaseModel> DatabaseSystem::Observe() {
  const std::unique_ptr<Snapshot> snapshot = TALEA_TRY(engine.OpenSnapshot());
  Model seen;
  seen.now = kClock->Now();
  Scanner rows(*snapshot, kRows, KeyRange::All());
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    (row->key.starts_with("loose/") ? seen.loose : seen.state.rows).emplace(row->key, row->value);
  }
  Scanner counts(*snapshot, kCounts, KeyRange::All());
  while (const std::optional<Row> row = TALEA_TRY(counts.Next())) {
    const std::int64_t count = DecodeCounter(row->value).value();
    if (row->key == "loose") {
      seen.loose_count = count;
    } else {
      seen.state.counts.emplace(row->key, count);
    }
  }
  TALEA_TRY(ObserveTalea(*snapshot, seen));
  TALEA_TRY(ObserveUndo(*snapshot, seen));
  return seen;
}

TEST(DatabaseModel, AgreesOnTheEmbeddedProfile) {
  EXPECT_TRUE(
      AgreesWithModel<DatabaseSystem>({.profile = SimulationProfile::RocksDb(), .steps = 50'000}));
}

TEST(DatabaseModel, AgreesOnTheClusterProfile) {
  EXPECT_TRUE(AgreesWithModel<DatabaseSystem>(
      {.profile = SimulationProfile::FoundationDb(), .steps = 50'000}));
}

}  // namespace
}  // namespace talea
