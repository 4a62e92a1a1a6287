// Reads a whole ledger in every way that there is, and compares them. For tests alone.
#pragma once

#include <fmt/format.h>

#include <mutex>

#include "chain/ledger_for_test.h"
#include "chain/random_ledger_for_test.h"
#include "chain/standing.h"
#include "talea/testing/random.h"

namespace talea::chain {

inline std::unexpected<Error> Disagree(const std::string& what) {
  return Fail(ErrorCode::corruption, "the ledger disagrees with itself: " + what);
}

// Whether a row of the keyspace "chain" tells of steps or of staging, and not of the state.
inline bool IsOfSteps(ByteView key) {
  return StepKeys().Contains(key) || PointKeys().Contains(key) || key == StagingHeaderKey() ||
         key == LastStagedKey();
}

// Every row of the ledger but those of its steps, of staging and of undo, as this reader sees them.
inline Result<StoredRows> ReadRows(Reader& reader) {
  StoredRows rows;
  for (const Keyspace& keyspace :
       {kStateCursorKeyspace, kStateUtxosKeyspace, kStateEntitiesKeyspace, kChainKeyspace,
        kChainNotesKeyspace, kChainTagsKeyspace, kChainCountersKeyspace, kChainCountsKeyspace}) {
    Scanner scanner(reader, keyspace, KeyRange::All(), {.row_limit = 50});
    while (const std::optional<Row> row = TALEA_TRY(scanner.Next())) {
      if (keyspace.id == kChainKeyspace.id && IsOfSteps(row->key)) continue;
      rows[{int{keyspace.id}, std::string(row->key)}] = row->value;
    }
  }
  return rows;
}

// Reads a view, all of it by scans and all of it by keys.
class LedgerChecks {
 public:
  LedgerChecks(const ChainView& view, Random& random) : view_(view), random_(random) {}

  // What the view holds, after every check of it.
  Result<LedgerState> Read() {
    state_.cursor = view_.cursor();
    TALEA_TRY(ReadOutputs());
    TALEA_TRY(ReadNotes());
    TALEA_TRY(ReadNamespaces());
    TALEA_TRY(CheckSingleOutputs());
    TALEA_TRY(CheckTags());
    TALEA_TRY(CheckSingleEntities());
    TALEA_TRY(CheckCounts());
    const StoredRows rows = TALEA_TRY(ReadRows(view_.reader()));
    if (rows != RowsOf(state_)) return Disagree(RowDifference(RowsOf(state_), rows));
    TALEA_TRY(CheckHash(rows));
    return state_;
  }

 private:
  PageOptions Pages() { return {.row_limit = 1 + random_.Below(40)}; }

  static std::string RowDifference(const StoredRows& expected, const StoredRows& found) {
    std::string text;
    for (const auto& [key, value] : expected)
      if (!found.contains(key) || found.at(key) != value)
        text += fmt::format("no row {} {} with {}; ", key.first, Quoted(key.second), Quoted(value));
    for (const auto& [key, value] : found)
      if (!expected.contains(key) || expected.at(key) != value)
        text += fmt::format("a row {} {} with {}; ", key.first, Quoted(key.second), Quoted(value));
    return text;
  }

  Status ReadOutputs() {
    std::optional<OutputReference> from;
    do {
      const OutputPage page = TALEA_TRY(view_.ScanOutputs(from, Pages()));
      for (std::size_t place = 0; place < page.size(); ++place) {
        const OutputPage::Entry entry = page[place];
        TestOutput output{entry.reference, entry.era, std::string(entry.cbor), 0, {}};
        if (!state_.outputs.emplace(entry.reference, std::move(output)).second)
          return Disagree("an output comes twice");
      }
      from = page.next();
    } while (from);
    return {};
  }

  Status ReadNotes() {
    const auto notes = TALEA_TRY(view_.GetNotes(AllReferences()));
    for (std::size_t place = 0; place < notes.size(); ++place) {
      const auto output = state_.outputs.find(AllReferences()[place]);
      if (!notes[place]) continue;
      if (output == state_.outputs.end()) return Disagree("notes of an output that is not there");
      output->second.coin = notes[place]->coin;
      output->second.tags = notes[place]->tags;
    }
    return {};
  }

  Status ReadNamespaces() {
    const ChainStatistics statistics = TALEA_TRY(view_.Statistics());
    for (const NamespaceInformation& name_space : statistics.namespaces) {
      state_.namespaces.insert(name_space.name);
      TALEA_TRY(ReadEntities(name_space.name));
      for (const EntityKey& key : AllEntityKeys()) {
        TALEA_TRY(ReadValues({name_space.name, key}));
        const std::int64_t sum = TALEA_TRY(view_.GetCounter(name_space.name, key));
        if (sum != 0) state_.counters[{name_space.name, key}] = sum;
      }
    }
    if (statistics.outputs != state_.outputs.size() || statistics.coin != state_.coin() ||
        statistics.cursor != state_.cursor || statistics.namespaces != state_.Counts()) {
      return Disagree("statistics are not those of the rows");
    }
    return {};
  }

