#include "cardano/cbor_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

namespace talea::cardano {
namespace {

// Scripts' data may be nested as deep as a transaction has bytes: 16,384 today.
constexpr std::size_t kMostLevels = 65'536;

// What an array or map without a length counts down from; even, so that pairs can be told.
constexpr std::uint64_t kUnknown = std::uint64_t{1} << 63;

}  // namespace

std::unexpected<Error> CborCursor::Expected(std::string_view what) {
  const CborHead& found = Next();
  if (found.kind == CborKind::end) needed_ = offset_ + std::min(found.value, kUnknown);
  return Wrong(offset_, fmt::format("expected {}, found {}", what, Describe(found)));
}

std::unexpected<Error> CborCursor::Wrong(std::size_t offset, std::string_view what) const {
  return Fail(ErrorCode::invalid_argument, fmt::format("byte {}: {}", first_byte_ + offset, what));
}

CborCursor CborCursor::Over(ByteView taken) const {
  const bool is_part = std::less_equal<>()(bytes_.data(), taken.data()) &&
                       std::less_equal<>()(taken.data(), bytes_.data() + offset_);
  const std::size_t begin = is_part ? taken.data() - bytes_.data() : offset_;
  return CborCursor(taken, *joined_, first_byte_ + begin);
}

Status CborCursor::CheckEnd(std::string_view what) const {
  if (offset_ == bytes_.size()) return {};
  return Wrong(offset_, fmt::format("expected the end of {}, found {} more bytes", what,
                                    bytes_.size() - offset_));
}

std::unexpected<Error> CborCursor::ExpectedKind(std::string_view what, CborKind kind) {
  return Expected(fmt::format("{}, {}", what, Name(kind)));
}

Result<ByteView> CborCursor::Bytes(std::string_view what) {
  if (Next().kind != CborKind::bytes) return ExpectedKind(what, CborKind::bytes);
  if (Take().indefinite) return JoinChunks();
  return Taken();
}

Result<ByteView> CborCursor::Bytes(std::string_view what, std::size_t size) {
  const std::size_t begin = offset_;
  const ByteView bytes = TALEA_TRY(Bytes(what));
  if (bytes.size() == size) return bytes;
  return Wrong(begin, fmt::format("expected {} of {} bytes, found {}", what, size, bytes.size()));
}

Status CborCursor::Null(std::string_view what) {
  if (Next().kind != CborKind::null) return ExpectedKind(what, CborKind::null);
  Take();
  return {};
}

Status CborCursor::Tag(std::string_view what, std::uint64_t number) {
  if (Next().kind != CborKind::tag || next_.value != number)
    return Expected(fmt::format("{}, tag {}", what, number));
  Take();
  return {};
}

void CborCursor::TagIfThere(std::uint64_t number) {
  if (Next().kind == CborKind::tag && next_.value == number) Take();
}

Result<CborItems> CborCursor::Array(std::string_view what) {
  if (Next().kind != CborKind::array) return ExpectedKind(what, CborKind::array);
  Take();
  return CborItems{next_.value, next_.indefinite};
}

Result<CborItems> CborCursor::Map(std::string_view what) {
  if (Next().kind != CborKind::map) return ExpectedKind(what, CborKind::map);
  Take();
  return CborItems{next_.value, next_.indefinite};
}

Result<bool> CborCursor::MoreBeforeStop() {
  if (Next().kind == CborKind::end) return Expected("another item or a stop");
  if (next_.kind != CborKind::stop) return true;
  Take();
  return false;
}

Result<CborItems> CborCursor::Record(std::string_view what, std::uint64_t fields) {
  if (Next().kind != CborKind::array || (!next_.indefinite && next_.value != fields))
    return Expected(fmt::format("{}, an array of {}", what, fields));
  return CborItems{0, Take().indefinite};
}

Result<CborItems> CborCursor::LongRecord(std::string_view what, std::uint64_t fields) {
  if (Next().kind != CborKind::array || (!next_.indefinite && next_.value < fields))
    return Expected(fmt::format("{}, an array of at least {}", what, fields));
  Take();
  return CborItems{next_.indefinite ? kUnknown : next_.value - fields, next_.indefinite};
}

Status CborCursor::Close(CborItems record) {
  const bool exact = record.left == 0;
  if (record.indefinite && exact && Next().kind != CborKind::stop) return Expected("a stop");
  while (TALEA_TRY(More(record))) TALEA_TRY(Skip());
  return {};
}

Result<ByteView> CborCursor::JoinChunks() {
  std::string joined;
  while (Next().kind == CborKind::bytes && !next_.indefinite) {
    Take();
    joined += Taken();
  }
  if (next_.kind != CborKind::stop) return Expected("a byte string or a stop");
  Take();
  return joined_->Join({joined});
}

Status CborCursor::SkipChunks(CborKind kind) {
  while (Next().kind == kind && !next_.indefinite) Take();
  if (next_.kind != CborKind::stop) return Expected(fmt::format("{} or a stop", Name(kind)));
  Take();
  return {};
}

Result<ByteView> CborCursor::Skip() {
  const std::size_t begin = offset_;
  levels_.clear();
  Level level{.left = 1, .kind = CborKind::array, .indefinite = false};
  for (;;) {
    while (level.left != 0) {
      --level.left;
      if (Next().kind > CborKind::text || next_.indefinite)
        TALEA_TRY(SkipItem(level));
      else
        Take();
    }
    if (levels_.empty()) return Since(begin);
    level = levels_.back();
    levels_.pop_back();
  }
}

// Passes over what is neither an integer nor a string in one piece, and is counted already. Of an
// array or map that is the head alone: the level is then that of what is in it.
Status CborCursor::SkipItem(Level& level) {
  bool tagged = false;
  for (; Next().kind == CborKind::tag; Take()) tagged = true;
  if (next_.kind >= CborKind::stop) return tagged ? Status(Expected("an item")) : Leave(level);
  const CborHead head = Take();
  if (head.kind == CborKind::array || head.kind == CborKind::map) return Enter(level, head);
  if (head.indefinite) return SkipChunks(head.kind);
  return {};
}

Status CborCursor::Enter(Level& level, const CborHead& head) {
  if (levels_.size() == kMostLevels)
    return Wrong(offset_, fmt::format("expected at most {} levels of items", kMostLevels));
  levels_.push_back(level);
  const std::uint64_t items = head.kind == CborKind::map ? 2 * head.value : head.value;
  level = {
      .left = head.indefinite ? kUnknown : items, .kind = head.kind, .indefinite = head.indefinite};
  return {};
}

// At a stop, which is counted as an item and must be that of the level; whatever else ends items is
// an error.
Status CborCursor::Leave(Level& level) {
  const bool may_stop = level.indefinite && (level.kind == CborKind::array || level.left % 2 != 0);
  if (next_.kind != CborKind::stop || !may_stop) return Expected("an item");
  Take();
  level.left = 0;
  return {};
}

}  // namespace talea::cardano
