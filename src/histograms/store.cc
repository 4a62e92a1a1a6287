// The calls of IndexStore that create, change and read indexes.
#include <fmt/format.h>

#include <chrono>

#include "coordination/attempts.h"
#include "histograms/changes.h"
#include "histograms/estimate.h"
#include "histograms/reshape.h"
#include "histograms/store_state.h"
#include "keyspace/registry.h"

namespace talea {

using histograms::HistogramState;
using histograms::Index;
using histograms::IndexId;
using histograms::IndexState;

namespace {

Error Refused(std::string_view what, std::string_view expected, std::string_view found) {
  return Error(ErrorCode::invalid_argument,
               fmt::format("{}: expected {}, found {}", what, expected, found));
}

Status CheckHistogram(const Histogram& histogram) {
  if (histogram.fixed_bytes <= 8) return {};
  return std::unexpected(Refused("histogram", "a fixed one of 1 to 8 bytes", histogram.ToString()));
}

Status CheckOptions(std::string_view name, const IndexOptions& options) {
  if (name.empty() || name.size() > 255 || !Pack({Text(name)})) {
    return std::unexpected(Refused("index name", "1 to 255 bytes of UTF-8", Quoted(name)));
  }
  TALEA_TRY(CheckHistogram(options.histogram));
  if (options.elements < 1 || options.elements > 16) {
    return std::unexpected(Refused(fmt::format("index {}", Quoted(name)), "1 to 16 elements",
                                   fmt::format("{}", options.elements)));
  }
  if (options.peek_cap < 4 || options.peek_cap > 65'536) {
    return std::unexpected(Refused(fmt::format("index {}", Quoted(name)),
                                   "a peek cap of 4 to 65,536",
                                   fmt::format("{}", options.peek_cap)));
  }
  return {};
}

}  // namespace

IndexStore::IndexStore(Engine& engine) : state_(std::make_shared<State>(engine)) {
  histograms::SetUndoRules();
}

IndexStore::~IndexStore() = default;

Status IndexStore::Create(std::string_view name, const IndexOptions& options) {
  TALEA_TRY(CheckOptions(name, options));
  IndexId tried = 0;  // in an attempt that may have been committed
  return TryUntilDecided([&]() -> Status {
    Transaction transaction(state_->engine());
    const std::optional<std::string> row =
        TALEA_TRY(transaction.Get(kHistogramsKeyspace, histograms::NameKey(name)));
    if (row && TALEA_TRY(histograms::DecodeIndexId(*row)) == tried) return {};
    if (row) {
      return Fail(ErrorCode::already_exists,
                  fmt::format("index {}: expected none of that name, found one", Quoted(name)));
    }
    const std::optional<std::string> last =
        TALEA_TRY(transaction.Get(kHistogramsKeyspace, histograms::LastIndexKey()));
    const IndexId id = last ? TALEA_TRY(histograms::DecodeIndexId(*last))
    +1 : 1;
    const IndexState state{.name = std::string(name),
                           .elements = options.elements,
                           .peek_cap = options.peek_cap,
                           .change = 1,
                           .next_histogram = 2,
                           .histograms = {{.id = 1, .kind = options.histogram, .layout = 1}}};
    transaction.Put(kHistogramsKeyspace, histograms::LastIndexKey(), histograms::EncodeIndexId(id));
    transaction.Put(kHistogramsKeyspace, histograms::NameKey(name), histograms::EncodeIndexId(id));
    transaction.Put(kHistogramsKeyspace, histograms::IndexKey(id),
                    histograms::EncodeIndexState(state));
    transaction.Put(kHistogramsKeyspace, histograms::BucketKey(id, 1, {"", 1}),
                    histograms::EncodeBucketRow({}));
    const Result<Version> committed = transaction.Commit();
    if (committed) return {};
    if (committed.error().code() == ErrorCode::outcome_unknown) tried = id;
    return std::unexpected(committed.error());
  });
}

Status IndexStore::Drop(std::string_view name) {
  IndexId dropped = 0;  // in an attempt that may have been committed
  const Status status = TryUntilDecided([&]() -> Status {
    Transaction transaction(state_->engine());
    const Result<Index> index = histograms::FindIndex(transaction, name);
    if (!index && index.error().code() == ErrorCode::not_found && dropped != 0) return {};
    if (!index) return std::unexpected(index.error());
    if (dropped != 0 && index->id != dropped) return {};  // another one was created since
    transaction.Erase(kHistogramsKeyspace, histograms::NameKey(name));
    transaction.Erase(kHistogramsKeyspace, histograms::IndexKey(index->id));
    transaction.Erase(kHistogramsKeyspace, histograms::BuildKey(index->id));
    transaction.Erase(kHistogramsKeyspace,
                      histograms::IndexChangeKey(index->id, index->state->change));
    transaction.EraseRange(kHistogramsKeyspace, histograms::EntryKeys(index->id));
    transaction.EraseRange(kHistogramsKeyspace, histograms::BucketKeysOfIndex(index->id));
    transaction.EraseRange(kHistogramCountersKeyspace, histograms::CounterKeysOfIndex(index->id));
    const Result<Version> committed = transaction.Commit();
    if (committed) return {};
    if (committed.error().code() == ErrorCode::outcome_unknown) dropped = index->id;
    return std::unexpected(committed.error());
  });
  if (status) state_->Forget(name);
  return status;
}

namespace {

Result<IndexInformation> Inform(Reader& reader, histograms::CoarseSums& sums, const Index& index) {
  const HistogramState& reading = index.reading();
  IndexInformation information{.name = index.state->name,
                               .options = {.histogram = reading.kind,
                                           .elements = index.state->elements,
                                           .peek_cap = index.state->peek_cap},
                               .building = index.state->building};
  for (const HistogramState& each : index.state->histograms) {
    if (each.building) information.next_histogram = each.kind;
  }
  const std::int64_t entries = TALEA_TRY(sums.Sum(reader, index.id, reading.id, {}))
  .sum;
  information.entries = static_cast<std::uint64_t>(std::max<std::int64_t>(entries, 0));
  return information;
}

}  // namespace

Result<std::vector<IndexInformation>> IndexStore::List(Reader& reader) {
  std::vector<std::string> names;
  Scanner rows(reader, kHistogramsKeyspace, histograms::NameKeys());
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    names.push_back(TALEA_TRY(histograms::NameOfKey(row->key)));
  }
  std::vector<IndexInformation> list;
  for (const std::string& name : names) list.push_back(TALEA_TRY(Describe(reader, name)));
  return list;
}

