#include "cardano/import_source.h"

#include <fmt/format.h>

#include <system_error>

namespace talea::cardano {
namespace {

std::string Described(const std::optional<Bytes32>& hash) {
  return hash ? hash->ToString() : "none";
}

}  // namespace

Result<ImportSource> ImportSource::Of(std::span<const std::filesystem::path> files) {
  std::uint64_t bytes = 0;
  for (const std::filesystem::path& file : files) {
    std::error_code error;
    bytes += std::filesystem::file_size(file, error);
    if (!error) continue;
    const bool absent = error == std::errc::no_such_file_or_directory;
    return Fail(
        absent ? ErrorCode::not_found : ErrorCode::io_error,
        fmt::format("file {}: expected blocks, found: {}", Quoted(file.string()), error.message()));
  }
  return ImportSource(files, bytes);
}

Result<std::optional<CardanoBlock>> ImportSource::Next() {
  while (true) {
    if (!file_) {
      if (next_file_ == files_.size()) return std::nullopt;
      file_ = TALEA_TRY(CardanoFile::Open(files_[next_file_++]));
    }
    if (std::optional<CardanoBlock> block = TALEA_TRY(file_->Take())) {
      TALEA_TRY(CheckFollows(*block));
      last_ = block->point();
      return block;
    }
    read_before_ += file_->bytes_read();
    file_.reset();
  }
}

Status ImportSource::CheckFollows(const CardanoBlock& block) const {
  if (!last_ || block.parent() == last_->hash) return {};
  return Fail(ErrorCode::precondition_failed,
              fmt::format("file {}, block {} at {}: expected its parent to be the block before it, "
                          "{}, found {}",
                          Quoted(files_[next_file_ - 1].string()), block.number(),
                          block.point().ToString(), last_->ToString(), Described(block.parent())));
}

}  // namespace talea::cardano
