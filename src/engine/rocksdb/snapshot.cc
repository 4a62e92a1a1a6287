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

// Where each run of keys in the same family begins, and where the last one ends; nothing for no
// keys.
std::vector<std::size_t> RunsOf(const std::vector<rocksdb::ColumnFamilyHandle*>& families) {
  std::vector<std::size_t> runs;
  for (std::size_t position = 0; position < families.size(); ++position) {
    if (position == 0 || families[position] != families[position - 1]) runs.push_back(position);
  }
  if (!families.empty()) runs.push_back(families.size());
  return runs;
}

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
  // Keys of one family after the other, as layers ask for them, are looked up family by family:
  // then RocksDB need not sort them, if they are sorted already.
  const std::vector<std::size_t> runs = RunsOf(families);
  constexpr std::size_t kKeysOfARun = 8;
  if (runs.size() <= 2 + keys.size() / kKeysOfARun) {
    for (std::size_t run = 0; run + 1 < runs.size(); ++run) {
      const std::size_t begin = runs[run], count = runs[run + 1] - begin;
      const bool sorted =
          std::ranges::is_sorted(keys.subspan(begin, count), {}, &KeyReference::key);
      store_.db().MultiGet(options, families[begin], count, &slices[begin], &values[begin],
                           &statuses[begin], sorted);
    }
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
