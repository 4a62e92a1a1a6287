#include "coordination/attempts.h"

#include <gtest/gtest.h>

#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

// Runs end with these, one after the other; the last one stays.
Status TryWith(std::vector<std::optional<ErrorCode>> ends, std::size_t* runs = nullptr) {
  std::size_t run = 0;
  const Status outcome = TryUntilDecided([&]() -> Status {
    const std::optional<ErrorCode> end = ends[std::min(run++, ends.size() - 1)];
    if (!end) return {};
    return Fail(*end, "scripted");
  });
  if (runs != nullptr) *runs = run;
  return outcome;
}

TEST(TryUntilDecided, GoesOnUntilItSucceedsOrFailsForGood) {
  std::size_t runs = 0;
  EXPECT_OK(TryWith({ErrorCode::conflict, ErrorCode::outcome_unknown, std::nullopt}, &runs));
  EXPECT_EQ(runs, 3u);
  EXPECT_ERROR(TryWith({ErrorCode::conflict, ErrorCode::corruption}, &runs), ErrorCode::corruption);
  EXPECT_EQ(runs, 2u);
}

// The erasure of a tenant was lost sight of, and then the cluster. It ended with "unavailable",
// which says that nothing was applied; only where the very next run found the engine closed was it
// told as unknown.
TEST(TryUntilDecided, AnUnknownOutcomeStaysOneWhereNoLaterRunCouldLook) {
  using enum ErrorCode;
  for (const ErrorCode last : {unavailable, conflict, timed_out, closed, io_error}) {
    EXPECT_ERROR(TryWith({outcome_unknown, last}), outcome_unknown) << Name(last);
  }
  EXPECT_ERROR(TryWith({outcome_unknown, unavailable, closed}), outcome_unknown);
  EXPECT_ERROR(TryWith({outcome_unknown, unavailable, not_found}), not_found) << "it has looked";
}

}  // namespace
}  // namespace talea
