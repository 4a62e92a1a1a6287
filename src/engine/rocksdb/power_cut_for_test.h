// A file system whose power can be cut: it knows which bytes were synced, and does to the others
// what a power cut may do.
#pragma once

#include <rocksdb/file_system.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "talea/testing/random.h"

namespace talea {

// Files are those of the machine; what is written is there at once. After `operations` writes,
// syncs, renames and deletions the power is off, and all of them fail. Lose() then takes away what
// had not been synced.
class PowerCut final : public rocksdb::FileSystemWrapper {
 public:
  // What becomes of bytes of a log that were not synced. Garbage follows in the newest log alone:
  // file systems do not show it in one file and the later bytes of another. Of other files a random
  // first part stays.
  enum class Kind { none_stays, a_first_part_stays, some_sectors_stay, garbage_follows };

  PowerCut(std::uint64_t operations, Kind kind, std::uint64_t seed);

  bool off();
  void Lose();  // once the engine is closed

  const char* Name() const override { return "PowerCut"; }
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;

 private:
  class File;

  // One more operation on the disk: fails if the power is off, and is not interrupted by that else.
  template <class Operation>
  rocksdb::IOStatus Do(Operation operation);
  rocksdb::IOStatus Wrap(const std::string& path, std::uint64_t synced,
                         std::unique_ptr<rocksdb::FSWritableFile>* file);
  void LoseLog(const std::filesystem::path& path, std::uint64_t synced, Kind kind);

  std::mutex mutex_;
  std::uint64_t operations_left_;
  const Kind kind_;
  Random random_;
  std::map<std::string, std::uint64_t> synced_;  // bytes, of files written since it was made
};

}  // namespace talea
