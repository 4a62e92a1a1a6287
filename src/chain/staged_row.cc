#include "chain/staged_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "chain/codec.h"
#include "chain/keys.h"
#include "engine/checks.h"
#include "keyspace/registry.h"

namespace talea::chain {
namespace {

using Kind = WriteBatch::Kind;
using Operation = WriteBatch::Operation;

constexpr const Keyspace* kStaged[] = {
    &kUndoKeyspace,       &kStateUtxosKeyspace, &kStateEntitiesKeyspace, &kChainKeyspace,
    &kChainNotesKeyspace, &kChainTagsKeyspace,  &kChainCountersKeyspace, &kChainCountsKeyspace};

const Keyspace* FindStaged(std::uint8_t id) {
  const auto found =
      std::ranges::find(kStaged, id, [](const Keyspace* staged) { return staged->id; });
  return found == std::end(kStaged) ? nullptr : *found;
}

std::unexpected<Error> Refuse(ErrorCode code, const Operation& write, std::string what) {
  return Fail(code, fmt::format("staged write to keyspace {}, key {}: {}", write.keyspace,
                                Quoted(write.key), what));
}

std::unexpected<Error> Damaged(const Row& row, std::string_view why) {
  return Fail(ErrorCode::corruption,
              fmt::format("keyspace {}, key {}: {}", Quoted(kChainStagingKeyspace.name),
                          Quoted(row.key), why));
}

StagedAs FormOf(const Operation& write) {
  return write.kind == Kind::put ? StagedAs::row : StagedAs::change;
}

}  // namespace

bool MayBeStaged(std::uint8_t keyspace) { return FindStaged(keyspace) != nullptr; }

std::size_t SizeToMove(const Limits& limits, const Operation& write) {
  constexpr std::size_t kHeader = 1024;          // is read and erased with the last rows
  const std::size_t key = write.key.size() + 2;  // the staged key, and the bound behind it
  const std::size_t value = std::max(write.value.size(), sizeof write.delta);
  return std::max(limits.write.Of(key, value), limits.clear.Of(key, 0)) +
         limits.clear.Of(key, key) + limits.read.Of(key, key) + kHeader;
}

Status CheckStageable(const Engine& engine, const Operation& write) {
  const Keyspace* keyspace = FindStaged(write.keyspace);
  if (keyspace == nullptr || write.kind == Kind::erase_range) {
    return Refuse(ErrorCode::invalid_argument, write,
                  "expected a Put, Erase or Add to a keyspace of the ledger's rows");
  }
  TALEA_TRY(CheckOperation(*keyspace, write));
  const Limits& limits = engine.limits();
  if (write.key.size() >= limits.key_bytes) {
    return Refuse(ErrorCode::too_large, write,
                  fmt::format("expected a key of less than {} bytes, as another goes before it, "
                              "found {}",
                              limits.key_bytes, write.key.size()));
  }
  if (write.value.size() > limits.value_bytes) {
    return Refuse(ErrorCode::too_large, write,
                  fmt::format("expected a value of at most {} bytes, found {}", limits.value_bytes,
                              write.value.size()));
  }
  const std::size_t size = SizeToMove(limits, write);
  if (size <= limits.transaction_bytes) return {};
  return Refuse(ErrorCode::too_large, write,
                fmt::format("expected at most {} bytes to move it by, found {}",
                            limits.transaction_bytes, size));
}

StagedRow Stage(const Operation& write) {
  std::string key = StagedKey(FormOf(write), write.keyspace, write.key);
  if (write.kind == Kind::put) return {std::move(key), std::string(write.value)};
  if (write.kind == Kind::erase) return {std::move(key), Encode(StagedChange{})};
  return {std::move(key), Encode(StagedChange{write.delta})};
}

Result<Operation> ReadStagedRow(const Row& row) {
  const StagedKeyParts parts = TALEA_TRY(PartsOfStagedKey(row.key));
  const Keyspace* keyspace = FindStaged(parts.keyspace);
  if (keyspace == nullptr) return Damaged(row, "expected a keyspace of the ledger's rows");
  Operation write{.kind = Kind::put, .keyspace = parts.keyspace, .key = parts.key, .value = {}};
  if (parts.as == StagedAs::row) {
    write.value = row.value;
  } else {
    const StagedChange change = TALEA_TRY(DecodeStagedChange(row.value));
    write.kind = change.delta ? Kind::add : Kind::erase;
    write.delta = change.delta.value_or(0);
  }
  const Status accepted = CheckOperation(*keyspace, write);
  if (!accepted) return Damaged(row, accepted.error().message());
  return write;
}

}  // namespace talea::chain
