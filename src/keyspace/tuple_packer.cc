#include "talea/tuple_packer.h"

#include <fmt/format.h>

#include "base/check.h"
#include "keyspace/tuple_format.h"
#include "keyspace/utf8.h"

namespace talea {
namespace {

using namespace tuple_format;

// The `size` low bytes of `bits`, the most significant first.
void AppendBigEndian(std::string& out, std::uint64_t bits, std::size_t size) {
  char bytes[sizeof bits];
  for (std::size_t i = 0; i < sizeof bits; ++i) bytes[i] = static_cast<char>(bits >> (56 - 8 * i));
  out.append(bytes + (sizeof bits - size), size);
}

void AppendEscaped(std::string& out, ByteView bytes) {
  for (std::size_t nul; (nul = bytes.find('\0')) != ByteView::npos;) {
    out.append(bytes.substr(0, nul + 1)).push_back(static_cast<char>(kEscape));
    bytes.remove_prefix(nul + 1);
  }
  out.append(bytes).push_back(static_cast<char>(kTerminator));
}

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

// What cannot fail, as a Status like the rest.
Status Done(const TuplePacker&) { return {}; }

}  // namespace

TuplePacker& TuplePacker::Code(std::uint8_t code) {
  out_->push_back(static_cast<char>(code));
  return *this;
}

TuplePacker& TuplePacker::Null() {
  Code(kNull);
  return depth_ == 0 ? *this : Code(kEscape);
}

TuplePacker& TuplePacker::Bytes(ByteView bytes) {
  Code(kBytes);
  AppendEscaped(*out_, bytes);
  return *this;
}

Status TuplePacker::Text(std::string_view text) {
  const std::size_t valid = Utf8PrefixLength(text);
  if (valid != text.size()) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("tuple text {}: expected UTF-8, found byte 0x{:02x} at index {}",
                            Quoted(text), static_cast<std::uint8_t>(text[valid]), valid));
  }
  Code(kText);
  AppendEscaped(*out_, text);
  return {};
}

TuplePacker& TuplePacker::Integer(bool negative, std::uint64_t magnitude) {
  const std::size_t size = BytesOf(magnitude);
  Code(static_cast<std::uint8_t>(negative ? kZero - size : kZero + size));
  AppendBigEndian(*out_, negative ? ~magnitude : magnitude, size);
  return *this;
}

TuplePacker& TuplePacker::BigInteger(const talea::BigInteger& number) {
  const ByteView magnitude = number.magnitude();
  const auto size = static_cast<std::uint8_t>(magnitude.size());
  const std::uint8_t flip = number.negative() ? 0xff : 0x00;
  if (size <= kMaxShortBytes) {
    Code(static_cast<std::uint8_t>(number.negative() ? kZero - size : kZero + size));
  } else {
    Code(number.negative() ? kBigNegative : kBigPositive).Code(size ^ flip);
  }
  for (const char byte : magnitude) Code(static_cast<std::uint8_t>(byte) ^ flip);
  return *this;
}

TuplePacker& TuplePacker::Float32(float number) {
  Code(kFloat32);
  AppendBigEndian(*out_, OrderedBits<std::uint32_t>(number), sizeof number);
  return *this;
}

TuplePacker& TuplePacker::Double(double number) {
  Code(kFloat64);
  AppendBigEndian(*out_, OrderedBits<std::uint64_t>(number), sizeof number);
  return *this;
}

TuplePacker& TuplePacker::Truth(bool boolean) { return Code(boolean ? kTrue : kFalse); }

TuplePacker& TuplePacker::Uuid(const talea::Uuid& uuid) {
  Code(kUuid);
  out_->append(reinterpret_cast<const char*>(uuid.bytes.data()), uuid.bytes.size());
  return *this;
}

Status TuplePacker::BeginNested() {
  if (depth_ == kMaxTupleDepth) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("tuple: expected at most {} tuples inside each other, found one more",
                            kMaxTupleDepth));
  }
  Code(kNested);
  ++depth_;
  return {};
}

TuplePacker& TuplePacker::EndNested() {
  TALEA_CHECK(depth_ > 0);
  --depth_;
  return Code(kTerminator);
}

Status TuplePacker::Add(const Element& element) {
  return AllOrNothing([&] { return AddValue(element); });
}

Status TuplePacker::AddAll(const Tuple& tuple) {
  return AllOrNothing([&] { return AddElements(tuple); });
}

template <class Function>
Status TuplePacker::AllOrNothing(Function append) {
  const std::size_t size_before = out_->size();
  const std::size_t depth_before = depth_;
  Status appended = append();
  if (!appended) {
    out_->resize(size_before);
    depth_ = depth_before;
  }
  return appended;
}

Status TuplePacker::AddElements(const Tuple& tuple) {
  for (const Element& element : tuple) TALEA_TRY(AddValue(element));
  return {};
}

Status TuplePacker::AddNested(const Tuple& tuple) {
  TALEA_TRY(BeginNested());
  TALEA_TRY(AddElements(tuple));
  EndNested();
  return {};
}

Status TuplePacker::AddValue(const Element& element) {
  return std::visit(Overloaded{
                        [&](talea::Null) { return Done(Null()); },
                        [&](const talea::Bytes& bytes) { return Done(Bytes(bytes.value)); },
                        [&](const talea::Text& text) { return Text(text.value); },
                        [&](const Tuple& tuple) { return AddNested(tuple); },
                        [&](std::int64_t number) { return Done(Int(number)); },
                        [&](const talea::BigInteger& number) { return Done(BigInteger(number)); },
                        [&](float number) { return Done(Float(number)); },
                        [&](double number) { return Done(Double(number)); },
                        [&](bool boolean) { return Done(Bool(boolean)); },
                        [&](const talea::Uuid& uuid) { return Done(Uuid(uuid)); },
                    },
                    element.value_);
}

}  // namespace talea
