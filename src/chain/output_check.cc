#include "chain/output_check.h"

#include <fmt/format.h>

#include <limits>

#include "chain/keys.h"

namespace talea::chain {
namespace {

constexpr std::uint64_t kMostCoin = std::numeric_limits<std::int64_t>::max();
constexpr auto kLastTagKind = static_cast<unsigned>(TagKind::asset);

// Out of what is stored of it no output could be read, and so none consumed, if its tags had other
// kinds.
Status CheckTag(const OutputReference& reference, const Tag& tag) {
  const auto kind = static_cast<unsigned>(tag.kind);
  if (kind > kLastTagKind) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("output {}: expected a tag of a kind up to {}, found {}",
                            reference.ToString(), kLastTagKind, kind));
  }
  if (tag.bytes.size() <= kLongestTag) return {};
  return Fail(ErrorCode::invalid_argument,
              fmt::format("output {}, tag {}: expected at most {} bytes, found {}",
                          reference.ToString(), Name(tag.kind), kLongestTag, tag.bytes.size()));
}

}  // namespace

Status CheckOutput(const Output& output) {
  if (output.coin > kMostCoin) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("output {}: expected a coin of at most {}, found {}",
                            output.reference.ToString(), kMostCoin, output.coin));
  }
  for (const Tag& tag : output.tags) TALEA_TRY(CheckTag(output.reference, tag));
  return {};
}

}  // namespace talea::chain
