// Secondary indexes that know how many entries match, without reading them.
//
//   IndexStore indexes(database->engine());
//   TALEA_TRY(indexes.Create("people-by-city"));
//   TALEA_TRY(database->Transact([&](Transaction& transaction) -> Status {
//     transaction.Put(kPeople, "ada", row);
//     TALEA_TRY(indexes.Add(transaction, "people-by-city", {"London"}, "ada"));
//     return {};
//   }));
//   auto snapshot = TALEA_TRY(database->OpenSnapshot());
//   CountEstimate people = TALEA_TRY(indexes.Estimate(*snapshot, "people-by-city",
//                                                Where::Range({"A"}, {"M"})));
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "talea/engine.h"
#include "talea/keyspace.h"
#include "talea/reader.h"
#include "talea/result.h"
#include "talea/transaction.h"
#include "talea/tuple.h"
#include "talea/where.h"

namespace talea {

// How the values of an index are counted.
//
// A learned histogram finds its buckets in the data, and divides or unites them as it changes. With
// a peek at the entries on the edges its estimates are exact, but for moments of growth. A fixed
// one counts by the first bytes of a value, whatever the data: simple, cheap, and good where those
// bytes are spread evenly.
struct Histogram {
  std::uint8_t fixed_bytes = 0;  // 0: learned; else 1 to 8

  static Histogram Learned() { return {}; }
  static Histogram Fixed(std::uint8_t bytes) { return {bytes}; }
  bool learned() const { return fixed_bytes == 0; }

  // learned, or fixed(2); and the same read back, for tools.
  std::string ToString() const;
  static Result<Histogram> Parse(std::string_view text);

  friend bool operator==(const Histogram&, const Histogram&) = default;
};

struct IndexOptions {
  Histogram histogram = {};

  // How many elements a value has: 1 to 16.
  std::uint8_t elements = 1;

  // How many entries an estimate may read at an edge: 4 to 65,536. Buckets are divided as they
  // outgrow twice as many.
  std::uint32_t peek_cap = 1024;
};

struct IndexEntry {
  Tuple value;
  Element document;  // what has that value: the key of a row, a number, a UUID
  friend bool operator==(const IndexEntry&, const IndexEntry&) = default;
};

// How many entries match. The truth lies within [low, high], at the state that was read; `exact`
// means that it is `estimate`.
struct CountEstimate {
  double estimate = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool exact = true;
  friend bool operator==(const CountEstimate&, const CountEstimate&) = default;
};

struct EstimateOptions {
  bool peek = true;  // whether entries may be read, and not the histogram alone
};

// How an estimate was made, an entry for each interval of the condition.
struct Explanation {
  struct Edge {
    std::string lower;  // of the bucket: packed bytes, as in Where::Interval
    std::optional<std::string> upper;
    std::int64_t count = 0;          // in the whole bucket
    std::uint64_t entries_read = 0;  // peeked at
    double before = 0;  // the entries in it before this end of the interval, as estimated
    bool exact = true;
  };
  struct Step {
    Where::Interval interval;
    std::optional<Edge> first;          // absent: the interval begins with the first bucket
    std::optional<Edge> last;           // absent: the interval ends with the last bucket
    std::uint64_t counters_read = 0;    // of the histogram, edges included
    std::int64_t between = 0;           // the sum of the buckets that lie in the interval wholly
    std::uint64_t entries_counted = 0;  // where the interval was simply counted
    CountEstimate estimate;
  };
  Histogram histogram;
  std::vector<Step> steps;
  CountEstimate estimate;
};

// A bucket of the histogram: how many entries lie in [lower, upper).
struct IndexBucket {
  std::string lower;  // packed bytes, as in Where::Interval; of a fixed one its prefix
  std::optional<std::string> upper;
  std::int64_t count = 0;
  bool dividing = false;  // its parts are being counted, so it still stands for them
};

struct IndexInformation {
  std::string name;
  IndexOptions options;                     // the histogram is the one that estimates read
  bool building = false;                    // it lacks rows that Build has yet to take in
  std::optional<Histogram> next_histogram;  // that Change is counting for
  std::uint64_t entries = 0;
};

// A value and the number of its entries.
struct CommonValue {
  Tuple value;
  std::uint64_t entries = 0;
};

struct CommonValues {
  std::vector<CommonValue> values;  // the most common first; their numbers are exact
  // No other value has more entries than this.
  std::uint64_t others_have_at_most = 0;
};

// The part of the entries whose value is null, or begins with null.
struct NullShare {
  double fraction = 0;
  CountEstimate entries;
};

// Where Build takes rows from. Rows must be changed in the transactions that also change the index.
struct IndexSource {
  const Keyspace* keyspace = nullptr;
  KeyRange rows = KeyRange::All();
  // The entries that a row has in the index: none, one or more. It may be called again for a row,
  // and is called by the thread that builds. Its error ends the build, and is returned.
  std::function<Result<std::vector<IndexEntry>>(const Row& row)> entries;
  // Of how they are made. A build that was left off is gone on with only where it is the same.
  std::string fingerprint = {};
};

// Told now and then during long work, in the thread that does it; the total is 0 where it is not
// known. Returning false stops it with precondition_failed, to be taken up by another call.
using IndexProgress = std::function<bool(std::uint64_t done, std::uint64_t total_estimate)>;

// Indexes by name, in Talea's own keyspaces of an engine. Each entry, and the counter that stands
// for it, is written in the caller's transaction: beside the row that it points to, or not at all.
//
// Writing never waits for and never aborts others over a counter: transactions conflict only where
// they write the same entry, or span the whole of a bucket's division, or a change of the index.
// Buckets are divided after a commit, in the thread that committed; see Transaction::Afterwards.
//
// May be used from any thread. One store for an engine is enough, and best: each remembers the
// buckets, and has to read them anew when another one divides some. The engine must outlive it.
class IndexStore {
 public:
  explicit IndexStore(Engine& engine);
  ~IndexStore();

