// The blocks that an import reads: those of some files, one after the other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "talea/cardano.h"
#include "talea/result.h"

namespace talea::cardano {

// For one thread. The paths must stay.
class ImportSource {
 public:
  // Opens nothing yet, but fails where a file is not there.
  static Result<ImportSource> Of(std::span<const std::filesystem::path> files);

  // The next block; nothing after the last. precondition_failed where it does not follow the one
  // before it, naming both; errors of a file name it.
  Result<std::optional<CardanoBlock>> Next();

  // Of all files; those of the block that Next returned are read.
  std::uint64_t bytes_read() const { return read_before_ + (file_ ? file_->bytes_read() : 0); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  ImportSource(std::span<const std::filesystem::path> files, std::uint64_t bytes)
      : files_(files), bytes_(bytes) {}

  Status CheckFollows(const CardanoBlock& block) const;

  std::span<const std::filesystem::path> files_;
  std::uint64_t bytes_;
  std::size_t next_file_ = 0;
  std::uint64_t read_before_ = 0;  // of the files before the one that is open
  std::optional<CardanoFile> file_;
  std::optional<ChainPoint> last_;
};

}  // namespace talea::cardano
