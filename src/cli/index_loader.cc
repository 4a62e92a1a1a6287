#include "cli/index_loader.h"

#include <fmt/format.h>

#include <utility>

namespace talea::cli {
namespace {

// Of the file. A commit of more would be refused by engines with small transactions.
constexpr std::uint64_t kMostBatchBytes = 1 << 20;

}  // namespace

IndexLoader::IndexLoader(Database& database, IndexStore& indexes, EntryRules rules,
                         LoadOptions options)
    : database_(database),
      indexes_(indexes),
      rules_(std::move(rules)),
      options_(std::move(options)) {}

Result<LoadReport> IndexLoader::Load(LineSource& lines, const std::function<bool()>& proceed) {
  while (true) {
    const bool taken = TALEA_TRY(TakeLine(lines));
    const bool full =
        pending_.size() >= options_.batch || lines.bytes() - pending_since_ >= kMostBatchBytes;
    if (taken && !full) continue;
    TALEA_TRY(Commit());
    pending_since_ = lines.bytes();
    report_.finished = !taken;
    if (!taken || !proceed()) return report_;
  }
}

// False at the end.
Result<bool> IndexLoader::TakeLine(LineSource& lines) {
  Result<std::optional<FoundEntry>> found = lines.Next();
  if (found && !*found) return false;
  if (!found && found.error().code() != ErrorCode::invalid_argument) {
    return Fail(found.error().code(),
                fmt::format("{}: {}", options_.source, found.error().message()));
  }
  ++report_.lines;
  TALEA_TRY(found ? TakeEntry(rules_.Apply(**std::move(found)), lines)
                  : Tolerate(found.error().message(), lines));
  return true;
}

Status IndexLoader::TakeEntry(Result<std::optional<IndexEntry>> entry, const LineSource& lines) {
  if (!entry) return Tolerate(entry.error().message(), lines);
  if (*entry) {
    pending_.push_back(**std::move(entry));
  } else {
    ++report_.without_entry;
  }
  return {};
}

Status IndexLoader::Tolerate(const std::string& problem, const LineSource& lines) {
  // What no line could be made of names the line itself.
  const std::string line = lines.line() == 0 ? ", " : fmt::format(", line {}: ", lines.line());
  const std::string message = options_.source + line + problem;
  if (++report_.bad_lines > options_.most_bad_lines) {
    TALEA_TRY(Commit());
    return Fail(ErrorCode::precondition_failed,
                message + "; the lines before it are loaded, and --skip-bad-lines tolerates some");
  }
  if (report_.problems.size() < kMostProblems) report_.problems.push_back(message);
  return {};
}

Status IndexLoader::Commit() {
  if (pending_.empty()) return {};
  const std::size_t added =
      TALEA_TRY(database_.Transact([&](Transaction& transaction) -> Result<std::size_t> {
        return indexes_.Add(transaction, options_.index, pending_);
      }));
  report_.added += added;
  report_.there_already += pending_.size() - added;
  pending_.clear();
  return {};
}

}  // namespace talea::cli
