#include "engine/rocksdb/range_cursor.h"

#include <fmt/format.h>

#include "engine/rocksdb/counter.h"
#include "engine/rocksdb/status.h"

namespace talea {
namespace {

// By its own judgement RocksDB asks the system to read ahead, and then still fetches every block
// with a call of its own; these were a sixth of the time of a scan.
constexpr std::size_t kReadAheadBytes = 128 << 10;

}  // namespace

RangeCursor::RangeCursor(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                         const rocksdb::Snapshot* snapshot, const Keyspace& keyspace,
                         KeyRange range, bool reverse)
    : db_(db),
      family_(family),
      snapshot_(snapshot),
      keyspace_(keyspace.id),
      reverse_(reverse),
      range_(std::move(range)),
      lower_(AsSlice(range_.begin())),
      upper_(range_.end() ? AsSlice(*range_.end()) : rocksdb::Slice()),
      rest_(range_) {
  Start(0);
}

void RangeCursor::Start(std::size_t read_ahead_bytes) {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot_;
  options.readahead_size = read_ahead_bytes;
  if (reverse_) options.iterate_lower_bound = &lower_;
  if (range_.end()) options.iterate_upper_bound = &upper_;
  rows_.reset(db_.NewIterator(options, family_));
  if (reverse_) {
    rows_->SeekToLast();
  } else {
    rows_->Seek(AsSlice(rest_.begin()));
  }
}

bool RangeCursor::TakeOn(const Keyspace& keyspace, const KeyRange& range, bool reverse) {
  if (keyspace_ != keyspace.id || reverse_ != reverse) return false;
  if (rest_ == range) return true;
  const bool leaves_nothing_out = !reverse && rows_->Valid() && range.end() == rest_.end() &&
                                  range.begin() >= rest_.begin() &&
                                  ByteView(range.begin()) <= AsBytes(rows_->key());
  if (leaves_nothing_out) rest_ = range;
  return leaves_nothing_out;
}

Result<Page> RangeCursor::Read(const Keyspace& keyspace, const PageOptions& options,
                               Version version) {
  if (++pages_ == 2 && !reverse_) Start(kReadAheadBytes);
  Page page;
  page.SetVersion(version);
  page.Expect(options);
  const bool counters = keyspace.pattern == AccessPattern::counter;
  std::size_t hidden = 0;
  for (; rows_->Valid(); reverse_ ? rows_->Prev() : rows_->Next()) {
    const ByteView key = AsBytes(rows_->key());
    const ByteView value = AsBytes(rows_->value());
    if (counters && !TALEA_TRY(CounterShown(keyspace, key, value))) {
      if (++hidden < kMostHiddenRows) continue;
      return EndAt(key, std::move(page));
    }
    if (page.Full(options)) {
      page.SetRestAfterLastRow(rest_, reverse_);
      if (page.rest()) rest_ = *page.rest();
      return page;
    }
    page.Append(key, value);
  }
  if (rows_->status().ok()) return page;
  return Failed(
      fmt::format("reading keyspace {}, range {}", Quoted(keyspace.name), rest_.ToString()),
      rows_->status());
}

// The row at this key is hidden, and the iterator stands on it.
Page RangeCursor::EndAt(ByteView key, Page page) {
  rest_ = reverse_ ? rest_.EndingAt(key) : rest_.StartingAt(KeySuccessor(key));
  if (reverse_) {
    rows_->Prev();
  } else {
    rows_->Next();
  }
  if (!rest_.empty()) page.SetRest(rest_);
  return page;
}

}  // namespace talea
