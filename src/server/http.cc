#include "talea/http.h"

#include <algorithm>
#include <cctype>

#include "json/json.h"

namespace talea {
namespace {

bool EqualIgnoringCase(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  });
}

std::optional<std::string_view> Find(const HttpFields& fields, auto&& matches) {
  const auto found =
      std::ranges::find_if(fields, [&](const auto& field) { return matches(field.first); });
  if (found == fields.end()) return std::nullopt;
  return found->second;
}

}  // namespace

std::optional<std::string_view> HttpRequest::Header(std::string_view name) const {
  return Find(headers, [&](std::string_view found) { return EqualIgnoringCase(found, name); });
}

std::optional<std::string_view> HttpRequest::Query(std::string_view name) const {
  return Find(query, [&](std::string_view found) { return found == name; });
}

std::optional<std::string_view> HttpRequest::Parameter(std::string_view name) const {
  return Find(parameters, [&](std::string_view found) { return found == name; });
}

int HttpStatus(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return 400;
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::already_exists:
    case ErrorCode::conflict:
      return 409;
    case ErrorCode::precondition_failed:
      return 412;
    case ErrorCode::too_large:
      return 413;
    case ErrorCode::snapshot_expired:
    case ErrorCode::timed_out:
    case ErrorCode::unavailable:
    case ErrorCode::closed:
      return 503;
    case ErrorCode::unsupported:
      return 501;
    case ErrorCode::outcome_unknown:
    case ErrorCode::corruption:
    case ErrorCode::io_error:
      return 500;
  }
  return 500;
}

HttpResponse HttpError(const Error& error) {
  return {.status = HttpStatus(error.code()),
          .body = ErrorJson(Name(error.code()), error.message()).text() + "\n"};
}

}  // namespace talea
