// The long work on an index: taking in rows that exist, and counting by another histogram.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "coordination/attempts.h"
#include "histograms/reshape.h"
#include "histograms/store_state.h"
#include "keyspace/registry.h"

namespace talea {

using histograms::HistogramState;
using histograms::Index;
using histograms::IndexState;

namespace {

Error Stopped(std::string_view name, std::string_view work) {
  return Error(ErrorCode::precondition_failed,
               fmt::format("index {}: {} was stopped before its end; call it again to go on",
                           Quoted(name), work));
}

// Changes what is known of an index, in a commit of its own: whoever relied on it conflicts. The
// body returns whether there is anything to change; it may run again.
Status ChangeIndex(
    Engine& engine, std::string_view name,
    const std::function<Result<bool>(Transaction&, const Index&, IndexState&)>& body) {
  return TryUntilDecided([&]() -> Status {
    Transaction transaction(engine);
    const Index index = TALEA_TRY(histograms::FindIndex(transaction, name));
    IndexState state = *index.state;
    if (!TALEA_TRY(body(transaction, index, state))) return {};
    ++state.change;
    transaction.Put(kHistogramsKeyspace, histograms::IndexKey(index.id),
                    histograms::EncodeIndexState(state));
    transaction.Erase(kHistogramsKeyspace,
                      histograms::IndexChangeKey(index.id, index.state->change));
    TALEA_TRY(transaction.Commit());
    return {};
  });
}

void EraseHistogram(Transaction& transaction, const Index& index, const HistogramState& histogram) {
  transaction.EraseRange(kHistogramsKeyspace, histograms::BucketKeys(index.id, histogram.id));
  transaction.EraseRange(kHistogramCountersKeyspace,
                         histograms::CounterKeys(index.id, histogram.id));
}

// How many rows one transaction of a build takes in.
constexpr std::size_t kRowsAtOnce = 256;
constexpr int kMostFailures = 100;
constexpr std::chrono::microseconds kPause{100};

// The rows that are not taken in yet. Those of another source would be taken for done.
Result<KeyRange> Rest(std::string_view name, const IndexSource& source, ByteView row) {
  const histograms::BuildRow begun = TALEA_TRY(histograms::DecodeBuildRow(row));
  if (begun.keyspace == source.keyspace->id && begun.rows == source.rows) {
    if (begun.fingerprint == source.fingerprint) return source.rows.StartingAt(begun.next);
    return Fail(
        ErrorCode::precondition_failed,
        fmt::format("index {}: expected to go on building it as was begun, by {}, found {}; "
                    "drop it to begin anew",
                    Quoted(name), Quoted(begun.fingerprint), Quoted(source.fingerprint)));
  }
  return Fail(ErrorCode::precondition_failed,
              fmt::format("index {}: expected to go on building it from keys {} of keyspace number "
                          "{}, as was begun, found keys {} of keyspace {}; drop it to begin anew",
                          Quoted(name), begun.rows.ToString(), begun.keyspace,
                          source.rows.ToString(), Quoted(source.keyspace->name)));
}

// Finds out what is wrong with a source before anything is changed, with the first row that it has.
Status CheckSource(Engine& engine, std::string_view name, const IndexSource& source) {
  if (source.keyspace == nullptr || !source.entries) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("index {}: expected a source with a keyspace and a function that makes "
                            "entries, found none",
                            Quoted(name)));
  }
  const std::unique_ptr<Snapshot> snapshot = TALEA_TRY(engine.OpenSnapshot());
  Scanner rows(*snapshot, *source.keyspace, source.rows, {.row_limit = 1});
  const std::optional<Row> first = TALEA_TRY(rows.Next());
  if (first) TALEA_TRY(source.entries(*first));
  return {};
}

struct Taken {
  std::size_t rows = 0;
  bool more = false;
};

// One transaction of a build: takes in the next rows, and notes how far it has come.
Result<Taken> TakeIn(IndexStore& store, Engine& engine, std::string_view name,
                     const IndexSource& source, std::size_t most_rows) {
  Transaction transaction(engine);
  const Index index = TALEA_TRY(histograms::FindIndex(transaction.unrecorded(), name));
  if (!index.state->building) return Taken{};  // another one that was at it too has finished
  transaction.Record(kHistogramsKeyspace,
                     histograms::IndexChangeKey(index.id, index.state->change));
  const std::string cursor_key = histograms::BuildKey(index.id);
  const std::optional<std::string> cursor =
      TALEA_TRY(transaction.Get(kHistogramsKeyspace, cursor_key));
  const KeyRange rest = cursor ? TALEA_TRY(Rest(name, source, *cursor)) : source.rows;
  const Page page = TALEA_TRY(transaction.Range(*source.keyspace, rest, {.row_limit = most_rows}));
  std::vector<IndexEntry> entries;
  for (const Row& row : page) {
    std::vector<IndexEntry> of_row = TALEA_TRY(source.entries(row));
    std::ranges::move(of_row, std::back_inserter(entries));
  }
  TALEA_TRY(store.Add(transaction, name, entries));
  if (page.more()) {
    transaction.Put(kHistogramsKeyspace, cursor_key,
                    histograms::EncodeBuildRow({source.keyspace->id, source.rows,
                                                source.fingerprint, page.rest()->begin()}));
  }
  TALEA_TRY(transaction.Commit());
  return Taken{page.size(), page.more()};
}

}  // namespace