Result<IndexInformation> IndexStore::Describe(Reader& reader, std::string_view name) {
  return Inform(reader, state_->sums(), TALEA_TRY(state_->Find(reader, name)));
}

Result<bool> IndexStore::Add(Transaction& transaction, std::string_view name, const Tuple& value,
                             const Element& document) {
  const IndexEntry entry{value, document};
  return TALEA_TRY(Add(transaction, name, {&entry, 1}))
  == 1;
}

Result<bool> IndexStore::Remove(Transaction& transaction, std::string_view name, const Tuple& value,
                                const Element& document) {
  const IndexEntry entry{value, document};
  return TALEA_TRY(Remove(transaction, name, {&entry, 1}))
  == 1;
}

Result<std::size_t> IndexStore::Add(Transaction& transaction, std::string_view name,
                                    std::span<const IndexEntry> entries) {
  return state_->Change(transaction, name, entries, true);
}

Result<std::size_t> IndexStore::Remove(Transaction& transaction, std::string_view name,
                                       std::span<const IndexEntry> entries) {
  return state_->Change(transaction, name, entries, false);
}

Result<bool> IndexStore::Update(Transaction& transaction, std::string_view name,
                                const Element& document, const Tuple& from, const Tuple& to) {
  if (from == to) return Add(transaction, name, to, document);
  // What cannot be added is not taken away either.
  const bool added = TALEA_TRY(Add(transaction, name, to, document));
  const bool removed = TALEA_TRY(Remove(transaction, name, from, document));
  return added || removed;
}

