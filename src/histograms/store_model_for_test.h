// Random work on indexes, beside rows of a program and with undo, and what it should lead to, as
// plain maps. For tests alone.
//
// Three indexes: "plain" of one element, "pairs" of two, and "built", which follows the rows of a
// program and can be built from them. Two stores work on them in turns, so that each has to find
// out what the other did.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <ostream>

#include "coordination/coordination_for_test.h"
#include "histograms/checks_for_test.h"
#include "histograms/values_for_test.h"
#include "talea/progress.h"

namespace talea::histograms {

// How work is committed: as a Transaction has it, or a Database.
class Committer {
 public:
  virtual ~Committer() = default;
  virtual Status Transact(const std::function<Status(Transaction&)>& body,
                          Durability durability) = 0;
  // Takes back the moves beyond `position`.
  virtual Status RollBack(const Progress& progress, const Progress::Position& position) = 0;
};

// Tries once.
class SingleAttempts final : public Committer {
 public:
  explicit SingleAttempts(Engine& engine) : engine_(engine) {}

  Status Transact(const std::function<Status(Transaction&)>& body, Durability durability) override {
    Transaction transaction(engine_);
    TALEA_TRY(body(transaction));
    TALEA_TRY(transaction.Commit(durability));
    return {};
  }

  Status RollBack(const Progress& progress, const Progress::Position& position) override {
    for (bool there = false; !there;) {
      TALEA_TRY(Transact(
          [&](Transaction& transaction) -> Status {
            Progress::Position at = TALEA_TRY(progress.Read(transaction));
            if (at > position) at = TALEA_TRY(progress.StepBack(transaction));
            there = at <= position;
            return {};
          },
          Durability::buffered));
    }
    return {};
  }

 private:
  Engine& engine_;
};

struct StoreModel {
  struct Index {
    std::uint64_t number = 0;  // of its creation: an index of the same name is another one
    std::uint32_t peek_cap = 0;
    std::optional<Histogram> histogram;  // nothing while it may be one or another
    bool building = false;               // or may be: then nobody knows which entries there are
    Entries entries;

    friend bool operator==(const Index& a, const Index& b) {
      return a.peek_cap == b.peek_cap &&
             (!a.histogram || !b.histogram || a.histogram == b.histogram) &&
             (a.building || b.building || a.entries == b.entries);
    }
  };
  // What an undo of a write restores.
  struct Restore {
    std::string index;  // or empty, for a row
    std::uint64_t number = 0;
    IndexEntry entry;
    bool present = false;
    std::string key;
    std::optional<std::string> row;
  };

  std::map<std::string, Index> indexes;
  std::map<std::string, std::string> rows;
  std::uint64_t height = 0;  // of the progress
  std::uint64_t base = 0;    // the least that can be rolled back to
  std::uint64_t last_number = 0;
  std::map<std::uint64_t, std::vector<Restore>> undo;  // by the height that the move came to

  friend bool operator==(const StoreModel& a, const StoreModel& b) {
    return a.indexes == b.indexes && a.rows == b.rows && a.height == b.height && a.base == b.base;
  }
};

class StoreSystem {
 public:
  using Model = StoreModel;

  struct Write {
    enum class Kind { add, remove, update, remove_where, row };
    Kind kind = Kind::add;
    std::string index;
    std::vector<IndexEntry> entries;  // of add and remove, and the document and value of an update
    Tuple to;                         // of an update
    Condition condition;              // of remove_where
    std::string key;                  // of a row
    std::optional<Element> element;   // of a row, or nothing to erase it
  };

  enum class Kind { write, overlap, create, drop, change, settle, build, roll_back, reopen };
  struct Operation {
    Kind kind = Kind::write;
    std::size_t store = 0;
    std::string index;
    IndexOptions options;       // of create, and the histogram of a change
    bool stopped = false;       // a change or build is stopped as soon as that can be
    std::vector<Write> writes;  // of one transaction
    bool with_undo = false;
    bool abandoned = false;         // the transaction is not committed
    bool kept = false;              // nor is it dropped yet
    std::size_t other_store = 0;    // of an overlap
    std::vector<Write> in_between;  // of a transaction that begins after it, and commits before
    bool synced = false;
    std::uint64_t depth = 0;  // of a rolling back
    std::uint64_t seed = 0;   // of looks within the transaction

