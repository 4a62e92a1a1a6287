#include "talea/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/coding.h"

namespace talea {

void Page::ReserveAll() {
  const std::size_t row_bytes = bytes() / size() + 1;
  const std::size_t rows = std::min(expected_.row_limit, expected_.byte_limit / row_bytes + 1);
  if (rows <= size()) return;
  entries_.reserve(rows);
  buffer_.reserve(rows * row_bytes + row_bytes);
}

void Page::SetRestAfterLastRow(const KeyRange& range, bool reverse) {
  const ByteView last = (*this)[size() - 1].key;
  KeyRange rest = reverse ? range.EndingAt(last) : range.StartingAt(KeySuccessor(last));
  if (rest.empty()) {
    rest_ = std::nullopt;
  } else {
    rest_ = std::move(rest);
  }
}

Result<std::int64_t> Reader::GetCounter(const Keyspace& keyspace, ByteView key) {
  const std::optional<std::string> stored = TALEA_TRY(Get(keyspace, key));
  if (!stored) return 0;
  const std::optional<std::int64_t> value = DecodeCounter(*stored);
  if (value) return *value;
  return Fail(ErrorCode::corruption,
              fmt::format("keyspace {}, key {}: expected a counter of 8 bytes, found {}",
                          Quoted(keyspace.name), Quoted(key), stored->size()));
}

Scanner::Scanner(Reader& reader, const Keyspace& keyspace, KeyRange range, PageOptions options)
    : reader_(reader), keyspace_(keyspace), options_(options), rest_(std::move(range)) {}

Result<std::optional<Row>> Scanner::Next() {
  while (position_ == page_.size()) {
    if (!rest_) return std::nullopt;
    page_ = TALEA_TRY(reader_.Range(keyspace_, *rest_, options_));
    rest_ = page_.rest();
    position_ = 0;
  }
  return page_[position_++];
}

}  // namespace talea
