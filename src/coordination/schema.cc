#include "coordination/schema.h"

#include <fmt/format.h>

#include <array>

#include "base/check.h"
#include "coordination/attempts.h"
#include "coordination/keys.h"
#include "talea/transaction.h"
#include "talea/tuple_packer.h"
#include "talea/tuple_reader.h"

namespace talea {
namespace {

Status CheckKeyspaces(const Engine& engine) {
  for (const Keyspace& keyspace : kAllKeyspaces) TALEA_TRY(engine.keyspaces().Check(keyspace));
  return {};
}

// Reads as far as it takes to be sure; a page may be empty and not the last.
Status CheckEmpty(Reader& reader, const Keyspace& keyspace) {
  Scanner rows(reader, keyspace, KeyRange::All(), {.row_limit = 1});
  const std::optional<Row> row = TALEA_TRY(rows.Next());
  if (!row) return {};
  return Fail(
      ErrorCode::corruption,
      fmt::format("no schema row in keyspace \"talea\": expected keyspace {} to be empty then, "
                  "found key {}",
                  Quoted(keyspace.name), Quoted(row->key)));
}

std::unexpected<Error> UnfinishedCopy() {
  return Fail(
      ErrorCode::precondition_failed,
      "this database is the target of a copy that was not finished: copy again from the same "
      "source to go on, or erase it");
}

Result<Schema> FindOrCreate(Engine& engine, const Schema& fresh) {
  Transaction transaction(engine);
  const std::string schema = SchemaKey();
  const std::string copy = CopyMarkKey();
  const std::array keys{KeyReference(kTaleaKeyspace, schema), KeyReference(kTaleaKeyspace, copy)};
  const auto rows = TALEA_TRY(transaction.MultiGet(keys));
  if (rows[1]) return UnfinishedCopy();
  if (rows[0]) return DecodeSchema(*rows[0]);
  for (const Keyspace& keyspace : engine.keyspaces().all()) {
    if (keyspace.id < kFirstUserKeyspaceId) TALEA_TRY(CheckEmpty(transaction, keyspace));
  }
  transaction.Put(kTaleaKeyspace, schema, Encode(fresh));
  TALEA_TRY(transaction.Commit());
  return fresh;
}

Status CheckUsable(const Schema& found, const Schema& wanted) {
  if (found.version > wanted.version) {
    return Fail(
        ErrorCode::unsupported,
        fmt::format("schema: expected version {} or less, found {}: a newer program wrote it",
                    wanted.version, found.version));
  }
  if (found.layout == wanted.layout) return {};
  const std::string_view instead =
      found.layout == Layout::tenants
          ? "open one of its tenants, by ?tenant=NAME"
          : "open it without ?tenant=NAME, or copy it to a tenant of another";
  return Fail(ErrorCode::precondition_failed,
              fmt::format("schema: expected the layout of {}, found {}: {}", Name(wanted.layout),
                          Name(found.layout), instead));
}

// Does nothing where another process was quicker.
Status SetVersion(Engine& engine, const Schema& next) {
  Transaction transaction(engine);
  const std::optional<std::string> row = TALEA_TRY(transaction.Get(kTaleaKeyspace, SchemaKey()));
  if (!row) return Fail(ErrorCode::corruption, "schema row: expected one, found none any more");
  if (TALEA_TRY(DecodeSchema(*row)).version >= next.version) return {};
  transaction.Put(kTaleaKeyspace, SchemaKey(), Encode(next));
  TALEA_TRY(transaction.Commit(Durability::synced));
  return {};
}

}  // namespace

std::string_view Name(Layout layout) {
  return layout == Layout::plain ? "one database" : "tenants";
}

std::string Encode(const Schema& schema) {
  std::string value;
  TuplePacker(value).Int(schema.version).Int(static_cast<std::uint8_t>(schema.layout));
  return value;
}

Result<Schema> DecodeSchema(ByteView value) {
  TupleReader reader(value);
  const Result<std::uint64_t> version = reader.Uint();
  const Result<std::uint64_t> layout = reader.Uint();
  const bool known = layout && *layout >= 1 && *layout <= 2;
  if (version && *version >= kFirstSchemaVersion && known) {
    return Schema{*version, static_cast<Layout>(*layout)};
  }
  return Fail(
      ErrorCode::corruption,
      fmt::format("schema row: expected a version from {} on and a layout of 1 or 2, found {}",
                  kFirstSchemaVersion, Quoted(value)));
}

Status CheckCopyIsFinished(Reader& reader) {
  if (TALEA_TRY(reader.Get(kTaleaKeyspace, CopyMarkKey()))) return UnfinishedCopy();
  return {};
}

const std::vector<SchemaStep>& SchemaSteps() {
  static const std::vector<SchemaStep> steps;
  return steps;
}

Result<Schema> OpenSchema(Engine& engine, Layout wanted, const std::vector<SchemaStep>& steps) {
  TALEA_TRY(CheckKeyspaces(engine));
  const Schema newest{kFirstSchemaVersion + steps.size(), wanted};
  Schema found = TALEA_TRY(TryUntilDecided([&] { return FindOrCreate(engine, newest); }));
  TALEA_TRY(CheckUsable(found, newest));
  while (found.version < newest.version) {
    TALEA_TRY(steps[found.version - kFirstSchemaVersion](engine, wanted));
    ++found.version;
    TALEA_TRY(TryUntilDecided([&] { return SetVersion(engine, found); }));
  }
  return found;
}

}  // namespace talea
