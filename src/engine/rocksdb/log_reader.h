// Reads the records of a write-ahead log of RocksDB, and says where there are none.
//
// A log is a sequence of blocks of 32,768 bytes. A block holds fragments: a masked CRC-32C of what
// comes after the length (4 bytes), a length (2), a type (1), and that many bytes. A record is one
// fragment (`full`), or one in each of several blocks (`first`, `middle`.., `last`). Where less
// than 7 bytes of a block are left, they are not used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "engine/rocksdb/log_check.h"
#include "talea/bytes.h"

namespace talea {

// The logs in a folder from number `first` on, oldest first.
Result<std::vector<std::filesystem::path>> ListLogs(const std::filesystem::path& folder,
                                                    std::uint64_t first = 0);

class LogReader {
 public:
  static Result<LogReader> Open(const std::filesystem::path& path, LogHistory& history);

  // Tells the history of every record and every damage; fails where it does, or the disk.
  Status ReadAll();

  std::uint64_t bytes() const { return bytes_; }

 private:
  enum class Type : unsigned char { full = 1, first = 2, middle = 3, last = 4 };
  struct Fragment {
    Type type;
    ByteView payload;
  };
  // A record that goes on in the next block. Only its two ends are of interest.
  struct Unfinished {
    std::uint64_t offset;
    std::string head;
    std::string tail;
  };

  LogReader(std::filesystem::path path, std::ifstream file, std::uint64_t bytes,
            LogHistory& history)
      : path_(std::move(path)), file_(std::move(file)), bytes_(bytes), history_(history) {}

  static std::optional<Fragment> FragmentAt(ByteView bytes);
  static bool EndsTooEarly(ByteView bytes);

  Status ReadBlock(ByteView block);
  Status Take(const Fragment& fragment, std::uint64_t offset);
  Status Finish(std::uint64_t offset, ByteView head, ByteView tail);
  void DropUnfinished(bool torn);
  std::size_t SkipDamage(ByteView block, std::size_t position);
  std::size_t NextRecord(ByteView block, std::size_t position) const;
  bool HasUnwrittenSector(ByteView block, std::size_t begin, std::size_t end) const;
  bool LastBlock(ByteView block) const { return base_ + block.size() == bytes_; }

  std::filesystem::path path_;
  std::ifstream file_;
  std::uint64_t bytes_;
  LogHistory& history_;
  std::uint64_t base_ = 0;  // offset of the block
  std::optional<Unfinished> unfinished_;
};

}  // namespace talea
