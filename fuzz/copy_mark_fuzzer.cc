// Any bytes are either refused, or the mark of a copy that encodes to the very same bytes.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "database/copy_mark.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const talea::ByteView bytes(reinterpret_cast<const char*>(data), size);
  const talea::Result<talea::CopyMark> mark = talea::DecodeCopyMark(bytes);
  if (mark) {
    TALEA_CHECK(EncodeCopyMark(*mark) == bytes);
  } else {
    const bool newer = mark.error().code() == talea::ErrorCode::unsupported;
    TALEA_CHECK(newer == (size > 0 && data[0] > 1));
    TALEA_CHECK(newer || mark.error().code() == talea::ErrorCode::corruption);
  }
  return 0;
}
