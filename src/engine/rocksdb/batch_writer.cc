#include "engine/rocksdb/batch_writer.h"

#include <algorithm>
#include <memory>

#include "base/check.h"
#include "base/coding.h"
#include "engine/rocksdb/status.h"

namespace talea {
namespace {

using Operation = WriteBatch::Operation;
using Kind = WriteBatch::Kind;

// A batch that had to be larger than this gives its memory back.
constexpr std::size_t kKeptBytes = 16 << 20;

const std::string& FarEnd() {
  static const std::string end(kFarBytes, '\xff');
  return end;
}

std::pair<std::uint8_t, ByteView> PlaceOf(const Operation& operation) {
  return {operation.keyspace, operation.key};
}

bool SamePlace(const Operation& a, const Operation& b) {
  return a.keyspace == b.keyspace && a.key == b.key;
}

// All that is appended was checked before, so it can only fail where memory ends.
void Must(const rocksdb::Status& status) { TALEA_CHECK(status.ok()); }

}  // namespace

bool IsFar(ByteView key) { return key >= FarEnd(); }

Status FarKeys::Load(rocksdb::DB& db, const std::vector<rocksdb::ColumnFamilyHandle*>& families) {
  for (std::size_t family = 0; family < families.size(); ++family) {
    const std::unique_ptr<rocksdb::Iterator> rows(db.NewIterator({}, families[family]));
    rows->Seek(FarEnd());
    TALEA_TRY(Check("looking for the last keys", rows->status()));
    if (rows->Valid()) seen_[family].store(true);
  }
  return {};
}

std::vector<ErasedRange> RangesToErase(const KeyRange& range, bool far_keys,
                                       std::size_t longest_key) {
  if (range.empty()) return {};
  if (range.end()) return {{range.begin(), *range.end()}};
  std::vector<ErasedRange> ranges;
  if (range.begin() < FarEnd()) ranges.push_back({range.begin(), FarEnd()});
  if (far_keys) {
    ranges.push_back({std::max(range.begin(), FarEnd()), std::string(longest_key + 1, '\xff')});
  }
  return ranges;
}

rocksdb::WriteBatch& BatchWriter::Build(std::span<const AcceptedCommit> group) {
  if (batch_.GetDataSize() > kKeptBytes) batch_ = rocksdb::WriteBatch();
  batch_.Clear();
  const bool erases_ranges = std::ranges::any_of(group, [](const AcceptedCommit& accepted) {
    return !accepted.commit->erased_ranges.empty();
  });
  if (!erases_ranges) {
    AppendPoints(group.size() == 1 ? group.front().commit->points : MergedPoints(group));
    return batch_;
  }
  for (const AcceptedCommit& accepted : group) {
    if (accepted.commit->ordered) {
      AppendInOrder(accepted.commit->request.batch);
      continue;
    }
    for (const Operation& erased : accepted.commit->erased_ranges) AppendRange(erased);
    AppendPoints(accepted.commit->points);
  }
  return batch_;
}

// The points of all commits in the order of keys, and those to one key in the order of versions.
std::span<const Operation> BatchWriter::MergedPoints(std::span<const AcceptedCommit> group) {
  merged_.clear();
  std::vector<std::size_t> ends{0};
  for (const AcceptedCommit& accepted : group) {
    merged_.insert(merged_.end(), accepted.commit->points.begin(), accepted.commit->points.end());
    ends.push_back(merged_.size());
  }
  const auto at = [&](std::size_t offset) { return merged_.begin() + static_cast<long>(offset); };
  while (ends.size() > 2) {
    std::vector<std::size_t> longer{0};
    for (std::size_t run = 0; run + 1 < ends.size(); run += 2) {
      const std::size_t last = std::min(run + 2, ends.size() - 1);
      if (last == run + 2) {
        std::ranges::inplace_merge(at(ends[run]), at(ends[run + 1]), at(ends[last]), {}, PlaceOf);
      }
      longer.push_back(ends[last]);
    }
    ends = std::move(longer);
  }
  return merged_;
}

void BatchWriter::AppendInOrder(const WriteBatch& batch) {
  for (const Operation& operation : batch) {
    if (operation.kind == Kind::erase_range) {
      AppendRange(operation);
    } else {
      AppendOne(operation);
    }
  }
}

void BatchWriter::AppendRange(const Operation& erased) {
  const std::size_t family = keyspaces_.Position(erased.keyspace);
  for (const ErasedRange& range :
       RangesToErase(erased.Range(), far_keys_.seen(family), longest_key_)) {
    Must(batch_.DeleteRange(families_[family], range.begin, range.end));
  }
}

void BatchWriter::AppendPoints(std::span<const Operation> points) {
  for (std::size_t first = 0; first < points.size();) {
    std::size_t last = first + 1;
    while (last < points.size() && SamePlace(points[first], points[last])) ++last;
    if (last - first == 1) {
      AppendOne(points[first]);
    } else {
      AppendFolded(points.subspan(first, last - first));
    }
    first = last;
  }
}

void BatchWriter::AppendFolded(std::span<const Operation> writes) {
  // Only what comes after the last Put or Erase counts, on top of that.
  std::size_t position = writes.size();
  while (position > 0 && writes[position - 1].kind == Kind::add) --position;
  const std::span<const Operation> adds = writes.subspan(position);
  std::int64_t delta = 0;
  for (const Operation& add : adds) delta = WrappingAdd(delta, add.delta);
  if (adds.size() == writes.size()) {
    Operation add = writes.front();
    add.delta = delta;
    return AppendOne(add);
  }
  Operation base = writes[position - 1];
  if (adds.empty()) return AppendOne(base);
  const std::int64_t stored =
      base.kind == Kind::put ? DecodeCounter(base.value).value_or(0) : std::int64_t{0};
  const std::string sum = EncodeCounter(WrappingAdd(stored, delta));
  base.kind = Kind::put;
  base.value = sum;
  AppendOne(base);
}

void BatchWriter::AppendOne(const Operation& write) {
  const std::size_t family = keyspaces_.Position(write.keyspace);
  const rocksdb::Slice key = AsSlice(write.key);
  far_keys_.Note(family, write.key);
  switch (write.kind) {
    case Kind::put:
      return Must(batch_.Put(families_[family], key, AsSlice(write.value)));
    case Kind::erase:
      return Must(batch_.Delete(families_[family], key));
    case Kind::add: {
      if (write.delta == 0) return;
      const std::uint64_t delta = static_cast<std::uint64_t>(write.delta);
      return Must(batch_.Merge(families_[family], key,
                               rocksdb::Slice(reinterpret_cast<const char*>(&delta), 8)));
    }
    case Kind::erase_range:
      TALEA_CHECK(false);
  }
}

}  // namespace talea
