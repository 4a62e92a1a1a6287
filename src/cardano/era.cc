#include <array>

#include "talea/cardano.h"

namespace talea {
namespace {

constexpr std::array<std::string_view, 8> kEraNames = {
    "byron-boundary", "byron", "shelley", "allegra", "mary", "alonzo", "babbage", "conway",
};

}  // namespace

// An output is stored with any number, by whoever has put it there.
std::string_view Name(CardanoEra era) {
  const auto number = static_cast<std::size_t>(era);
  return number < kEraNames.size() ? kEraNames[number] : "unknown";
}

}  // namespace talea
