#include "cli/json_fields.h"

#include <fmt/format.h>

#include <array>
#include <boost/json/src.hpp>  // all of the library, in this file alone
#include <charconv>
#include <cmath>

#include "talea/bytes.h"

namespace talea::cli {
namespace {

namespace json = boost::json;

std::string_view View(json::string_view text) { return {text.data(), text.size()}; }

// What a step leads to, or null.
const json::value* Follow(const json::value& from, const std::string& step) {
  if (const json::object* object = from.if_object()) return object->if_contains(step);
  const json::array* array = from.if_array();
  std::size_t place = 0;
  const auto read = std::from_chars(step.data(), step.data() + step.size(), place);
  if (array == nullptr || read.ec != std::errc() || read.ptr != step.data() + step.size()) {
    return nullptr;
  }
  return array->if_contains(place);
}

const json::value* Find(const json::value& document, const JsonPath& path) {
  const json::value* found = &document;
  for (const std::string& step : path.steps) {
    found = Follow(*found, step);
    if (found == nullptr) break;
  }
  return found;
}

std::unexpected<Error> Unfit(const JsonPath& path, std::string_view expected,
                             std::string_view found) {
  return Fail(ErrorCode::invalid_argument,
              fmt::format("{}: expected {}, found {}",
                          Quoted(fmt::format("{}", fmt::join(path.steps, "."))), expected, found));
}

// JSON has no infinity, so it stands for digits that were too many.
Result<Element> FiniteElement(double number, const JsonPath& path) {
  if (std::isfinite(number)) return Element(number);
  return Unfit(path, "a number that a double can hold", "one that is too large");
}

Result<Element> ElementOf(const json::value& value, const JsonPath& path) {
  switch (value.kind()) {
    case json::kind::null:
      return Element();
    case json::kind::bool_:
      return Element(value.get_bool());
    case json::kind::int64:
      return Element(value.get_int64());
    case json::kind::uint64:
      return Element(value.get_uint64());
    case json::kind::double_:
      return FiniteElement(value.get_double(), path);
    case json::kind::string:
      return Element(Text(View(value.get_string())));
    case json::kind::array:
    case json::kind::object:
      break;
  }
  return Unfit(path, "text, a number, true, false or null",
               value.is_array() ? "an array" : "an object");
}

std::unexpected<Error> NotJson(std::string_view document, std::size_t place,
                               const std::string& reason) {
  const std::string found = place < document.size() ? Quoted(document.substr(place, 1)) : "the end";
  return Fail(ErrorCode::invalid_argument,
              fmt::format("character {}: expected JSON, found {} ({})", place + 1, found, reason));
}

}  // namespace

class JsonFieldReader::State {
 public:
  // Valid until the next call, before which it must be gone.
  Result<json::value> Parse(std::string_view document) {
    parser_.reset();  // first, as after a failure it holds values in the memory
    // A new one for each document: release() keeps the size of the next block, which doubles.
    memory_.emplace(buffer_.data(), buffer_.size());
    parser_.reset(&*memory_);
    boost::system::error_code error;
    const std::size_t taken = parser_.write_some(document.data(), document.size(), error);
    if (error) return NotJson(document, taken, error.message());
    const std::size_t rest = document.find_first_not_of(" \t\r\n", taken);
    if (rest != document.npos) return NotJson(document, rest, "more after its end");
    return parser_.release();
  }

 private:
  std::array<unsigned char, 16384> buffer_;
  std::optional<json::monotonic_resource> memory_;  // in the buffer, then in blocks of its own
  json::parser parser_;
};

JsonFieldReader::JsonFieldReader() : state_(std::make_unique<State>()) {}
JsonFieldReader::~JsonFieldReader() = default;
JsonFieldReader::JsonFieldReader(JsonFieldReader&&) noexcept = default;

Result<std::vector<std::optional<Element>>> JsonFieldReader::Read(std::string_view document,
                                                                  std::span<const JsonPath> paths) {
  const json::value parsed = TALEA_TRY(state_->Parse(document));
  std::vector<std::optional<Element>> elements;
  for (const JsonPath& path : paths) {
    const json::value* found = Find(parsed, path);
    if (found == nullptr) {
      elements.emplace_back();
    } else {
      elements.emplace_back(TALEA_TRY(ElementOf(*found, path)));
    }
  }
  return elements;
}

Result<JsonPath> JsonPath::Parse(std::string_view text) {
  JsonPath path{.steps = {""}};
  for (std::size_t place = 0; place < text.size(); ++place) {
    if (text[place] == '.') {
      path.steps.emplace_back();
      continue;
    }
    if (text[place] == '\\' && place + 1 < text.size()) ++place;
    path.steps.back().push_back(text[place]);
  }
  for (const std::string& step : path.steps) {
    if (!step.empty()) continue;
    return Fail(ErrorCode::invalid_argument,
                fmt::format("{}: expected names of fields with a dot between two of them, found "
                            "nothing where a name should be",
                            Quoted(text)));
  }
  return path;
}

}  // namespace talea::cli
