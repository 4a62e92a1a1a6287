// Writes JSON, one value after the other, into a string.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace talea {

// Whoever calls it keeps to the grammar: a Key before each value of an object, and as many ends as
// begins. Commas it sets itself.
//
//   JsonWriter json;
//   json.BeginObject().Key("rows").Number(3).EndObject();   // {"rows":3}
class JsonWriter {
 public:
  JsonWriter& BeginObject() { return Begin('{'); }
  JsonWriter& EndObject() { return End('}'); }
  JsonWriter& BeginArray() { return Begin('['); }
  JsonWriter& EndArray() { return End(']'); }

  JsonWriter& Key(std::string_view key);

  // Any bytes: what is not UTF-8 becomes U+FFFD, so that the result is JSON whatever was given.
  JsonWriter& String(std::string_view text);
  JsonWriter& Bool(bool value) { return Raw(value ? "true" : "false"); }
  JsonWriter& Null() { return Raw("null"); }

  template <std::integral Integer>
  JsonWriter& Number(Integer number) {
    return Raw(std::to_string(number));
  }
  // The shortest text that reads back as the same number; null for what JSON does not have.
  JsonWriter& Number(double number);

  std::string Take() { return std::move(text_); }

 private:
  JsonWriter& Begin(char bracket);
  JsonWriter& End(char bracket);
  JsonWriter& Raw(std::string_view value);

  std::string text_;
  bool comma_ = false;  // whether the next value follows another
};

// {"error":{"code":"not_found","message":"..."}}
std::string ErrorJson(std::string_view code, std::string_view message);

}  // namespace talea
