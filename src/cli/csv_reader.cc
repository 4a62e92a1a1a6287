#include "cli/csv_reader.h"

#include <fmt/format.h>

#include <utility>

#include "talea/bytes.h"

namespace talea::cli {
namespace {

bool EndsPlainField(int byte) {
  return byte == BufferedInput::kEnd || byte == ',' || byte == '\n' || byte == '\r';
}

}  // namespace

CsvReader::CsvReader(std::istream& in, std::size_t most_record_bytes)
    : input_(in), most_record_bytes_(most_record_bytes) {}

Result<std::optional<CsvRecord>> CsvReader::Next() {
  if (input_.taken() == 0) input_.SkipMark();
  SkipEmptyLines();
  record_begin_ = input_.taken();
  CsvRecord record{.line = line_, .fields = {}};
  if (!input_.AtEnd()) {
    record.fields.push_back(TALEA_TRY(Field()));
    while (input_.Peek() == ',') {
      Take();
      record.fields.push_back(TALEA_TRY(Field()));
    }
    TALEA_TRY(EndOfLine());
  }
  if (input_.failed()) {
    return Fail(ErrorCode::io_error,
                fmt::format("line {}: expected more of it, found that it cannot be read", line_));
  }
  if (record.fields.empty()) return std::nullopt;
  return record;
}

void CsvReader::SkipEmptyLines() {
  while (input_.Peek() == '\n' || input_.Peek() == '\r') Take();
}

Result<std::string> CsvReader::Field() {
  TALEA_TRY(CheckSize());
  return input_.Peek() == '"' ? QuotedField() : PlainField();
}

Result<std::string> CsvReader::QuotedField() {
  const std::uint64_t begin = line_;
  std::string field;
  Take();
  while (true) {
    const int byte = input_.Peek();
    if (byte == BufferedInput::kEnd) {
      return Malformed(fmt::format("a closing quote for that of line {}", begin), "the end");
    }
    TALEA_TRY(CheckSize());
    Take();
    if (byte == '"') {
      if (input_.Peek() != '"') break;
      Take();
    }
    field.push_back(static_cast<char>(byte));
  }
  if (EndsPlainField(input_.Peek())) return field;
  return Malformed("a comma or the end of the line after a closing quote", Found());
}

Result<std::string> CsvReader::PlainField() {
  std::string field;
  for (int byte = input_.Peek(); !EndsPlainField(byte); byte = input_.Peek()) {
    if (byte == '"') return Malformed("quotes around the whole field or nowhere", "a quote in it");
    TALEA_TRY(CheckSize());
    field.push_back(static_cast<char>(byte));
    Take();
  }
  return field;
}

Status CsvReader::EndOfLine() {
  if (input_.Peek() == '\r') {
    Take();
    if (input_.Peek() != '\n') return Malformed("LF after CR", Found());
  }
  if (input_.Peek() == '\n') Take();
  return {};
}

void CsvReader::Take() {
  const bool end = input_.Peek() == '\n';
  input_.Skip();
  line_ += end ? 1 : 0;
  character_ = end ? 1 : character_ + 1;
}

std::string CsvReader::Found() {
  const int byte = input_.Peek();
  if (byte == BufferedInput::kEnd) return "the end";
  const char found = static_cast<char>(byte);
  return Quoted(ByteView(&found, 1));
}

// What comes after the line may be in order again.
std::unexpected<Error> CsvReader::Malformed(std::string_view expected, std::string_view found) {
  std::string message = fmt::format("line {}, character {}: expected {}, found {}", line_,
                                    character_, expected, found);
  while (!input_.AtEnd() && input_.Peek() != '\n') Take();
  return Fail(ErrorCode::invalid_argument, std::move(message));
}

Status CsvReader::CheckSize() {
  if (input_.taken() - record_begin_ < most_record_bytes_) return {};
  return Malformed(fmt::format("a record of at most {} bytes", most_record_bytes_), "more");
}

}  // namespace talea::cli
