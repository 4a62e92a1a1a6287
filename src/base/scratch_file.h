// A file for what does not fit into memory for a while.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "talea/bytes.h"
#include "talea/result.h"

namespace talea {

// Has no name from the moment it is there, so that nothing is left of it whatever ends the process.
// For one thread.
class ScratchFile {
 public:
  // In this folder, or, if that is empty, in the system's for such files.
  static Result<ScratchFile> Create(const std::filesystem::path& folder);
  ScratchFile(ScratchFile&& other) noexcept
      : folder_(std::move(other.folder_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        size_(other.size_) {}
  ScratchFile& operator=(ScratchFile&&) = delete;
  ~ScratchFile();

  std::uint64_t size() const { return size_; }

  // Writes at the end.
  Status Append(ByteView bytes);

  // Reads as many bytes from there on; io_error if they are not all there.
  Status Read(std::uint64_t offset, char* to, std::size_t count) const;

 private:
  ScratchFile(std::filesystem::path folder, int descriptor)
      : folder_(std::move(folder)), descriptor_(descriptor) {}

  std::filesystem::path folder_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace talea
