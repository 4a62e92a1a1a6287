// talea verify: reads every row, and lists what is not as it should be.
#include "talea/verify.h"

#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/open.h"
#include "cli/row_progress.h"
#include "cli/verify_report.h"

namespace talea::cli {
namespace {

Result<ExitCode> Verify(Context& context) {
  RowProgressBar progress("verify", context);  // first, as it is what hears Ctrl-C
  const auto engine = TALEA_TRY(OpenExisting(context));
  const std::uint64_t expected = EstimatedRows(*engine);
  const VerifyReport report = TALEA_TRY(VerifyDatabase(
      *engine, [&](std::uint64_t done, std::uint64_t) { return progress.Report(done, expected); }));
  progress.Finish();
  if (!report.finished) {
    context.err << "talea: verify was interrupted; nothing was changed, and nothing is known\n";
    return ExitCode::interrupted;
  }
  if (context.json) {
    context.out << ReportAsJson(report).text() << "\n";
  } else {
    context.out << ReportForPeople(report, context.screen);
  }
  return report.well() ? ExitCode::done : ExitCode::no;
}

}  // namespace

Command VerifyCommand() {
  return {
      .name = "verify",
      .summary = "Reads every row and checks it; ends with 3 if anything is wrong",
      .examples = {"talea --db rocksdb:/var/lib/visits verify", "talea verify --json | jq .well"},
      .parameters = {},
      .run = Verify};
}

}  // namespace talea::cli
