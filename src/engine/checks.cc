#include "engine/checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace talea {
namespace {

Status CheckReadKeyspaces(const KeyspaceSet& keyspaces, const ReadSet& reads) {
  const auto check = [&](std::uint8_t id) -> Status {
    if (keyspaces.Find(id) != nullptr) return {};
    return Fail(
        ErrorCode::invalid_argument,
        fmt::format(
            "recorded read: expected a keyspace that the engine was opened with, found id {}", id));
  };
  for (std::size_t position = 0; position < reads.point_count(); ++position) {
    TALEA_TRY(check(reads.point(position).keyspace));
  }
  for (const ReadSet::Range& range : reads.ranges()) TALEA_TRY(check(range.keyspace));
  return {};
}

}  // namespace

Status CheckRead(const KeyspaceSet& keyspaces, const Limits& limits, const Keyspace& keyspace,
                 ByteView key) {
  TALEA_TRY(keyspaces.Check(keyspace));
  if (key.size() <= limits.key_bytes) return {};
  return Fail(ErrorCode::too_large,
              fmt::format("read of keyspace {}: expected a key of at most {} bytes, found {} of {}",
                          Quoted(keyspace.name), limits.key_bytes, Quoted(key), key.size()));
}

Status CheckRange(const KeyspaceSet& keyspaces, const Keyspace& keyspace,
                  const PageOptions& options) {
  TALEA_TRY(keyspaces.Check(keyspace));
  if (options.row_limit > 0 && options.byte_limit > 0) return {};
  return Fail(
      ErrorCode::invalid_argument,
      fmt::format(
          "page of keyspace {}: expected limits of at least 1 row and 1 byte, found {} and {}",
          Quoted(keyspace.name), options.row_limit, options.byte_limit));
}

Status CheckOperation(const Keyspace& keyspace, const WriteBatch::Operation& operation) {
  const bool counter = keyspace.pattern == AccessPattern::counter;
  if (operation.kind == WriteBatch::Kind::add && !counter) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("Add to keyspace {}, key {}: expected a counter keyspace",
                            Quoted(keyspace.name), Quoted(operation.key)));
  }
  const bool put_counter = operation.kind == WriteBatch::Kind::put && counter;
  if (put_counter && operation.value.size() != sizeof(std::int64_t)) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("keyspace {}, key {}: expected a counter of 8 bytes, found {}",
                            Quoted(keyspace.name), Quoted(operation.key), operation.value.size()));
  }
  return {};
}

Error UnknownKeyspace(const WriteBatch::Operation& operation) {
  return {ErrorCode::invalid_argument,
          fmt::format(
              "write to key {}: expected a keyspace that the engine was opened with, found id {}",
              Quoted(operation.key), operation.keyspace)};
}

Status CheckCommit(const KeyspaceSet& keyspaces, const Limits& limits,
                   const CommitRequest& request) {
  TALEA_TRY(limits.Check(request.batch, request.reads, keyspaces));
  if (!request.reads.empty() && request.snapshot == nullptr) {
    return Fail(ErrorCode::invalid_argument,
                "commit with recorded reads: expected the snapshot they were made at");
  }
  TALEA_TRY(CheckReadKeyspaces(keyspaces, request.reads));
  for (const Expectation& expected : request.expected) {
    TALEA_TRY(CheckRead(keyspaces, limits, *expected.keyspace, expected.key));
  }
  return {};
}

Status CheckIngest(const KeyspaceSet& keyspaces, const Limits& limits,
                   const IngestRequest& request) {
  for (std::size_t position = 0; position < request.runs.size(); ++position) {
    const Keyspace& keyspace = *request.runs[position].keyspace;
    TALEA_TRY(keyspaces.Check(keyspace));
    for (const IngestRequest::Run& earlier : std::span(request.runs).first(position)) {
      if (earlier.keyspace->id != keyspace.id) continue;
      return Fail(ErrorCode::invalid_argument,
                  fmt::format("ingest: expected one run for keyspace {}, found two",
                              Quoted(keyspace.name)));
    }
  }
  return limits.Check(request.batch, {}, keyspaces);
}

std::vector<std::uint8_t> WrittenKeyspaces(const IngestRequest& request) {
  std::vector<std::uint8_t> ids;
  for (const IngestRequest::Run& run : request.runs) ids.push_back(run.keyspace->id);
  for (const WriteBatch::Operation& operation : request.batch) ids.push_back(operation.keyspace);
  std::ranges::sort(ids);
  const auto repeated = std::ranges::unique(ids);
  ids.erase(repeated.begin(), repeated.end());
  return ids;
}

Result<std::optional<Row>> CheckedRun::Next() {
  const std::optional<Row> row = TALEA_TRY(run_.rows->Next());
  if (!row) return std::nullopt;
  const auto refuse = [&](ErrorCode code, std::string what) {
    return Fail(code, fmt::format("ingest into keyspace {}, key {}: {}",
                                  Quoted(run_.keyspace->name), Quoted(row->key), what));
  };
  if (previous_ && row->key <= *previous_) {
    return refuse(ErrorCode::invalid_argument,
                  fmt::format("expected a key after the one before it, {}", Quoted(*previous_)));
  }
  if (row->key.size() > limits_.key_bytes || row->value.size() > limits_.value_bytes) {
    return refuse(
        ErrorCode::too_large,
        fmt::format("expected at most {} bytes of key and {} of value, found {} and {}",
                    limits_.key_bytes, limits_.value_bytes, row->key.size(), row->value.size()));
  }
  if (run_.keyspace->pattern == AccessPattern::counter &&
      row->value.size() != sizeof(std::int64_t)) {
    return refuse(ErrorCode::invalid_argument,
                  fmt::format("expected a counter of 8 bytes, found {}", row->value.size()));
  }
  if (previous_) {
    previous_->assign(row->key);
  } else {
    previous_.emplace(row->key);
  }
  return row;
}

}  // namespace talea
