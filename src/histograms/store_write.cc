// How an IndexStore writes: looks what is there, and counts what changes.
#include <fmt/format.h>

#include <algorithm>

#include "histograms/changes.h"
#include "histograms/reshape.h"
#include "histograms/store_state.h"
#include "keyspace/registry.h"
#include "talea/tuple_packer.h"

namespace talea {

using histograms::HistogramState;
using histograms::Index;
using histograms::IndexState;
using histograms::KnownIndex;
using histograms::Layout;
using histograms::Pin;

namespace histograms {
namespace {

// What a transaction has counted in a bucket, to be remembered when it is committed.
struct Counted {
  Pin pin;
  std::int64_t delta;
};

// What there is to do for a histogram once a transaction is committed.
struct Aftermath {
  std::shared_ptr<KnownIndex> index;
  std::uint32_t peek_cap;
  HistogramState histogram;
  std::shared_ptr<Layout> layout;
  std::vector<Counted> counted;
};

void Tend(Engine& engine, Activity& activity, Aftermath aftermath) {
  const std::int64_t cap = aftermath.peek_cap;
  for (const Counted& counted : aftermath.counted) {
    Bucket& bucket = *counted.pin.bucket();
    const std::int64_t entries = bucket.entries += counted.delta;
    bucket.writes += static_cast<std::uint64_t>(std::abs(counted.delta));
    if (counted.delta < 0) bucket.patience = std::min(bucket.patience.load(), entries + cap);
    if (bucket.uncounted || !aftermath.histogram.kind.learned()) continue;
    const bool grown = counted.delta > 0 && bucket.IsTooLarge(cap);
    const bool shrunk = counted.delta < 0 && 4 * entries < cap;
    if (grown || shrunk) aftermath.layout->Note(counted.pin.bucket());
  }
  aftermath.counted.clear();  // and its pins with it
  if (!aftermath.layout->HasNoted() && aftermath.layout->Unfinished().empty()) return;
  Reshaper(engine, activity, *aftermath.index, aftermath.histogram.id, aftermath.layout).Tend(cap);
}

}  // namespace
}  // namespace histograms

namespace {

// The keys of entries, ascending and each once.
Result<std::vector<std::string>> KeysOf(std::string_view name, std::span<const IndexEntry> entries,
                                        const std::string& prefix) {
  std::vector<std::string> keys;
  keys.reserve(entries.size());
  for (const IndexEntry& entry : entries) {
    std::string& key = keys.emplace_back(prefix);
    TuplePacker packer(key);
    Status status = packer.AddAll(entry.value);
    if (status) status = packer.Add(entry.document);
    if (!status) {
      return Fail(status.error().code(),
                  fmt::format("index {}, entry {} of {}: {}", Quoted(name), ToString(entry.value),
                              entry.document.ToString(), status.error().message()));
    }
  }
  std::ranges::sort(keys);
  const auto repeated = std::ranges::unique(keys);
  keys.erase(repeated.begin(), repeated.end());
  return keys;
}

Status CheckElements(std::string_view name, std::span<const IndexEntry> entries,
                     std::size_t elements) {
  for (const IndexEntry& entry : entries) {
    if (entry.value.size() == elements) continue;
    return Fail(ErrorCode::invalid_argument,
                fmt::format("index {}: expected a value of {} element{}, found {}", Quoted(name),
                            elements, elements == 1 ? "" : "s", ToString(entry.value)));
  }
  return {};
}

}  // namespace

Result<std::size_t> IndexStore::State::Change(Transaction& transaction, std::string_view name,
                                              std::span<const IndexEntry> entries, bool add) {
  if (&transaction.engine() != &engine_) {
    return Fail(
        ErrorCode::invalid_argument,
        fmt::format("index {}: expected a transaction on the engine that the store was made "
                    "for, found another engine",
                    Quoted(name)));
  }
  const Found found = TALEA_TRY(Look(transaction, name, entries));
  TALEA_TRY(CheckElements(name, entries, found.state->elements));
  // Whatever can fail comes before the first write.
  for (const HistogramState& histogram : found.state->histograms) {
    TALEA_TRY(BringUpToDate(transaction.unrecorded(), *found.index, histogram,
                            *found.index->LayoutOf(histogram.id)));
  }
  const std::size_t prefix = histograms::EntryPrefix(found.index->id()).size();
  std::vector<ByteView> changed;  // packed values and documents
  for (std::size_t place = 0; place < found.keys.size(); ++place) {
    const std::string& key = found.keys[place];
    transaction.Record(kHistogramsKeyspace, key);
    if (found.present[place] == add) continue;
    changed.push_back(ByteView(key).substr(prefix));
    if (add) {
      transaction.Insert(kHistogramsKeyspace, key, "");
    } else {
      transaction.Erase(kHistogramsKeyspace, key);
    }
  }
  transaction.Record(kHistogramsKeyspace,
                     histograms::IndexChangeKey(found.index->id(), found.state->change));
  if (!changed.empty()) CountChanges(transaction, found, changed, add);
  return changed.size();
}

void IndexStore::State::CountChanges(Transaction& transaction, const Found& found,
                                     const std::vector<ByteView>& changed, bool add) {
  const Index index{found.index->id(), found.state};
  const std::int64_t delta = add ? 1 : -1;
  std::vector<histograms::Aftermath> aftermaths;
  for (const HistogramState& histogram : index.state->histograms) {
    histograms::Aftermath& aftermath = aftermaths.emplace_back(
        found.index, index.state->peek_cap, histogram, found.index->LayoutOf(histogram.id));
    std::vector<std::size_t> starts;
    aftermath.layout->FindSorted(changed, [&](std::size_t place, Pin pin) {
      starts.push_back(place);
      aftermath.counted.push_back({std::move(pin), 0});
    });
    starts.push_back(changed.size());
    for (std::size_t part = 0; part < aftermath.counted.size(); ++part) {
      const std::span entries =
          std::span(changed).subspan(starts[part], starts[part + 1] - starts[part]);
      histograms::Counted& counted = aftermath.counted[part];
      counted.delta = delta * static_cast<std::int64_t>(entries.size());
      CountIn(transaction, index, histogram, *counted.pin.bucket(), entries, delta);
    }
  }
  transaction.Afterwards([self = shared_from_this(), count = changed.size(), add,
                          aftermaths = std::move(aftermaths)]() mutable {
    (add ? self->activity_.adds : self->activity_.deletes) += count;
    for (histograms::Aftermath& aftermath : aftermaths) {
      Tend(self->engine_, self->activity_, std::move(aftermath));
    }
  });
}

// Reads what is known of the index together with the entries. What is remembered of it may be out
// of date: it may have been dropped, or dropped and created anew. Then the name is looked up.
Result<IndexStore::State::Found> IndexStore::State::Look(Transaction& transaction,
                                                         std::string_view name,
                                                         std::span<const IndexEntry> entries) {
  Reader& reader = transaction.unrecorded();
  std::shared_ptr<KnownIndex> known = Recall(name);
  for (int looks = 0; looks < 2; ++looks) {
    if (!known) known = Known(name, TALEA_TRY(histograms::FindIndex(reader, name)).id);
    std::vector<std::string> keys =
        TALEA_TRY(KeysOf(name, entries, histograms::EntryPrefix(known->id())));
    const std::string index_key = histograms::IndexKey(known->id());
    std::vector<KeyReference> references{{kHistogramsKeyspace, index_key}};
    references.reserve(keys.size() + 1);
    for (const std::string& key : keys) references.emplace_back(kHistogramsKeyspace, key);
    const std::vector<std::optional<std::string>> values = TALEA_TRY(reader.MultiGet(references));
    std::shared_ptr<const IndexState> state;
    if (values.front()) state = TALEA_TRY(known->Decode(*values.front()));
    if (state && state->name == name) {
      Found found{std::move(known), std::move(state), std::move(keys), {}};
      found.present.reserve(found.keys.size());
      for (std::size_t place = 1; place < values.size(); ++place) {
        found.present.push_back(values[place].has_value());
      }
      return found;
    }
    Forget(name);
    known = nullptr;
  }
  return std::unexpected(histograms::UnknownIndex(name));
}

Status IndexStore::State::BringUpToDate(Reader& reader, KnownIndex& index,
                                        const HistogramState& histogram, Layout& layout) {
  if (layout.number() >= histogram.layout) return {};
  return histograms::ReadLayout(reader, index.id(), histogram, layout);
}

}  // namespace talea
