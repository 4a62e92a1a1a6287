// The schema row: what kind of database an engine holds, and in which version of its format.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "talea/engine.h"
#include "talea/result.h"

namespace talea {

// How an engine is used: as one database, or divided among tenants.
enum class Layout : std::uint8_t {
  plain = 1,
  tenants = 2,
};

// For messages: "one database" or "tenants".
std::string_view Name(Layout layout);

struct Schema {
  std::uint64_t version = 0;
  Layout layout = Layout::plain;
  friend bool operator==(const Schema&, const Schema&) = default;
};

// The version of a database that no step has changed yet.
inline constexpr std::uint64_t kFirstSchemaVersion = 1;

// The row's value. A newer version may have more to tell, so only the first two elements are read.
std::string Encode(const Schema& schema);
Result<Schema> DecodeSchema(ByteView value);

// Leads from one version to the next. It may take as many commits as it needs; if it is interrupted
// it is run again from its beginning, so what it has done already must not be in its way.
using SchemaStep = std::function<Status(Engine& engine, Layout layout)>;

// Step i leads from version 1 + i to version 2 + i. There are none yet.
const std::vector<SchemaStep>& SchemaSteps();

// The version that all steps lead to: the only one whose rows this program knows.
inline std::uint64_t NewestSchemaVersion() { return kFirstSchemaVersion + SchemaSteps().size(); }

// Refuses the target of a copy that was not finished, with precondition_failed.
Status CheckCopyIsFinished(Reader& reader);

// Finds out what the engine holds, and makes it ready for use:
// - an engine without a row of Talea's becomes a new database of the wanted layout;
// - an older version is brought up to date by the steps, with a commit of the new version after
// each;
// - refused are a newer version (unsupported), the other layout (precondition_failed), a copy that
//   was not finished (precondition_failed), and rows of Talea's without a schema (corruption).
// The engine must hold all of Talea's keyspaces. Several processes may do this at once.
Result<Schema> OpenSchema(Engine& engine, Layout wanted,
                          const std::vector<SchemaStep>& steps = SchemaSteps());

}  // namespace talea
