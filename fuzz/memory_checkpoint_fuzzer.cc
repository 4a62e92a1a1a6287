// Any bytes are either refused, or a checkpoint whose state is written as the very same bytes. The
// input is tried as it is, then with a checksum in place of its last 8 bytes, and then with magic,
// format and checksum around it, as no mutation finds these.
#include "engine/memory_checkpoint.h"

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/coding.h"

namespace talea {
namespace {

constexpr std::size_t kChecksumBytes = 8;

const KeyspaceSet& Keyspaces() {
  static const KeyspaceSet keyspaces = KeyspaceSet::Make({{128, AccessPattern::scan, "rows"},
                                                          {130, AccessPattern::counter, "counts"}})
                                           .value();
  return keyspaces;
}

std::string WithChecksum(std::string body) {
  AppendFixed64(body, XXH3_64bits(body.data(), body.size()));
  return body;
}

void AppendKeyspace(std::string& body, const Keyspace& keyspace, const PersistentMap& map) {
  body.push_back(static_cast<char>(keyspace.id));
  body.push_back(static_cast<char>(keyspace.pattern));
  AppendSized(body, keyspace.name);
  AppendVarint(body, map.rows());
  PersistentMap::Cursor cursor(map);
  for (cursor.SeekAtOrAfter(""); cursor.valid(); cursor.Next()) {
    AppendSized(body, cursor.key());
    AppendSized(body, cursor.value());
  }
}

// Whether these are the state's bytes, where each of the keyspaces may be left out with no rows.
bool IsWrittenAs(const MemoryState& state, ByteView bytes) {
  for (unsigned kept = 0; kept < 4; ++kept) {
    std::string keyspaces;
    std::uint64_t count = 0;
    for (const Keyspace& keyspace : Keyspaces().all()) {
      const bool included = (kept >> Keyspaces().Position(keyspace.id) & 1) != 0;
      if (!included) continue;  // if it has rows, the bytes will differ
      AppendKeyspace(keyspaces, keyspace, state.map(keyspace));
      ++count;
    }
    std::string body = "TALEAMEM";
    AppendFixed32(body, 1);
    AppendFixed64(body, state.version.number);
    AppendVarint(body, count);
    if (WithChecksum(body + keyspaces) == bytes) return true;
  }
  return false;
}

void Check(ByteView bytes) {
  const Result<MemoryState> state = DecodeMemoryCheckpoint(bytes, Keyspaces());
  if (state) {
    TALEA_CHECK(IsWrittenAs(*state, bytes));
  } else {
    const ErrorCode code = state.error().code();
    TALEA_CHECK(code == ErrorCode::corruption || code == ErrorCode::unsupported ||
                code == ErrorCode::invalid_argument);  // another keyspace
  }
}

}  // namespace
}  // namespace talea

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const talea::ByteView bytes(reinterpret_cast<const char*>(data), size);
  talea::Check(bytes);
  if (size < talea::kChecksumBytes) return 0;
  const talea::ByteView body = bytes.substr(0, size - talea::kChecksumBytes);
  talea::Check(talea::WithChecksum(std::string(body)));
  const std::string start("TALEAMEM\x01\x00\x00\x00", 12);
  talea::Check(talea::WithChecksum(start + std::string(body)));
  return 0;
}
