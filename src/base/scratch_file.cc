#include "base/scratch_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace talea {
namespace {

std::unexpected<Error> Failed(std::string_view action, const std::filesystem::path& folder) {
  const int error = errno;
  return Fail(ErrorCode::io_error, fmt::format("{} a scratch file in {}: {}", action,
                                               Quoted(folder.native()), std::strerror(error)));
}

}  // namespace

Result<ScratchFile> ScratchFile::Create(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path where =
      folder.empty() ? std::filesystem::temp_directory_path(error) : folder;
  if (error) {
    return Fail(ErrorCode::io_error,
                fmt::format("the system's folder for scratch files: {}", error.message()));
  }
  std::string name = (where / "talea-scratch-XXXXXX").native();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return Failed("creating", where);
  ScratchFile file(where, descriptor);
  if (::unlink(name.c_str()) != 0) return Failed("unlinking", where);
  return file;
}

ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status ScratchFile::Append(ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failed("writing", folder_);
    bytes.remove_prefix(static_cast<std::size_t>(count));
    size_ += static_cast<std::uint64_t>(count);
  }
  return {};
}

Status ScratchFile::Read(std::uint64_t offset, char* to, std::size_t count) const {
  while (count > 0) {
    const ssize_t read = ::pread(descriptor_, to, count, static_cast<off_t>(offset));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return Failed("reading", folder_);
    if (read == 0) {
      return Fail(ErrorCode::io_error,
                  fmt::format("reading a scratch file in {}: expected {} more bytes at {}, found "
                              "its end",
                              Quoted(folder_.native()), count, offset));
    }
    to += read;
    offset += static_cast<std::uint64_t>(read);
    count -= static_cast<std::size_t>(read);
  }
  return {};
}

}  // namespace talea
