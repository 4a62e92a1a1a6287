// Any text is either refused as an invalid argument, or a location that, written and read again,
// stays the same.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "database/location.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const talea::Result<talea::Location> location = talea::ParseLocation(text);
  if (!location) {
    TALEA_CHECK(location.error().code() == talea::ErrorCode::invalid_argument);
    TALEA_CHECK(location.error().message().starts_with("location "));
    return 0;
  }
  const std::string written = ToString(*location);
  const talea::Result<talea::Location> again = talea::ParseLocation(written);
  TALEA_CHECK(again.has_value());
  TALEA_CHECK(*again == *location);
  TALEA_CHECK(ToString(*again) == written);
  return 0;
}
