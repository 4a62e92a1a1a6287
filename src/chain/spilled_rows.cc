#include "chain/spilled_rows.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace talea::chain {

Result<bool> SpilledRows::Next() {
  if (begin_ == filled_ && offset_ == end_) return false;
  TALEA_TRY(Fill(kPackedHeadBytes));
  const Row head = UnpackRow(buffer_.get() + begin_);
  const std::size_t bytes = kPackedHeadBytes + head.key.size() + head.value.size();
  TALEA_TRY(Fill(bytes));
  packed_ = {buffer_.get() + begin_, bytes};
  begin_ += bytes;
  return true;
}

Status SpilledRows::Fill(std::size_t bytes) {
  if (filled_ - begin_ >= bytes) return {};
  const std::size_t kept = filled_ - begin_;
  TALEA_CHECK(bytes - kept <= end_ - offset_);  // we wrote it ourselves
  if (bytes > capacity_) {
    capacity_ = std::max(bytes, buffer_bytes_);
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
    std::copy_n(buffer_.get() + begin_, kept, larger.get());
    buffer_ = std::move(larger);
  } else {
    std::memmove(buffer_.get(), buffer_.get() + begin_, kept);
  }
  const std::size_t count = std::min<std::uint64_t>(capacity_ - kept, end_ - offset_);
  TALEA_TRY(file_->Read(offset_, buffer_.get() + kept, count));
  offset_ += count;
  begin_ = 0;
  filled_ = kept + count;
  return {};
}

}  // namespace talea::chain
