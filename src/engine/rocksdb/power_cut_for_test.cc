#include "engine/rocksdb/power_cut_for_test.h"

#include <fstream>
#include <sstream>

namespace talea {
namespace {

namespace fs = std::filesystem;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

constexpr std::uint64_t kSectorBytes = 512;

std::string ReadAll(const fs::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(bytes).str();
}

}  // namespace

class PowerCut::File final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  File(PowerCut& disk, std::string path, std::unique_ptr<rocksdb::FSWritableFile> file)
      : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk), path_(std::move(path)) {}

  IOStatus Append(const rocksdb::Slice& bytes, const IOOptions& options,
                  IODebugContext* context) override {
    return disk_.Do([&] { return target()->Append(bytes, options, context); });
  }
  IOStatus Append(const rocksdb::Slice& bytes, const IOOptions& options,
                  const rocksdb::DataVerificationInfo&, IODebugContext* context) override {
    return Append(bytes, options, context);
  }
  IOStatus Truncate(std::uint64_t size, const IOOptions& options,
                    IODebugContext* context) override {
    return disk_.Do([&] { return target()->Truncate(size, options, context); });
  }
  // The machine's own power stays on, so nothing has to be done for it.
  IOStatus Sync(const IOOptions&, IODebugContext*) override {
    return disk_.Do([&] {
      disk_.synced_[path_] = fs::file_size(path_);
      return IOStatus::OK();
    });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return Sync(options, context);
  }
  // Otherwise only files that use it may be synced while they are written to.
  bool IsSyncThreadSafe() const override { return true; }

 private:
  PowerCut& disk_;
  const std::string path_;
};

PowerCut::PowerCut(std::uint64_t operations, Kind kind, std::uint64_t seed)
    : FileSystemWrapper(rocksdb::FileSystem::Default()),
      operations_left_(operations),
      kind_(kind),
      random_(seed) {}

bool PowerCut::off() {
  std::lock_guard lock(mutex_);
  return operations_left_ == 0;
}

template <class Operation>
IOStatus PowerCut::Do(Operation operation) {
  std::lock_guard lock(mutex_);
  if (operations_left_ == 0) return IOStatus::IOError("the power is off");
  --operations_left_;
  return operation();
}

IOStatus PowerCut::Wrap(const std::string& path, std::uint64_t synced,
                        std::unique_ptr<rocksdb::FSWritableFile>* file) {
  synced_[path] = synced;
  *file = std::make_unique<File>(*this, path, std::move(*file));
  return IOStatus::OK();
}

IOStatus PowerCut::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                   std::unique_ptr<rocksdb::FSWritableFile>* file,
                                   IODebugContext* context) {
  return Do([&] {
    const IOStatus made = target()->NewWritableFile(path, options, file, context);
    return made.ok() ? Wrap(path, 0, file) : made;
  });
}

IOStatus PowerCut::ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* file,
                                      IODebugContext* context) {
  return Do([&] {
    const auto known = synced_.find(path);
    const std::uint64_t synced = known != synced_.end() ? known->second : fs::file_size(path);
    const IOStatus made = target()->ReopenWritableFile(path, options, file, context);
    return made.ok() ? Wrap(path, synced, file) : made;
  });
}

IOStatus PowerCut::RenameFile(const std::string& from, const std::string& to,
                              const IOOptions& options, IODebugContext* context) {
  return Do([&] {
    const IOStatus renamed = target()->RenameFile(from, to, options, context);
    if (auto known = synced_.extract(from); renamed.ok() && known) synced_[to] = known.mapped();
    return renamed;
  });
}

IOStatus PowerCut::LinkFile(const std::string& from, const std::string& to,
                            const IOOptions& options, IODebugContext* context) {
  return Do([&] {
    const IOStatus linked = target()->LinkFile(from, to, options, context);
    if (auto known = synced_.find(from); linked.ok() && known != synced_.end()) {
      synced_[to] = known->second;
    }
    return linked;
  });
}

IOStatus PowerCut::DeleteFile(const std::string& path, const IOOptions& options,
                              IODebugContext* context) {
  return Do([&] {
    synced_.erase(path);
    return target()->DeleteFile(path, options, context);
  });
}

void PowerCut::Lose() {
  std::lock_guard lock(mutex_);
  operations_left_ = 0;
  std::string newest;
  for (const auto& [path, synced] : synced_) {
    if (path.ends_with(".log")) newest = path;
  }
  for (const auto& [path, synced] : synced_) {
    std::error_code gone;
    const std::uint64_t size = fs::file_size(path, gone);
    if (gone || size <= synced) continue;
    if (path.ends_with(".log")) {
      const bool garbage = kind_ == Kind::garbage_follows && path != newest;
      LoseLog(path, synced, garbage ? Kind::a_first_part_stays : kind_);
    } else {
      fs::resize_file(path, synced + random_.Below(size - synced + 1));
    }
  }
}

void PowerCut::LoseLog(const fs::path& path, std::uint64_t synced, Kind kind) {
  std::string bytes = ReadAll(path);
  const std::uint64_t kept = synced + random_.Below(bytes.size() - synced + 1);
  switch (kind) {
    case Kind::none_stays:
      bytes.resize(synced);
      break;
    case Kind::a_first_part_stays:
      bytes.resize(kept);
      break;
    case Kind::some_sectors_stay:
      for (std::uint64_t begin = synced; begin < bytes.size();) {
        const std::uint64_t end =
            std::min(begin / kSectorBytes * kSectorBytes + kSectorBytes, bytes.size());
        if (random_.Chance(0.1))
          std::fill_n(bytes.begin() + static_cast<long>(begin), end - begin, 0);
        begin = end;
      }
      break;
    case Kind::garbage_follows:
      for (std::uint64_t at = kept; at < bytes.size(); ++at) {
        bytes[at] = static_cast<char>(random_.Next());
      }
      break;
  }
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace talea
