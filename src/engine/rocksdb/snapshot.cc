#include "engine/rocksdb/snapshot.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/rocksdb/counter.h"
#include "engine/rocksdb/status.h"

namespace talea {
namespace {

std::unexpected<Error> NotRead(const Keyspace& keyspace, ByteView key,
                               const rocksdb::Status& status) {
  return Failed(fmt::format("reading keyspace {}, key {}", Quoted(keyspace.name), Quoted(key)),
                status);
}

bool IsCounter(const Keyspace& keyspace) { return keyspace.pattern == AccessPattern::counter; }

}  // namespace

Result<std::optional<std::string>> StoreReader::Get(const rocksdb::Snapshot* snapshot,
                                                    const Keyspace& keyspace, ByteView key) const {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot;
  std::optional<std::string> value(std::in_place);
  rocksdb::PinnableSlice pinned(
      &*value);  // what is not pinned in the cache is written there at once
  const rocksdb::Status read = store_.db().Get(options, Family(keyspace), AsSlice(key), &pinned);
  if (read.IsNotFound()) return std::nullopt;
  if (!read.ok()) return NotRead(keyspace, key, read);
  if (IsCounter(keyspace) && !TALEA_TRY(CounterShown(keyspace, key, AsBytes(pinned)))) {
    return std::nullopt;
  }
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
  const bool one_family =
      std::ranges::adjacent_find(families, std::not_equal_to<>()) == families.end();
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
    if (IsCounter(*key.keyspace) && !TALEA_TRY(CounterShown(*key.keyspace, key.key, value))) {
      continue;
    }
    answers[position].emplace(value);
  }
  return answers;
}

std::unique_ptr<RangeCursor> StoreReader::Cursor(const rocksdb::Snapshot* snapshot,
                                                 const Keyspace& keyspace, KeyRange range,
                                                 bool reverse) const {
  return std::make_unique<RangeCursor>(store_.db(), Family(keyspace), snapshot, keyspace,
                                       std::move(range), reverse);
}

}  // namespace talea
