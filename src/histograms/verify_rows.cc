#include "histograms/verify_rows.h"

#include <fmt/format.h>

#include "histograms/entry_counts.h"
#include "histograms/known_indexes.h"
#include "histograms/tiling.h"
#include "keyspace/registry.h"
#include "talea/tuple_reader.h"

namespace talea::histograms {
namespace {

// Rows come by kind, then by index; so what belongs to an index, or to the buckets of a histogram,
// is whole once another one begins.
class IndexRows final : public RowCheck {
 public:
  explicit IndexRows(const CheckedDatabase& database) : database_(database), indexes_(database) {}

  void Check(const Row& row, Problems& problems) override {
    Note(row.key, CheckRow(row, problems), problems);
  }

  void Finish(Problems& problems) override {
    EndEntries(problems);
    EndBuckets(problems);
  }

 private:
  struct Buckets {
    IndexId index;
    HistogramId histogram;
    std::string last_key;
    Tiling tiling = {};
    bool readable = true;  // all of them so far; else where the next one begins is not known
  };

  Status CheckRow(const Row& row, Problems& problems);
  Status CheckName(const Row& row);
  Status CheckIndex(const Row& row, Problems& problems);
  Status CheckNamed(IndexId id, const IndexState& state) const;
  Status CheckNumber(IndexId id) const;
  Status CheckHasBuckets(const Index& index) const;
  Status CheckEntry(const Row& row, Problems& problems);
  Status CheckBucket(const Row& row, Problems& problems);
  Status CheckLastIndex(const Row& row) const;
  Status CheckBuild(const Row& row);

  void CountWithoutEntries(const Index& index, Problems& problems) const;
  void BeginEntries(IndexId id, Problems& problems);
  void EndEntries(Problems& problems);
  void EndBuckets(Problems& problems);

  Result<std::optional<std::string>> Find(ByteView key) const {
    return database_.Find(kHistogramsKeyspace, key);
  }
  Result<bool> HasRows(const KeyRange& range) const {
    Scanner rows(*database_.reader, kHistogramsKeyspace, range, {.row_limit = 1});
    return TALEA_TRY(rows.Next())
    .has_value();
  }
  void Note(ByteView key, const Status& status, Problems& problems) const {
    database_.Note(kHistogramsKeyspace, key, status, problems);
  }

