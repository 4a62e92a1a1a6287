#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace talea {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

std::unexpected<Error> SystemError(std::string_view action, const std::filesystem::path& path) {
  const int error = errno;
  const ErrorCode code = error == ENOENT   ? ErrorCode::not_found
                         : error == EEXIST ? ErrorCode::already_exists
                                           : ErrorCode::io_error;
  return Fail(code, fmt::format("{} {}: {}", action, Quoted(path.native()), std::strerror(error)));
}

std::filesystem::path ParentOf(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.parent_path();
  return parent.empty() ? "." : parent;
}

std::filesystem::path WithoutTrailingSlash(const std::filesystem::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

// What is made: a folder, or a file.
std::string_view Name(std::filesystem::file_type type) {
  return type == std::filesystem::file_type::directory ? "folder" : "file";
}

// What an attempt that was killed has left. We make things of one type under that name, so anything
// else is not ours to remove.
Status RemoveLeftovers(const std::filesystem::path& temporary, std::filesystem::file_type type) {
  std::error_code error;
  const std::filesystem::file_status found = std::filesystem::symlink_status(temporary, error);
  if (!std::filesystem::exists(found)) return {};
  if (found.type() != type) {
    return Fail(ErrorCode::already_exists,
                fmt::format("{}: expected nothing there, or an unfinished {}, found something "
                            "else under that name",
                            Quoted(temporary.native()), Name(type)));
  }
  std::filesystem::remove_all(temporary, error);
  if (!error) return {};
  return Fail(ErrorCode::io_error, fmt::format("removing the unfinished {} {}: {}", Name(type),
                                               Quoted(temporary.native()), error.message()));
}

// The name under which it is made, which is free.
Result<std::filesystem::path> TemporaryName(const std::filesystem::path& target,
                                            std::filesystem::file_type type) {
  if (target.empty()) {
    return Fail(
        ErrorCode::invalid_argument,
        fmt::format("{0} \"\": expected the name of a {0} to create, found nothing", Name(type)));
  }
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(target, error))) {
    return Fail(ErrorCode::already_exists, fmt::format("{} {}: expected it not to exist yet",
                                                       Name(type), Quoted(target.native())));
  }
  std::filesystem::path temporary = target;
  temporary += kUnfinishedSuffix;
  TALEA_TRY(RemoveLeftovers(temporary, type));
  return temporary;
}

// What made it fail, and what removing it has come to besides.
std::unexpected<Error> RemoveUnfinished(const std::filesystem::path& temporary, Error why) {
  std::error_code error;
  std::filesystem::remove_all(temporary, error);
  if (!error) return std::unexpected(std::move(why));
  return Fail(why.code(), fmt::format("{}; besides, removing {}: {}", why.message(),
                                      Quoted(temporary.native()), error.message()));
}

// Renames a file that is complete, but never over another one.
Status NameWholeFile(const std::filesystem::path& temporary, const std::filesystem::path& target) {
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0)
    return SyncFolder(ParentOf(target));
  if (errno != EINVAL && errno != ENOSYS) return SystemError("renaming to", target);
  return RenameDurably(temporary, target);  // a file system that cannot tell
}

Result<bool> FillFile(const std::filesystem::path& temporary, const std::filesystem::path& target,
                      const std::function<Result<bool>(FileWriter& writer)>& fill) {
  FileWriter writer = TALEA_TRY(FileWriter::Create(temporary));
  if (!TALEA_TRY(fill(writer))) return false;
  TALEA_TRY(writer.Finish());
  TALEA_TRY(NameWholeFile(temporary, target));
  return true;
}

}  // namespace

Result<FileWriter> FileWriter::Create(std::filesystem::path path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0) return SystemError("creating", path);
  return FileWriter(std::move(path), descriptor);
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)),
      written_(other.written_) {}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status FileWriter::Append(ByteView bytes) {
  buffer_.append(bytes);
  written_ += bytes.size();
  if (buffer_.size() < kBufferBytes) return {};
  return Flush();
}

