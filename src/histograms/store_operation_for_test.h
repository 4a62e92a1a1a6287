// A piece of random work on the indexes of indexes_model_for_test.h. For tests alone.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "histograms/indexes_model_for_test.h"
#include "talea/histograms.h"

namespace talea::histograms {

// One of those in a transaction.
struct IndexWrite {
  enum class Kind { add, remove, update, remove_where, row };
  Kind kind = Kind::add;
  std::string index;
  std::vector<IndexEntry> entries;  // of add and remove, and the document and value of an update
  Tuple to;                         // of an update
  Condition condition;              // of remove_where
  std::string key;                  // of a row
  std::optional<Element> element;   // of a row, or nothing to erase it

  static std::uint8_t Elements(std::string_view index) { return index == "pairs" ? 2 : 1; }

  static IndexWrite Generate(Random& random, bool with_undo) {
    const std::uint64_t kind = random.Below(100);
    IndexWrite write{.index = kIndexes[random.Below(2)]};
    const std::size_t elements = Elements(write.index);
    // Rows always with undo: what is undone beneath another write of a row is no state of it.
    if (kind < 25 && with_undo) {
      write = {.kind = Kind::row, .key = fmt::format("row {:02}", random.Below(40))};
      if (random.Chance(0.7)) write.element = RandomElement(random);
      return write;
    }
    if (kind < 27) {
      write.kind = Kind::remove_where;
      write.condition = RandomCondition(random, elements, 1);
      return write;
    }
    const bool one = random.Chance(0.5);
    const bool of_one_value = random.Chance(0.1);
    const Tuple value = RandomValue(random, elements);
    for (std::uint64_t count = one ? 1 : random.Below(50); count > 0; --count)
      write.entries.push_back(
          {of_one_value ? value : RandomValue(random, elements), RandomDocument(random, 40)});
    if (one && kind < 45) {
      write.kind = Kind::update;
      write.to = random.Chance(0.1) ? write.entries[0].value : RandomValue(random, elements);
    } else if (kind < 55) {
      write.kind = Kind::remove;
    }
    return write;
  }

  friend std::ostream& operator<<(std::ostream& out, const IndexWrite& write) {
    constexpr const char* kKinds[] = {"add", "remove", "update", "remove where", "row"};
    out << kKinds[static_cast<int>(write.kind)] << " " << write.index;
    for (const IndexEntry& entry : write.entries) out << " " << Describe(entry);
    if (write.kind == Kind::update) out << " to " << talea::ToString(write.to);
    if (write.kind == Kind::remove_where) out << " " << ToString(write.condition);
    if (write.kind == Kind::row)
      out << write.key << " = " << (write.element ? write.element->ToString() : "none");
    return out << "; ";
  }
};

struct StoreOperation {
  enum class Kind { write, overlap, create, drop, change, settle, build, roll_back, reopen };
  Kind kind = Kind::write;
  std::size_t store = 0;
  std::string index;
  IndexOptions options;            // of create, and the histogram of a change
  bool stopped = false;            // a change or build is stopped as soon as that can be
  std::vector<IndexWrite> writes;  // of one transaction
  bool with_undo = false;
  bool abandoned = false;              // the transaction is not committed
  bool kept = false;                   // nor is it dropped yet
  std::size_t other_store = 0;         // of an overlap
  std::vector<IndexWrite> in_between;  // of a transaction that begins after it, and commits before
  bool synced = false;
  std::uint64_t depth = 0;  // of a rolling back
  std::uint64_t seed = 0;   // of looks within the transaction

  static StoreOperation Generate(Random& random) {
    StoreOperation operation{.store = random.Below(2), .index = kIndexes[random.Below(3)]};
    operation.options = {
        .histogram = random.Chance(0.6)
                         ? Histogram::Learned()
                         : Histogram::Fixed(static_cast<std::uint8_t>(1 + random.Below(3))),
        .elements = IndexWrite::Elements(operation.index),
        .peek_cap = static_cast<std::uint32_t>(4 + random.Below(13))};
    operation.stopped = random.Chance(0.3);
    operation.depth = random.Below(5);
    operation.seed = random.Next();
    operation.synced = random.Chance(0.2);
    const std::uint64_t kind = random.Below(100);
    if (kind < 72) {
      operation.GenerateWork(random);
      return operation;
    }
    operation.kind = kind < 79                         ? Kind::create
                     : kind < 81 && random.Chance(0.2) ? Kind::drop
                     : kind < 85                       ? Kind::change
                     : kind < 87                       ? Kind::settle
                     : kind < 90                       ? Kind::build
                     : kind < 97                       ? Kind::roll_back
                                                       : Kind::reopen;
    if (operation.kind != Kind::change && operation.kind != Kind::build) operation.stopped = false;
    if (operation.kind == Kind::build) operation.index = "built";
    return operation;
  }

  friend std::ostream& operator<<(std::ostream& out, const StoreOperation& operation) {
    constexpr const char* kKinds[] = {"write",  "overlap", "create",    "drop",  "change",
                                      "settle", "build",   "roll back", "reopen"};
    out << fmt::format("{} (store {}) {}", kKinds[static_cast<int>(operation.kind)],
                       operation.store, operation.index);
    if (operation.kind == Kind::create || operation.kind == Kind::change)
      out << fmt::format(" {}, cap {}", operation.options.histogram.ToString(),
                         operation.options.peek_cap);
    if (operation.kind == Kind::roll_back) out << " by " << operation.depth;
    if (operation.stopped) out << ", stopped";
    if (operation.with_undo) out << "with undo ";
    if (operation.abandoned) out << (operation.kept ? "and keep " : "and abandon ");
    for (const IndexWrite& write : operation.writes) out << write;
    for (const IndexWrite& write : operation.in_between) out << write;
    return out;
  }

 private:
  static std::vector<IndexWrite> GenerateWrites(Random& random, bool with_undo) {
    std::vector<IndexWrite> writes;
    for (std::uint64_t count = 1 + random.Below(4); count > 0; --count)
      writes.push_back(IndexWrite::Generate(random, with_undo));
    return writes;
  }

  void GenerateWork(Random& random) {
    with_undo = random.Chance(0.4);
    writes = GenerateWrites(random, with_undo);
    index.clear();
    stopped = false;
    abandoned = random.Chance(0.1);
    kept = abandoned && random.Chance(0.7);
    if (with_undo || abandoned || random.Chance(0.8)) return;
    kind = Kind::overlap;
    other_store = random.Below(2);
    in_between = GenerateWrites(random, false);
  }
};

}  // namespace talea::histograms
