#include <cstdint>
#include <cstdlib>
#include <string>

#include "talea/write_batch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto b = talea::WriteBatch::Decode({reinterpret_cast<const char*>(data), size});
  if (b) for (const auto& o : *b) if (o.key.size() > size) abort();
  if (size > 8 && data[0] == 'z' && data[1] == 0xff) { volatile int x = 2147483647; x = x + data[2]; }
  return 0;
}
