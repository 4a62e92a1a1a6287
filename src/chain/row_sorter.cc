#include "chain/row_sorter.h"

#include <algorithm>

#include "base/check.h"
#include "base/coding.h"
#include "chain/spilled_rows.h"

namespace talea::chain {
namespace {

constexpr std::size_t kMostRuns = 64;  // of one generation
constexpr std::size_t kLeastReadBytes = 16 << 10;
constexpr std::size_t kMostReadBytes = 1 << 20;

}  // namespace

// Gives the rows of several runs in order.
class RowSorter::Merge {
 public:
  Merge(const ScratchFile& file, std::span<const Extent> runs, std::size_t memory_bytes) {
    const std::size_t buffer =
        std::clamp(memory_bytes / runs.size(), kLeastReadBytes, kMostReadBytes);
    runs_.reserve(runs.size());
    for (const Extent& run : runs) runs_.emplace_back(file, run.begin, run.end, buffer);
  }

  // The next row as it is packed, valid until the next call; nothing at the end.
  Result<std::optional<ByteView>> Next() {
    if (!begun_) {
      TALEA_TRY(Begin());
    } else if (!heap_.empty()) {
      TALEA_TRY(Advance());
    }
    if (heap_.empty()) return std::nullopt;
    return heap_.front().run->packed();
  }

 private:
  struct Head {
    std::uint64_t prefix;
    SpilledRows* run;
    // The least is to be at the front of the heap.
    bool operator<(const Head& other) const {
      if (prefix != other.prefix) return prefix > other.prefix;
      return run->row().key > other.run->row().key;
    }
  };

  Status Begin() {
    begun_ = true;
    for (SpilledRows& run : runs_) TALEA_TRY(Push(run));
    return {};
  }

  Status Advance() {
    std::ranges::pop_heap(heap_, std::less<Head>());
    SpilledRows* run = heap_.back().run;
    heap_.pop_back();
    return Push(*run);
  }

  Status Push(SpilledRows& run) {
    if (!TALEA_TRY(run.Next())) return {};
    heap_.push_back({LeadingNumber(run.row().key), &run});
    std::ranges::push_heap(heap_, std::less<Head>());
    return {};
  }

  std::vector<SpilledRows> runs_;
  std::vector<Head> heap_;
  bool begun_ = false;
};

RowSorter::RowSorter(Options options) : options_(std::move(options)) {}
RowSorter::~RowSorter() = default;

Status RowSorter::Add(ByteView key, ByteView value) {
  TALEA_CHECK(!finished_);
  rows_.Add(key, value);
  if (rows_.bytes() < options_.memory_bytes) return {};
  return Spill();
}

Status RowSorter::Spill() {
  if (!file_) file_.emplace(TALEA_TRY(ScratchFile::Create(options_.scratch)));
  rows_.Sort();
  SpillWriter writer(*file_);
  Extent run{.begin = file_->size()};
  for (std::size_t place = 0; place < rows_.size(); ++place) {
    TALEA_TRY(writer.Append(rows_.Packed(place)));
  }
  TALEA_TRY(writer.Flush());
  run.end = file_->size();
  runs_.push_back(run);
  rows_.Clear();
  // Generations never ascend from one run to the next, so the newest are those to look at.
  while (runs_.size() >= kMostRuns &&
         runs_[runs_.size() - kMostRuns].generation == runs_.back().generation) {
    TALEA_TRY(MergeNewest(kMostRuns));
  }
  return {};
}

Status RowSorter::MergeNewest(std::size_t count) {
  const std::span<const Extent> newest = std::span(runs_).last(count);
  Merge merge(*file_, newest, options_.memory_bytes);
  SpillWriter writer(*file_);
  Extent merged{.begin = file_->size(), .generation = newest.back().generation + 1};
  while (const std::optional<ByteView> packed = TALEA_TRY(merge.Next())) {
    TALEA_TRY(writer.Append(*packed));
  }
  TALEA_TRY(writer.Flush());
  merged.end = file_->size();
  runs_.resize(runs_.size() - count);
  runs_.push_back(merged);
  return {};
}

Status RowSorter::Finish() {
  finished_ = true;
  if (runs_.empty()) {
    rows_.Sort();
    return {};
  }
  if (rows_.size() > 0) TALEA_TRY(Spill());
  rows_ = {};  // its memory is the buffers' now
  merge_ = std::make_unique<Merge>(*file_, runs_, options_.memory_bytes);
  return {};
}

Result<std::optional<Row>> RowSorter::Next() {
  if (!finished_) TALEA_TRY(Finish());
  if (merge_) {
    const std::optional<ByteView> packed = TALEA_TRY(merge_->Next());
    if (!packed) return std::nullopt;
    return UnpackRow(packed->data());
  }
  if (place_ == rows_.size()) return std::nullopt;
  return rows_[place_++];
}

}  // namespace talea::chain
