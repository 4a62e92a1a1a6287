// The error of stored rows that contradict each other.
#pragma once

#include <string>
#include <string_view>

#include "talea/result.h"

namespace talea {

// `bucket: expected .., found ..`
inline std::unexpected<Error> Damaged(std::string_view what, std::string_view expected,
                                      std::string_view found) {
  std::string message(what);
  message.append(": expected ").append(expected).append(", found ").append(found);
  return Fail(ErrorCode::corruption, std::move(message));
}

}  // namespace talea
