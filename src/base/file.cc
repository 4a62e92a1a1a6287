#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

// What an attempt that was killed has left. We make folders alone under that name, so anything else
// is not ours to remove.
Status RemoveLeftovers(const std::filesystem::path& temporary) {
  std::error_code error;
  const std::filesystem::file_status found = std::filesystem::symlink_status(temporary, error);
  if (!std::filesystem::exists(found)) return {};
  if (!std::filesystem::is_directory(found)) {
    return Fail(ErrorCode::already_exists,
                fmt::format("{}: expected nothing there, or an unfinished folder, found something "
                            "else under that name",
                            Quoted(temporary.native())));
  }
  std::filesystem::remove_all(temporary, error);
  if (!error) return {};
  return Fail(ErrorCode::io_error, fmt::format("removing the unfinished folder {}: {}",
                                               Quoted(temporary.native()), error.message()));
}

Result<std::filesystem::path> CreateTemporaryFolder(const std::filesystem::path& folder) {
  if (folder.empty()) {
    return Fail(ErrorCode::invalid_argument,
                "folder \"\": expected the name of a folder to create, found nothing");
  }
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(folder, error))) {
    return Fail(ErrorCode::already_exists,
                fmt::format("folder {}: expected it not to exist yet", Quoted(folder.native())));
  }
  std::filesystem::path temporary = folder;
  temporary += kUnfinishedSuffix;
  TALEA_TRY(RemoveLeftovers(temporary));
  if (::mkdir(temporary.c_str(), 0755) != 0) return SystemError("creating folder", temporary);
  return temporary;
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
  const std::filesystem::path temporary = TALEA_TRY(CreateTemporaryFolder(target));
  Status filled = fill(temporary);
  if (filled) filled = RenameDurably(temporary, target);
  if (filled) return {};
  std::error_code error;
  std::filesystem::remove_all(temporary, error);
  if (!error) return filled;
  return Fail(filled.error().code(),
              fmt::format("{}; besides, removing {}: {}", filled.error().message(),
                          Quoted(temporary.native()), error.message()));
}

}  // namespace talea
