// Entries from comma-separated values.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "cli/csv_reader.h"
#include "cli/line_source.h"
#include "talea/bytes.h"

namespace talea::cli {
namespace {

// The place of a column, from 0 on: by its name in the header, or else by its number.
Result<std::size_t> PlaceOf(const std::string& column, const std::vector<std::string>& header) {
  const auto named = std::ranges::find(header, column);
  if (std::ranges::count(header, column) > 1) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("column {}: expected a name that one column has, found an ambiguous "
                            "one; say which by its number",
                            Quoted(column)));
  }
  if (named != header.end()) return static_cast<std::size_t>(named - header.begin());
  std::size_t number = 0;
  const auto read = std::from_chars(column.data(), column.data() + column.size(), number);
  const bool is_number = read.ec == std::errc() && read.ptr == column.data() + column.size();
  const bool known = number >= 1 && (header.empty() || number <= header.size());
  if (is_number && known) return number - 1;
  std::vector<std::string> names;
  for (const std::string& name : header) names.push_back(Quoted(name));
  return Fail(ErrorCode::invalid_argument,
              header.empty()
                  ? fmt::format("column {}: expected a number from 1 on, as there is no header",
                                Quoted(column))
                  : fmt::format("column {}: expected one of {}, or a number from 1 to {}",
                                Quoted(column), fmt::join(names, ", "), header.size()));
}

class CsvLines final : public LineSource {
 public:
  CsvLines(std::istream& in, bool header) : reader_(in), header_(header) {}

  Status FindColumns(const EntryArguments& arguments) {
    std::vector<std::string> names;
    if (header_) {
      auto record = TALEA_TRY(reader_.Next());
      if (!record) return Fail(ErrorCode::invalid_argument, "expected a header, found nothing");
      names = std::move(record->fields);
      columns_ = names.size();
    }
    for (const std::string& column : arguments.value) {
      places_.push_back(TALEA_TRY(PlaceOf(column, names)));
    }
    document_ = TALEA_TRY(PlaceOf(arguments.document, names));
    return {};
  }

  Result<std::optional<FoundEntry>> Next() override {
    line_.reset();
    auto record = TALEA_TRY(reader_.Next());
    if (!record) return std::nullopt;
    line_ = record->line;
    TALEA_TRY(CheckColumns(record->fields.size()));
    FoundEntry found;
    for (const std::size_t place : places_) found.value.push_back(FieldAt(*record, place));
    found.document = FieldAt(*record, document_);
    return found;
  }

  std::uint64_t line() const override { return line_.value_or(0); }
  std::uint64_t bytes() const override { return reader_.bytes(); }

 private:
  Status CheckColumns(std::size_t found) {
    if (columns_ == 0) columns_ = found;
    if (found == columns_) return {};
    return Fail(ErrorCode::invalid_argument,
                fmt::format("expected {} fields, as on the first line, found {}", columns_, found));
  }

  static std::optional<Element> FieldAt(const CsvRecord& record, std::size_t place) {
    if (place >= record.fields.size()) return std::nullopt;
    return Element(Text(record.fields[place]));
  }

  CsvReader reader_;
  const bool header_;
  std::size_t columns_ = 0;  // that each line has; 0 until that is known
  std::vector<std::size_t> places_;
  std::size_t document_ = 0;
  std::optional<std::uint64_t> line_;  // absent where the reader's error names it
};

}  // namespace

Result<std::unique_ptr<LineSource>> CsvSource(std::istream& in, const EntryArguments& arguments,
                                              bool header) {
  auto lines = std::make_unique<CsvLines>(in, header);
  TALEA_TRY(lines->FindColumns(arguments));
  return lines;
}

}  // namespace talea::cli
