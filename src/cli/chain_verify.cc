// talea chain verify: the keyspaces of a ledger, and the hash of its state.
#include <fmt/format.h>

#include <optional>
#include <ostream>

#include "cli/chain_shown.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/row_work.h"
#include "cli/verify_report.h"
#include "json/json.h"
#include "talea/chain.h"
#include "talea/verify.h"

namespace talea::cli {
namespace {

// What was found beside the report.
struct LedgerState {
  Cursor cursor;
  std::optional<std::string> hash;  // nothing: it was interrupted, or cannot be told
  std::string complaint;            // why it cannot be told
};

Result<LedgerState> ReadState(Engine& engine, RowWork& work) {
  const Result<ChainView> view = ChainStore(engine).Open();
  if (!view) return LedgerState{.complaint = view.error().message()};
  Result<std::optional<std::string>> hash = view->StateHash(work.Progress());
  if (!hash) return LedgerState{.cursor = view->cursor(), .complaint = hash.error().message()};
  return LedgerState{.cursor = view->cursor(), .hash = std::move(*hash)};
}

void Tell(Context& context, const VerifyReport& report, const LedgerState& state) {
  if (context.json) {
    context.out << ReportAsJson(report)
                       .Add("cursor", CursorAsJson(state.cursor))
                       .Add("state_hash", state.hash ? Json(*state.hash) : Json(nullptr))
                       .text()
                << "\n";
    return;
  }
  context.out << ReportForPeople(report, context.screen);
  if (state.hash) {
    context.out << fmt::format("State hash {} at {}\n", *state.hash, Describe(state.cursor));
  } else {
    context.out << fmt::format("No state hash: {}\n", state.complaint);
  }
}

Result<ExitCode> Verify(Context& context) {
  RowWork work("verify", context, "rows");  // first, as it is what hears Ctrl-C
  const auto engine = TALEA_TRY(OpenOne(context));
  const std::vector<Keyspace> keyspaces = ChainKeyspaces();
  std::uint64_t expected = 0;
  for (const Keyspace& keyspace : keyspaces) expected += EstimatedRows(*engine, &keyspace);
  work.Expect(expected);
  const VerifyReport report =
      TALEA_TRY(VerifyDatabase(*engine, work.Progress(), {.keyspaces = keyspaces}));
  LedgerState state;
  if (report.finished) {
    work.Next("hash");
    state = TALEA_TRY(ReadState(*engine, work));
  }
  if (work.stopped()) {
    context.err << "talea: verify was interrupted; nothing was changed, and nothing is known\n";
    return ExitCode::interrupted;
  }
  work.Finish();
  Tell(context, report, state);
  return report.well() && state.hash ? ExitCode::done : ExitCode::no;
}

}  // namespace

Command ChainVerifyCommand() {
  return {.name = "verify",
          .summary = "Checks every row of a ledger, and tells the hash of its state",
          .examples = {"talea chain verify", "talea chain verify --json | jq -r .state_hash"},
          .parameters = {},
          .run = Verify};
}

}  // namespace talea::cli
