#include "engine/rocksdb/counter.h"

#include <fmt/format.h>

#include <string>

#include "base/coding.h"
#include "engine/rocksdb/status.h"

namespace talea {
namespace {

constexpr std::size_t kPoisonBytesKept = 64;

class CounterMerge final : public rocksdb::MergeOperator {
 public:
  const char* Name() const override { return "talea.counter.1"; }

  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    std::int64_t sum = 0;
    if (in.existing_value != nullptr && !AddTo(sum, *in.existing_value, *out)) return true;
    for (const rocksdb::Slice& operand : in.operand_list) {
      if (!AddTo(sum, operand, *out)) return true;
    }
    out->new_value.assign(reinterpret_cast<const char*>(&sum), sizeof sum);
    return true;
  }

  // False leaves the operands as they are, for FullMergeV2 to see.
  bool PartialMergeMulti(const rocksdb::Slice&, const std::deque<rocksdb::Slice>& operands,
                         std::string* sum_bytes, rocksdb::Logger*) const override {
    std::int64_t sum = 0;
    for (const rocksdb::Slice& operand : operands) {
      const std::optional<std::int64_t> delta = DecodeCounter(AsBytes(operand));
      if (!delta) return false;
      sum = WrappingAdd(sum, *delta);
    }
    sum_bytes->assign(reinterpret_cast<const char*>(&sum), sizeof sum);
    return true;
  }

 private:
  static bool AddTo(std::int64_t& sum, const rocksdb::Slice& bytes, MergeOperationOutput& out) {
    if (const std::optional<std::int64_t> number = DecodeCounter(AsBytes(bytes))) {
      sum = WrappingAdd(sum, *number);
      return true;
    }
    const ByteView malformed = AsBytes(bytes);
    out.new_value.clear();
    if (!malformed.starts_with(kPoison)) out.new_value.append(kPoison);
    out.new_value.append(malformed.substr(0, kPoison.size() + kPoisonBytesKept));
    return false;
  }
};

// To RocksDB a filtered row is one that was deleted at its place in history, so a snapshot and an
// Add see what they saw before: nothing, and 0.
class ZeroFilter final : public rocksdb::CompactionFilter {
 public:
  const char* Name() const override { return "talea.zero-counter.1"; }
  bool Filter(int, const rocksdb::Slice&, const rocksdb::Slice& value, std::string*,
              bool*) const override {
    return DecodeCounter(AsBytes(value)) == 0;
  }
};

}  // namespace

std::shared_ptr<rocksdb::MergeOperator> CounterMergeOperator() {
  static const auto merge = std::make_shared<CounterMerge>();
  return merge;
}

const rocksdb::CompactionFilter* ZeroCounterFilter() {
  static const ZeroFilter filter;
  return &filter;
}

Result<bool> CounterShown(const Keyspace& keyspace, ByteView key, ByteView value) {
  if (const std::optional<std::int64_t> sum = DecodeCounter(value)) return *sum != 0;
  return Fail(ErrorCode::corruption,
              fmt::format("keyspace {}, key {}: expected a counter of 8 bytes, found {}",
                          Quoted(keyspace.name), Quoted(key), Quoted(value)));
}

}  // namespace talea
