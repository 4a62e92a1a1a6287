// Any parts are either refused, or an undo record that encodes to the very same bytes. The input is
// tried as it is, and then with a header that fits it, as no mutation finds a checksum.
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/coding.h"
#include "engine/undo.h"

namespace talea {
namespace {

constexpr std::size_t kHeaderBytes = 13;

std::vector<std::string> Divide(ByteView record, std::size_t most_bytes) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < record.size(); at += most_bytes) {
    parts.emplace_back(record.substr(at, most_bytes));
  }
  return parts;
}

void Check(ByteView record, std::size_t most_bytes) {
  const std::vector<std::string> parts = Divide(record, most_bytes);
  if (!parts.empty()) {
    const Result<std::uint32_t> count = CountUndoParts(parts[0]);
    TALEA_CHECK(!count || *count > 0);
  }
  const Result<WriteBatch> batch = DecodeUndo(parts);
  if (batch) {
    TALEA_CHECK(EncodeUndo(*batch, most_bytes) == parts);
  } else {
    TALEA_CHECK(batch.error().code() == ErrorCode::corruption ||
                batch.error().code() == ErrorCode::unsupported);
  }
}

// The header of a record with this batch, as the format says.
std::string WithHeader(ByteView batch, std::size_t most_bytes) {
  const std::size_t total = kHeaderBytes + batch.size();
  std::string record = "\x01";
  AppendFixed32(record, static_cast<std::uint32_t>((total + most_bytes - 1) / most_bytes));
  AppendFixed64(record, XXH3_64bits(batch.data(), batch.size()));
  return record.append(batch);
}

}  // namespace
}  // namespace talea

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const talea::ByteView bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t most_bytes = talea::kHeaderBytes + (size == 0 ? 0 : data[size - 1]);
  talea::Check(bytes, most_bytes);
  talea::Check(talea::WithHeader(bytes, most_bytes), most_bytes);
  if (size > talea::kHeaderBytes) {
    talea::Check(talea::WithHeader(bytes.substr(talea::kHeaderBytes), most_bytes), most_bytes);
  }
  return 0;
}
