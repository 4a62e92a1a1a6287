// Success or the end of the test, where a test is not about how a call fails.
#pragma once

#include <fmt/format.h>

#include <source_location>
#include <stdexcept>
#include <utility>

#include "talea/result.h"

namespace talea::contract {

// The value of a Result; throws if there is none, which fails the test or the random case.
template <class T>
T Must(Result<T> result, std::source_location where = std::source_location::current()) {
  if (!result.has_value()) {
    throw std::runtime_error(fmt::format("{}:{}: {}: {}", where.file_name(), where.line(),
                                         Name(result.error().code()), result.error().message()));
  }
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

}  // namespace talea::contract
