#include "chain/step_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "chain/keys.h"
#include "engine/undo.h"

namespace talea::chain {
namespace {

using Kind = WriteBatch::Kind;

constexpr std::uint64_t kRecordsAtOnce = 64;
constexpr std::size_t kRowsAtOnce = 4096;

// Only of outputs and entities one has to know the value after a step; that of the others follows.
const Keyspace* KeyspaceOfState(std::uint8_t id) {
  if (id == kStateUtxosKeyspace.id) return &kStateUtxosKeyspace;
  if (id == kStateEntitiesKeyspace.id) return &kStateEntitiesKeyspace;
  return nullptr;
}

bool IsTold(const WriteBatch::Operation& undo) {
  static const KeyRange values = ValueKeys();
  if (undo.keyspace == kChainKeyspace.id) return values.Contains(undo.key);
  return undo.keyspace == kChainCountersKeyspace.id || KeyspaceOfState(undo.keyspace) != nullptr;
}

Status CheckKind(const WriteBatch::Operation& undo, std::uint64_t step) {
  const bool counter = undo.keyspace == kChainCountersKeyspace.id;
  if (counter ? undo.kind == Kind::add : undo.kind == Kind::put || undo.kind == Kind::erase) {
    return {};
  }
  return Fail(ErrorCode::corruption,
              fmt::format("undo record of step {}, keyspace {}, key {}: expected {}, found a write "
                          "of kind {}",
                          step, undo.keyspace, Quoted(undo.key),
                          counter ? "an add" : "a put or an erase", static_cast<int>(undo.kind)));
}

// The rows that tell where each step led; there must be one for each.
Result<std::deque<StepChanges>> ReadStepRows(Reader& reader, const Standing& standing,
                                             std::uint64_t step) {
  std::deque<StepChanges> steps;
  Scanner rows(reader, kChainKeyspace, StepKeys().StartingAt(StepKey(step + 1)));
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    const std::uint64_t number = TALEA_TRY(StepOfKey(row->key));
    const std::uint64_t expected = step + 1 + steps.size();
    if (number != expected) {
      return Fail(ErrorCode::corruption, fmt::format("ledger: expected the row of step {}, found "
                                                     "that of step {}",
                                                     expected, number));
    }
    steps.emplace_back().step = TALEA_TRY(DecodeStepRow(row->value));
  }
  if (step + steps.size() == standing.step) return steps;
  return Fail(ErrorCode::corruption,
              fmt::format("ledger: expected the rows of steps {} to {}, found {}", step + 1,
                          standing.step, steps.size()));
}

// The records of steps from `first` on, `count` of them.
Status ReadRecords(Reader& reader, std::uint64_t first, std::size_t count, StepsSince& since,
                   std::size_t position) {
  std::vector<std::string> keys;
  for (std::uint64_t step = first; step < first + count; ++step) {
    keys.push_back(UndoKey(StepUndoKey(step), 0));
  }
  std::vector<KeyReference> asked;
  for (const std::string& key : keys) asked.emplace_back(kUndoKeyspace, key);
  std::vector<std::optional<std::string>> parts = TALEA_TRY(reader.MultiGet(asked));
  for (std::size_t number = 0; number < count; ++number) {
    WriteBatch& record = since.steps[position + number].record;
    std::optional<std::string>& part = parts[number];
    if (part && TALEA_TRY(CountUndoParts(*part)) == 1) {
      record = TALEA_TRY(DecodeUndo({std::move(*part)}));
    } else {
      record = TALEA_TRY(ReadUndo(reader, kUndoKeyspace, StepUndoKey(first + number)))
      .restore;
    }
  }
  return {};
}

Status FindRows(StepChanges& changes, std::uint64_t step) {
  for (const WriteBatch::Operation& undo : changes.record) {
    if (!IsTold(undo)) continue;
    TALEA_TRY(CheckKind(undo, step));
    changes.rows.push_back({undo, {}});
  }
  std::ranges::sort(changes.rows, {}, [](const RowChange& row) {
    return std::pair(row.undo.keyspace, row.undo.key);
  });
  return {};
}

// Finds the value after each step in the next record that has the key. Returns the rows that no
// later record has: theirs are stored.
std::vector<RowChange*> FindLaterValues(StepsSince& since) {
  std::vector<RowChange*> newest;
  std::map<std::pair<std::uint8_t, ByteView>, std::optional<ByteView>> later;
  for (auto changes = since.steps.rbegin(); changes != since.steps.rend(); ++changes) {
    for (RowChange& row : changes->rows) {
      if (KeyspaceOfState(row.undo.keyspace) == nullptr) continue;
      std::optional<ByteView> before;
      if (row.undo.kind == Kind::put) before = row.undo.value;
      const auto [found, first] = later.try_emplace({row.undo.keyspace, row.undo.key}, before);
      if (first) {
        newest.push_back(&row);
      } else {
        row.after = std::exchange(found->second, before);
      }
    }
  }
  return newest;
}

Status ReadStored(Reader& reader, const std::vector<RowChange*>& rows,
                  std::vector<std::optional<std::string>>& stored) {
  stored.reserve(rows.size());
  while (stored.size() < rows.size()) {
    std::vector<KeyReference> asked;
    const std::size_t end = std::min(stored.size() + kRowsAtOnce, rows.size());
    for (std::size_t number = stored.size(); number < end; ++number) {
      const WriteBatch::Operation& undo = rows[number]->undo;
      asked.emplace_back(*KeyspaceOfState(undo.keyspace), undo.key);
    }
    auto values = TALEA_TRY(reader.MultiGet(asked));
    std::ranges::move(values, std::back_inserter(stored));
  }
  for (std::size_t number = 0; number < rows.size(); ++number) {
    if (stored[number]) rows[number]->after = *stored[number];
  }
  return {};
}

}  // namespace

Result<StepsSince> ReadStepsSince(Reader& reader, const Standing& standing, std::uint64_t step) {
  StepsSince since;
  since.steps = TALEA_TRY(ReadStepRows(reader, standing, step));
  for (std::size_t done = 0; done < since.steps.size(); done += kRecordsAtOnce) {
    const std::size_t count = std::min<std::size_t>(kRecordsAtOnce, since.steps.size() - done);
    TALEA_TRY(ReadRecords(reader, step + 1 + done, count, since, done));
  }
  for (std::size_t number = 0; number < since.steps.size(); ++number) {
    TALEA_TRY(FindRows(since.steps[number], step + 1 + number));
  }
  TALEA_TRY(ReadStored(reader, FindLaterValues(since), since.stored));
  return since;
}

}  // namespace talea::chain
