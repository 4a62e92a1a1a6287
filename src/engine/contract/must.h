// Success or the end of the test, where a test is not about how a call fails.
#pragma once

#include <fmt/format.h>

#include <source_location>
#include <stdexcept>
#include <utility>

#include "talea/result.h"

namespace talea::contract {

// Thrown by Must for that error, so that a test may begin anew: see UnlessExpired.
class SnapshotExpired : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The value of a Result; throws if there is none, which fails the test or the random case.
template <class T>
T Must(Result<T> result, std::source_location where = std::source_location::current()) {
  if (!result.has_value()) {
    const ErrorCode code = result.error().code();
    const std::string message = fmt::format("{}:{}: {}: {}", where.file_name(), where.line(),
                                            Name(code), result.error().message());
    if (code == ErrorCode::snapshot_expired) throw SnapshotExpired(message);
    throw std::runtime_error(message);
  }
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

}  // namespace talea::contract
