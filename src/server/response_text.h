// The bytes of an answer.
#pragma once

#include <ctime>
#include <string>

#include "talea/http.h"

namespace talea {

// What the connection adds to an answer.
struct ResponseContext {
  bool keep_alive = true;
  std::time_t now = 0;
};

// The status line and the headers, up to and with the empty line. The body follows, but for an
// answer to HEAD and for a status that has none.
std::string ResponseHead(const HttpResponse& response, const ResponseContext& context);

// Whether an answer of this status may have a body: 204 and 304 have none.
bool MayHaveBody(int status);

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string HttpDate(std::time_t time);

}  // namespace talea
