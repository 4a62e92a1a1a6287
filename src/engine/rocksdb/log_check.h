// Looks for damage in the write-ahead logs before RocksDB sees them, and changes nothing.
//
// RocksDB would recover up to the damage, drop everything after it and say nothing. That is right
// where a power cut has torn the end of the log, and wrong everywhere else: acknowledged commits
// would be gone without an error.
//
// What a power cut leaves of bytes that were not synced: the file may end early, sectors that were
// never written hold zeros, and the very end may hold anything. So damage is taken for a torn end,
// which RocksDB may cut, if
// - no whole record follows it, or
// - those that follow it are explained by pages that reached the disk out of order: the damaged
//   place holds a sector of zeros, or the end of a log that ends too early; and none of them says
//   that one of the lost commits was synced before it (see log_mark.h).
// Everything else is corruption. docs/guarantees.md says what this cannot tell.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/rocksdb/log_mark.h"
#include "talea/result.h"

namespace talea {

class LogHistory;

// Fails with `corruption`, naming the file and the byte, if the logs of a closed database lack
// commits that a power cut cannot have taken. Logs before number `first` are not looked at.
Status CheckLogs(const std::filesystem::path& folder, std::uint64_t first = 0);
Status CheckLogs(const std::filesystem::path& folder, std::uint64_t first, LogHistory& history);

// Judges what is found in the logs, in order, by the rules above.
class LogHistory {
 public:
  // With the version that RocksDB's files hold, if that is known: what comes next must be in the
  // logs.
  explicit LogHistory(std::optional<std::uint64_t> in_files = {}) : in_files_(in_files) {}

  void BeginLog(std::string name);
  void EndLog(std::uint64_t bytes) { bytes_before_ += bytes; }

  // A whole record, at this offset of the log. Fails if something before it is missing that must
  // not be.
  Status Record(std::uint64_t offset, std::uint64_t sequence, std::uint32_t count,
                const std::optional<LogMark>& mark);

  // Bytes that are no record; `torn` if they look like something that was never written.
  void Damage(std::uint64_t offset, bool torn);

  // Whether a record with this sequence number may stand after the damage at this offset: bytes of
  // a value may look like a record, too.
  bool Plausible(std::uint64_t sequence, std::uint64_t offset) const;

  // Whether each group of commits follows on one that is there, or is the first since the database
  // was opened. Where one does not, only RocksDB's files tell whether those before it are missing.
  bool linked() const { return linked_; }

 private:
  struct Hole {
    std::string log;
    std::uint64_t offset;
    bool torn;
    std::optional<std::uint64_t> first_lost;  // version, once a record after it was seen
  };

  void NoteGap(std::uint64_t offset, const LogMark& mark);
  std::unexpected<Error> Missing(std::string_view followers) const;

  const std::optional<std::uint64_t> in_files_;
  bool linked_ = true;
  std::string log_;
  bool first_in_log_ = false;
  std::uint64_t bytes_before_ = 0;  // in the logs before this one
  std::optional<std::uint64_t> next_sequence_;
  std::optional<std::uint64_t> last_version_;  // before the hole, if there is one
  std::optional<Hole> hole_;                   // the first since the database was opened
};

}  // namespace talea
