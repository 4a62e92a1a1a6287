// talea index remove: one entry.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/element_argument.h"
#include "cli/index_arguments.h"
#include "cli/open.h"
#include "json/json.h"
#include "talea/bytes.h"

namespace talea::cli {
namespace {

Result<ExitCode> Remove(Context& context, const WrittenEntry& written) {
  const IndexEntry entry = TALEA_TRY(ParseEntry(written));
  const auto database = TALEA_TRY(OpenToWrite(context));
  IndexStore indexes(database->engine());
  const bool removed = TALEA_TRY(database->Transact([&](Transaction& transaction) {
    return indexes.Remove(transaction, written.index, entry.value, entry.document);
  }));
  if (!removed) {
    return Fail(
        ErrorCode::not_found,
        fmt::format("index {}: there is no entry with value {} and document {}",
                    Quoted(written.index), ShownTuple(entry.value), ShownElement(entry.document)));
  }
  if (context.json) {
    context.out << JsonObject().Add("index", written.index).Add("removed", true).text() << "\n";
  } else if (!context.quiet) {
    context.out << "Removed.\n";
  }
  return ExitCode::done;
}

}  // namespace

Command IndexRemoveCommand() {
  const auto arguments = std::make_shared<WrittenEntry>();
  return {.name = "remove",
          .summary = "Removes an entry; ends with 3 if it is not there",
          .examples = {"talea index remove people-by-city London ada"},
          .parameters = WrittenEntryParameters(*arguments),
          .run = [arguments](Context& context) { return Remove(context, *arguments); }};
}

}  // namespace talea::cli
