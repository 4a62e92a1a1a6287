#include "cli/chain_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/bytes_argument.h"
#include "cli/open.h"
#include "talea/bytes.h"

namespace talea::cli {
namespace {

// The error of an argument, with its name before it.
template <class T>
Result<T> Named(std::string_view name, Result<T> parsed) {
  if (parsed) return parsed;
  return Fail(parsed.error().code(), fmt::format("{}: {}", name, parsed.error().message()));
}

Result<ChainView> OpenView(ChainStore& store, const std::optional<std::string>& at) {
  if (!at) return store.Open();
  const Cursor point = TALEA_TRY(ParseCursor("--at", *at));
  return store.OpenAt(point);
}

}  // namespace

Result<Ledger> OpenLedger(const Context& context, const std::optional<std::string>& at) {
  if (at) TALEA_TRY(ParseCursor("--at", *at));  // before anything is opened
  std::shared_ptr<Engine> engine = TALEA_TRY(OpenOne(context));
  ChainStore store(*engine);
  Result<ChainView> view = OpenView(store, at);
  if (view) return Ledger{std::move(engine), std::move(*view)};
  if (view.error().code() != ErrorCode::precondition_failed) return std::unexpected(view.error());
  return Fail(ErrorCode::precondition_failed,
              fmt::format("{}; `talea chain import FILE` goes on with it, and `talea chain import "
                          "--abandon` drops what is there",
                          view.error().message()));
}

Result<std::unique_ptr<Database>> OpenToImport(const Context& context, bool create,
                                               const std::function<Status(ChainStore&)>& rehearse) {
  auto existing = OpenToWrite(context);
  if (existing || !create || existing.error().code() != ErrorCode::not_found) return existing;
  const auto in_memory = TALEA_TRY(Database::Open("memory:"));
  ChainStore store(in_memory->engine());
  TALEA_TRY(rehearse(store));
  return Database::Open(context.location, {.create = true});
}

Parameter AtParameter(std::optional<std::string>& at) {
  return {.name = "--at",
          .target = &at,
          .help = "As it was when the cursor was there, within the undo window",
          .value = "POINT"};
}

Result<Cursor> ParseCursor(std::string_view name, std::string_view argument) {
  if (argument == Describe(Cursor())) return Cursor();
  Result<ChainPoint> point = ChainPoint::Parse(argument);
  if (point) return Cursor(*point);
  return Fail(ErrorCode::invalid_argument,
              fmt::format("{}: {}; none stands for the beginning", name, point.error().message()));
}

Result<OutputReference> ParseOutput(std::string_view name, std::string_view argument) {
  return Named(name, OutputReference::Parse(argument));
}

Result<EntityKey> ParseKey(std::string_view name, std::string_view argument) {
  return Named(name, EntityKey::Parse(argument));
}

Result<std::string> ParseDigits(std::string_view name, std::string_view argument) {
  return Named(name, ParseHexDigits(argument));
}

Status CheckNamespace(const ChainView& view, std::string_view name) {
  const ChainStatistics statistics = TALEA_TRY(view.Statistics());
  std::vector<std::string> names;
  for (const NamespaceInformation& information : statistics.namespaces) {
    if (information.name == name) return {};
    names.push_back(Quoted(information.name));
  }
  return Fail(
      ErrorCode::not_found,
      fmt::format("namespace {}: expected one of the ledger's, found that it has {}", Quoted(name),
                  names.empty() ? "none" : fmt::to_string(fmt::join(names, ", "))));
}

Parameter NamespaceParameter(std::string& name) {
  return {.name = "NAMESPACE",
          .target = &name,
          .help = "The namespace; `talea chain stats` lists them",
          .required = true};
}

Parameter LimitParameter(std::uint64_t& limit, std::string_view what) {
  return {.name = "--limit",
          .target = &limit,
          .help = fmt::format("At most so many {} (100 if not given); 0 for all", what),
          .value = "N"};
}

}  // namespace talea::cli
