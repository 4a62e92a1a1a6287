// talea index add: one entry.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/index_arguments.h"
#include "cli/open.h"
#include "json/json.h"
#include "talea/bytes.h"

namespace talea::cli {
namespace {

Result<ExitCode> Add(Context& context, const WrittenEntry& written) {
  const IndexEntry entry = TALEA_TRY(ParseEntry(written));
  const auto database = TALEA_TRY(OpenToWrite(context));
  IndexStore indexes(database->engine());
  const bool added = TALEA_TRY(database->Transact([&](Transaction& transaction) {
    return indexes.Add(transaction, written.index, entry.value, entry.document);
  }));
  if (context.json) {
    context.out << JsonObject().Add("index", written.index).Add("added", added).text() << "\n";
  } else if (!context.quiet) {
    context.out << (added ? "Added.\n" : "It was there already.\n");
  }
  return ExitCode::done;
}

}  // namespace

Command IndexAddCommand() {
  const auto arguments = std::make_shared<WrittenEntry>();
  return {.name = "add",
          .summary = "Adds an entry, unless it is there already",
          .examples = {"talea index add people-by-city London ada",
                       "talea index add people-by-country-and-age '(uk, 36)' ada",
                       "talea index add people-by-city \"$CITY\" \"$ID\" --types text "
                       "--document-type text"},
          .parameters = WrittenEntryParameters(*arguments),
          .run = [arguments](Context& context) { return Add(context, *arguments); }};
}

}  // namespace talea::cli
