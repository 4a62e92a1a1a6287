#include "histograms/learned.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"

namespace talea::histograms {
namespace {

std::size_t CommonLength(ByteView left, ByteView right) {
  return static_cast<std::size_t>(std::ranges::mismatch(left, right).in1 - left.begin());
}

// The 8 bytes from `offset` on as a number, where zeros follow the last.
std::uint64_t NumberAt(ByteView bytes, std::size_t offset) {
  std::uint64_t number = 0;
  for (std::size_t i = offset; i < offset + sizeof number; ++i) {
    number = number << 8 | (i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0);
  }
  return number;
}

std::uint64_t Minus(std::uint64_t left, std::uint64_t right) {
  return left - std::min(left, right);
}

}  // namespace

double FractionOf(const Span& span, ByteView bound) {
  if (bound <= span.lower) return 0;
  if (span.upper && bound >= *span.upper) return 1;
  // All that lies between the ends begins as both of them do.
  const std::size_t common =
      span.upper ? CommonLength(span.lower, *span.upper)
                 : std::min(span.lower.find_first_not_of('\xff'), span.lower.size());
  const std::uint64_t lower = NumberAt(span.lower, common);
  const std::uint64_t upper =
      span.upper ? NumberAt(*span.upper, common) : std::numeric_limits<std::uint64_t>::max();
  if (lower == upper) return 0;  // the upper end is the lower one and zeros, or nearly so
  return static_cast<double>(NumberAt(bound, common) - lower) / static_cast<double>(upper - lower);
}

Position PositionWithin(const Span& bucket, ByteView bound, std::int64_t count,
                        const Peeked& in_front, const Peeked& behind) {
  const std::uint64_t entries = count > 0 ? static_cast<std::uint64_t>(count) : 0;
  std::uint64_t low = in_front.entries;
  std::uint64_t high = std::max(low, Minus(entries, behind.entries));
  if (in_front.all) high = low;
  if (behind.all) low = high;
  const double guess = FractionOf(bucket, bound) * static_cast<double>(entries);
  return {std::clamp(guess, static_cast<double>(low), static_cast<double>(high)), low, high};
}

std::string Separator(ByteView before, ByteView after) {
  TALEA_CHECK(before < after);
  // Where `before` ends here, `after` goes on with ff, which no document begins with: as whole
  // values, they are strings or nested tuples of which one has a NUL or a null more.
  return std::string(after.substr(0, CommonLength(before, after) + 1));
}

Divider::Divider(std::string lower, std::uint64_t target, std::uint64_t heavy)
    : target_(target), heavy_(heavy), parts_{{std::move(lower), 0}} {
  TALEA_CHECK(target > 0);
}

bool Divider::Add(ByteView value) {
  if (value != value_) Meet(value);
  ++of_value_;
  ++parts_.back().entries;
  if (of_value_ == heavy_ + 1) SetApart();
  return heavy();
}

// Begins a part with the new value, if the last one is to end.
void Divider::Meet(ByteView value) {
  if (heavy() && Begin(value_ + '\xff')) {
    behind_heavy_ = true;
  } else if (heavy() || parts_.back().entries >= target_) {
    if (Begin(Separator(value_, value))) behind_heavy_ = false;
  }
  value_ = value;
  of_value_ = 0;
}

// Gives the newest value, which has turned out to be heavy, a part that begins with it.
void Divider::SetApart() {
  if (value_.size() > kLongestBoundary) return;
  if (parts_.back().entries > of_value_) {
    parts_.back().entries -= of_value_;
    parts_.push_back({value_, of_value_});
  } else if (!behind_heavy_) {
    parts_.back().lower = value_;
  }
}

bool Divider::Begin(std::string lower) {
  if (lower.size() > kLongestBoundary) return false;
  parts_.push_back({std::move(lower), 0});
  return true;
}

std::vector<Divider::Part> Divider::Finish() { return std::move(parts_); }

}  // namespace talea::histograms
