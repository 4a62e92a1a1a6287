#include "chain/staged_reader.h"

#include <array>
#include <deque>

#include "chain/keys.h"
#include "chain/staged_row.h"
#include "engine/overlay_page.h"

namespace talea::chain {
namespace {

constexpr std::array kForms{StagedAs::row, StagedAs::change};

void LayOn(KeyspaceOverlay& overlay, const WriteBatch::Operation& write) {
  switch (write.kind) {
    case WriteBatch::Kind::put:
      return overlay.Put(write.key, write.value, false);
    case WriteBatch::Kind::add:
      return overlay.Add(write.key, write.delta);
    default:
      return overlay.Erase(write.key);
  }
}

// What becomes of a value by what is staged for its key, if anything is.
Result<std::optional<std::string>> Resolve(const KeyReference& key,
                                           std::optional<std::string> stored,
                                           std::span<const std::optional<std::string>> staged) {
  if (!staged[0] && !staged[1]) return stored;
  KeyspaceOverlay overlay(*key.keyspace);
  for (std::size_t form = 0; form < kForms.size(); ++form) {
    if (!staged[form]) continue;
    const std::string row_key = StagedKey(kForms[form], key.keyspace->id, key.key);
    LayOn(overlay, TALEA_TRY(ReadStagedRow({row_key, *staged[form]})));
  }
  return overlay.Resolve(key.key, stored);
}

// The rest that begins first, in the direction of reading.
std::optional<KeyRange> FirstOf(std::optional<KeyRange> a, std::optional<KeyRange> b,
                                bool reverse) {
  if (!a || !b) return a ? a : b;
  const bool a_first =
      reverse ? !a->end() || (b->end() && *a->end() >= *b->end()) : a->begin() <= b->begin();
  return a_first ? a : b;
}

}  // namespace

Result<std::optional<std::string>> StagedReader::Get(const Keyspace& keyspace, ByteView key) {
  const KeyReference keys[] = {{keyspace, key}};
  std::vector<std::optional<std::string>> values = TALEA_TRY(MultiGet(keys));
  return std::move(values[0]);
}

Result<std::vector<std::optional<std::string>>> StagedReader::MultiGet(
    std::span<const KeyReference> keys) {
  std::deque<std::string> staged_keys;
  std::vector<KeyReference> asked(keys.begin(), keys.end());
  asked.reserve((1 + kForms.size()) * keys.size());
  for (const KeyReference& key : keys) {
    if (!MayBeStaged(key.keyspace->id)) continue;
    for (const StagedAs form : kForms) {
      staged_keys.push_back(StagedKey(form, key.keyspace->id, key.key));
      asked.emplace_back(kChainStagingKeyspace, staged_keys.back());
    }
  }
  std::vector<std::optional<std::string>> values = TALEA_TRY(base_->MultiGet(asked));
  std::span<const std::optional<std::string>> staged = std::span(values).subspan(keys.size());
  for (std::size_t position = 0; position < keys.size(); ++position) {
    if (!MayBeStaged(keys[position].keyspace->id)) continue;
    values[position] = TALEA_TRY(Resolve(keys[position], std::move(values[position]), staged));
    staged = staged.subspan(kForms.size());
  }
  values.resize(keys.size());
  return values;
}

Result<Page> StagedReader::Range(const Keyspace& keyspace, const KeyRange& range,
                                 const PageOptions& options) {
  if (!MayBeStaged(keyspace.id)) return base_->Range(keyspace, range, options);
  const Page stored = TALEA_TRY(base_->Range(keyspace, range, options));
  KeyspaceOverlay overlay(keyspace);
  std::optional<KeyRange> rest = stored.rest();
  for (const StagedAs form : kForms) {
    const Page staged = TALEA_TRY(
        base_->Range(kChainStagingKeyspace, StagedKeysOf(form, keyspace.id, range), options));
    for (const Row& row : staged) LayOn(overlay, TALEA_TRY(ReadStagedRow(row)));
    if (!staged.rest() || staged.rest()->empty()) continue;
    rest = FirstOf(std::move(rest), UnstagedKeys(*staged.rest()), options.reverse);
  }
  return LayOver(range, stored, rest, overlay, options);
}

}  // namespace talea::chain
