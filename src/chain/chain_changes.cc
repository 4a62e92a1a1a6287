#include "talea/chain_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/coding.h"
#include "chain/keys.h"
#include "chain/step_changes.h"
#include "talea/chain.h"

namespace talea {

using namespace chain;

struct ChangeFeed::State {
  StepsSince since;
  std::map<NamespaceHash, std::string> names;
};

namespace {

using Names = std::map<NamespaceHash, std::string>;

// A namespace that was registered since is there now, as only going back takes one away.
Result<Names> ReadNames(Reader& reader) {
  Names names;
  Scanner rows(reader, kChainKeyspace, NamespaceKeys());
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    names.emplace(TALEA_TRY(NamespaceOfKey(row->key)), row->value);
  }
  return names;
}

Result<std::string> NameOf(const Names& names, NamespaceHash hash) {
  const auto found = names.find(hash);
  if (found != names.end()) return found->second;
  return Fail(ErrorCode::corruption,
              fmt::format("namespace {:016x}: expected its name, found none", hash.number));
}

bool IsPut(const WriteBatch::Operation& undo) { return undo.kind == WriteBatch::Kind::put; }

Result<std::optional<OutputValue>> AsOutput(bool there, ByteView stored) {
  if (!there) return std::nullopt;
  return TALEA_TRY(OutputValue::FromStored(std::string(stored)));
}

Status AppendOutput(const RowChange& row, ChainChange& change) {
  OutputChange output;
  output.reference = TALEA_TRY(ReferenceOfKey(row.undo.key));
  output.before = TALEA_TRY(AsOutput(IsPut(row.undo), row.undo.value));
  output.after = TALEA_TRY(AsOutput(row.after.has_value(), row.after.value_or(ByteView())));
  if (output.before != output.after) change.outputs.push_back(std::move(output));
  return {};
}

Status AppendEntity(const RowChange& row, const Names& names, ChainChange& change) {
  const EntityKeyParts parts = TALEA_TRY(PartsOfEntityKey(row.undo.key));
  EntityChange entity {
    .name_space = TALEA_TRY(NameOf(names, parts.name_space))
    , .key = parts.key
  };
  if (IsPut(row.undo)) entity.before = row.undo.value;
  if (row.after) entity.after = *row.after;
  if (entity.before != entity.after) change.entities.push_back(std::move(entity));
  return {};
}

// There is nothing to a value but that it is there, and a step writes it only to change that.
Status AppendValue(const RowChange& row, const Names& names, ChainChange& change) {
  ValueKeyParts parts = TALEA_TRY(PartsOfValueKey(row.undo.key));
  change.values.push_back({
    .name_space = TALEA_TRY(NameOf(names, parts.entity.name_space))
    , .key = parts.entity.key, .value = std::move(parts.value), .removed = IsPut(row.undo)
  });
  return {};
}

Status AppendCounter(const RowChange& row, const Names& names, ChainChange& change) {
  const EntityKeyParts parts = TALEA_TRY(PartsOfEntityKey(row.undo.key));
  change.counters.push_back({
    .name_space = TALEA_TRY(NameOf(names, parts.name_space))
    , .key = parts.key, .delta = WrappingNegate(row.undo.delta)
  });
  return {};
}

Status AppendRow(const RowChange& row, const Names& names, ChainChange& change) {
  const std::uint8_t keyspace = row.undo.keyspace;
  if (keyspace == kStateUtxosKeyspace.id) return AppendOutput(row, change);
  if (keyspace == kStateEntitiesKeyspace.id) return AppendEntity(row, names, change);
  if (keyspace == kChainCountersKeyspace.id) return AppendCounter(row, names, change);
  return AppendValue(row, names, change);
}

}  // namespace

ChangeFeed::ChangeFeed(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChangeFeed::~ChangeFeed() = default;
ChangeFeed::ChangeFeed(ChangeFeed&&) noexcept = default;
ChangeFeed& ChangeFeed::operator=(ChangeFeed&&) noexcept = default;

Result<std::optional<ChainChange>> ChangeFeed::Next() {
  std::deque<StepChanges>& steps = state_->since.steps;
  if (steps.empty()) return std::nullopt;
  ChainChange change{.parent = steps.front().step.before, .point = steps.front().step.after};
  for (const RowChange& row : steps.front().rows) {
    TALEA_TRY(AppendRow(row, state_->names, change));
  }
  steps.pop_front();
  return change;
}

Result<std::optional<Cursor>> ChainStore::FindIntersection(std::span<const Cursor> points) const {
  const ChainView view = TALEA_TRY(Open());
  const Standing standing = TALEA_TRY(ReadStanding(view.reader()));
  const auto steps = TALEA_TRY(FindStepsOf(view.reader(), standing, points));
  const auto newest = std::ranges::max_element(steps);
  if (newest == steps.end() || !*newest) return std::nullopt;
  return std::optional<Cursor>(points[static_cast<std::size_t>(newest - steps.begin())]);
}

Result<ChangeFeed> ChainStore::Changes(const Cursor& since) const {
  const ChainView view = TALEA_TRY(Open());
  Reader& reader = view.reader();
  const Standing standing = TALEA_TRY(ReadStanding(reader));
  const std::uint64_t step = TALEA_TRY(FindStepOf(reader, standing, since));
  auto state = std::make_unique<ChangeFeed::State>();
  state->since = TALEA_TRY(ReadStepsSince(reader, standing, step));
  state->names = TALEA_TRY(ReadNames(reader));
  return ChangeFeed(std::move(state));
}

}  // namespace talea
