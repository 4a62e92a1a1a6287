#include "database/verify_database_rows.h"

#include <fmt/format.h>

#include "coordination/keys.h"
#include "database/row_checks.h"

namespace talea {
namespace {

CheckedDatabase Described(CheckedDatabase database, const DatabaseState& state) {
  database.complete = !state.copying;
  return database;
}

class DatabaseRows final : public RowCheck {
 public:
  DatabaseRows(const Keyspace& keyspace, const CheckedDatabase& database)
      : keyspace_(keyspace),
        state_(ReadDatabaseState(database)),
        database_(Described(database, state_)) {
    if (state_.Is(Layout::plain)) check_ = MakeRowCheck(keyspace_, database_);
  }

  void Check(const Row& row, Problems& problems) override {
    if (first_) CheckHasSchema(row, problems);
    first_ = false;
    if (keyspace_ == kTaleaKeyspace && row.key == SchemaKey()) {
      const Status status = CheckSchemaRow(row.value);
      if (!status) problems.Note(database_.About(keyspace_, row.key, status.error().message()));
    } else if (check_) {
      check_->Check(row, problems);
    }
  }

  void Finish(Problems& problems) override {
    if (check_) check_->Finish(problems);
  }

 private:
  // A database has its schema before it has any other row of Talea's.
  void CheckHasSchema(const Row& row, Problems& problems) const {
    const bool ours = keyspace_.id < kFirstUserKeyspaceId;
    if (!ours || !state_.readable || state_.has_schema || state_.copying) return;
    problems.Note(database_.About(
        keyspace_, row.key,
        "expected a schema row in keyspace \"talea\" before any other, found none"));
  }

  const Keyspace keyspace_;
  const DatabaseState state_;
  const CheckedDatabase database_;
  std::unique_ptr<RowCheck> check_;  // or none
  bool first_ = true;
};

}  // namespace

DatabaseState ReadDatabaseState(const CheckedDatabase& database) {
  DatabaseState state;
  if (database.keyspaces.Find(kTaleaKeyspace.id) == nullptr) return {.readable = false};
  const auto schema = database.Find(kTaleaKeyspace, SchemaKey());
  const auto copy = database.Find(kTaleaKeyspace, CopyMarkKey());
  if (!schema || !copy) return {.readable = false};
  state.has_schema = schema->has_value();
  state.copying = copy->has_value();
  if (!state.has_schema) return state;
  if (const Result<Schema> decoded = DecodeSchema(**schema)) state.schema = *decoded;
  return state;
}

Status CheckSchemaRow(ByteView value) {
  const Schema schema = TALEA_TRY(DecodeSchema(value));
  if (schema.version > NewestSchemaVersion()) {
    return Fail(ErrorCode::unsupported,
                fmt::format("schema row: expected version {} or less, found {}: a newer program "
                            "wrote it, and rows of Talea's own were not judged",
                            NewestSchemaVersion(), schema.version));
  }
  if (schema.version < NewestSchemaVersion() || Encode(schema) == value) return {};
  return Fail(
      ErrorCode::corruption,
      fmt::format("schema row: expected a version and a layout alone, found {}", Quoted(value)));
}

std::unique_ptr<RowCheck> MakeDatabaseRowCheck(const Keyspace& keyspace,
                                               const CheckedDatabase& database) {
  return std::make_unique<DatabaseRows>(keyspace, database);
}

}  // namespace talea