Result<std::uint64_t> IndexStore::Scan(Reader& reader, std::string_view name, const Where& where,
                                       const std::function<bool(const IndexEntry&)>& visit,
                                       bool reverse) {
  const Index index = TALEA_TRY(state_->Find(reader, name));
  std::vector<Where::Interval> intervals = TALEA_TRY(where.Intervals(index.state->elements));
  if (reverse) std::ranges::reverse(intervals);
  std::uint64_t visits = 0;
  for (const Where::Interval& interval : intervals) {
    Scanner rows(reader, kHistogramsKeyspace,
                 histograms::EntryKeysWithin(index.id, interval.lower, interval.upper),
                 {.reverse = reverse});
    while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
      Tuple tuple =
          TALEA_TRY(Unpack(TALEA_TRY(histograms::PartsOfEntryKey(row->key)).value_and_document));
      IndexEntry entry;
      if (tuple.size() != index.state->elements + std::size_t{1}) {
        return Fail(ErrorCode::corruption,
                    fmt::format("index {}: expected an entry of {} elements and a document, found "
                                "{}",
                                Quoted(name), index.state->elements, ToString(tuple)));
      }
      entry.document = std::move(tuple.back());
      tuple.pop_back();
      entry.value = std::move(tuple);
      ++visits;
      if (!visit(entry)) return visits;
    }
  }
  return visits;
}

Result<std::uint64_t> IndexStore::Count(Reader& reader, std::string_view name, const Where& where,
                                        std::uint64_t most) {
  const Index index = TALEA_TRY(state_->Find(reader, name));
  std::uint64_t count = 0;
  for (Where::Interval& interval : TALEA_TRY(where.Intervals(index.state->elements))) {
    if (count == most) break;
    count += TALEA_TRY(histograms::CountEntries(
        reader, index.id, {std::move(interval.lower), std::move(interval.upper)}, most - count));
  }
  return count;
}

Result<CountEstimate> IndexStore::Estimate(Reader& reader, std::string_view name,
                                           const Where& where, const EstimateOptions& options) {
  return TALEA_TRY(Explain(reader, name, where, options))
  .estimate;
}

Result<Explanation> IndexStore::Explain(Reader& reader, std::string_view name, const Where& where,
                                        const EstimateOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const Index index = TALEA_TRY(state_->Find(reader, name));
  if (index.state->building) {
    return Fail(ErrorCode::precondition_failed,
                fmt::format("index {}: expected it to be whole for an estimate, found that it is "
                            "being built",
                            Quoted(name)));
  }
  const std::vector<Where::Interval> intervals = TALEA_TRY(where.Intervals(index.state->elements));
  Explanation explanation =
      TALEA_TRY(histograms::EstimateIntervals(reader, state_->sums(), index, intervals, options));
  histograms::Activity& activity = state_->activity();
  ++activity.estimates;
  if (options.peek) ++activity.peeks;
  if (options.peek && explanation.estimate.exact) ++activity.peek_hits;
  activity.latencies.Add(std::chrono::steady_clock::now() - start);
  return explanation;
}

Status IndexStore::Settle(std::string_view name) {
  const State::Opened opened = TALEA_TRY(state_->Open(name));
  for (const HistogramState& histogram : opened.index.state->histograms) {
    const std::shared_ptr<histograms::Layout> layout = opened.known->LayoutOf(histogram.id);
    histograms::Reshaper reshaper(state_->engine(), state_->activity(), *opened.known, histogram.id,
                                  layout);
    TALEA_TRY(reshaper.Settle());
  }
  return {};
}

}  // namespace talea