    friend std::ostream& operator<<(std::ostream& out, const Operation& operation) {
      return out << Describe(operation);
    }
  };

  static std::vector<Keyspace> Keyspaces() { return KeyspacesForTest(); }
  static Operation Generate(Random& random);
  static std::string Describe(const Operation& operation);
  static Status ApplyToModel(Model& model, const Operation& operation);
  static std::vector<Model> Between(const Model& before, const Operation& operation);
  static std::string Difference(const Model& model, const Model& observed);

  // Whether an overlap has no reason to conflict: it is the work of one store on different entries.
  static bool IsHarmless(const Operation& operation);

  StoreSystem(Engine& engine, std::unique_ptr<Committer> committer)
      : engine_(engine), committer_(std::move(committer)) {
    for (std::unique_ptr<IndexStore>& store : stores_) store = std::make_unique<IndexStore>(engine);
  }
  explicit StoreSystem(Engine& engine)
      : StoreSystem(engine, std::make_unique<SingleAttempts>(engine)) {}

  Status Apply(const Operation& operation);

  // All there is, after every check of it; and what was held before is as it was.
  Result<Model> Observe();

  const Coverage& coverage() const { return coverage_; }
  void GoOnWith(const Coverage& coverage) { coverage_ = coverage; }

 private:
  static constexpr std::uint64_t kDocuments = 40;
  static constexpr std::uint64_t kRowCount = 40;
  static constexpr const char* kIndexes[] = {"plain", "pairs", "built"};

  static std::uint8_t Elements(std::string_view index) { return index == "pairs" ? 2 : 1; }
  static std::string At(std::uint64_t height) { return fmt::format("{:08}", height); }
  static Progress::Position PositionAt(std::uint64_t height) {
    return height == 0 ? Progress::Position() : Progress::Position(At(height));
  }
  static std::uint64_t HeightOf(const Progress::Position& position) {
    return position ? std::stoull(*position) : 0;
  }
  static std::vector<IndexEntry> EntriesOf(ByteView key, ByteView row) {
    Tuple value = Unpack(row).value();
    if (value[0].is_null()) return {};
    return {{std::move(value), Bytes(key)}};
  }
  static Result<std::uint64_t> ReadBase(Reader& reader) {
    return std::stoull(TALEA_TRY(reader.Get(kRows, "base")).value_or("0"));
  }

  static Write GenerateWrite(Random& random, bool with_undo);
  static std::vector<Write> GenerateWrites(Random& random, bool with_undo) {
    std::vector<Write> writes;
    for (std::uint64_t count = 1 + random.Below(4); count > 0; --count)
      writes.push_back(GenerateWrite(random, with_undo));
    return writes;
  }
  static Status WriteInModel(Model& model, const Write& write,
                             std::vector<StoreModel::Restore>& undo);
  static void SetInModel(Model& model, const std::string& index, const IndexEntry& entry,
                         bool present, std::vector<StoreModel::Restore>& undo);
  static void UndoInModel(Model& model);
  static void MakeFinalInModel(Model& model) { model.undo.clear(), model.base = model.height; }

  Status ApplyWrites(Transaction& transaction, const Operation& operation);
  Status ApplyOverlap(const Operation& operation);
  Status ApplyWrite(Transaction& transaction, IndexStore& store, const Write& write);
  Status ApplyRow(Transaction& transaction, IndexStore& store, const Write& write);
  Status AddOrRemove(Transaction& transaction, IndexStore& store, const Write& write);
  Status MakeFinal(bool index_exists);
  Status Create(const Operation& operation);
  Status Build(const Operation& operation);
  Status RollBack(const Operation& operation);
  Result<Model> ObserveAt(Snapshot& snapshot, Random& random);