  // Names are 1 to 255 bytes of UTF-8. These are commits of their own, tried again until decided.
  // already_exists, not_found.
  Status Create(std::string_view name, const IndexOptions& options = {});
  Status Drop(std::string_view name);

  Result<std::vector<IndexInformation>> List(Reader& reader);
  Result<IndexInformation> Describe(Reader& reader, std::string_view name);

  // Each tells how many entries it has added or removed: an entry that is there already is not
  // added again, and one that is not there is not removed. Round trips: one, and one more when the
  // store does not know the index or its buckets yet.
  Result<bool> Add(Transaction& transaction, std::string_view name, const Tuple& value,
                   const Element& document);
  Result<bool> Remove(Transaction& transaction, std::string_view name, const Tuple& value,
                      const Element& document);
  Result<std::size_t> Add(Transaction& transaction, std::string_view name,
                          std::span<const IndexEntry> entries);
  Result<std::size_t> Remove(Transaction& transaction, std::string_view name,
                             std::span<const IndexEntry> entries);

  // The document's value changes from one to the other: afterwards it has the second and not the
  // first. Returns whether that changed anything.
  Result<bool> Update(Transaction& transaction, std::string_view name, const Element& document,
                      const Tuple& from, const Tuple& to);

  // Calls `visit` for each entry that matches, in ascending order of value and document, or in
  // descending order, until it returns false. Returns the number of visits.
  Result<std::uint64_t> Scan(Reader& reader, std::string_view name, const Where& where,
                             const std::function<bool(const IndexEntry&)>& visit,
                             bool reverse = false);

  // Counts the entries that match by reading them, up to `most`.
  Result<std::uint64_t> Count(Reader& reader, std::string_view name, const Where& where,
                              std::uint64_t most);

  // How many entries match. Reads the counters between the ends of the condition, and at most
  // twice the peek cap of entries at each end. Not while the index is being built.
  //
  // Give it a snapshot of the store's engine. Within a transaction, unrecorded() records nothing;
  // but if it has written to the index itself, and buckets were divided or united since it began,
  // the answer can be wrong by its own entries.
  Result<CountEstimate> Estimate(Reader& reader, std::string_view name, const Where& where,
                                 const EstimateOptions& options = {});
  Result<Explanation> Explain(Reader& reader, std::string_view name, const Where& where,
                              const EstimateOptions& options = {});

  // The buckets, in ascending order.
  Result<std::vector<IndexBucket>> Buckets(Reader& reader, std::string_view name);

  // The number of different values. Reads the entries of at most `sample` buckets, spread evenly;
  // it is exact if that is all of them.
  Result<CountEstimate> Distinct(Reader& reader, std::string_view name, std::size_t sample = 32);

  // The most common values, at most so many: those that have a bucket of their own, and those that
  // are found in the `sample` largest of the other buckets.
  Result<CommonValues> MostCommon(Reader& reader, std::string_view name, std::size_t most,
                                  std::size_t sample = 32);

  Result<NullShare> NullFraction(Reader& reader, std::string_view name);

  // Takes in the rows that exist already, while others change them: from when Build is called,
  // writers must change the index together with the rows. Until it is finished there are no
  // estimates. After a crash call it again, with the same source: it goes on where it was.
  //
  // Do not roll back (Database::RollBack) to before it was finished: an undo record from before an
  // entry was taken in does not know of it.
  Status Build(std::string_view name, const IndexSource& source,
               const IndexProgress& progress = {});

  // Has the index counted by another histogram, while it is read and written: both are kept until
  // the new one has counted everything, then estimates read that one, and the old one goes. After a
  // crash call it again: it goes on where it was.
  Status Change(std::string_view name, const Histogram& histogram,
                const IndexProgress& progress = {});

  // Finishes the divisions that were left half-way by a crash, and divides or unites what has
  // outgrown its bounds without notice. Writing does so as it goes; this is for after a restore.
  Status Settle(std::string_view name);

  // Counts every entry of the index and compares: fails with corruption, naming the bucket, what
  // its counter says and what is there. All that it reads is of the reader's state.
  Status Verify(Reader& reader, std::string_view name, const IndexProgress& progress = {});

  // talea_histograms_adds_total, .._deletes_total, .._estimates_total, .._estimate_latency_ms
  // (label: p50, p90, p99), .._peek_hit_rate, .._divisions_total, .._unions_total: of this store,
  // since it was made. And .._hottest_bucket: the five buckets of all indexes that were written
  // most.
  std::vector<Metric> Metrics() const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace talea
