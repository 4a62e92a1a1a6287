#include "server/json.h"

#include <fmt/format.h>

#include <cmath>

#include "server/utf8.h"

namespace talea {
namespace {

void AppendEscaped(unsigned char byte, std::string& text) {
  if (byte == '"' || byte == '\\') {
    text += '\\';
    text += static_cast<char>(byte);
  } else if (byte < 0x20 || byte == 0x7f) {
    text += fmt::format("\\u{:04x}", byte);
  } else {
    text += static_cast<char>(byte);
  }
}

}  // namespace

JsonWriter& JsonWriter::Begin(char bracket) {
  Raw({&bracket, 1});
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::End(char bracket) {
  text_ += bracket;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::Raw(std::string_view value) {
  if (comma_) text_ += ',';
  text_ += value;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  String(key);
  text_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view text) {
  Raw("\"");
  for (const char byte : ValidUtf8(text)) AppendEscaped(static_cast<unsigned char>(byte), text_);
  text_ += '"';
  return *this;
}

JsonWriter& JsonWriter::Number(double number) {
  return std::isfinite(number) ? Raw(fmt::format("{}", number)) : Null();
}

std::string ErrorJson(std::string_view code, std::string_view message) {
  JsonWriter json;
  json.BeginObject().Key("error").BeginObject();
  json.Key("code").String(code).Key("message").String(message);
  json.EndObject().EndObject();
  return json.Take() + "\n";
}

}  // namespace talea
