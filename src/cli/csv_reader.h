// Comma-separated values, as RFC 4180 defines them.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/buffered_input.h"
#include "talea/result.h"

namespace talea::cli {

struct CsvRecord {
  std::uint64_t line = 0;  // where it begins, from 1 on
  std::vector<std::string> fields;
  friend bool operator==(const CsvRecord&, const CsvRecord&) = default;
};

// Reads records one after the other. Fields are separated by commas and may stand in quotes, where
// commas, line ends and doubled quotes are part of the field. Lines end with LF or CRLF. Empty
// lines, and the byte order mark that some programs put first, are passed over. Beyond the RFC a
// field may hold any bytes, and records may have different numbers of fields: that is for the
// caller to judge.
class CsvReader {
 public:
  static constexpr std::size_t kMostRecordBytes = 16 << 20;

  // The stream must outlive it.
  explicit CsvReader(std::istream& in, std::size_t most_record_bytes = kMostRecordBytes);

  // The next record, or nothing at the end. Fails with invalid_argument where a record is not well
  // formed, naming the line, the character, what was expected and what was found; the next call
  // goes on with the line after. Fails with io_error where nothing more can be read.
  Result<std::optional<CsvRecord>> Next();

  // Of the input, so far.
  std::uint64_t bytes() const { return input_.taken(); }

 private:
  void SkipEmptyLines();
  Result<std::string> Field();
  Result<std::string> QuotedField();
  Result<std::string> PlainField();
  Status EndOfLine();
  void Take();
  std::string Found();
  std::unexpected<Error> Malformed(std::string_view expected, std::string_view found);
  Status CheckSize();

  BufferedInput input_;
  const std::size_t most_record_bytes_;
  std::uint64_t line_ = 1;
  std::uint64_t character_ = 1;     // in the line, from 1 on, of bytes
  std::uint64_t record_begin_ = 0;  // in the input
};

}  // namespace talea::cli
