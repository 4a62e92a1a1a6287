#include "chain/import_mark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/coding.h"
#include "chain/codec.h"
#include "chain/keys.h"
#include "chain/staging.h"
#include "chain/standing.h"
#include "coordination/attempts.h"
#include "keyspace/random_uuid.h"
#include "talea/transaction.h"

namespace talea::chain {
namespace {

constexpr std::uint8_t kFormat = 1;
constexpr std::string_view kAdvice =
    "finish it with the same file, or abandon it, which empties the ledger";

constexpr std::array kLedgerKeyspaces{
    &kStateCursorKeyspace,   &kStateUtxosKeyspace,  &kStateEntitiesKeyspace,
    &kChainKeyspace,         &kChainNotesKeyspace,  &kChainTagsKeyspace,
    &kChainCountersKeyspace, &kChainCountsKeyspace, &kChainStagingKeyspace};

std::string Describe(const ImportMark& mark) {
  if (mark.kind == ImportMark::Kind::ingest) return "a bulk ingest";
  return fmt::format("an import of a file of {} bytes with the checksum {:016x}", mark.source.bytes,
                     mark.source.checksum);
}

std::unexpected<Error> NotEmpty(std::string_view found) {
  return Fail(ErrorCode::precondition_failed,
              fmt::format("import: expected an empty ledger, found {}", found));
}

// A row of the ledger, as a message has it, or nothing. What belongs to staging does not count.
Result<std::optional<std::string>> FindRow(Transaction& transaction) {
  const std::string ignored[] = {StagingHeaderKey(), LastStagedKey()};
  for (const Keyspace* keyspace : kLedgerKeyspaces) {
    if (keyspace == &kChainStagingKeyspace) continue;
    Scanner rows(transaction, *keyspace, KeyRange::All(), {.row_limit = 3});
    while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
      if (keyspace == &kChainKeyspace && std::ranges::find(ignored, row->key) != std::end(ignored))
        continue;
      return fmt::format("a row in keyspace {}, with key {}", Quoted(keyspace->name),
                         Quoted(row->key));
    }
  }
  return std::nullopt;
}

// A batch that was never in is dropped, as by anybody who commits to the ledger.
Status CheckNothingIsStaged(Transaction& transaction) {
  const auto header = TALEA_TRY(transaction.Get(kChainKeyspace, StagingHeaderKey()));
  switch (TALEA_TRY(ReadStagingState(header))) {
    case StagingState::none:
      return {};
    case StagingState::in:
      return NotEmpty("one with a staged batch");
    case StagingState::being_written:
      break;
  }
  TALEA_TRY(DropStaged(transaction.engine()));
  return Fail(ErrorCode::conflict, "import: a batch was being staged");
}

Status CheckEmpty(Transaction& transaction) {
  if (const auto position = TALEA_TRY(LedgerProgress().Read(transaction)))
    return NotEmpty(fmt::format("one at step {}", TALEA_TRY(DecodeStep(*position))));
  if (const auto row = TALEA_TRY(FindRow(transaction))) return NotEmpty(*row);
  return CheckNothingIsStaged(transaction);
}

Result<ImportMark> FindOrSetMark(Engine& engine, const ImportMark& mark) {
  Transaction transaction(engine);
  const std::optional<ImportMark> found = TALEA_TRY(ReadImportMark(transaction));
  if (found && found->kind == mark.kind && found->source == mark.source) return *found;
  if (found) {
    return Fail(ErrorCode::precondition_failed,
                fmt::format("import: expected an empty ledger, or the beginning of {}; found that "
                            "of {}, {} rows: {}",
                            Describe(mark), Describe(*found), found->position.rows, kAdvice));
  }
  TALEA_TRY(CheckEmpty(transaction));
  transaction.Put(kChainKeyspace, ImportMarkKey(), Encode(mark));
  TALEA_TRY(transaction.Commit(Durability::synced));
  return mark;
}

// Whether an earlier attempt to finish it has done so, now that the mark is gone.
Status CheckFinished(Transaction& transaction, const WriteBatch& last) {
  if (last.empty()) return {};
  if (TALEA_TRY(LedgerProgress().Read(transaction))) return {};
  return Fail(ErrorCode::precondition_failed,
              "import: expected its mark in the ledger, found none: somebody has abandoned it");
}

}  // namespace

