// Writing the bytes of an export.
#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "chain/export_format.h"
#include "talea/result.h"

namespace talea::chain {

// Writes to a file from its start on. Rows come in the order of the numbers of their parts, and of
// their keys.
class ExportWriter {
 public:
  static Result<ExportWriter> Begin(FileWriter& file);

  // too_large for a row that no engine's limits allow.
  Status Add(StatePart part, const Row& row);

  Status Finish(const std::string& state_hash);

  std::uint64_t rows() const { return rows_; }

 private:
  ExportWriter(FileWriter& file, std::uint64_t checksum) : file_(&file), checksum_(checksum) {}
  Status EndFrame();

  FileWriter* file_;
  std::uint64_t checksum_;  // of what was written last
  std::uint64_t rows_ = 0;
  FrameBuilder frame_{StatePart::outputs};
};

}  // namespace talea::chain
