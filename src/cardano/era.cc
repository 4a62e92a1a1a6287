#include <array>

#include "talea/cardano.h"

namespace talea {
namespace {

constexpr std::array<std::string_view, 8> kEraNames = {
    "byron-boundary", "byron", "shelley", "allegra", "mary", "alonzo", "babbage", "conway",
};

}  // namespace

std::string_view Name(CardanoEra era) { return kEraNames[static_cast<std::size_t>(era)]; }

}  // namespace talea
