#include "engine/rocksdb/crc32c.h"

#include <array>

#include "base/coding.h"

namespace talea {
namespace {

using Table = std::array<std::uint32_t, 256>;

// Table k: what a byte does to the checksum when k more bytes come after it.
constexpr std::array<Table, 8> MakeTables() {
  std::array<Table, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0u);
    tables[0][byte] = crc;
  }
  for (std::size_t table = 1; table < tables.size(); ++table) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[table - 1][byte];
      tables[table][byte] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}

constexpr std::array<Table, 8> kTables = MakeTables();

}  // namespace

std::uint32_t Crc32c(ByteView bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const std::uint64_t word = LoadLittleEndian<std::uint64_t>(bytes.data()) ^ crc;
    crc = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) {
      crc ^= kTables[7 - byte][(word >> (8 * byte)) & 0xff];
    }
  }
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return ~crc;
}

}  // namespace talea
