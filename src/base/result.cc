#include "talea/result.h"

#include <ostream>

namespace talea {

std::string_view Name(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::already_exists:
      return "already_exists";
    case ErrorCode::precondition_failed:
      return "precondition_failed";
    case ErrorCode::too_large:
      return "too_large";
    case ErrorCode::conflict:
      return "conflict";
    case ErrorCode::snapshot_expired:
      return "snapshot_expired";
    case ErrorCode::outcome_unknown:
      return "outcome_unknown";
    case ErrorCode::timed_out:
      return "timed_out";
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::closed:
      return "closed";
    case ErrorCode::corruption:
      return "corruption";
    case ErrorCode::io_error:
      return "io_error";
    case ErrorCode::unsupported:
      return "unsupported";
  }
  return "unknown";
}

bool Error::retryable() const {
  return code_ == ErrorCode::conflict || code_ == ErrorCode::snapshot_expired ||
         code_ == ErrorCode::timed_out || code_ == ErrorCode::unavailable;
}

std::ostream& operator<<(std::ostream& out, ErrorCode code) { return out << Name(code); }

std::ostream& operator<<(std::ostream& out, const Error& error) {
  return out << error.code() << ": " << error.message();
}

}  // namespace talea
