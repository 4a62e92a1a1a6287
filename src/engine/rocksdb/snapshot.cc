#include "engine/rocksdb/snapshot.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/coding.h"
#include "engine/rocksdb/status.h"

namespace talea {
namespace {

std::unexpected<Error> NotRead(const Keyspace& keyspace, ByteView key,
                               const rocksdb::Status& status) {
  return Failed(fmt::format("reading keyspace {}, key {}", Quoted(keyspace.name), Quoted(key)),
                status);
}

// Whether a stored value is to be seen at all.
Result<bool> Shown(const Keyspace& keyspace, ByteView key, ByteView value) {
  if (keyspace.pattern != AccessPattern::counter) return true;
  if (const std::optional<std::int64_t> sum = DecodeCounter(value)) return *sum != 0;
  return Fail(ErrorCode::corruption,
              fmt::format("keyspace {}, key {}: expected a counter of 8 bytes, found {}",
                          Quoted(keyspace.name), Quoted(key), Quoted(value)));
}

}  // namespace

Result<std::optional<std::string>> StoreReader::Get(const rocksdb::Snapshot* snapshot,
                                                    const Keyspace& keyspace, ByteView key) const {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot;
  std::optional<std::string> value(std::in_place);
  rocksdb::PinnableSlice pinned(&*value);  // what is not pinned in the cache is written there at once
  const rocksdb::Status read = store_.db().Get(options, Family(keyspace), AsSlice(key), &pinned);
  if (read.IsNotFound()) return std::nullopt;
  if (!read.ok()) return NotRead(keyspace, key, read);
  if (!TALEA_TRY(Shown(keyspace, key, AsBytes(pinned)))) return std::nullopt;
  if (pinned.IsPinned()) value->assign(pinned.data(), pinned.size());
  return value;
}

Result<std::vector<std::optional<std::string>>> StoreReader::MultiGet(
    const rocksdb::Snapshot* snapshot, std::span<const KeyReference> keys) const {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot;
  std::vector<rocksdb::Slice> slices;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  slices.reserve(keys.size());
  families.reserve(keys.size());
  for (const KeyReference& key : keys) {
    slices.push_back(AsSlice(key.key));
    families.push_back(Family(*key.keyspace));
  }
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  const bool one_family = std::ranges::adjacent_find(families, std::not_equal_to<>()) ==
                          families.end();
  if (keys.empty()) {
    // RocksDB would look at the first one.
  } else if (one_family) {
    store_.db().MultiGet(options, families.front(), keys.size(), slices.data(), values.data(),
                         statuses.data());
  } else {
    store_.db().MultiGet(options, keys.size(), families.data(), slices.data(), values.data(),
                         statuses.data());
  }
  std::vector<std::optional<std::string>> answers(keys.size());
  for (std::size_t position = 0; position < keys.size(); ++position) {
    const rocksdb::Status& status = statuses[position];
    const KeyReference& key = keys[position];
    if (status.IsNotFound()) continue;
    if (!status.ok()) return NotRead(*key.keyspace, key.key, status);
    const ByteView value = AsBytes(values[position]);
    if (TALEA_TRY(Shown(*key.keyspace, key.key, value))) answers[position].emplace(value);
  }
  return answers;
}

Result<Page> StoreReader::Range(const PinnedState& state, const Keyspace& keyspace,
                                const KeyRange& range, const PageOptions& options) const {
  Page page;
  page.SetVersion(state.version());
  if (range.empty()) return page;
  rocksdb::ReadOptions read;
  read.snapshot = state.snapshot();
  const rocksdb::Slice lower = AsSlice(range.begin());
  const rocksdb::Slice upper = range.end() ? AsSlice(*range.end()) : rocksdb::Slice();
  if (options.reverse) read.iterate_lower_bound = &lower;
  if (range.end()) read.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> rows(store_.db().NewIterator(read, Family(keyspace)));
  if (options.reverse) {
    rows->SeekToLast();
  } else {
    rows->Seek(lower);
  }
  while (rows->Valid()) {
    const ByteView key = AsBytes(rows->key());
    const ByteView value = AsBytes(rows->value());
    if (TALEA_TRY(Shown(keyspace, key, value))) {
      if (page.Full(options)) {
        page.SetRestAfterLastRow(range, options.reverse);
        return page;
      }
      page.Append(key, value);
    }
    options.reverse ? rows->Prev() : rows->Next();
  }
  if (!rows->status().ok()) return NotRead(keyspace, range.begin(), rows->status());
  return page;
}

}  // namespace talea
