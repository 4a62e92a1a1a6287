// The row of a progress: where a source is, and how far back its undo records could lead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "talea/progress.h"

namespace talea {

struct ProgressRow {
  std::string position;
  // Every move from here to `position` was made with undo. Nothing stands for the beginning.
  Progress::Position base;
  friend bool operator==(const ProgressRow&, const ProgressRow&) = default;
};

std::string Encode(const ProgressRow& row);
Result<ProgressRow> DecodeProgressRow(std::string_view source, ByteView value);

// The row of a source, or nothing before its first move.
Result<std::optional<ProgressRow>> ReadProgressRow(Reader& reader, std::string_view source);

// For messages: the bytes, or "none".
std::string Describe(const Progress::Position& position);

}  // namespace talea
