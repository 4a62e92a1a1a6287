#include "talea/engine.h"

#include <fmt/format.h>

#include "engine/checks.h"

namespace talea {
namespace {

using Kind = WriteBatch::Kind;

Status CheckPart(const Keyspace& keyspace, ByteView key, std::string_view part, std::size_t bytes,
                 std::size_t limit) {
  if (bytes <= limit) return {};
  return Fail(ErrorCode::too_large,
              fmt::format("keyspace {}, key {}: expected a {} of at most {} bytes, found {}",
                          Quoted(keyspace.name), Quoted(key), part, limit, bytes));
}

std::size_t SizeOf(const Limits& limits, const WriteBatch::Operation& operation) {
  const bool writes = operation.kind == Kind::put || operation.kind == Kind::add;
  const std::size_t value = operation.kind == Kind::add ? sizeof(operation.delta)  //
                                                        : operation.value.size();
  return (writes ? limits.write : limits.clear).Of(operation.key.size(), value);
}

std::size_t SizeOf(const Limits& limits, const ReadSet& reads) {
  const Limits::Cost& read = limits.read;
  std::size_t size = 0;
  if (read.key_factor + read.value_factor + read.fixed == 0) return size;
  for (std::size_t position = 0; position < reads.point_count(); ++position) {
    size += read.Of(reads.point(position).key.size(), 0);
  }
  for (const ReadSet::Range& range : reads.ranges()) {
    size += read.Of(range.range.begin().size(), range.range.end().value_or("").size());
  }
  return size;
}

}  // namespace

std::size_t Limits::Size(const WriteBatch& batch, const ReadSet& reads) const {
  std::size_t size = SizeOf(*this, reads);
  for (const WriteBatch::Operation& operation : batch) size += SizeOf(*this, operation);
  return size;
}

Status Limits::Check(const WriteBatch& batch, const ReadSet& reads,
                     const KeyspaceSet& keyspaces) const {
  TALEA_TRY(batch.status());
  std::size_t size = SizeOf(*this, reads);
  for (const WriteBatch::Operation& operation : batch) {
    const Keyspace* keyspace = keyspaces.Find(operation.keyspace);
    if (keyspace == nullptr) return std::unexpected(UnknownKeyspace(operation));
    TALEA_TRY(CheckOperation(*keyspace, operation));
    const bool range = operation.kind == Kind::erase_range;
    // Right after the longest key lies a bound that is one byte longer.
    const std::size_t bound = range ? key_bytes + 1 : key_bytes;
    TALEA_TRY(CheckPart(*keyspace, operation.key, range ? "range begin" : "key",
                        operation.key.size(), bound));
    TALEA_TRY(CheckPart(*keyspace, operation.key, range ? "range end" : "value",
                        operation.value.size(), range ? bound : value_bytes));
    size += SizeOf(*this, operation);
  }
  if (size <= transaction_bytes) return {};
  return Fail(ErrorCode::too_large,
              fmt::format("commit of {} writes: expected at most {} bytes, found {}", batch.count(),
                          transaction_bytes, size));
}

Result<std::optional<std::string>> PagedReader::Get(const Keyspace& keyspace, ByteView key) {
  return TALEA_TRY(engine_.OpenSnapshot())
  ->Get(keyspace, key);
}

Result<std::vector<std::optional<std::string>>> PagedReader::MultiGet(
    std::span<const KeyReference> keys) {
  return TALEA_TRY(engine_.OpenSnapshot())
  ->MultiGet(keys);
}

Result<Page> PagedReader::Range(const Keyspace& keyspace, const KeyRange& range,
                                const PageOptions& options) {
  return TALEA_TRY(engine_.OpenSnapshot())
  ->Range(keyspace, range, options);
}

}  // namespace talea
