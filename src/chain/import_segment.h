// Some frames of an export, in memory, as they are written in one commit.
#pragma once

#include <vector>

#include "chain/export_reader.h"
#include "chain/import_mark.h"
#include "talea/engine.h"
#include "talea/result.h"

namespace talea::chain {

class ImportSegment {
 public:
  // What a segment may come to, in the engine's terms. The frame that passes it is still taken.
  struct Room {
    std::size_t bytes = 0;
    Limits::Cost cost = {};
  };
  // The next frames, all checked; none at the end.
  static Result<ImportSegment> Read(ExportReader& reader, const Room& room);

  bool empty() const { return frames_.empty(); }

  // Rows, counts and the next mark, at once.
  Result<Version> IngestInto(Engine& engine, const ImportMark& next) const;

  // The same as a commit, which expects the mark as it is now: one whose outcome is unknown, and
  // that happens later, then changes nothing.
  CommitRequest AsCommit(const ImportMark& now, const ImportMark& next) const;

 private:
  ImportSegment(std::vector<ExportFrame> frames, WriteBatch counts)
      : frames_(std::move(frames)), counts_(std::move(counts)) {}
  WriteBatch WithMark(WriteBatch batch, const ImportMark& next) const;

  std::vector<ExportFrame> frames_;
  WriteBatch counts_;
};

}  // namespace talea::chain
