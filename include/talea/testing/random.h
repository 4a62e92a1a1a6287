// Numbers that look random and follow from a seed alone, on every machine.
#pragma once

#include <cstdint>

namespace talea {

// SplitMix64: small, quick to seed, and good enough to choose test cases by.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    std::uint64_t value = state_ += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
  }

  // From 0 up to, and without, `bound`, which is at least 1.
  std::uint64_t Below(std::uint64_t bound) { return Next() % bound; }

  // From `low` to `high`, both included.
  std::int64_t Between(std::int64_t low, std::int64_t high) {
    const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) +
                                     (span == 0 ? Next() : Below(span)));
  }

  // True with this probability. Draws a number even where the answer is certain, so that what comes
  // after does not depend on it.
  bool Chance(double probability) {
    return static_cast<double>(Next() >> 11) * 0x1.0p-53 < probability;
  }

 private:
  std::uint64_t state_;
};

// The seed for a test: TALEA_SEED where that is set, or else, with TALEA_LONG, a new one each time,
// or else always the same. A test that fails prints the one it used.
std::uint64_t TestSeed();

// Whether the long versions of the tests were asked for: TALEA_LONG is set.
bool LongTests();

}  // namespace talea
