// Any bytes in the place of a row of the database's own are either refused as corruption, or what
// the writer of that row writes.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "coordination/keys.h"
#include "coordination/lease_row.h"
#include "coordination/progress_row.h"
#include "coordination/times.h"
#include "database/request.h"
#include "engine/undo.h"
#include "talea/lease.h"

namespace talea {
namespace {

// Has the same value under every key.
class OneValue final : public Reader {
 public:
  explicit OneValue(ByteView value) : value_(value) {}
  Result<std::optional<std::string>> Get(const Keyspace&, ByteView) override { return value_; }
  Result<std::vector<std::optional<std::string>>> MultiGet(
      std::span<const KeyReference> keys) override {
    return std::vector<std::optional<std::string>>(keys.size(), value_);
  }
  Result<Page> Range(const Keyspace&, const KeyRange&, const PageOptions&) override {
    return Page();
  }

 private:
  const std::string value_;
};

template <class Value, class Same>
void Check(const Result<Value>& value, Same same) {
  if (value) {
    TALEA_CHECK(same(*value));
  } else {
    TALEA_CHECK(value.error().code() == ErrorCode::corruption);
  }
}

void CheckAll(ByteView bytes) {
  Check(DecodeProgressRow("s", bytes),
        [&](const ProgressRow& row) { return Encode(row) == bytes; });
  Check(DecodeRequestRow("k", bytes), [&](const RequestRow& row) { return Encode(row) == bytes; });
  Check(DecodeTime("lease", bytes), [&](Timestamp time) {
    TALEA_CHECK(!Describe(time).empty());
    return EncodeTime(time) == bytes;
  });
  Check(ParseUndoRowKey(bytes), [&](const UndoRowKey& key) {
    return UndoKey(UndoRecordKey(key.source, key.position), key.part) == bytes;
  });
  Check(DecodeLeaseRow("l", bytes), [&](const LeaseRow& row) { return Encode(row) == bytes; });
  OneValue reader(bytes);
  Check(ReadLease(reader, "l"),
        [](const std::optional<Lease>& lease) { return !lease || lease->token > 0; });
}

}  // namespace
}  // namespace talea

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talea::CheckAll(talea::ByteView(reinterpret_cast<const char*>(data), size));
  return 0;
}
