// Writes JSON. A library would take longer to compile than all the rest of a file; where JSON is
// read (cli/json_fields.h), one does.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace talea {

// A value, as JSON text. Bytes of a text that are not UTF-8 become U+FFFD, and numbers that JSON
// does not have become null.
class Json {
 public:
  Json(std::nullptr_t) : text_("null") {}
  Json(bool value) : text_(value ? "true" : "false") {}
  Json(double value);
  Json(std::integral auto value) : text_(std::to_string(value)) {}
  Json(std::string_view text);
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(const std::string& text) : Json(std::string_view(text)) {}

  const std::string& text() const { return text_; }

 protected:
  struct Raw {};
  Json(Raw, std::string text) : text_(std::move(text)) {}
  std::string text_;
};

class JsonObject : public Json {
 public:
  JsonObject() : Json(Raw{}, "{}") {}
  JsonObject& Add(std::string_view name, const Json& value);
};

class JsonArray : public Json {
 public:
  JsonArray() : Json(Raw{}, "[]") {}
  JsonArray& Add(const Json& value);
};

// {"error":{"code":"not_found","message":"...","hint":"..."}}, without a hint that is empty.
JsonObject ErrorJson(std::string_view code, std::string_view message, std::string_view hint = {});

}  // namespace talea
