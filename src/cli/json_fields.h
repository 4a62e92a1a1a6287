// Reads single values out of JSON documents. Only json_fields.cc knows the library that parses.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "talea/result.h"
#include "talea/tuple.h"

namespace talea::cli {

// Where a value stands: names of fields, and in arrays places from 0 on.
struct JsonPath {
  std::vector<std::string> steps;

  // Steps with dots between them: address.city, tags.0. A dot that belongs to a name has a
  // backslash before it.
  static Result<JsonPath> Parse(std::string_view text);
  friend bool operator==(const JsonPath&, const JsonPath&) = default;
};

// Reads documents one after the other; it keeps memory from one to the next.
class JsonFieldReader {
 public:
  JsonFieldReader();
  ~JsonFieldReader();
  JsonFieldReader(JsonFieldReader&&) noexcept;

  // The values at these places, absent where there is nothing. Text is text, true and false are
  // booleans, whole numbers that fit into 64 bits are integers, and all other numbers are doubles.
  // Fails with invalid_argument on what is not JSON, naming the character, and where an object or
  // an array stands in the place of a value.
  Result<std::vector<std::optional<Element>>> Read(std::string_view document,
                                                   std::span<const JsonPath> paths);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace talea::cli
