// Identifiers that nobody else has.
#pragma once

#include <random>

#include "talea/uuid.h"

namespace talea {

// 16 bytes from the operating system's source of random numbers.
inline Uuid RandomUuid() {
  std::random_device random;
  Uuid uuid;
  for (std::uint8_t& byte : uuid.bytes) byte = static_cast<std::uint8_t>(random());
  return uuid;
}

}  // namespace talea
