#include "database/verify_undo_rows.h"

#include <fmt/format.h>

#include "coordination/keys.h"
#include "coordination/progress_row.h"
#include "engine/undo.h"

namespace talea {
namespace {

// Rows come by source, position and part; so a record is whole once another one begins.
class UndoRows final : public RowCheck {
 public:
  explicit UndoRows(const CheckedDatabase& database) : database_(database) {}

  void Check(const Row& row, Problems& problems) override {
    Result<UndoRowKey> key = ParseUndoRowKey(row.key);
    if (!key) return problems.Note(database_.name + key.error().message());
    if (record_ && !record_->Has(*key)) EndRecord(key->source, problems);
    if (!record_) record_ = Record{.key = std::move(*key), .row_key = std::string(row.key)};
    TakePart(row, problems);
  }

  void Finish(Problems& problems) override {
    if (record_) EndRecord(std::nullopt, problems);
  }

 private:
  struct Record {
    UndoRowKey key;       // of the first row
    std::string row_key;  // the same, packed
    std::vector<std::string> parts = {};
    bool broken = false;  // and that was noted

    bool Has(const UndoRowKey& other) const {
      return other.source == key.source && other.position == key.position;
    }
  };

  void TakePart(const Row& row, Problems& problems);
  void EndRecord(const std::optional<std::string>& next_source, Problems& problems);
  Status CheckRecord() const;
  Status CheckProgress() const;

  void Note(const Status& status, Problems& problems) const {
    if (!status)
      problems.Note(database_.About(kUndoKeyspace, record_->row_key, status.error().message()));
  }

  const CheckedDatabase database_;
  std::optional<Record> record_;
};

void UndoRows::TakePart(const Row& row, Problems& problems) {
  if (record_->broken) return;
  const std::string expected = UndoKey(UndoRecordKey(record_->key.source, record_->key.position),
                                       static_cast<std::uint32_t>(record_->parts.size()));
  record_->broken = row.key != expected;
  if (!record_->broken) {
    record_->parts.emplace_back(row.value);
  } else if (database_.complete) {
    problems.Note(database_.About(
        kUndoKeyspace, row.key,
        fmt::format("undo record: expected part {} before it, found none", record_->parts.size())));
  }
}

void UndoRows::EndRecord(const std::optional<std::string>& next_source, Problems& problems) {
  if (database_.complete) {
    if (!record_->broken) Note(CheckRecord(), problems);
    if (next_source != record_->key.source) Note(CheckProgress(), problems);  // it is the newest
  }
  record_.reset();
}

Status UndoRows::CheckRecord() const {
  const WriteBatch batch = TALEA_TRY(DecodeUndo(record_->parts));
  for (const WriteBatch::Operation& operation : batch) {
    if (database_.keyspaces.Find(operation.keyspace) != nullptr) continue;
    return Fail(
        ErrorCode::corruption,
        fmt::format("undo record: expected writes to keyspaces that there are, found one to "
                    "that of id {}",
                    operation.keyspace));
  }
  return {};
}

// That the source has come to the newest move that can be taken back.
Status UndoRows::CheckProgress() const {
  const std::string& source = record_->key.source;
  TALEA_TRY(CheckName("undo record of source", source));
  const auto value = TALEA_TRY(database_.Find(kTaleaKeyspace, ProgressKey(source)));
  Progress::Position found;
  if (value) {
    Result<ProgressRow> row = DecodeProgressRow(source, *value);
    if (!row) return {};  // which is that row's problem
    found = std::move(row->position);
  }
  if (found >= record_->key.position) return {};
  return Fail(
      ErrorCode::corruption,
      fmt::format("undo record: expected source {} to be at position {} or beyond, found {}",
                  Quoted(source), Quoted(record_->key.position), Describe(found)));
}

}  // namespace

std::unique_ptr<RowCheck> MakeUndoRowCheck(const CheckedDatabase& database) {
  return std::make_unique<UndoRows>(database);
}

}  // namespace talea