  Status ReadEntities(const std::string& name) {
    std::optional<EntityKey> from;
    do {
      const EntityPage page = TALEA_TRY(view_.ScanEntities(name, from, {}, Pages()));
      for (std::size_t place = 0; place < page.size(); ++place) {
        const EntityPage::Entry entry = page[place];
        state_.entities[{name, entry.key}] = entry.value;
      }
      from = page.next();
    } while (from);
    return {};
  }

  Status ReadValues(const LedgerState::Name& name) {
    std::optional<std::string> after;
    for (bool more = true; more;) {
      const ChainView::ValuePage page =
          TALEA_TRY(view_.ScanValues(name.first, name.second, after, Pages()));
      for (const std::string& value : page.values) {
        if (after && value <= *after) return Disagree("values do not ascend");
        state_.values.insert({name, value});
        after = value;
      }
      more = page.more;
    }
    return {};
  }

  Status CheckSingleOutputs() {
    const std::vector<OutputReference>& all = AllReferences();
    const auto values = TALEA_TRY(view_.GetOutputs(all));
    for (std::size_t place = 0; place < all.size(); ++place) {
      const auto found = state_.outputs.find(all[place]);
      const bool there = found != state_.outputs.end();
      if (values[place].has_value() != there ||
          (there && values[place]->stored() != EncodeOutput(found->second.view())))
        return Disagree("output " + all[place].ToString() + " by its key");
    }
    const OutputReference& one = OneOf(random_, all);
    if (TALEA_TRY(view_.GetOutput(one)).has_value() != state_.outputs.contains(one))
      return Disagree("output " + one.ToString() + " by its key alone");
    return {};
  }

  Status CheckTags() {
    for (const StoredTag& tag : AllTags()) {
      std::vector<TaggedOutput> expected;
      for (const auto& [reference, output] : state_.outputs)
        if (std::ranges::binary_search(output.tags, tag))
          expected.push_back({reference, output.coin});
      std::vector<TaggedOutput> found;
      std::optional<OutputReference> from;
      do {
        const auto page = TALEA_TRY(view_.ScanTagged({tag.kind, tag.bytes}, from, Pages()));
        found.insert(found.end(), page.outputs.begin(), page.outputs.end());
        from = page.next;
      } while (from);
      if (found != expected)
        return Disagree(fmt::format("{} {} has {} outputs and not {}", Name(tag.kind),
                                    Quoted(tag.bytes), found.size(), expected.size()));
    }
    return {};
  }

  Status CheckSingleEntities() {
    for (const std::string& name : AllNamespaces()) {
      const std::vector<EntityKey>& keys = AllEntityKeys();
      const auto values = TALEA_TRY(view_.GetEntities(name, keys));
      for (std::size_t place = 0; place < keys.size(); ++place) {
        const auto found = state_.entities.find({name, keys[place]});
        const bool there = found != state_.entities.end();
        if (values[place] != (there ? std::optional(found->second) : std::nullopt))
          return Disagree("entity " + keys[place].ToString() + " of " + name);
      }
      TALEA_TRY(CheckPartOf(name));
    }
    return {};
  }

  // A range of a namespace has those of its keys that are there.
  Status CheckPartOf(const std::string& name) {
    const EntityKey from = OneOf(random_, AllEntityKeys());
    const EntityKey to = OneOf(random_, AllEntityKeys());
    const EntityPage page = TALEA_TRY(view_.ScanEntities(name, from, to));
    std::size_t expected = 0;
    for (const auto& [entity, value] : state_.entities)
      expected += entity.first == name && entity.second >= from && entity.second < to;
    if (!page.next() && page.size() != expected) return Disagree("a range of entities of " + name);
    return {};
  }

  Status CheckCounts() {
    if (TALEA_TRY(view_.CountOutputs()) != state_.outputs.size() ||
        TALEA_TRY(view_.SumCoin()) != state_.coin())
      return Disagree("the number of outputs, or their coin");
    for (const NamespaceInformation& expected : state_.Counts())
      if (TALEA_TRY(view_.CountNamespace(expected.name)) != expected)
        return Disagree("the counts of namespace " + expected.name);
    return {};
  }

  // The hash follows from the rows alone, on whichever engine and however they came about; and no
  // other rows have the same.
  Status CheckHash(const StoredRows& rows) {
    std::string bytes;
    for (const auto& [key, value] : rows)
      bytes += fmt::format("{} {} {} {} {} ", key.first, key.second.size(), key.second,
                           value.size(), value);
    const std::size_t digest = std::hash<std::string>()(bytes);
    const std::string hash = TALEA_TRY(view_.StateHash())
    .value();
    static std::mutex mutex;
    static std::map<std::size_t, std::string> hashes;
    static std::map<std::string, std::size_t> of_hashes;
    std::lock_guard lock(mutex);
    if (hashes.emplace(digest, hash).first->second != hash)
      return Disagree("the same state has two hashes");
    if (of_hashes.emplace(hash, digest).first->second != digest)
      return Disagree("two states have the same hash");
    return {};
  }

  const ChainView& view_;
  Random& random_;
  LedgerState state_;
};

}  // namespace talea::chain
