// Adds the entries of a file to an index, many in each commit.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/entry_rules.h"
#include "cli/line_source.h"
#include "talea/database.h"
#include "talea/histograms.h"
#include "talea/result.h"

namespace talea::cli {

struct LoadOptions {
  std::string index;
  std::string source;  // as it is named in messages: file "people.csv"
  std::uint64_t batch = 1000;
  std::uint64_t most_bad_lines = 0;
};

struct LoadReport {
  std::uint64_t lines = 0;  // that were read; those in error included
  std::uint64_t added = 0;
  std::uint64_t there_already = 0;
  std::uint64_t without_entry = 0;
  std::uint64_t bad_lines = 0;
  std::vector<std::string> problems;  // of the first of them
  bool finished = false;              // or stopped by `proceed`
};

class IndexLoader {
 public:
  static constexpr std::size_t kMostProblems = 20;

  IndexLoader(Database& database, IndexStore& indexes, EntryRules rules, LoadOptions options);

  // Adds what the lines hold. Fails with precondition_failed, naming the line, after more lines in
  // error than are tolerated; all that come before it are added by then. `proceed` is called after
  // each commit.
  Result<LoadReport> Load(LineSource& lines, const std::function<bool()>& proceed);

 private:
  Result<bool> TakeLine(LineSource& lines);
  Status TakeEntry(Result<std::optional<IndexEntry>> entry, const LineSource& lines);
  Status Tolerate(const std::string& problem, const LineSource& lines);
  Status Commit();

  Database& database_;
  IndexStore& indexes_;
  EntryRules rules_;
  LoadOptions options_;
  std::vector<IndexEntry> pending_;
  std::uint64_t pending_since_ = 0;  // where in the file they begin
  LoadReport report_;
};

}  // namespace talea::cli