std::string Encode(const ImportMark& mark) {
  std::string bytes{static_cast<char>(kFormat), static_cast<char>(mark.kind)};
  bytes.append(reinterpret_cast<const char*>(mark.run.bytes.data()), mark.run.bytes.size());
  AppendFixed64(bytes, mark.source.bytes);
  AppendFixed64(bytes, mark.source.checksum);
  AppendFixed64(bytes, mark.position.offset);
  AppendFixed64(bytes, mark.position.checksum);
  AppendFixed64(bytes, mark.position.rows);
  return bytes;
}

Result<ImportMark> DecodeImportMark(ByteView value) {
  constexpr std::size_t kBytes = 2 + sizeof(Uuid) + 5 * sizeof(std::uint64_t);
  if (!value.empty() && static_cast<std::uint8_t>(value[0]) > kFormat) {
    return Fail(ErrorCode::unsupported,
                fmt::format("mark of an import: expected format {}, found {}", kFormat,
                            static_cast<std::uint8_t>(value[0])));
  }
  if (value.size() != kBytes || value[0] != kFormat || value[1] < 1 || value[1] > 2) {
    return Fail(ErrorCode::corruption,
                fmt::format("mark of an import: expected a format, a kind and {} bytes, found {}",
                            kBytes - 2, Quoted(value)));
  }
  ByteReader reader(value.substr(2));
  ImportMark mark{.kind = static_cast<ImportMark::Kind>(value[1])};
  std::ranges::copy(*reader.Bytes(sizeof(Uuid)), mark.run.bytes.begin());
  mark.source.bytes = *reader.Fixed<std::uint64_t>();
  mark.source.checksum = *reader.Fixed<std::uint64_t>();
  mark.position.offset = *reader.Fixed<std::uint64_t>();
  mark.position.checksum = *reader.Fixed<std::uint64_t>();
  mark.position.rows = *reader.Fixed<std::uint64_t>();
  return mark;
}

Result<std::optional<ImportMark>> ReadImportMark(Reader& reader) {
  const auto row = TALEA_TRY(reader.Get(kChainKeyspace, ImportMarkKey()));
  if (!row) return std::nullopt;
  return TALEA_TRY(DecodeImportMark(*row));
}

Result<ImportMark> BeginImport(Engine& engine, ImportMark mark) {
  mark.run = RandomUuid();
  return TryUntilDecided([&] { return FindOrSetMark(engine, mark); });
}

Status FinishImport(Engine& engine, const ImportMark& mark, const WriteBatch& last) {
  return TryUntilDecided([&]() -> Status {
    Transaction transaction(engine);
    const std::optional<ImportMark> found = TALEA_TRY(ReadImportMark(transaction));
    if (found != mark) return CheckFinished(transaction, last);
    transaction.Erase(kChainKeyspace, ImportMarkKey());
    transaction.Apply(last);
    TALEA_TRY(transaction.Commit(Durability::synced));
    return {};
  });
}

Result<bool> AbandonAnyImport(Engine& engine) {
  bool there = false;  // in any of the attempts: the last may find that an earlier one has done it
  TALEA_TRY(TryUntilDecided([&]() -> Status {
    Transaction transaction(engine);
    if (!TALEA_TRY(transaction.Get(kChainKeyspace, ImportMarkKey()))) return {};
    there = true;
    for (const Keyspace* keyspace : kLedgerKeyspaces)
      transaction.EraseRange(*keyspace, KeyRange::All());
    TALEA_TRY(transaction.Commit(Durability::synced));
    return {};
  }));
  return there;
}

}  // namespace talea::chain
