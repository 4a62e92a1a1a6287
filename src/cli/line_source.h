// The lines of a file, and what each holds for an entry of an index.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/entry_rules.h"
#include "talea/result.h"

namespace talea::cli {

class LineSource {
 public:
  virtual ~LineSource() = default;

  // What the next line holds; nothing at the end. Fails with invalid_argument where the line is in
  // error, and the next call goes on after it. Fails with io_error where no more can be read.
  virtual Result<std::optional<FoundEntry>> Next() = 0;

  virtual std::uint64_t line() const = 0;   // of what Next gave last, from 1 on
  virtual std::uint64_t bytes() const = 0;  // of the file, so far
};

// The stream must outlive either.

// CSV, whose first line names the columns, unless `header` is false. Columns are named, or numbered
// from 1 on. Fails with invalid_argument where there is no such column.
Result<std::unique_ptr<LineSource>> CsvSource(std::istream& in, const EntryArguments& arguments,
                                              bool header);

// A JSON document on each line. Empty lines are passed over.
Result<std::unique_ptr<LineSource>> JsonLinesSource(std::istream& in,
                                                    const EntryArguments& arguments);

}  // namespace talea::cli
