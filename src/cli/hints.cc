#include "cli/hints.h"

#include <fmt/format.h>

namespace talea::cli {
namespace {

bool HasScheme(std::string_view location) {
  const std::size_t colon = location.find(':');
  return colon != std::string_view::npos && location.find('/') > colon;
}

}  // namespace

std::string MissingLocationHint() {
  return "Name it with --db, such as --db rocksdb:/var/lib/visits, or set TALEA_DB.";
}

std::string HintFor(const Error& error, std::string_view location) {
  switch (error.code()) {
    case ErrorCode::unavailable:
      return "Another process has this database open, and only one at a time can. Stop it, or ask "
             "it instead: see `talea serve --help`.";
    case ErrorCode::invalid_argument:
      if (!location.empty() && !HasScheme(location)) {
        return fmt::format("A location begins with a scheme: did you mean rocksdb:{} ?", location);
      }
      return {};
    case ErrorCode::not_found:
      if (error.message().find(": expected an output that is unspent") == std::string::npos) {
        return {};
      }
      return "If the files begin in the middle of the chain, --allow-missing-inputs passes over "
             "what was made before.";
    case ErrorCode::corruption:
      if (location.empty()) return {};  // a backup is
      if (error.message().starts_with("export ")) {
        return "It is the file that is damaged, and not the database: copy it again, or export "
               "anew.";
      }
      return "Run `talea verify` to see all that is damaged, and `talea restore` to go back to a "
             "backup.";
    default:
      return {};
  }
}

}  // namespace talea::cli