  const CheckedDatabase database_;
  KnownIndexes indexes_;
  std::optional<IndexId> entries_of_;
  std::optional<EntryCounts> counts_;
  std::optional<Buckets> buckets_;
};

Status IndexRows::CheckRow(const Row& row, Problems& problems) {
  TupleReader reader(row.key);
  const std::uint64_t kind = TALEA_TRY(reader.Uint());
  if (kind > static_cast<std::uint64_t>(HistogramsPrefix::entry)) EndEntries(problems);
  if (kind > static_cast<std::uint64_t>(HistogramsPrefix::bucket)) EndBuckets(problems);
  switch (kind) {
    case static_cast<std::uint64_t>(HistogramsPrefix::name):
      return CheckName(row);
    case static_cast<std::uint64_t>(HistogramsPrefix::index):
      return CheckIndex(row, problems);
    case static_cast<std::uint64_t>(HistogramsPrefix::entry):
      return CheckEntry(row, problems);
    case static_cast<std::uint64_t>(HistogramsPrefix::bucket):
      return CheckBucket(row, problems);
    case static_cast<std::uint64_t>(HistogramsPrefix::last_index):
      return CheckLastIndex(row);
    case static_cast<std::uint64_t>(HistogramsPrefix::build):
      return CheckBuild(row);
    default:
      return Damaged("row of an index", "a kind that Talea writes", fmt::format("{}", kind));
  }
}

Status IndexRows::CheckName(const Row& row) {
  const std::string name = TALEA_TRY(NameOfKey(row.key));
  const IndexId id = TALEA_TRY(DecodeIndexId(row.value));
  const Index* const index = TALEA_TRY(indexes_.Find("name of an index", id));
  if (!index || index->state->name == name) return {};
  return Damaged("name of an index",
                 fmt::format("index number {} to be called {}", id, Quoted(name)),
                 Quoted(index->state->name));
}

Status IndexRows::CheckIndex(const Row& row, Problems& problems) {
  const IndexId id = TALEA_TRY(IndexOfKey(row.key));
  const Index index {
    id, std::make_shared<const IndexState>(TALEA_TRY(DecodeIndexState(row.value)))
  };
  if (!database_.complete) return {};
  CountWithoutEntries(index, problems);
  Note(row.key, CheckNumber(id), problems);
  Note(row.key, CheckHasBuckets(index), problems);
  return CheckNamed(id, *index.state);
}

Status IndexRows::CheckNamed(IndexId id, const IndexState& state) const {
  const auto value = TALEA_TRY(Find(NameKey(state.name)));
  const Result<IndexId> named = value ? DecodeIndexId(*value) : Result<IndexId>(id);
  if (value && (!named || *named == id)) return {};  // or that row has a problem of its own
  return Damaged("index", fmt::format("the name {} to lead to it", Quoted(state.name)),
                 value ? fmt::format("number {} there", *named) : "no such name");
}

Status IndexRows::CheckNumber(IndexId id) const {
  const auto value = TALEA_TRY(Find(LastIndexKey()));
  const Result<IndexId> last = value ? DecodeIndexId(*value) : Result<IndexId>(0);
  if (value && (!last || id <= *last)) return {};
  return Damaged("index", fmt::format("the number of the newest index to be {} or more", id),
                 value ? fmt::format("{}", *last) : "none");
}

Status IndexRows::CheckHasBuckets(const Index& index) const {
  for (const HistogramState& histogram : index.state->histograms) {
    if (TALEA_TRY(HasRows(BucketKeys(index.id, histogram.id)))) continue;
    return Damaged("index", fmt::format("buckets of histogram {}", histogram.id), "none");
  }
  return {};
}

// No entry will come by to have these counted.
void IndexRows::CountWithoutEntries(const Index& index, Problems& problems) const {
  const Result<bool> has_entries = HasRows(EntryKeys(index.id));
  if (has_entries && !*has_entries) EntryCounts(database_, index).Finish(problems);
}

Status IndexRows::CheckEntry(const Row& row, Problems& problems) {
  const EntryKeyParts parts = TALEA_TRY(PartsOfEntryKey(row.key));
  if (entries_of_ != parts.index) BeginEntries(parts.index, problems);
  if (counts_) counts_->Take(parts.value_and_document, problems);
  const Index* const index = TALEA_TRY(indexes_.Find("entry", parts.index));
  const Tuple elements = TALEA_TRY(Unpack(parts.value_and_document));
  if (!row.value.empty()) return Damaged("entry", "a value of no bytes", Quoted(row.value));
  if (!index || elements.size() == index->state->elements + 1u) return {};
  return Damaged("entry",
                 fmt::format("a value of {} elements and a document, as index {} has",
                             index->state->elements, Quoted(index->state->name)),
                 ToString(elements));
}

void IndexRows::BeginEntries(IndexId id, Problems& problems) {
  EndEntries(problems);
  entries_of_ = id;
  if (!database_.complete) return;
  const Result<const Index*> index = indexes_.Find("entry", id);
  if (index && *index) counts_.emplace(database_, **index);
}

void IndexRows::EndEntries(Problems& problems) {
  if (counts_) counts_->Finish(problems);
  counts_.reset();
  entries_of_.reset();
}

Status IndexRows::CheckBucket(const Row& row, Problems& problems) {
  const BucketKeyParts parts = TALEA_TRY(PartsOfBucketKey(row.key));
  if (!buckets_ || buckets_->index != parts.index || buckets_->histogram != parts.histogram) {
    EndBuckets(problems);
    buckets_ = Buckets{parts.index, parts.histogram, {}};
  }
  buckets_->last_key = row.key;
  const Result<BucketRow> decoded = DecodeBucketRow(row.value);
  buckets_->readable = buckets_->readable && decoded;
  const BucketRow bucket = TALEA_TRY(decoded);
  const Status tiled = buckets_->readable ? buckets_->tiling.Add(parts.bucket, bucket) : Status();
  const HistogramState* const histogram =
      TALEA_TRY(indexes_.FindHistogram("bucket", parts.index, parts.histogram));
  if (!histogram || !tiled) return tiled;
  if (bucket.uncounted && !histogram->building) {
    return Damaged("bucket", "one that is counted, in a histogram that is not building",
                   "one that is not");
  }
  if (parts.bucket.generation <= histogram->layout) return {};
  return Damaged("bucket", fmt::format("a generation up to {}, the layout's", histogram->layout),
                 fmt::format("{}", parts.bucket.generation));
}

void IndexRows::EndBuckets(Problems& problems) {
  if (buckets_ && buckets_->readable && database_.complete) {
    Note(buckets_->last_key, buckets_->tiling.Finish(), problems);
  }
  buckets_.reset();
}

Status IndexRows::CheckLastIndex(const Row& row) const {
  if (row.key != LastIndexKey()) {
    return Damaged("number of the newest index", "a key of one element", "more");
  }
  TALEA_TRY(DecodeIndexId(row.value));
  return {};
}

Status IndexRows::CheckBuild(const Row& row) {
  const IndexId id = TALEA_TRY(IndexOfBuildKey(row.key));
  TALEA_TRY(DecodeBuildRow(row.value));
  const Index* const index = TALEA_TRY(indexes_.Find("build of an index", id));
  if (!index || index->state->building) return {};
  return Damaged("build of an index",
                 fmt::format("index {} to be building", Quoted(index->state->name)),
                 "that it is not");
}

}  // namespace

std::unique_ptr<RowCheck> MakeIndexRowCheck(const CheckedDatabase& database) {
  return std::make_unique<IndexRows>(database);
}

}  // namespace talea::histograms
