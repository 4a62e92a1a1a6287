// Elements of tuples as people write them, on the command line and in files.
//
//   London  "42"  42  -1.5  1.5f  inf  true  null  0xcafe  1b4e28ba-2fa1-11d2-883f-0016d3cca427
//
// What looks like none of the others is text, and so is a number that would not come out as it was
// written: 007, +49 and 1e999 are text. Quotes make text of anything; within them \" \\ \n \r \t
// and \x followed by two digits are escapes. Several elements stand in parentheses: (de, 42); as
// one element that is a nested tuple.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "talea/result.h"
#include "talea/tuple.h"

namespace talea::cli {

// The types that can be asked for by their names: text, bytes, integer, float64 and so on.
const std::vector<std::string>& TypeNames();

// A list of such names, with commas between them. `option` is named in errors.
Result<std::vector<ElementType>> ParseTypes(std::string_view option, std::string_view list);

// All that fails here fails with invalid_argument, and quotes what was found.

// The element that a word looks like.
Result<Element> ParseElement(std::string_view word);

// The element of that type, without any quotes or escapes: all of the word counts.
Result<Element> ParseElementAs(ElementType type, std::string_view word);

// The same thing as another type: a number as a wider one or as text, text as what it says. Null
// stays null.
Result<Element> ConvertElement(ElementType type, Element element);

// A value of one or several elements. With one type the whole argument is one element of it; with
// several there are as many elements, each of its type.
Result<Tuple> ParseTuple(std::string_view argument, std::span<const ElementType> types = {});

// The argument that stands for this: parsing it gives the same again, but for what a NaN may carry
// besides its sign.
std::string ElementArgument(const Element& element);
std::string TupleArgument(const Tuple& tuple);

// For people, whose terminals stored bytes must not steer; of a tuple the only element, or all of
// them in parentheses.
std::string ShownElement(const Element& element);
std::string ShownTuple(const Tuple& tuple);

}  // namespace talea::cli
