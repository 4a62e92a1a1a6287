// Any bytes in the place of a record of Cardano's blocks, of an output, or of an address's text are
// either refused, or what is written.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "cardano/record.h"
#include "talea/cardano.h"

namespace talea::cardano {
namespace {

template <class Record>
void CheckRecord(const Result<Record>& record, ByteView bytes) {
  if (record) {
    std::string again;
    Encode(*record, again);
    TALEA_CHECK(again == bytes);
  } else {
    TALEA_CHECK(record.error().code() == ErrorCode::corruption ||
                record.error().code() == ErrorCode::unsupported);
    TALEA_CHECK(!record.error().message().empty());
  }
}

void CheckAssets(ByteView bytes) {
  const auto output = OutputValue::FromStored(std::string(bytes));
  if (!output) return;
  const auto assets = ReadCardanoAssets(*output);
  TALEA_CHECK(assets || assets.error().code() == ErrorCode::corruption);
}

void CheckAddresses(ByteView bytes) {
  const auto parsed = ParseCardanoAddress(bytes);
  TALEA_CHECK(parsed || parsed.error().code() == ErrorCode::invalid_argument);
  const ByteView address = bytes.substr(0, 200);
  for (const ByteView known : {address, parsed ? ByteView(*parsed) : ByteView()}) {
    if (known.empty()) continue;
    TALEA_CHECK(ParseCardanoAddress(CardanoAddressText(known)).value() == known);
  }
}

}  // namespace
}  // namespace talea::cardano

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const talea::ByteView bytes(reinterpret_cast<const char*>(data), size);
  talea::cardano::CheckRecord(talea::cardano::DecodeBlockRecord(bytes), bytes);
  talea::cardano::CheckRecord(talea::cardano::DecodeTransactionRecord(bytes), bytes);
  talea::cardano::CheckAssets(bytes);
  talea::cardano::CheckAddresses(bytes);
  return 0;
}
