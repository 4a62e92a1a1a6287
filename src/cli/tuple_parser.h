// The punctuation of elements: quotes, and parentheses with commas between. See element_argument.h,
// which is what to use.
#pragma once

#include <span>
#include <string_view>

#include "talea/result.h"
#include "talea/tuple.h"

namespace talea::cli {

// Text in quotes, which must be the whole of it.
Result<Element> ParseQuoted(std::string_view quoted);

// Elements in parentheses; if there are types then as many, each of its type.
Result<Tuple> ParseElements(std::string_view argument, std::span<const ElementType> types);

}  // namespace talea::cli
