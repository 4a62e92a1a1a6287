// Entries from JSON, a document on each line.
#include <fmt/format.h>

#include "cli/buffered_input.h"
#include "cli/json_fields.h"
#include "cli/line_source.h"

namespace talea::cli {
namespace {

constexpr std::size_t kMostLineBytes = 16 << 20;

class JsonLines final : public LineSource {
 public:
  JsonLines(std::istream& in, std::vector<JsonPath> paths) : input_(in), paths_(std::move(paths)) {}

  Result<std::optional<FoundEntry>> Next() override {
    if (input_.taken() == 0) input_.SkipMark();
    std::string text;
    do {
      if (input_.AtEnd()) return End();
      text = TALEA_TRY(Line());
    } while (text.find_first_not_of(" \t\r") == std::string::npos);
    auto elements = TALEA_TRY(reader_.Read(text, paths_));
    FoundEntry found;
    found.document = std::move(elements.back());
    elements.pop_back();
    found.value = std::move(elements);
    return found;
  }

  std::uint64_t line() const override { return line_; }
  std::uint64_t bytes() const override { return input_.taken(); }

 private:
  Result<std::optional<FoundEntry>> End() const {
    if (!input_.failed()) return std::nullopt;
    return Fail(ErrorCode::io_error, "expected more of it, found that it cannot be read");
  }

  // Without its end.
  Result<std::string> Line() {
    ++line_;
    std::string text;
    std::size_t bytes = 0;
    for (int byte = input_.Peek(); byte != BufferedInput::kEnd; byte = input_.Peek()) {
      input_.Skip();
      if (byte == '\n') break;
      if (++bytes <= kMostLineBytes) text.push_back(static_cast<char>(byte));
    }
    if (bytes <= kMostLineBytes) return text;
    return Fail(ErrorCode::invalid_argument,
                fmt::format("expected at most {} bytes, found {}", kMostLineBytes, bytes));
  }

  BufferedInput input_;
  const std::vector<JsonPath> paths_;  // the last is the document's
  JsonFieldReader reader_;
  std::uint64_t line_ = 0;
};

}  // namespace

Result<std::unique_ptr<LineSource>> JsonLinesSource(std::istream& in,
                                                    const EntryArguments& arguments) {
  std::vector<JsonPath> paths;
  for (const std::string& path : arguments.value) paths.push_back(TALEA_TRY(JsonPath::Parse(path)));
  paths.push_back(TALEA_TRY(JsonPath::Parse(arguments.document)));
  return std::make_unique<JsonLines>(in, std::move(paths));
}

}  // namespace talea::cli
