// What random work on indexes should lead to, as plainly as can be. For tests alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "coordination/coordination_for_test.h"
#include "histograms/indexes_model_for_test.h"
#include "histograms/store_operation_for_test.h"

namespace talea::histograms {

// What AgreesWithModel asks of a system, but for the stores.
class StoreRules {
 public:
  using Model = IndexesModel;
  using Operation = StoreOperation;
  using Kind = Operation::Kind;
  using Writes = std::vector<IndexWrite>;

  static std::vector<Keyspace> Keyspaces() { return KeyspacesForTest(); }
  static Operation Generate(Random& random) { return Operation::Generate(random); }

  static Status ApplyToModel(Model& model, const Operation& operation) {
    switch (operation.kind) {
      case Kind::reopen:
        return {};
      case Kind::roll_back:
        for (std::uint64_t step = 0; step < operation.depth && model.height > model.base; ++step)
          model.StepBack();
        return {};
      case Kind::overlap:
        return Overlap(model, operation);
      case Kind::write:
        return WriteInOne(model, operation);
      default:
        return Administer(model, operation);
    }
  }

  static std::vector<Model> Between(const Model& before, const Operation& operation) {
    std::vector<Model> between;
    Model model = before;
    const auto index = model.indexes.find(operation.index);
    const bool exists = index != model.indexes.end();
    if (operation.kind == Kind::overlap) {
      if (ApplyToModel(model, {.writes = operation.in_between})) between.push_back(model);
    } else if (operation.kind == Kind::roll_back) {
      for (std::uint64_t step = 1; step < operation.depth && model.height > model.base; ++step) {
        model.StepBack();
        between.push_back(model);
      }
    } else if (operation.kind == Kind::create && operation.index == "built" && !exists) {
      model.MakeFinal();
      between.push_back(model);
    } else if (operation.kind == Kind::build && exists) {
      model.MakeFinal();
      between.push_back(model);
      index->second.building = true;
      between.push_back(model);
    } else if (operation.kind == Kind::change && exists) {
      index->second.histogram.reset();
      between.push_back(model);
    }
    return between;
  }

  static std::string Difference(const Model& model, const Model& observed) {
    return histograms::Difference(model, observed);
  }

  // Not if it is the work of one store on different entries.
  static bool MayConflict(const Operation& operation) {
    if (operation.kind != Kind::overlap) return false;
    const auto first = EntriesNamed(operation.writes);
    const auto second = EntriesNamed(operation.in_between);
    if (operation.store != operation.other_store || !first || !second) return true;
    for (const auto& [index, entries] : *second)
      for (const IndexEntry& entry : entries)
        if (first->contains(index) && first->at(index).contains(entry)) return true;
    return false;
  }

 private:
  // What is done to one index, but for its entries.
  static Status Administer(Model& model, const Operation& operation) {
    if (model.indexes.contains(operation.index) == (operation.kind == Kind::create))
      return operation.kind == Kind::create ? Fail(ErrorCode::already_exists, "it exists")
                                            : Fail(ErrorCode::not_found, "no such index");
    if (operation.kind == Kind::settle) return {};
    if (operation.kind == Kind::drop) return model.indexes.erase(operation.index), Status();
    Model::Index& index = model.indexes[operation.index];
    if (operation.index == "built" && operation.kind != Kind::change) model.MakeFinal();
    if (operation.kind == Kind::create) {
      index = {.number = ++model.last_number,
               .peek_cap = operation.options.peek_cap,
               .histogram = operation.options.histogram};
    } else if (operation.kind == Kind::change) {
      index.histogram = operation.options.histogram;
      if (operation.stopped) index.histogram.reset();
    } else {
      index.building = operation.stopped;
      index.entries.clear();
      for (const auto& [key, row] : model.rows)
        for (const IndexEntry& entry : EntriesOf(key, row)) index.entries.insert(entry);
    }
    return {};
  }

  static Status WriteInOne(Model& model, const Operation& operation) {
    Model next = model;
    Model::Restores undo;
    TALEA_TRY(WriteAll(next, operation.writes, undo));
    if (operation.with_undo) next.undo[++next.height] = std::move(undo);
    if (!operation.abandoned) model = std::move(next);
    return {};
  }

  static Status Overlap(Model& model, const Operation& operation) {
    Model::Restores undo;
    Model alone = model;
    TALEA_TRY(WriteAll(alone, operation.writes, undo));
    const bool only_read = undo.empty();  // then it counts as if it came first
    TALEA_TRY(WriteAll(model, operation.in_between, undo));
    return only_read ? Status() : WriteAll(model, operation.writes, undo);
  }

  static Status WriteAll(Model& model, const Writes& writes, Model::Restores& undo) {
    for (const IndexWrite& write : writes) TALEA_TRY(Write(model, write, undo));
    return {};
  }

  static Status Write(Model& model, const IndexWrite& write, Model::Restores& undo) {
    if (write.kind == IndexWrite::Kind::row) {
      std::optional<std::string> row;
      if (write.element) row = Pack({*write.element}).value();
      model.SetRow(write.key, row, undo);
      return {};
    }
    const auto index = model.indexes.find(write.index);
    if (index == model.indexes.end()) return Fail(ErrorCode::not_found, "no such index");
    std::vector<IndexEntry> entries = write.entries;
    if (write.kind == IndexWrite::Kind::remove_where) {
      for (const IndexEntry& entry : index->second.entries)
        if (write.condition.Matches(entry.value)) entries.push_back(entry);
    }
    for (const IndexEntry& entry : entries)
      model.SetEntry(write.index, entry, write.kind == IndexWrite::Kind::add, undo);
    if (write.kind == IndexWrite::Kind::update)
      model.SetEntry(write.index, {write.to, entries[0].document}, true, undo);
    return {};
  }

  // By index; or nothing, if some go by a condition.
  static std::optional<std::map<std::string, Entries>> EntriesNamed(const Writes& writes) {
    std::map<std::string, Entries> named;
    for (const IndexWrite& write : writes) {
      if (write.kind == IndexWrite::Kind::remove_where) return std::nullopt;
      named[write.index].insert(write.entries.begin(), write.entries.end());
      if (write.kind == IndexWrite::Kind::update)
        named[write.index].insert({write.to, write.entries[0].document});
    }
    return named;
  }
};

}  // namespace talea::histograms
