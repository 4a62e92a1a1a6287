// Random work on indexes, beside rows of a program and with undo, for AgreesWithModel. For tests
// alone.
//
// Two stores work on them in turns, so that each has to find out what the other did.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>

#include "histograms/checks_for_test.h"
#include "histograms/store_rules_for_test.h"
#include "histograms/store_writes_for_test.h"
#include "talea/progress.h"

namespace talea::histograms {

class StoreSystem : public StoreRules {
 public:
  explicit StoreSystem(Engine& engine, Coverage* coverage = nullptr)
      : engine_(engine), coverage_(coverage) {
    for (std::unique_ptr<IndexStore>& store : stores_) store = std::make_unique<IndexStore>(engine);
  }
  virtual ~StoreSystem() = default;

  Status Apply(const Operation& operation) {
    IndexStore& store = *stores_[operation.store];
    const auto go_on = [&](std::uint64_t, std::uint64_t) { return !operation.stopped; };
    switch (operation.kind) {
      case Kind::create:
        if (operation.index == "built") TALEA_TRY(MakeFinal(false));
        return store.Create(operation.index, operation.options);
      case Kind::drop:
        return store.Drop(operation.index);
      case Kind::change:
        return UnlessStopped(operation,
                             store.Change(operation.index, operation.options.histogram, go_on));
      case Kind::settle:
        return store.Settle(operation.index);
      case Kind::build:
        TALEA_TRY(MakeFinal(true));
        return UnlessStopped(operation, store.Build(operation.index, Source(), go_on));
      case Kind::roll_back:
        return RollBack(operation);
      case Kind::reopen:
        stores_[operation.store] = std::make_unique<IndexStore>(engine_);
        return {};
      case Kind::overlap:
        return ApplyOverlap(operation);
      case Kind::write:
        return ApplyInOne(operation);
    }
    return {};
  }

  // All there is, after every check of it; and what was held before is as it was.
  Result<Model> Observe() {
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

 protected:
  // One attempt.
  virtual Status Transact(const std::function<Status(Transaction&)>& body, Durability durability) {
    return InOne(engine_, body, durability);
  }

  // Takes back the moves beyond `position`, each in an attempt of its own.
  virtual Status RollBackTo(const Progress& progress, const Progress::Position& position) {
    for (bool there = false; !there;) {
      TALEA_TRY(InOne(engine_, [&](Transaction& transaction) -> Status {
        Progress::Position at = TALEA_TRY(progress.Read(transaction));
        if (at > position) at = TALEA_TRY(progress.StepBack(transaction));
        there = at <= position;
        return {};
      }));
    }
    return {};
  }

 private:
  static std::string At(std::uint64_t height) { return fmt::format("{:08}", height); }
  static std::uint64_t HeightOf(const Progress::Position& position) {
    return position ? std::stoull(*position) : 0;
  }
  static Result<std::uint64_t> ReadBase(Reader& reader) {
    return std::stoull(TALEA_TRY(reader.Get(kRows, "base")).value_or("0"));
  }
  static IndexSource Source() {
    return {.keyspace = &kRows,
            .rows = KeyRange::Prefix("row "),
            .entries = [](const Row& row) -> Result<std::vector<IndexEntry>> {
              return EntriesOf(row.key, row.value);
            }};
  }
  static Status UnlessStopped(const Operation& operation, const Status& done) {
    const bool stopped =
        operation.stopped && !done && done.error().code() == ErrorCode::precondition_failed;
    return stopped ? Status() : done;
  }

  Status ApplyWrites(Transaction& transaction, const Operation& operation) {
    IndexStore& store = *stores_[operation.store];
    Random random(operation.seed);
    if (operation.with_undo) {
      const Progress::Position from = TALEA_TRY(progress_.Read(transaction));
      TALEA_TRY(progress_.MoveWithUndo(transaction, from, At(HeightOf(from) + 1)));
    }
    for (const IndexWrite& write : operation.writes)
      TALEA_TRY(ApplyWrite(transaction, store, write));
    const std::string& index = operation.writes[0].index;
    if (!random.Chance(0.1) || index.empty()) return {};
    if (!TALEA_TRY(Exists(store, transaction.unrecorded(), index))) return {};
    return IndexChecks(store, transaction.unrecorded(), index, random).CheckQuickly();
  }

  Status ApplyInOne(const Operation& operation) {
    if (!operation.abandoned) {
      return Transact([&](Transaction& transaction) { return ApplyWrites(transaction, operation); },
                      operation.synced ? Durability::synced : Durability::buffered);
    }
    auto transaction = std::make_unique<Transaction>(engine_);
    const Status written = ApplyWrites(*transaction, operation);
    if (operation.kept) kept_ = std::move(transaction);
    return written;
  }

  // Buckets that the first transaction has written to are not divided to the end by the second one.
  Status ApplyOverlap(const Operation& operation) {
    Transaction transaction(engine_);
    TALEA_TRY(ApplyWrites(transaction, operation));
    TALEA_TRY(ApplyInOne({.store = operation.other_store,
                          .writes = operation.in_between,
                          .seed = operation.seed + 1}));
    TALEA_TRY(transaction.Commit());
    return {};
  }

  // What was done before the index was there, or before it took in a row, knows nothing of the
  // entry that undoing it would have to bring back. So it is final from then on.
  Status MakeFinal(bool index_exists) {
    return Transact(
        [&](Transaction& transaction) -> Status {
          const bool exists = TALEA_TRY(Exists(*stores_[0], transaction, "built"));
          if (exists != index_exists)
            return Fail(exists ? ErrorCode::already_exists : ErrorCode::not_found,
                        "not as expected");
          const Progress::Position position = TALEA_TRY(progress_.Read(transaction));
          transaction.Put(kRows, "base", std::to_string(HeightOf(position)));
          return position ? progress_.PruneUndo(transaction, *position) : Status();
        },
        Durability::buffered);
  }

  Status RollBack(const Operation& operation) {
    const std::unique_ptr<Snapshot> snapshot = TALEA_TRY(engine_.OpenSnapshot());
    std::uint64_t height = HeightOf(TALEA_TRY(progress_.Read(*snapshot)));
    height -= std::min(operation.depth, height - TALEA_TRY(ReadBase(*snapshot)));
    return RollBackTo(progress_, height == 0 ? std::nullopt : Progress::Position(At(height)));
  }

  Result<Model> ObserveAt(Snapshot& snapshot, Random& random) {
    Model seen;
    IndexStore& store = *stores_[random.Below(2)];
    for (const IndexInformation& information : TALEA_TRY(store.List(snapshot))) {
      IndexChecks checks(store, snapshot, information.name, random, coverage_);
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

  Engine& engine_;
  Coverage* const coverage_;
  std::unique_ptr<IndexStore> stores_[2];
  const Progress progress_{"blocks"};

  std::unique_ptr<Snapshot> held_;
  Model held_model_;
  std::unique_ptr<Transaction> kept_;  // its buckets cannot end
};

}  // namespace talea::histograms
