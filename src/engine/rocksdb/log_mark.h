// What each group of commits tells, in the write-ahead log alone, about those before it.
//
// A log that was damaged looks much like one that a power cut has torn. The marks tell them apart:
// they chain the groups together, so that one that is missing is missed, and say what must be
// there.
#pragma once

#include <rocksdb/wal_filter.h>
#include <rocksdb/write_batch.h>

#include <cstdint>
#include <optional>

#include "talea/bytes.h"

namespace talea {

struct LogMark {
  std::uint64_t previous;  // the version of the group before it in the logs; 0 for the first since
                           // the database was opened, when nothing older is needed any more
  std::uint64_t version;   // of this group
  std::uint64_t synced;    // every group up to this version was on the disk before this was written
  friend bool operator==(const LogMark&, const LogMark&) = default;
};

// Call it last, when all writes are in the batch.
rocksdb::Status AppendLogMark(const LogMark& mark, rocksdb::WriteBatch& batch);

// The mark at the end of a batch as it stands in a log. The bytes may be its end alone, if they are
// at least kLogMarkBytes.
std::optional<LogMark> FindLogMark(ByteView batch);

extern const std::size_t kLogMarkBytes;

// Ends RocksDB's replay of the logs where a group is missing. RocksDB does so by itself only where
// it sees damage: not where a log ends too early but between two records, nor where a stretch of
// zeros has taken the place of some.
class StopAtGap final : public rocksdb::WalFilter {
 public:
  // Where the first group in the logs is not the first since the database was opened: the version
  // that the files hold, which the group before it must not be beyond.
  void SetInFiles(std::uint64_t version) { in_files_ = version; }

  const char* Name() const override { return "talea.stop-at-gap"; }
  WalProcessingOption LogRecordFound(unsigned long long log, const std::string& file,
                                     const rocksdb::WriteBatch& batch,
                                     rocksdb::WriteBatch* new_batch, bool* changed) override;

 private:
  std::optional<std::uint64_t> in_files_;
  std::optional<std::uint64_t> last_;
};

// Finds out which is the first log that RocksDB still needs, and has it replay none.
class FirstNeededLog final : public rocksdb::WalFilter {
 public:
  const char* Name() const override { return "talea.first-needed-log"; }
  void ColumnFamilyLogNumberMap(const std::map<std::uint32_t, std::uint64_t>& logs,
                                const std::map<std::string, std::uint32_t>&) override;
  WalProcessingOption LogRecordFound(unsigned long long, const std::string&,
                                     const rocksdb::WriteBatch&, rocksdb::WriteBatch*,
                                     bool*) override {
    return WalProcessingOption::kStopReplay;
  }

  std::uint64_t number() const { return number_; }

 private:
  std::uint64_t number_ = 0;
};

}  // namespace talea
