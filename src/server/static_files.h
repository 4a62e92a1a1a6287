// The files of the page, which are part of the program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "talea/http.h"

namespace talea {

// A file of src/server/page, as cmake/EmbedFiles.cmake has put it into the program.
struct EmbeddedFile {
  std::string_view name;  // "index.html"
  std::string_view content;
};
std::span<const EmbeddedFile> EmbeddedPageFiles();

// A route that answers with these bytes, and with 304 to who has them already (ETag).
HttpRoute StaticRoute(std::string path, std::string content_type, std::string content);

// The routes of all files: index.html is "/", the others are under /page/. The index is given the
// list of `routes` in the place of the line <!-- routes -->.
std::vector<HttpRoute> PageRoutes(std::span<const HttpRoute> routes);

// Text to stand in HTML, also within quotes.
std::string HtmlEscaped(std::string_view text);

}  // namespace talea
