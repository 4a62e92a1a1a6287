#include <cstdlib>
#include <random>

#include "talea/testing/random.h"

namespace talea {

bool LongTests() { return std::getenv("TALEA_LONG") != nullptr; }

std::uint64_t TestSeed() {
  if (const char* given = std::getenv("TALEA_SEED")) return std::strtoull(given, nullptr, 0);
  static const std::uint64_t seed = LongTests() ? std::random_device()() : 20240229;
  return seed;
}

}  // namespace talea
