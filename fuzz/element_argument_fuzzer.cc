// Any bytes are either refused as a value of the command line, or give elements that are written
// and parsed to the same again; and so are any bytes as JSON, as a path in it, and as a boundary.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "cli/boundary.h"
#include "cli/element_argument.h"
#include "cli/json_fields.h"

namespace talea::cli {
namespace {

bool IsFloat(const Element& element) {
  return element.type() == ElementType::float32 || element.type() == ElementType::float64;
}

void CheckTuple(std::string_view bytes) {
  const Result<Tuple> tuple = ParseTuple(bytes);
  if (!tuple) {
    TALEA_CHECK(tuple.error().code() == ErrorCode::invalid_argument);
    return;
  }
  const std::string argument = TupleArgument(*tuple);
  TALEA_CHECK(ParseTuple(argument).value() == *tuple);
  (void)ShownTuple(*tuple);
}

void CheckTypes(std::string_view bytes) {
  for (const std::string& name : TypeNames()) {
    const ElementType type = ParseTypes("--types", name).value().front();
    const Result<Element> element = ParseElementAs(type, bytes);
    if (!element) continue;
    TALEA_CHECK(element->type() == type);
    const Element text = ConvertElement(ElementType::text, *element).value();
    if (!IsFloat(*element) && type != ElementType::bytes) {
      TALEA_CHECK(ConvertElement(type, text).value() == *element);
    }
  }
}

void CheckJson(std::string_view bytes) {
  const Result<JsonPath> path = JsonPath::Parse(bytes.substr(0, bytes.find('\n')));
  const JsonPath paths[] = {path.value_or(JsonPath{{"a", "0"}}), JsonPath{{"a"}}};
  JsonFieldReader reader;
  const auto found = reader.Read(bytes, paths);
  if (found) TALEA_CHECK(found->size() == 2);
  TALEA_CHECK(reader.Read(R"({"a":1})", paths)->at(1) == Element(1));
}

}  // namespace
}  // namespace talea::cli

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  talea::cli::CheckTuple(bytes);
  talea::cli::CheckTypes(bytes);
  talea::cli::CheckJson(bytes);
  (void)talea::cli::ShownBoundary(bytes);
  return 0;
}
