#include "engine/rocksdb/insert_hint.h"

namespace talea {
namespace {

constexpr std::uint32_t kFewestRows = 64;

// Batches are written by one thread at a time, and inserted by the thread that writes them.
thread_local bool hinted = false;

class NoPrefix final : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "talea.insert-hint"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override { return {key.data(), 0}; }
  bool InDomain(const rocksdb::Slice&) const override { return hinted; }
};

}  // namespace

std::shared_ptr<const rocksdb::SliceTransform> InsertHint() {
  static const auto hint = std::make_shared<const NoPrefix>();
  return hint;
}

HintedWrite::HintedWrite(const rocksdb::WriteBatch& batch) {
  hinted = batch.Count() >= kFewestRows && !batch.HasDeleteRange();
}
HintedWrite::~HintedWrite() { hinted = false; }

}  // namespace talea
