// Sorts rows that may be more than fit into memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/scratch_file.h"
#include "chain/row_arena.h"
#include "talea/engine.h"
#include "talea/result.h"

namespace talea::chain {

// Rows are collected in memory. Whenever that is full they are sorted and go to a file, as a run;
// at the end the runs are merged. Where all fits into memory there is no file. Where there is one
// it is the only one, however many runs there are: so many runs are merged into one, and so on.
//
// For one thread. Rows of equal keys are all kept, in any order.
class RowSorter final : public SortedRun {
 public:
  struct Options {
    std::size_t memory_bytes = 64 << 20;
    std::filesystem::path scratch = {};  // the system's folder for such files if empty
  };
  explicit RowSorter(Options options);
  ~RowSorter() override;

  // Before the first Next.
  Status Add(ByteView key, ByteView value);

  Result<std::optional<Row>> Next() override;

 private:
  // A run in the file.
  struct Extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    int generation = 0;  // how often its rows were merged
  };
  class Merge;

  Status Spill();
  Status MergeNewest(std::size_t count);
  Status Finish();

  const Options options_;
  RowArena rows_;
  std::optional<ScratchFile> file_;
  std::vector<Extent> runs_;
  bool finished_ = false;
  std::size_t place_ = 0;         // of the next row, while all are in memory
  std::unique_ptr<Merge> merge_;  // otherwise
};

}  // namespace talea::chain
