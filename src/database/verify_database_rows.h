// Checks the rows of one database by what its schema says that it holds.
#pragma once

#include <memory>
#include <optional>

#include "coordination/row_check.h"
#include "coordination/schema.h"

namespace talea {

// What has to be known of a database before its rows can be judged.
struct DatabaseState {
  bool readable = true;          // false: the engine failed, or has no place for it
  bool has_schema = false;       // a row of it, whatever it holds
  std::optional<Schema> schema;  // that could be decoded
  bool copying = false;          // it is the beginning of a copy

  // Whether its rows are known to this program, and are of that layout.
  bool Is(Layout layout) const {
    if (!has_schema) return readable && copying && layout == Layout::plain;
    return schema && schema->version == NewestSchemaVersion() && schema->layout == layout;
  }
};

DatabaseState ReadDatabaseState(const CheckedDatabase& database);

// The schema row's own check.
Status CheckSchemaRow(ByteView value);

// All rows of one keyspace of a database. Rows that are not known to this program, or of which it
// does not know what they are, pass.
std::unique_ptr<RowCheck> MakeDatabaseRowCheck(const Keyspace& keyspace,
                                               const CheckedDatabase& database);

}  // namespace talea
