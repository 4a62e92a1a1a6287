#include "engine/rocksdb/log_check.h"

#include <fmt/format.h>

#include "engine/rocksdb/log_reader.h"

namespace talea {

namespace fs = std::filesystem;

void LogHistory::BeginLog(std::string name) {
  log_ = std::move(name);
  first_in_log_ = true;
}

bool LogHistory::Plausible(std::uint64_t sequence, std::uint64_t offset) const {
  // Each write takes a number and more than a byte.
  if (!next_sequence_) return true;
  return sequence > *next_sequence_ && sequence - *next_sequence_ <= bytes_before_ + offset;
}

void LogHistory::Damage(std::uint64_t offset, bool torn) {
  if (!hole_) hole_ = Hole{log_, offset, false, {}};
  if (!hole_->first_lost) hole_->torn |= torn;
}

Status LogHistory::Record(std::uint64_t offset, std::uint64_t sequence, std::uint32_t count,
                          const std::optional<LogMark>& mark) {
  if (mark && mark->previous == 0) {
    // When the database was opened, all that stood before was written out to files.
    hole_.reset();
    last_version_.reset();
  } else if (mark) {
    linked_ &= !hole_ && last_version_ == mark->previous;
    NoteGap(offset, *mark);
  }
  first_in_log_ = false;
  if (hole_ && !hole_->torn) return Missing("commits that follow are whole");
  if (hole_ && mark) {
    if (!hole_->first_lost) {
      hole_->first_lost = last_version_ ? *last_version_ + 1 : mark->previous;
    }
    if (mark->synced >= *hole_->first_lost) return Missing("commits up to here had been synced");
  }
  if (hole_) return {};
  next_sequence_ = sequence + count;
  if (mark) last_version_ = mark->version;
  return {};
}

// Between two logs some may be missing without a trace. Logs that are not needed any more are
// deleted in no certain order, so a process that is killed then leaves gaps before the first that
// is. Or the older log ends too early, and yet at the end of a record: RocksDB's manifest knows the
// sizes of those that were synced, and StopAtGap ends the replay after the others.
void LogHistory::NoteGap(std::uint64_t offset, const LogMark& mark) {
  if (!hole_ && !last_version_ && in_files_ && mark.previous > *in_files_) {
    hole_ = Hole{log_, offset, true, *in_files_ + 1};  // a log that is empty, or not there
  }
  if (hole_ || !last_version_ || mark.previous == *last_version_) return;
  if (first_in_log_ && mark.previous > *last_version_) {
    last_version_.reset();
  } else {
    hole_ = Hole{log_, offset, false, {}};
  }
}

std::unexpected<Error> LogHistory::Missing(std::string_view followers) const {
  const std::string expected =
      last_version_ ? fmt::format("the commit after version {}", *last_version_) : "a commit";
  return Fail(ErrorCode::corruption,
              fmt::format("log {}, byte {}: expected {}, found damage that no power cut explains: "
                          "{} (log {})",
                          hole_->log, hole_->offset, expected, followers, log_));
}

Status CheckLogs(const fs::path& folder, std::uint64_t first) {
  LogHistory history;
  return CheckLogs(folder, first, history);
}

Status CheckLogs(const fs::path& folder, std::uint64_t first, LogHistory& history) {
  for (const fs::path& log : TALEA_TRY(ListLogs(folder, first))) {
    history.BeginLog(log.filename());
    LogReader reader = TALEA_TRY(LogReader::Open(log, history));
    TALEA_TRY(reader.ReadAll());
    history.EndLog(reader.bytes());
  }
  return {};
}

}  // namespace talea