Status IndexStore::Build(std::string_view name, const IndexSource& source,
                         const IndexProgress& progress) {
  Engine& engine = state_->engine();
  TALEA_TRY(CheckSource(engine, name, source));
  TALEA_TRY(ChangeIndex(
      engine, name,
      [](Transaction& transaction, const Index& index, IndexState& state) -> Result<bool> {
        state.building = true;
        transaction.Erase(kHistogramsKeyspace, histograms::BuildKey(index.id));
        return !index.state->building;
      }));
  std::uint64_t done = 0;
  std::size_t rows_at_once = kRowsAtOnce;
  int failures = 0;  // in a row
  for (bool more = true; more;) {
    const Result<Taken> taken = TakeIn(*this, engine, name, source, rows_at_once);
    if (!taken) {
      // Everything is read again, so it does no harm if it was committed after all. Where rows are
      // changed often, fewer of them at once have better chances.
      const ErrorCode code = taken.error().code();
      const bool smaller = code == ErrorCode::too_large && rows_at_once > 1;
      const bool again = taken.error().retryable() || code == ErrorCode::outcome_unknown;
      if (!smaller && !(again && failures++ < kMostFailures)) return std::unexpected(taken.error());
      std::this_thread::sleep_for(failures * kPause);
      rows_at_once = std::max<std::size_t>(rows_at_once / 2, 1);
      continue;
    }
    failures = 0;
    rows_at_once = std::min(2 * rows_at_once, kRowsAtOnce);
    done += taken->rows;
    more = taken->more;
    if (progress && !progress(done, 0) && more) return std::unexpected(Stopped(name, "building"));
  }
  return ChangeIndex(
      engine, name,
      [](Transaction& transaction, const Index& index, IndexState& state) -> Result<bool> {
        transaction.Erase(kHistogramsKeyspace, histograms::BuildKey(index.id));
        state.building = false;
        return index.state->building;
      });
}

Status IndexStore::Change(std::string_view name, const Histogram& histogram,
                          const IndexProgress& progress) {
  if (histogram.fixed_bytes > 8) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("index {}: expected a fixed histogram of 1 to 8 bytes, found {}",
                            Quoted(name), histogram.ToString()));
  }
  Engine& engine = state_->engine();
  // Both are kept from here on. What was begun with another aim before is given up.
  TALEA_TRY(ChangeIndex(
      engine, name,
      [&](Transaction& transaction, const Index& index, IndexState& state) -> Result<bool> {
        const bool begun = state.histograms.size() > 1;
        const Histogram& kind = state.histograms.back().kind;
        if (kind == histogram) return false;
        if (begun) {
          EraseHistogram(transaction, index, state.histograms.back());
          state.histograms.pop_back();
        }
        if (state.histograms.front().kind == histogram) return true;
        const HistogramState next{
            .id = state.next_histogram++, .kind = histogram, .building = true, .layout = 1};
        state.histograms.push_back(next);
        transaction.Put(kHistogramsKeyspace, histograms::BucketKey(index.id, next.id, {"", 1}),
                        histograms::EncodeBucketRow({.uncounted = true}));
        return true;
      }));
  const State::Opened opened = TALEA_TRY(state_->Open(name));
  const HistogramState next = opened.index.state->histograms.back();
  if (!next.building) return {};
  const std::shared_ptr<histograms::Layout> layout = opened.known->LayoutOf(next.id);
  histograms::Reshaper reshaper(engine, state_->activity(), *opened.known, next.id, layout);
  const auto snapshot = TALEA_TRY(engine.OpenSnapshot());
  const std::uint64_t total = TALEA_TRY(Describe(*snapshot, name))
  .entries;
  std::uint64_t done = 0;
  while (const std::optional<std::uint64_t> counted = TALEA_TRY(reshaper.CountSome())) {
    done += *counted;
    if (progress && !progress(done, std::max(total, done))) {
      return std::unexpected(Stopped(name, "changing the histogram"));
    }
  }
  return ChangeIndex(
      engine, name,
      [&](Transaction& transaction, const Index& index, IndexState& state) -> Result<bool> {
        if (state.histograms.front().id == next.id) return false;  // it was committed after all
        if (state.histograms.back().id != next.id) {
          return Fail(ErrorCode::precondition_failed,
                      fmt::format("index {}: expected to change to {}, found that another change "
                                  "has come between",
                                  Quoted(name), histogram.ToString()));
        }
        EraseHistogram(transaction, index, state.histograms.front());
        state.histograms.erase(state.histograms.begin());
        state.histograms.front().building = false;
        return true;
      });
}

}  // namespace talea
