// Indexes as plain sets of entries, beside rows of a program and with undo. For tests alone.
//
// Three indexes: "plain" of one element, "pairs" of two, and "built", which follows the rows of a
// program and can be built from them.
#pragma once

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "histograms/values_for_test.h"

namespace talea::histograms {

inline constexpr const char* kIndexes[] = {"plain", "pairs", "built"};

inline std::string Describe(const IndexEntry& entry) {
  return fmt::format("{} of {}", talea::ToString(entry.value), entry.document.ToString());
}

// What "built" has of a row.
inline std::vector<IndexEntry> EntriesOf(ByteView key, ByteView row) {
  Tuple value = Unpack(row).value();
  if (value[0].is_null()) return {};
  return {{std::move(value), Bytes(key)}};
}

struct IndexesModel {
  struct Index {
    std::uint64_t number = 0;  // of its creation: an index of the same name is another one
    std::uint32_t peek_cap = 0;
    std::optional<Histogram> histogram;  // nothing while it may be one or another
    bool building = false;               // or may be: then nobody knows which entries there are
    Entries entries;

    void Set(const IndexEntry& entry, bool present) {
      if (present) entries.insert(entry);
      if (!present) entries.erase(entry);
    }
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
  using Restores = std::vector<Restore>;

  std::map<std::string, Index> indexes;
  std::map<std::string, std::string> rows;
  std::uint64_t height = 0;  // of the progress
  std::uint64_t base = 0;    // the least that can be rolled back to
  std::uint64_t last_number = 0;
  std::map<std::uint64_t, Restores> undo;  // by the height that the move came to

  void SetEntry(const std::string& name, const IndexEntry& entry, bool present,
                Restores& restores) {
    Index& index = indexes.at(name);
    const bool before = index.entries.contains(entry);
    if (before == present) return;
    restores.push_back({.index = name, .number = index.number, .entry = entry, .present = before});
    index.Set(entry, present);
  }

  // Nothing erases it. "built" follows, if it is there.
  void SetRow(const std::string& key, const std::optional<std::string>& row, Restores& restores) {
    const auto found = rows.find(key);
    const auto before = found == rows.end() ? std::nullopt : std::optional(found->second);
    restores.push_back({.key = key, .row = before});
    PutRow(key, row);
    if (!indexes.contains("built")) return;
    for (const bool present : {false, true}) {
      const std::optional<std::string>& of = present ? row : before;
      if (!of) continue;
      for (const IndexEntry& entry : EntriesOf(key, *of))
        SetEntry("built", entry, present, restores);
    }
  }

  // Takes the newest move back.
  void StepBack() {
    const auto newest = std::prev(undo.end());
    for (auto restore = newest->second.rbegin(); restore != newest->second.rend(); ++restore) {
      if (restore->index.empty()) PutRow(restore->key, restore->row);
      const auto index = indexes.find(restore->index);
      if (index != indexes.end() && index->second.number == restore->number)
        index->second.Set(restore->entry, restore->present);
    }
    undo.erase(newest);
    --height;
  }

  void MakeFinal() { undo.clear(), base = height; }

  friend bool operator==(const IndexesModel& a, const IndexesModel& b) {
    return a.indexes == b.indexes && a.rows == b.rows && a.height == b.height && a.base == b.base;
  }

 private:
  void PutRow(const std::string& key, const std::optional<std::string>& row) {
    if (row) rows[key] = *row;
    if (!row) rows.erase(key);
  }
};

inline std::string Difference(const IndexesModel& model, const IndexesModel& observed) {
  std::string text;
  for (const char* name : kIndexes) {
    const auto a = model.indexes.find(name);
    const auto b = observed.indexes.find(name);
    const bool in_a = a != model.indexes.end();
    const bool in_b = b != observed.indexes.end();
    if (in_a != in_b) text += fmt::format("index {} is {}there; ", name, in_b ? "" : "not ");
    if (!in_a || !in_b || a->second == b->second) continue;
    const Entries& expected = a->second.entries;
    const Entries& found = b->second.entries;
    text += fmt::format("index {}, {} entries and not {}; ", name, found.size(), expected.size());
    for (const IndexEntry& entry : expected)
      if (!found.contains(entry)) text += fmt::format("without {}; ", Describe(entry));
    for (const IndexEntry& entry : found)
      if (!expected.contains(entry)) text += fmt::format("with {}; ", Describe(entry));
  }
  if (model.rows != observed.rows) text += "the rows differ; ";
  return text + fmt::format("height {} and {}, base {} and {}", model.height, observed.height,
                            model.base, observed.base);
}

}  // namespace talea::histograms
