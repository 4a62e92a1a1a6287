#include "server/response_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace talea {
namespace {

std::string_view Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "";
  }
}

// A handler that lets a client's bytes into a header must not let it write headers of its own.
std::string WithoutLineBreaks(std::string_view value) {
  std::string clean(value);
  std::ranges::replace_if(clean, [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  return clean;
}

}  // namespace

bool MayHaveBody(int status) { return status != 204 && status != 304; }

std::string ResponseHead(const HttpResponse& response, const ResponseContext& context) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\nServer: talea\r\n", response.status,
                                 Reason(response.status), HttpDate(context.now));
  const auto out = std::back_inserter(head);
  if (MayHaveBody(response.status)) {
    fmt::format_to(out, "Content-Type: {}\r\nContent-Length: {}\r\n",
                   WithoutLineBreaks(response.content_type), response.body.size());
  }
  for (const auto& [name, value] : response.headers) {
    fmt::format_to(out, "{}: {}\r\n", WithoutLineBreaks(name), WithoutLineBreaks(value));
  }
  fmt::format_to(out, "Connection: {}\r\n\r\n", context.keep_alive ? "keep-alive" : "close");
  return head;
}

std::string HttpDate(std::time_t time) {
  // Not strftime, which would follow the program's locale.
  constexpr std::array days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  gmtime_r(&time, &utc);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", days.at(utc.tm_wday), utc.tm_mday,
                     months.at(utc.tm_mon), utc.tm_year + 1900, utc.tm_hour, utc.tm_min,
                     utc.tm_sec);
}

}  // namespace talea
