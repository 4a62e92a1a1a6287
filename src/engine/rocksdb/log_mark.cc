#include "engine/rocksdb/log_mark.h"

#include <algorithm>
#include <ranges>
#include <string>

#include "base/coding.h"
#include "engine/rocksdb/status.h"

namespace talea {
namespace {

constexpr ByteView kMagic = "talea";
constexpr char kLogDataTag = 3;  // RocksDB's kTypeLogData
constexpr std::size_t kBlobBytes = kMagic.size() + 3 * sizeof(std::uint64_t);
static_assert(kBlobBytes < 0x80, "its length is a varint of one byte");

}  // namespace

const std::size_t kLogMarkBytes = 2 + kBlobBytes;

rocksdb::Status AppendLogMark(const LogMark& mark, rocksdb::WriteBatch& batch) {
  std::string blob(kMagic);
  AppendFixed64(blob, mark.previous);
  AppendFixed64(blob, mark.version);
  AppendFixed64(blob, mark.synced);
  return batch.PutLogData(blob);
}

std::optional<LogMark> FindLogMark(ByteView batch) {
  if (batch.size() < kLogMarkBytes) return std::nullopt;
  batch.remove_prefix(batch.size() - kLogMarkBytes);
  if (batch[0] != kLogDataTag || batch[1] != kBlobBytes) return std::nullopt;
  if (!batch.substr(2).starts_with(kMagic)) return std::nullopt;
  const char* numbers = batch.data() + 2 + kMagic.size();
  return LogMark{LoadLittleEndian<std::uint64_t>(numbers),
                 LoadLittleEndian<std::uint64_t>(numbers + 8),
                 LoadLittleEndian<std::uint64_t>(numbers + 16)};
}

rocksdb::WalFilter::WalProcessingOption StopAtGap::LogRecordFound(unsigned long long,
                                                                  const std::string&,
                                                                  const rocksdb::WriteBatch& batch,
                                                                  rocksdb::WriteBatch*, bool*) {
  const std::optional<LogMark> mark = FindLogMark(batch.Data());
  if (!mark) return WalProcessingOption::kContinueProcessing;
  const bool follows =
      last_ ? mark->previous == *last_ : mark->previous <= in_files_.value_or(~0ull);
  if (mark->previous != 0 && !follows) return WalProcessingOption::kStopReplay;
  last_ = mark->version;
  return WalProcessingOption::kContinueProcessing;
}

void FirstNeededLog::ColumnFamilyLogNumberMap(const std::map<std::uint32_t, std::uint64_t>& logs,
                                              const std::map<std::string, std::uint32_t>&) {
  if (!logs.empty()) number_ = std::ranges::min(logs | std::views::values);
}

}  // namespace talea
