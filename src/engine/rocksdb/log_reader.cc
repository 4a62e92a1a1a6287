#include "engine/rocksdb/log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/coding.h"
#include "engine/rocksdb/crc32c.h"

namespace talea {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockBytes = 32 << 10;
constexpr std::size_t kHeaderBytes = 7;
constexpr std::size_t kTypeOffset = 6;
constexpr std::size_t kSectorBytes = 512;
constexpr std::size_t kBatchHeaderBytes = 12;  // sequence number and count

std::size_t LengthIn(ByteView header) {
  return LoadLittleEndian<std::uint16_t>(header.data() + sizeof(std::uint32_t));
}

std::optional<std::uint64_t> NumberOf(const fs::path& path) {
  const std::string stem = path.stem();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
  if (path.extension() != ".log" || error != std::errc() || end != stem.data() + stem.size()) {
    return std::nullopt;
  }
  return number;
}

// Keeps the first or the last bytes of what is appended bit by bit.
void KeepFirst(std::string& kept, ByteView more, std::size_t bytes) {
  kept.append(more.substr(0, bytes - std::min(bytes, kept.size())));
}
void KeepLast(std::string& kept, ByteView more, std::size_t bytes) {
  kept.append(more.substr(more.size() - std::min(more.size(), bytes)));
  if (kept.size() > bytes) kept.erase(0, kept.size() - bytes);
}

}  // namespace

Result<std::vector<fs::path>> ListLogs(const fs::path& folder, std::uint64_t first) {
  std::vector<std::pair<std::uint64_t, fs::path>> numbered;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::optional<std::uint64_t> number = NumberOf(entry.path());
    if (number && *number >= first) numbered.emplace_back(*number, entry.path());
  }
  if (error) return Fail(ErrorCode::io_error, fmt::format("listing logs: {}", error.message()));
  std::ranges::sort(numbered);
  std::vector<fs::path> logs;
  for (auto& [number, path] : numbered) logs.push_back(std::move(path));
  return logs;
}

Result<LogReader> LogReader::Open(const fs::path& path, LogHistory& history) {
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (!error && file) return LogReader(path, std::move(file), bytes, history);
  return Fail(ErrorCode::io_error, fmt::format("log {}: cannot be read", path.filename().native()));
}

Status LogReader::ReadAll() {
  std::string block;
  for (base_ = 0; base_ < bytes_; base_ += block.size()) {
    block.resize(std::min<std::uint64_t>(kBlockBytes, bytes_ - base_));
    if (!file_.read(block.data(), static_cast<std::streamsize>(block.size()))) {
      return Fail(ErrorCode::io_error,
                  fmt::format("log {}, byte {}: cannot be read", path_.filename().native(), base_));
    }
    TALEA_TRY(ReadBlock(block));
  }
  DropUnfinished(true);  // it ends where a fragment does
  return {};
}

Status LogReader::ReadBlock(ByteView block) {
  std::size_t position = 0;
  while (position + kHeaderBytes <= block.size()) {
    const std::optional<Fragment> fragment = FragmentAt(block.substr(position));
    if (!fragment) {
      position = SkipDamage(block, position);
      continue;
    }
    TALEA_TRY(Take(*fragment, base_ + position));
    position += kHeaderBytes + fragment->payload.size();
  }
  if (block.size() < kBlockBytes && position < block.size()) {
    DropUnfinished(true);
    history_.Damage(base_ + position, true);  // half a header
  }
  return {};
}

std::optional<LogReader::Fragment> LogReader::FragmentAt(ByteView bytes) {
  const auto type = static_cast<Type>(bytes[kTypeOffset]);
  const std::size_t length = LengthIn(bytes);
  if (type < Type::full || type > Type::last) return std::nullopt;
  if (kHeaderBytes + length > bytes.size()) return std::nullopt;
  const ByteView checked = bytes.substr(kTypeOffset, 1 + length);
  if (MaskedCrc32c(checked) != LoadLittleEndian<std::uint32_t>(bytes.data())) return std::nullopt;
  return Fragment{type, bytes.substr(kHeaderBytes, length)};
}

Status LogReader::Take(const Fragment& fragment, std::uint64_t offset) {
  const ByteView payload = fragment.payload;
  if (fragment.type == Type::full || fragment.type == Type::first) DropUnfinished(false);
  if (fragment.type == Type::full) return Finish(offset, payload, payload);
  if (fragment.type == Type::first) unfinished_ = Unfinished{offset, {}, {}};
  if (!unfinished_) {
    history_.Damage(offset, false);  // the rest of a record whose start is missing
    return {};
  }
  KeepFirst(unfinished_->head, payload, kBatchHeaderBytes);
  KeepLast(unfinished_->tail, payload, kLogMarkBytes);
  if (fragment.type != Type::last) return {};
  const Unfinished whole = *std::exchange(unfinished_, std::nullopt);
  return Finish(whole.offset, whole.head, whole.tail);
}

Status LogReader::Finish(std::uint64_t offset, ByteView head, ByteView tail) {
  if (head.size() < kBatchHeaderBytes) {
    history_.Damage(offset, false);
    return {};
  }
  return history_.Record(offset, LoadLittleEndian<std::uint64_t>(head.data()),
                         LoadLittleEndian<std::uint32_t>(head.data() + sizeof(std::uint64_t)),
                         FindLogMark(tail));
}

void LogReader::DropUnfinished(bool torn) {
  if (!unfinished_) return;
  history_.Damage(unfinished_->offset, torn);
  unfinished_.reset();
}

// Returns where the next record begins, or the end of the block.
std::size_t LogReader::SkipDamage(ByteView block, std::size_t position) {
  const std::size_t next = NextRecord(block, position + 1);
  const bool ends_too_early =
      next == block.size() && LastBlock(block) && EndsTooEarly(block.substr(position));
  const bool torn = ends_too_early || HasUnwrittenSector(block, position, next);
  DropUnfinished(torn);
  history_.Damage(base_ + position, torn);
  return next;
}

// Whether these bytes, up to the end of the log, are the first part of a fragment; and not a whole
// one with another length in its header.
bool LogReader::EndsTooEarly(ByteView bytes) {
  return kHeaderBytes + LengthIn(bytes) > bytes.size() &&
         MaskedCrc32c(bytes.substr(kTypeOffset)) != LoadLittleEndian<std::uint32_t>(bytes.data());
}

std::size_t LogReader::NextRecord(ByteView block, std::size_t position) const {
  for (; position + kHeaderBytes + kBatchHeaderBytes <= block.size(); ++position) {
    const auto type = static_cast<Type>(block[position + kTypeOffset]);
    if (type != Type::full && type != Type::first) continue;
    const ByteView bytes = block.substr(position);
    if (LengthIn(bytes) < kBatchHeaderBytes) continue;
    const auto sequence = LoadLittleEndian<std::uint64_t>(bytes.data() + kHeaderBytes);
    if (history_.Plausible(sequence, base_ + position) && FragmentAt(bytes)) return position;
  }
  return block.size();
}

// Whether the bytes hold a sector of zeros. The first one may have begun before, with what was
// synced then; the last one may be cut off by the end of the log.
bool LogReader::HasUnwrittenSector(ByteView block, std::size_t begin, std::size_t end) const {
  while (begin < end) {
    const std::size_t next = begin / kSectorBytes * kSectorBytes + kSectorBytes;
    const ByteView sector = block.substr(begin, next - begin);
    const bool inside = begin + sector.size() <= end;
    if (inside && std::ranges::all_of(sector, [](char byte) { return byte == 0; })) return true;
    begin = next;
  }
  return false;
}

}  // namespace talea