Status FileWriter::Flush() {
  while (!buffer_.empty()) {
    const ssize_t count = ::write(descriptor_, buffer_.data(), buffer_.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("writing", path_);
    buffer_.erase(0, static_cast<std::size_t>(count));  // after a failure, only the rest is left
  }
  return {};
}

Status FileWriter::Finish() {
  TALEA_TRY(Flush());
  if (::fsync(descriptor_) != 0) return SystemError("syncing", path_);
  if (::close(std::exchange(descriptor_, -1)) != 0) return SystemError("closing", path_);
  return {};
}

Result<FileReader> FileReader::Open(std::filesystem::path path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SystemError("opening", path);
  FileReader reader(std::move(path), descriptor, 0);
  struct stat found{};
  if (::fstat(descriptor, &found) != 0) return SystemError("opening", reader.path_);
  if (!S_ISREG(found.st_mode)) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("opening {}: expected a file, found something else",
                            Quoted(reader.path_.native())));
  }
  reader.size_ = static_cast<std::uint64_t>(found.st_size);
  return reader;
}

FileReader::FileReader(FileReader&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

FileReader::~FileReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::string> FileReader::Read(std::uint64_t offset, std::size_t count) const {
  std::string bytes(count, '\0');
  std::size_t done = 0;
  while (done < count) {
    const ssize_t read =
        ::pread(descriptor_, bytes.data() + done, count - done, static_cast<off_t>(offset + done));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return SystemError("reading", path_);
    if (read == 0) {
      return Fail(ErrorCode::io_error,
                  fmt::format("reading {}: expected {} bytes at byte {}, found {}",
                              Quoted(path_.native()), count, offset, done));
    }
    done += static_cast<std::size_t>(read);
  }
  return bytes;
}

Result<std::string> ReadWholeFile(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SystemError("opening", path);
  std::string contents;
  ssize_t count = 0;
  do {
    const std::size_t size = contents.size();
    contents.resize(size + kBufferBytes);
    count = ::read(descriptor, contents.data() + size, kBufferBytes);
    contents.resize(size + (count > 0 ? static_cast<std::size_t>(count) : 0));
  } while (count > 0 || (count < 0 && errno == EINTR));
  const int error = errno;
  ::close(descriptor);
  errno = error;
  if (count < 0) return SystemError("reading", path);
  return contents;
}

Status SyncFolder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return SystemError("opening", folder);
  const bool synced = ::fsync(descriptor) == 0;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  if (!synced) return SystemError("syncing", folder);
  return {};
}

Status RenameDurably(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return SystemError("renaming to", to);
  return SyncFolder(ParentOf(to));
}

Status CreateFolderWhole(
    const std::filesystem::path& folder,
    const std::function<Status(const std::filesystem::path& temporary)>& fill) {
  const std::filesystem::path target = WithoutTrailingSlash(folder);
  const std::filesystem::path temporary =
      TALEA_TRY(TemporaryName(target, std::filesystem::file_type::directory));
  if (::mkdir(temporary.c_str(), 0755) != 0) return SystemError("creating folder", temporary);
  Status filled = fill(temporary);
  if (filled) filled = RenameDurably(temporary, target);
  if (filled) return {};
  return RemoveUnfinished(temporary, filled.error());
}

Result<bool> CreateFileWhole(const std::filesystem::path& file,
                             const std::function<Result<bool>(FileWriter& writer)>& fill) {
  const std::filesystem::path temporary =
      TALEA_TRY(TemporaryName(file, std::filesystem::file_type::regular));
  const Result<bool> filled = FillFile(temporary, file, fill);
  if (!filled) return RemoveUnfinished(temporary, filled.error());
  if (*filled) return true;
  std::error_code error;
  std::filesystem::remove(temporary, error);
  if (!error) return false;
  return Fail(ErrorCode::io_error, fmt::format("removing the unfinished file {}: {}",
                                               Quoted(temporary.native()), error.message()));
}

}  // namespace talea
