// Errors are values: every call that can fail returns a Result, and no exception crosses this API.
#pragma once

#include <expected>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

namespace talea {

// What went wrong, in the terms a caller can act on.
enum class ErrorCode : unsigned char {
  invalid_argument,     // the call itself is wrong; the same call will always fail
  not_found,            // the named thing does not exist
  already_exists,       // the named thing exists, and the caller said that it does not
  precondition_failed,  // what the caller expects to be stored is not; read it, and decide anew
  too_large,            // over a limit of the engine; nothing was applied
  conflict,             // something this commit had read was written since; nothing was applied
  snapshot_expired,     // the snapshot is too old; nothing was applied: open a new one
  outcome_unknown,      // the commit may have been applied, or may still be applied later
  timed_out,            // a read did not finish in time
  unavailable,          // the engine cannot answer now, and may later; nothing was applied
  closed,               // the engine was shut down, or closed itself after a failed write
  corruption,           // stored bytes are not what was written
  io_error,             // the operating system refused; nothing was applied unless said otherwise
  unsupported,          // this engine, or this version of it, does not do that
};

// The code's name as written above, such as "snapshot_expired".
std::string_view Name(ErrorCode code);

// An error: its code, and a sentence that names the thing, what was expected and what was found.
class Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // True when the same transaction may succeed if its body runs again on a new snapshot: nothing
  // was applied, and the cause passes. An unknown outcome is not among them: see ErrorCode.
  bool retryable() const;

  friend bool operator==(const Error&, const Error&) = default;

 private:
  ErrorCode code_;
  std::string message_;
};

std::ostream& operator<<(std::ostream& out, ErrorCode code);
std::ostream& operator<<(std::ostream& out, const Error& error);

// A value, or the reason why there is none. It is std::expected, and may not be dropped silently.
template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
};

using Status = Result<void>;

// The error side of a Result: `return Fail(ErrorCode::not_found, "index \"age\": ...");`
inline std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected<Error>(Error(code, std::move(message)));
}

}  // namespace talea

// The value of a Result, or else a return of its error from the calling function:
//   std::optional<std::string> name = TALEA_TRY(reader.Get(rows, "name"));
#define TALEA_TRY(expression) TALEA_TRY_AS(expression, TALEA_JOIN(talea_result_, __COUNTER__))

#define TALEA_JOIN(a, b) TALEA_JOIN_EXPANDED(a, b)
#define TALEA_JOIN_EXPANDED(a, b) a##b
#define TALEA_TRY_AS(expression, result)                            \
  __extension__({                                                   \
    auto result = (expression);                                     \
    if (!result) return std::unexpected(std::move(result).error()); \
    std::move(result).value();                                      \
  })
