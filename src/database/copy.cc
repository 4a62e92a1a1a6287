#include "talea/copy.h"

#include <fmt/format.h>

#include <algorithm>

#include "coordination/attempts.h"
#include "coordination/keys.h"
#include "coordination/row_digest.h"
#include "database/copied_rows.h"
#include "database/copy_mark.h"
#include "talea/transaction.h"

namespace talea {
namespace {

constexpr std::size_t kChunkBytes = 4 << 20;
constexpr std::uint64_t kRowsBetweenProgress = 4096;

bool GoesOn(const RowProgress& progress, std::uint64_t done, std::uint64_t total) {
  return !progress || progress(done, total);
}

Status CheckKeyspaces(const Engine& source, const Engine& target) {
  for (const Keyspace& keyspace : source.keyspaces().all())
    TALEA_TRY(target.keyspaces().Check(keyspace));
  return target.keyspaces().Check(kTaleaKeyspace);
}

Result<Version> VersionOf(Engine& engine) {
  const auto snapshot = TALEA_TRY(TryUntilDecided([&] { return engine.OpenSnapshot(); }));
  return snapshot->version();
}

Result<std::optional<CopyMark>> ReadMark(Reader& reader) {
  const auto row = TALEA_TRY(reader.Get(kTaleaKeyspace, CopyMarkKey()));
  if (!row) return std::nullopt;
  return TALEA_TRY(DecodeCopyMark(*row));
}

// Whether there is any row that a copy would bring, but the schema's, which a database has from its
// first moment on.
Result<bool> IsEmpty(Transaction& transaction) {
  for (const Keyspace& keyspace : transaction.engine().keyspaces().all()) {
    Scanner rows(transaction, keyspace, KeyRange::All());
    while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
      const bool schema = keyspace.id == kTaleaKeyspace.id && row->key == SchemaKey();
      if (!schema && IsCopied(keyspace, row->key)) return false;
    }
  }
  return true;
}

// Marks an empty target, or finds the mark that is there; nothing where the target is not empty and
// has no mark: it holds a finished copy, or something else.
Result<std::optional<CopyMark>> FindOrSetMark(Engine& target, Version source) {
  Transaction transaction(target);
  const std::optional<CopyMark> found = TALEA_TRY(ReadMark(transaction));
  if (found) return found;
  if (!TALEA_TRY(IsEmpty(transaction))) return std::nullopt;
  const CopyMark mark{.source = source};
  transaction.Put(kTaleaKeyspace, CopyMarkKey(), EncodeCopyMark(mark));
  TALEA_TRY(transaction.Commit(Durability::synced));
  return mark;
}

// As many rows as go into one commit, at least one if there is any, and where they lead.
Result<CopyMark> CollectChunk(CopiedRows& rows, const CopyMark& from, const Limits& limits,
                              WriteBatch& batch) {
  const std::size_t most = std::min(kChunkBytes, limits.transaction_bytes / 2);
  CopyMark to = from;
  std::size_t bytes = 0;
  while (const std::optional<CopiedRow> next = TALEA_TRY(rows.Peek())) {
    bytes += limits.write.Of(next->row.key.size(), next->row.value.size());
    if (!batch.empty() && bytes > most) break;
    batch.Put(*next->keyspace, next->row.key, next->row.value);
    ++to.rows;
    rows.Take();
  }
  to.position = rows.position();
  return to;
}

// Copies the rows after the mark, and moves it, in one commit. That expects the mark as it was
// read: a commit whose outcome is unknown, and that happens later, then changes nothing. Returns
// where the mark is now, or nothing at the end of the source.
Result<std::optional<CopyMark>> CopyChunk(CopiedRows& rows, Engine& target) {
  PagedReader reader(target);
  const std::optional<CopyMark> from = TALEA_TRY(ReadMark(reader));
  if (!from) {
    return Fail(ErrorCode::precondition_failed,
                "copy: expected the target's mark, found none: another one has finished it");
  }
  rows.Seek(from->position);
  CommitRequest request;
  const CopyMark to = TALEA_TRY(CollectChunk(rows, *from, target.limits(), request.batch));
  if (request.batch.empty()) return std::nullopt;
  request.batch.Put(kTaleaKeyspace, CopyMarkKey(), EncodeCopyMark(to));
  request.expected.push_back({&kTaleaKeyspace, CopyMarkKey(), EncodeCopyMark(*from)});
  TALEA_TRY(target.Commit(std::move(request)));
  return to;
}

// Copies what is missing; nothing if it was told to stop. `last` is where the mark came to.
Result<bool> CopyRows(Engine& source, Engine& target, const RowProgress& progress, CopyMark& last) {
  CopiedRows rows = TALEA_TRY(CopiedRows::Open(source));
  while (GoesOn(progress, last.rows, 0)) {
    const std::optional<CopyMark> next =
        TALEA_TRY(TryUntilDecided([&] { return CopyChunk(rows, target); }));
    if (!next) return true;
    last = *next;
  }
  return false;
}

std::string Describe(const std::optional<CopiedRow>& row) {
  if (!row) return "the end";
  return fmt::format("keyspace {}, key {} with {} bytes, {}", Quoted(row->keyspace->name),
                     Quoted(row->row.key), row->row.value.size(), Quoted(row->row.value));
}

bool Same(const std::optional<CopiedRow>& a, const std::optional<CopiedRow>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return *a->keyspace == *b->keyspace && a->row == b->row;
}

// Reads both side by side up to the first difference, which is the error.
Result<CopyReport> Compare(Engine& source, Engine& target, const RowProgress& progress,
                           std::uint64_t copied) {
  CopiedRows expected = TALEA_TRY(CopiedRows::Open(source));
  CopiedRows found = TALEA_TRY(CopiedRows::Open(target));
  RowDigest digest;
  CopyReport report;
  while (report.rows % kRowsBetweenProgress != 0 ||
         GoesOn(progress, copied + report.rows, 2 * copied)) {
    const std::optional<CopiedRow> row = TALEA_TRY(expected.Peek());
    const std::optional<CopiedRow> copy = TALEA_TRY(found.Peek());
    if (!Same(row, copy)) {
      return Fail(ErrorCode::precondition_failed,
                  fmt::format("comparing row {}: expected {}, as the source has it; found {}",
                              report.rows + 1, Describe(row), Describe(copy)));
    }
    if (!row) {
      report.finished = true;
      report.digest = digest.Hex();
      return report;
    }
    digest.Add(*row->keyspace, row->row);
    expected.Take();
    found.Take();
    ++report.rows;
  }
  return report;
}

Status EraseMark(Engine& target) {
  return TryUntilDecided([&]() -> Status {
    Transaction transaction(target);
    if (!TALEA_TRY(ReadMark(transaction))) return {};
    transaction.Erase(kTaleaKeyspace, CopyMarkKey());
    TALEA_TRY(transaction.Commit(Durability::synced));
    return {};
  });
}

// A target without a mark, that is not empty: it must be the finished copy.
Result<CopyReport> CompareWithFinished(Engine& source, Engine& target,
                                       const RowProgress& progress) {
  Result<CopyReport> report = Compare(source, target, progress, 0);
  if (!report && report.error().code() == ErrorCode::precondition_failed) {
    return Fail(
        ErrorCode::already_exists,
        "copy: expected a target that is empty or holds this copy; " + report.error().message());
  }
  if (report) report->resumed = report->rows;
  return report;
}

Error SourceChanged(const Error& difference, Version began, Version now) {
  return {difference.code(),
          fmt::format("copy: {}. The source was at version {} when the copy began, and is at {}: "
                      "erase the target, and copy what stands still",
                      difference.message(), began.number, now.number)};
}

}  // namespace

