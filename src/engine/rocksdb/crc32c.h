// The checksum of RocksDB's log records, which RocksDB does not let others compute.
#pragma once

#include <cstdint>

#include "talea/bytes.h"

namespace talea {

// CRC-32C (Castagnoli), eight bytes at a time. By hand, as a library for forty lines would be one
// more to install, and speed does not count: it reads a log once, at opening.
std::uint32_t Crc32c(ByteView bytes);

// As it stands in a log: turned and shifted, so that a log of logs does not check itself.
inline std::uint32_t MaskedCrc32c(ByteView bytes) {
  const std::uint32_t crc = Crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace talea