  Engine& engine_;
  std::unique_ptr<Committer> committer_;
  std::unique_ptr<IndexStore> stores_[2];
  const Progress progress_{"blocks"};

  std::unique_ptr<Snapshot> held_;
  Model held_model_;
  std::unique_ptr<Transaction> kept_;  // its buckets cannot end
  Coverage coverage_;
};

inline std::string StoreSystem::Describe(const Operation& operation) {
  constexpr const char* kKinds[] = {"write",  "overlap", "create",    "drop",  "change",
                                    "settle", "build",   "roll back", "reopen"};
  constexpr const char* kWrites[] = {"add", "remove", "update", "remove where", "row"};
  std::string text = fmt::format("{} (store {}) {}", kKinds[static_cast<int>(operation.kind)],
                                 operation.store, operation.index);
  if (operation.kind == Kind::create || operation.kind == Kind::change)
    text += fmt::format(" {}, cap {}", operation.options.histogram.ToString(),
                        operation.options.peek_cap);
  if (operation.kind == Kind::roll_back) text += fmt::format(" by {}", operation.depth);
  if (operation.stopped) text += ", stopped";
  if (operation.with_undo) text += "with undo ";
  if (operation.abandoned) text += operation.kept ? "and keep " : "and abandon ";
  std::vector<Write> writes = operation.writes;
  writes.insert(writes.end(), operation.in_between.begin(), operation.in_between.end());
  for (const Write& write : writes) {
    text += fmt::format("{} {}", kWrites[static_cast<int>(write.kind)], write.index);
    for (const IndexEntry& entry : write.entries)
      text += fmt::format(" {} of {}", talea::ToString(entry.value), entry.document.ToString());
    if (write.kind == Write::Kind::update) text += " to " + talea::ToString(write.to);
    if (write.kind == Write::Kind::remove_where) text += " " + ToString(write.condition);
    if (write.kind == Write::Kind::row)
      text += fmt::format("{} = {}", write.key, write.element ? write.element->ToString() : "none");
    text += "; ";
  }
  return text;
}

inline StoreSystem::Write StoreSystem::GenerateWrite(Random& random, bool with_undo) {
  const std::uint64_t kind = random.Below(100);
  Write write{.index = kIndexes[random.Below(2)]};
  const std::size_t elements = Elements(write.index);
  // Rows always with undo: what is undone beneath another write of a row is no state of it.
  if (kind < 25 && with_undo) {
    write = {.kind = Write::Kind::row};
    write.key = fmt::format("row {:02}", random.Below(kRowCount));
    if (random.Chance(0.7)) write.element = RandomElement(random);
    return write;
  }
  if (kind < 27) {
    write.kind = Write::Kind::remove_where;
    write.condition = RandomCondition(random, elements, 1);
    return write;
  }
  const bool one = random.Chance(0.5);
  const bool of_one_value = random.Chance(0.1);
  const Tuple value = RandomValue(random, elements);
  for (std::uint64_t count = one ? 1 : random.Below(50); count > 0; --count) {
    write.entries.push_back(
        {of_one_value ? value : RandomValue(random, elements), RandomDocument(random, kDocuments)});
  }
  if (one && kind < 45) {
    write.kind = Write::Kind::update;
    write.to = random.Chance(0.1) ? write.entries[0].value : RandomValue(random, elements);
  } else if (kind < 55) {
    write.kind = Write::Kind::remove;
  }
  return write;
}

inline StoreSystem::Operation StoreSystem::Generate(Random& random) {
  Operation operation{.store = random.Below(2)};
  operation.index = kIndexes[random.Below(3)];
  operation.options = {
      .histogram = random.Chance(0.6)
                       ? Histogram::Learned()
                       : Histogram::Fixed(static_cast<std::uint8_t>(1 + random.Below(3))),
      .elements = Elements(operation.index),
      .peek_cap = static_cast<std::uint32_t>(4 + random.Below(13))};
  operation.stopped = random.Chance(0.3);
  operation.depth = random.Below(5);
  operation.seed = random.Next();
  operation.synced = random.Chance(0.2);
  const std::uint64_t kind = random.Below(100);
  if (kind < 72) {
    operation.with_undo = random.Chance(0.4);
    operation.writes = GenerateWrites(random, operation.with_undo);
    operation.index.clear();
    operation.stopped = false;
    operation.abandoned = random.Chance(0.1);
    operation.kept = operation.abandoned && random.Chance(0.7);
    if (operation.with_undo || operation.abandoned || random.Chance(0.8)) return operation;
    operation.kind = Kind::overlap;
    operation.other_store = random.Below(2);
    operation.in_between = GenerateWrites(random, false);
    return operation;
  }
  operation.kind = kind < 79                         ? Kind::create
                   : kind < 81 && random.Chance(0.2) ? Kind::drop
                   : kind < 85                       ? Kind::change
                   : kind < 87                       ? Kind::settle
                   : kind < 90                       ? Kind::build
                   : kind < 97                       ? Kind::roll_back
                                                     : Kind::reopen;
  operation.stopped =
      operation.stopped && (operation.kind == Kind::change || operation.kind == Kind::build);
  if (operation.kind == Kind::build) operation.index = "built";
  return operation;
}

// The rules, as plainly as can be.

inline void StoreSystem::SetInModel(Model& model, const std::string& index, const IndexEntry& entry,
                                    bool present, std::vector<StoreModel::Restore>& undo) {
  StoreModel::Index& found = model.indexes.at(index);
  const bool before = found.entries.contains(entry);
  if (before == present) return;
  undo.push_back({.index = index, .number = found.number, .entry = entry, .present = before});
  if (present) found.entries.insert(entry);
  if (!present) found.entries.erase(entry);
}

inline Status StoreSystem::WriteInModel(Model& model, const Write& write,
                                        std::vector<StoreModel::Restore>& undo) {
  if (write.kind == Write::Kind::row) {
    const auto old = model.rows.find(write.key);
    const bool was = old != model.rows.end();
    const bool follows = model.indexes.contains("built");
    const auto set = [&](ByteView row, bool present) {
      if (!follows) return;
      for (const IndexEntry& entry : EntriesOf(write.key, row))
        SetInModel(model, "built", entry, present, undo);
    };
    undo.push_back({.key = write.key, .row = was ? std::optional(old->second) : std::nullopt});
    if (was) {
      set(old->second, false);
      model.rows.erase(old);
    }
    if (write.element) {
      std::string row = Pack({*write.element}).value();
      set(row, true);
      model.rows[write.key] = std::move(row);
    }
    return {};
  }
  if (!model.indexes.contains(write.index)) return Fail(ErrorCode::not_found, "no such index");
  const bool removes = write.kind != Write::Kind::add;
  std::vector<IndexEntry> entries = write.entries;
  if (write.kind == Write::Kind::remove_where) {
    for (const IndexEntry& entry : model.indexes[write.index].entries) {
      if (write.condition.Matches(entry.value)) entries.push_back(entry);
    }
  }
  for (const IndexEntry& entry : entries) SetInModel(model, write.index, entry, !removes, undo);
  if (write.kind == Write::Kind::update)
    SetInModel(model, write.index, {write.to, entries[0].document}, true, undo);
  return {};
}

inline void StoreSystem::UndoInModel(Model& model) {
  const auto newest = std::prev(model.undo.end());
  for (auto restore = newest->second.rbegin(); restore != newest->second.rend(); ++restore) {
    if (restore->index.empty()) {
      if (restore->row) model.rows[restore->key] = *restore->row;
      if (!restore->row) model.rows.erase(restore->key);
      continue;
    }
    const auto index = model.indexes.find(restore->index);
    if (index == model.indexes.end() || index->second.number != restore->number) continue;
    if (restore->present) index->second.entries.insert(restore->entry);
    if (!restore->present) index->second.entries.erase(restore->entry);
  }
  model.undo.erase(newest);
  --model.height;
}

inline Status StoreSystem::ApplyToModel(Model& model, const Operation& operation) {
  const auto index = model.indexes.find(operation.index);
  const bool exists = index != model.indexes.end();
  const auto missing = [] { return Fail(ErrorCode::not_found, "no such index"); };
  switch (operation.kind) {
    case Kind::reopen:
      return {};
    case Kind::settle:
      return exists ? Status() : missing();
    case Kind::create:
      if (exists) return Fail(ErrorCode::already_exists, "it exists");
      if (operation.index == "built") MakeFinalInModel(model);
      model.indexes[operation.index] = {.number = ++model.last_number,
                                        .peek_cap = operation.options.peek_cap,
                                        .histogram = operation.options.histogram};
      return {};
    case Kind::drop:
      if (!exists) return missing();
      model.indexes.erase(index);
      return {};
    case Kind::change:
      if (!exists) return missing();
      index->second.histogram = operation.options.histogram;
      if (operation.stopped) index->second.histogram.reset();
      return {};
    case Kind::build:
      if (!exists) return missing();
      MakeFinalInModel(model);
      index->second.building = operation.stopped;
      index->second.entries.clear();
      for (const auto& [key, row] : model.rows) {
        for (IndexEntry& entry : EntriesOf(key, row)) index->second.entries.insert(entry);
      }
      return {};
    case Kind::roll_back:
      for (std::uint64_t step = 0; step < operation.depth && model.height > model.base; ++step)
        UndoInModel(model);
      return {};
    case Kind::overlap: {
      std::vector<StoreModel::Restore> no_undo;
      Model alone = model;
      for (const Write& write : operation.writes) TALEA_TRY(WriteInModel(alone, write, no_undo));
      const bool only_read = no_undo.empty();  // then it counts as if it came first
      for (const Write& write : operation.in_between)
        TALEA_TRY(WriteInModel(model, write, no_undo));
      if (only_read) return {};
      for (const Write& write : operation.writes) TALEA_TRY(WriteInModel(model, write, no_undo));
      return {};
    }
    case Kind::write:
      break;
  }
  const Model before = model;
  std::vector<StoreModel::Restore> undo;
  for (const Write& write : operation.writes) TALEA_TRY(WriteInModel(model, write, undo));
  if (operation.with_undo) model.undo[++model.height] = std::move(undo);
  if (operation.abandoned) model = before;
  return {};
}

inline std::vector<StoreModel> StoreSystem::Between(const Model& before,
                                                    const Operation& operation) {
  std::vector<Model> between;
  Model model = before;
  const auto index = model.indexes.find(operation.index);
  const bool exists = index != model.indexes.end();
  if (operation.kind == Kind::overlap) {
    Operation first{.writes = operation.in_between};
    if (ApplyToModel(model, first)) between.push_back(model);
  } else if (operation.kind == Kind::roll_back) {
    for (std::uint64_t step = 1; step < operation.depth && model.height > model.base; ++step) {
      UndoInModel(model);
      between.push_back(model);
    }
  } else if (operation.kind == Kind::create && operation.index == "built" && !exists) {
    MakeFinalInModel(model);
    between.push_back(model);
  } else if (operation.kind == Kind::build && exists) {
    MakeFinalInModel(model);
    between.push_back(model);
    index->second.building = true;
    between.push_back(model);
  } else if (operation.kind == Kind::change && exists) {
    index->second.histogram.reset();
    between.push_back(model);
  }
  return between;
}

inline std::string StoreSystem::Difference(const Model& model, const Model& observed) {
  std::string text;
  for (const char* name : kIndexes) {
    const auto a = model.indexes.find(name);
    const auto b = observed.indexes.find(name);
    const bool in_a = a != model.indexes.end();
    const bool in_b = b != observed.indexes.end();
    if (in_a != in_b) text += fmt::format("index {} is {}there; ", name, in_b ? "" : "not ");
    if (!in_a || !in_b || a->second == b->second) continue;
    text += fmt::format("index {}, {} entries and not {}; ", name, b->second.entries.size(),
                        a->second.entries.size());
    for (const IndexEntry& entry : a->second.entries) {
      if (!b->second.entries.contains(entry))
        text += fmt::format("without {} of {}; ", talea::ToString(entry.value),
                            entry.document.ToString());
    }
    for (const IndexEntry& entry : b->second.entries) {
      if (!a->second.entries.contains(entry))
        text +=
            fmt::format("with {} of {}; ", talea::ToString(entry.value), entry.document.ToString());
    }
  }
  if (model.rows != observed.rows) text += "the rows differ; ";
  return text + fmt::format("height {} and {}, base {} and {}", model.height, observed.height,
                            model.base, observed.base);
}

inline bool StoreSystem::IsHarmless(const Operation& operation) {
  if (operation.store != operation.other_store) return false;
  std::map<std::string, Entries> touched;
  for (const Write& write : operation.writes) {
    if (write.kind == Write::Kind::remove_where) return false;
    touched[write.index].insert(write.entries.begin(), write.entries.end());
    if (write.kind == Write::Kind::update)
      touched[write.index].insert({write.to, write.entries[0].document});
  }
  for (const Write& write : operation.in_between) {
    const Entries& entries = touched[write.index];
    if (write.kind == Write::Kind::remove_where) return false;
    for (const IndexEntry& entry : write.entries)
      if (entries.contains(entry)) return false;
    if (write.kind == Write::Kind::update &&
        entries.contains({write.to, write.entries[0].document}))
      return false;
  }
  return true;
}

// The same on the stores.

inline Status StoreSystem::AddOrRemove(Transaction& transaction, IndexStore& store,
                                       const Write& write) {
  const bool adds = write.kind == Write::Kind::add;
  constexpr std::uint64_t kAll = ~0ull;
  const std::uint64_t before =
      TALEA_TRY(store.Count(transaction.unrecorded(), write.index, Where::All(), kAll));
  std::uint64_t changed = 0;
  if (write.entries.size() == 1) {
    const IndexEntry& entry = write.entries[0];
    changed = TALEA_TRY(adds ? store.Add(transaction, write.index, entry.value, entry.document)
                             : store.Remove(transaction, write.index, entry.value, entry.document));
  } else {
    changed = TALEA_TRY(adds ? store.Add(transaction, write.index, write.entries)
                             : store.Remove(transaction, write.index, write.entries));
  }
  const std::uint64_t after =
      TALEA_TRY(store.Count(transaction.unrecorded(), write.index, Where::All(), kAll));
  if (changed == (adds ? after - before : before - after)) return {};
  return Fail(ErrorCode::corruption,
              fmt::format("{} entries were said to be {}, there were {} and are {}", changed,
                          adds ? "added" : "removed", before, after));
}

inline Status StoreSystem::ApplyRow(Transaction& transaction, IndexStore& store,
                                    const Write& write) {
  const std::optional<std::string> old = TALEA_TRY(transaction.Get(kRows, write.key));
  const Result<IndexInformation> index = store.Describe(transaction, "built");
  const bool follows = index.has_value();
  if (!follows && index.error().code() != ErrorCode::not_found)
    return std::unexpected(index.error());
  std::vector<IndexEntry> go = old ? EntriesOf(write.key, *old) : std::vector<IndexEntry>();
  if (!write.element) {
    transaction.Erase(kRows, write.key);
    if (follows) TALEA_TRY(store.Remove(transaction, "built", go));
    return {};
  }
  const std::string row = Pack({*write.element}).value();
  transaction.Put(kRows, write.key, row);
  if (!follows) return {};
  const std::vector<IndexEntry> come = EntriesOf(write.key, row);
  if (!go.empty() && !come.empty() && go != come) {
    TALEA_TRY(store.Update(transaction, "built", go[0].document, go[0].value, come[0].value));
    return {};
  }
  TALEA_TRY(store.Remove(transaction, "built", go));
  TALEA_TRY(store.Add(transaction, "built", come));
  return {};
}

inline Status StoreSystem::ApplyWrite(Transaction& transaction, IndexStore& store,
                                      const Write& write) {
  switch (write.kind) {
    case Write::Kind::row:
      return ApplyRow(transaction, store, write);
    case Write::Kind::update:
      TALEA_TRY(store.Update(transaction, write.index, write.entries[0].document,
                             write.entries[0].value, write.to));
      return {};
    case Write::Kind::remove_where: {
      std::vector<IndexEntry> entries;
      const auto take = [&](const IndexEntry& entry) { return entries.push_back(entry), true; };
      TALEA_TRY(store.Scan(transaction, write.index, write.condition.ToWhere(), take));
      TALEA_TRY(store.Remove(transaction, write.index, entries));
      return {};
    }
    default:
      return AddOrRemove(transaction, store, write);
  }
}

inline Status StoreSystem::ApplyWrites(Transaction& transaction, const Operation& operation) {
  IndexStore& store = *stores_[operation.store];
  Random random(operation.seed);
  if (operation.with_undo) {
    const Progress::Position from = TALEA_TRY(progress_.Read(transaction));
    TALEA_TRY(progress_.MoveWithUndo(transaction, from, At(HeightOf(from) + 1)));
  }
  for (const Write& write : operation.writes) TALEA_TRY(ApplyWrite(transaction, store, write));
  if (!random.Chance(0.1) || operation.writes[0].index.empty()) return {};
  const std::string& name = operation.writes[0].index;
  const Result<IndexInformation> index = store.Describe(transaction.unrecorded(), name);
  if (!index && index.error().code() == ErrorCode::not_found) return {};
  return IndexChecks(store, transaction.unrecorded(), name, random).CheckQuickly();
}

// Buckets that the first transaction has written to are not divided to the end by the second one.
inline Status StoreSystem::ApplyOverlap(const Operation& operation) {
  Transaction transaction(engine_);
  TALEA_TRY(ApplyWrites(transaction, operation));
  Operation second{
      .store = operation.other_store, .writes = operation.in_between, .seed = operation.seed + 1};
  TALEA_TRY(committer_->Transact([&](Transaction& other) { return ApplyWrites(other, second); },
                                 Durability::buffered));
  TALEA_TRY(transaction.Commit());
  return {};
}

// What was done before the index was there, or before it took in a row, knows nothing of the entry
// that undoing it would have to bring back. So it is final from then on.
inline Status StoreSystem::MakeFinal(bool index_exists) {
  return committer_->Transact(
      [&](Transaction& transaction) -> Status {
        const auto index = stores_[0]->Describe(transaction, "built");
        if (!index && index.error().code() != ErrorCode::not_found)
          return std::unexpected(index.error());
        if (index.has_value() != index_exists)
          return Fail(index ? ErrorCode::already_exists : ErrorCode::not_found, "not as expected");
        const Progress::Position position = TALEA_TRY(progress_.Read(transaction));
        transaction.Put(kRows, "base", std::to_string(HeightOf(position)));
        return position ? progress_.PruneUndo(transaction, *position) : Status();
      },
      Durability::buffered);
}

inline Status StoreSystem::Create(const Operation& operation) {
  if (operation.index == "built") TALEA_TRY(MakeFinal(false));
  return stores_[operation.store]->Create(operation.index, operation.options);
}

inline Status StoreSystem::Build(const Operation& operation) {
  TALEA_TRY(MakeFinal(true));
  const IndexSource source{.keyspace = &kRows,
                           .rows = KeyRange::Prefix("row "),
                           .entries = [](const Row& row) -> Result<std::vector<IndexEntry>> {
                             return EntriesOf(row.key, row.value);
                           }};
  const Status built = stores_[operation.store]->Build(
      operation.index, source, [&](std::uint64_t, std::uint64_t) { return !operation.stopped; });
  if (!built && operation.stopped && built.error().code() == ErrorCode::precondition_failed)
    return {};
  return built;
}

inline Status StoreSystem::RollBack(const Operation& operation) {
  const std::unique_ptr<Snapshot> snapshot = TALEA_TRY(engine_.OpenSnapshot());
  const std::uint64_t height = HeightOf(TALEA_TRY(progress_.Read(*snapshot)));
  const std::uint64_t base = TALEA_TRY(ReadBase(*snapshot));
  return committer_->RollBack(progress_,
                              PositionAt(height - std::min(operation.depth, height - base)));
}

inline Status StoreSystem::Apply(const Operation& operation) {
  IndexStore& store = *stores_[operation.store];
  switch (operation.kind) {
    case Kind::create:
      return Create(operation);
    case Kind::drop:
      return store.Drop(operation.index);
    case Kind::settle:
      return store.Settle(operation.index);
    case Kind::build:
      return Build(operation);
    case Kind::roll_back:
      return RollBack(operation);
    case Kind::reopen:
      stores_[operation.store] = std::make_unique<IndexStore>(engine_);
      return {};
    case Kind::change: {
      const Status changed =
          store.Change(operation.index, operation.options.histogram,
                       [&](std::uint64_t, std::uint64_t) { return !operation.stopped; });
      const bool stopped =
          !changed && operation.stopped && changed.error().code() == ErrorCode::precondition_failed;
      return stopped ? Status() : changed;
    }
    case Kind::overlap:
      return ApplyOverlap(operation);
    case Kind::write:
      break;
  }
  if (!operation.abandoned) {
    return committer_->Transact(
        [&](Transaction& transaction) { return ApplyWrites(transaction, operation); },
        operation.synced ? Durability::synced : Durability::buffered);
  }
  auto transaction = std::make_unique<Transaction>(engine_);
  const Status written = ApplyWrites(*transaction, operation);
  if (operation.kept) kept_ = std::move(transaction);
  return written;
}

inline Result<StoreModel> StoreSystem::ObserveAt(Snapshot& snapshot, Random& random) {
  Model seen;
  IndexStore& store = *stores_[random.Below(2)];
  for (const IndexInformation& information : TALEA_TRY(store.List(snapshot))) {
    IndexChecks checks(store, snapshot, information.name, random, &coverage_);
    Entries entries = TALEA_TRY(checks.ReadEntries());
    TALEA_TRY(checks.Check(entries, 6));
    seen.indexes[information.name] = {.peek_cap = information.options.peek_cap,
                                      .histogram = information.options.histogram,
                                      .building = information.building,
                                      .entries = std::move(entries)};
  }
  Scanner rows(snapshot, kRows, KeyRange::Prefix("row "));
  while (const std::optional<Row> row = TALEA_TRY(rows.Next()))
    seen.rows.emplace(row->key, row->value);
  seen.height = HeightOf(TALEA_TRY(progress_.Read(snapshot)));
  seen.base = TALEA_TRY(ReadBase(snapshot));
  return seen;
}

inline Result<StoreModel> StoreSystem::Observe() {
  std::unique_ptr<Snapshot> snapshot = TALEA_TRY(engine_.OpenSnapshot());
  Random random(snapshot->version().number);
  Model seen = TALEA_TRY(ObserveAt(*snapshot, random));
  if (held_) {
    const Result<Model> again = ObserveAt(*held_, random);
    const bool expired = !again && again.error().code() == ErrorCode::snapshot_expired;
    if (!again && !expired) return again;
    if (again && !(*again == held_model_))
      return Fail(ErrorCode::corruption,
                  "an older snapshot has changed: " + Difference(held_model_, *again));
  }
  if (!held_ || random.Chance(0.5)) {
    held_ = std::move(snapshot);
    held_model_ = seen;
  }
  return seen;
}

}  // namespace talea::histograms