Result<CopyReport> CopyDatabase(Engine& source, Engine& target, const RowProgress& progress) {
  TALEA_TRY(CheckKeyspaces(source, target));
  TALEA_TRY(CheckCanBeCopied(source));
  TALEA_TRY(CheckHoldsOneDatabase(target));
  const Version version = TALEA_TRY(VersionOf(source));
  std::optional<CopyMark> mark =
      TALEA_TRY(TryUntilDecided([&] { return FindOrSetMark(target, version); }));
  if (!mark) return CompareWithFinished(source, target, progress);
  const std::uint64_t resumed = mark->rows;
  if (!TALEA_TRY(CopyRows(source, target, progress, *mark)))
    return CopyReport{.rows = mark->rows, .resumed = resumed};
  Result<CopyReport> report = Compare(source, target, progress, mark->rows);
  if (!report && report.error().code() == ErrorCode::precondition_failed) {
    return std::unexpected(
        SourceChanged(report.error(), mark->source, TALEA_TRY(VersionOf(source))));
  }
  if (!report) return report;
  report->rows = mark->rows;
  report->resumed = resumed;
  if (report->finished) TALEA_TRY(EraseMark(target));
  return report;
}

Result<CopyReport> DigestDatabase(Engine& engine, const RowProgress& progress) {
  TALEA_TRY(CheckCanBeCopied(engine));
  CopiedRows rows = TALEA_TRY(CopiedRows::Open(engine));
  RowDigest digest;
  CopyReport report;
  while (report.rows % kRowsBetweenProgress != 0 || GoesOn(progress, report.rows, 0)) {
    const std::optional<CopiedRow> row = TALEA_TRY(rows.Peek());
    if (!row) {
      report.finished = true;
      report.digest = digest.Hex();
      return report;
    }
    digest.Add(*row->keyspace, row->row);
    rows.Take();
    ++report.rows;
  }
  return report;
}

}  // namespace talea
