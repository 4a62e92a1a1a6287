#include "json/json.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "json/valid_utf8.h"

namespace talea {
namespace {

// Writes another element before the closing bracket.
void Append(std::string& text, std::string_view element) {
  const char bracket = text.back();
  text.back() = ',';
  if (text.size() == 2) text.pop_back();
  text.append(element).push_back(bracket);
}

std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') {
      quoted.append(1, '\\').push_back(byte);
    } else if (byte == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(quoted), "\\u{:04x}", byte);
    } else {
      quoted.push_back(byte);
    }
  }
  quoted.push_back('"');
  return quoted;
}

}  // namespace

Json::Json(double value) : text_(std::isfinite(value) ? fmt::format("{}", value) : "null") {}

Json::Json(std::string_view text) : text_(Quote(ValidUtf8(text))) {}

JsonObject& JsonObject::Add(std::string_view name, const Json& value) {
  Append(text_, Json(name).text() + ":" + value.text());
  return *this;
}

JsonArray& JsonArray::Add(const Json& value) {
  Append(text_, value.text());
  return *this;
}

JsonObject ErrorJson(std::string_view code, std::string_view message, std::string_view hint) {
  JsonObject about;
  about.Add("code", code).Add("message", message);
  if (!hint.empty()) about.Add("hint", hint);
  return JsonObject().Add("error", about);
}

}  // namespace talea
