#include "coordination/times.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "talea/tuple_packer.h"
#include "talea/tuple_reader.h"

namespace talea {

std::string EncodeTime(Timestamp time) {
  std::string value;
  TuplePacker(value).Int(time.time_since_epoch().count());
  return value;
}

Result<Timestamp> DecodeTime(std::string_view what, ByteView value) {
  TupleReader reader(value);
  const Result<std::int64_t> count = reader.Int();
  if (count && reader.AtEnd()) return Timestamp(std::chrono::microseconds(*count));
  return Fail(ErrorCode::corruption,
              fmt::format("{}: expected a packed time, found {}", what, Quoted(value)));
}

Result<Timestamp> Later(Timestamp now, std::chrono::microseconds duration) {
  const std::int64_t since = now.time_since_epoch().count();
  std::int64_t sum = 0;
  if (duration.count() > 0 && !__builtin_add_overflow(since, duration.count(), &sum)) {
    return Timestamp(std::chrono::microseconds(sum));
  }
  return Fail(
      ErrorCode::invalid_argument,
      fmt::format("duration: expected one that is positive and ends in a time that can be told, "
                  "found {} microseconds",
                  duration.count()));
}

Timestamp After(Timestamp now, std::chrono::microseconds duration) {
  return now > Timestamp::max() - duration ? Timestamp::max() : now + duration;
}

Timestamp Before(Timestamp now, std::chrono::microseconds duration) {
  return now < Timestamp::min() + duration ? Timestamp::min() : now - duration;
}

std::string Describe(Timestamp time) {
  using std::chrono::seconds;
  constexpr Timestamp kFirst{std::chrono::sys_days(std::chrono::year(0) / 1 / 1)};
  constexpr Timestamp kLast{std::chrono::sys_days(std::chrono::year(10'000) / 1 / 1)};
  if (time < kFirst || time >= kLast) {
    return fmt::format("{} microseconds since 1970", time.time_since_epoch().count());
  }
  const auto whole = std::chrono::floor<seconds>(time);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(static_cast<std::time_t>(whole.time_since_epoch().count())));
}

}  // namespace talea
