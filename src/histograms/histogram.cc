#include <fmt/format.h>

#include "talea/histograms.h"

namespace talea {
namespace {

constexpr std::uint8_t kMostFixedBytes = 8;

}  // namespace

std::string Histogram::ToString() const {
  return learned() ? "learned" : fmt::format("fixed({})", fixed_bytes);
}

Result<Histogram> Histogram::Parse(std::string_view text) {
  if (text == "learned") return Learned();
  for (std::uint8_t bytes = 1; bytes <= kMostFixedBytes; ++bytes) {
    // A colon too, as shells take parentheses for their own.
    if (text == Fixed(bytes).ToString() || text == fmt::format("fixed:{}", bytes)) {
      return Fixed(bytes);
    }
  }
  return Fail(ErrorCode::invalid_argument,
              fmt::format("histogram: expected learned, or fixed(1) to fixed({}), found {}",
                          kMostFixedBytes, Quoted(text)));
}

}  // namespace talea
