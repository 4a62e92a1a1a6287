// Text in the columns of a terminal: how wide it is, and how to make it fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "terminal/screen.h"

namespace talea {

// Text that is safe to show: what is not UTF-8, and every control character, becomes a question
// mark, so that stored bytes cannot steer a terminal.
std::string Showable(std::string_view text);

// The columns that a showable text takes: two for a wide character such as a Chinese one, none for
// an accent that joins the character before it.
std::size_t TextWidth(std::string_view text);

// The text if it fits, else its beginning and a mark that it was cut; never half a character.
std::string CutToWidth(std::string_view text, std::size_t width, const Screen& screen);

// With spaces at the right, or at the left, up to this width.
std::string PadRight(std::string_view text, std::size_t width);
std::string PadLeft(std::string_view text, std::size_t width);

}  // namespace talea
