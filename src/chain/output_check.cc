#include "chain/output_check.h"

#include <fmt/format.h>

#include <limits>

#include "chain/keys.h"

namespace talea::chain {
namespace {

constexpr std::uint64_t kMostCoin = std::numeric_limits<std::int64_t>::max();

}  // namespace

Status CheckOutput(const Output& output) {
  if (output.coin > kMostCoin) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("output {}: expected a coin of at most {}, found {}",
                            output.reference.ToString(), kMostCoin, output.coin));
  }
  for (const Tag& tag : output.tags) {
    if (tag.bytes.size() <= kLongestTag) continue;
    return Fail(
        ErrorCode::invalid_argument,
        fmt::format("output {}, tag {}: expected at most {} bytes, found {}",
                    output.reference.ToString(), Name(tag.kind), kLongestTag, tag.bytes.size()));
  }
  return {};
}

}  // namespace talea::chain
