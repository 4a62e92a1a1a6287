#include "talea/tuple_reader.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <utility>

#include "base/check.h"
#include "keyspace/stored_integer.h"
#include "keyspace/tuple_format.h"
#include "keyspace/utf8.h"

namespace talea {
namespace {

using namespace tuple_format;

std::uint8_t ByteAt(ByteView bytes, std::size_t offset) {
  return static_cast<std::uint8_t>(bytes[offset]);
}

// The length of what stands before the terminator; npos where there is none.
std::size_t EscapedLength(ByteView bytes) {
  std::size_t nul = bytes.find('\0');
  while (nul != ByteView::npos && nul + 1 < bytes.size() && ByteAt(bytes, nul + 1) == kEscape) {
    nul = bytes.find('\0', nul + 2);
  }
  return nul;
}

// As Utf8PrefixLength, on text whose NULs are escaped.
std::size_t EscapedUtf8PrefixLength(ByteView escaped) {
  std::size_t length = Utf8PrefixLength(escaped);
  while (length < escaped.size() && length > 0 && escaped[length - 1] == '\0') {
    length += 1;  // the escape
    length += Utf8PrefixLength(escaped.substr(length));
  }
  return length;
}

std::string Unescaped(ByteView escaped) {
  std::string bytes;
  for (std::size_t nul; (nul = escaped.find('\0')) != ByteView::npos;) {
    bytes.append(escaped.substr(0, nul + 1));
    escaped.remove_prefix(nul + 2);
  }
  return bytes.append(escaped);
}

}  // namespace

bool TupleReader::At(std::uint8_t first, std::uint8_t last) const {
  if (offset_ == packed_.size()) return false;
  const std::uint8_t code = ByteAt(packed_, offset_);
  return first <= code && code <= last;
}

bool TupleReader::AtEnd() const {
  if (offset_ == packed_.size()) return true;
  if (depth_ == 0 || !At(kTerminator)) return false;
  return offset_ + 1 == packed_.size() || ByteAt(packed_, offset_ + 1) != kEscape;
}

Result<ElementType> TupleReader::Type() const {
  const auto type = AtEnd() ? std::nullopt : TypeOf(ByteAt(packed_, offset_));
  if (!type) return Mismatch("an element");
  return *type;
}

std::unexpected<Error> TupleReader::Mismatch(std::string_view expected) const {
  if (offset_ == packed_.size()) return Corruption(offset_, expected, "the end of the bytes");
  if (AtEnd()) return Corruption(offset_, expected, "the end of the nested tuple");
  const std::uint8_t code = ByteAt(packed_, offset_);
  if (const auto type = TypeOf(code)) {
    return Corruption(offset_, expected, fmt::format("{} (type code 0x{:02x})", Name(*type), code));
  }
  if (const std::string_view name = UnsupportedName(code); !name.empty()) {
    return Fail(
        ErrorCode::unsupported,
        fmt::format("tuple at byte {}: expected {}, found type code 0x{:02x} ({}), which is "
                    "not supported",
                    offset_, expected, code, name));
  }
  return Corruption(offset_, expected, fmt::format("0x{:02x}, which is no type code", code));
}

Status TupleReader::Null() {
  if (AtEnd() || !At(kNull)) return Mismatch(Name(ElementType::null));
  offset_ += depth_ == 0 ? 1 : 2;
  return {};
}

Result<StoredInteger> TupleReader::Integer() const {
  if (At(kBigNegative, kBigPositive)) return ParseInteger(packed_, offset_);
  return Mismatch(Name(ElementType::integer));
}

Result<std::int64_t> TupleReader::Int() {
  if (const std::optional<std::int64_t> number = ReadShortInteger(rest())) {
    offset_ += 1 + SizeOf(ByteAt(packed_, offset_));
    return *number;
  }
  const StoredInteger stored = TALEA_TRY(Integer());
  if (const std::optional<std::int64_t> number = stored.ToInt64()) {
    offset_ = stored.end;
    return *number;
  }
  return Corruption(offset_, "a signed integer of 64 bits",
                    TALEA_TRY(stored.ToBigInteger()).ToString());
}

Result<std::uint64_t> TupleReader::Uint() {
  const std::optional<std::int64_t> small = ReadShortInteger(rest());
  if (small && *small >= 0) {
    offset_ += 1 + SizeOf(ByteAt(packed_, offset_));
    return static_cast<std::uint64_t>(*small);
  }
  const StoredInteger stored = TALEA_TRY(Integer());
  if (const std::optional<std::uint64_t> number = stored.ToUint64()) {
    offset_ = stored.end;
    return *number;
  }
  return Corruption(offset_, "an unsigned integer of 64 bits",
                    TALEA_TRY(stored.ToBigInteger()).ToString());
}

Result<BigInteger> TupleReader::BigInteger() {
  const StoredInteger stored = TALEA_TRY(Integer());
  offset_ = stored.end;
  return stored.ToBigInteger();
}

// The `size` bytes that follow the type code.
Result<ByteView> TupleReader::FixedSize(std::uint8_t code, ElementType type,
                                        std::size_t size) const {
  if (!At(code)) return Mismatch(Name(type));
  const ByteView bytes = packed_.substr(offset_ + 1, size);
  if (bytes.size() == size) return bytes;
  return Corruption(offset_ + 1, fmt::format("{} bytes of a {}", size, Name(type)),
                    fmt::format("{}", bytes.size()));
}

Result<float> TupleReader::Float() {
  const ByteView bytes = TALEA_TRY(FixedSize(kFloat32, ElementType::float32, sizeof(float)));
  offset_ += 1 + bytes.size();
  return FromOrderedBits<float>(static_cast<std::uint32_t>(LoadBigEndian(bytes)));
}

Result<double> TupleReader::Double() {
  const ByteView bytes = TALEA_TRY(FixedSize(kFloat64, ElementType::float64, sizeof(double)));
  offset_ += 1 + bytes.size();
  return FromOrderedBits<double>(LoadBigEndian(bytes));
}

Result<bool> TupleReader::Bool() {
  if (!At(kFalse, kTrue)) return Mismatch(Name(ElementType::boolean));
  const bool boolean = At(kTrue);
  ++offset_;
  return boolean;
}

Result<Uuid> TupleReader::Uuid() {
  talea::Uuid uuid;
  const ByteView bytes = TALEA_TRY(FixedSize(kUuid, ElementType::uuid, uuid.bytes.size()));
  offset_ += 1 + bytes.size();
  std::memcpy(uuid.bytes.data(), bytes.data(), bytes.size());
  return uuid;
}

// What stands between the type code and the terminator.
Result<ByteView> TupleReader::Escaped(std::uint8_t code, ElementType type) const {
  if (!At(code)) return Mismatch(Name(type));
  const ByteView after = packed_.substr(offset_ + 1);
  const std::size_t length = EscapedLength(after);
  if (length != ByteView::npos) return after.substr(0, length);
  return Corruption(offset_ + 1, fmt::format("{} and then 0x00", Name(type)),
                    fmt::format("{} bytes without that end", after.size()));
}

ByteView TupleReader::TakeEscaped(ByteView escaped) {
  offset_ += 1 + escaped.size() + 1;
  if (!escaped.contains('\0')) return escaped;
  return unescaped_.emplace_front(Unescaped(escaped));
}

Result<ByteView> TupleReader::Bytes() {
  return TakeEscaped(TALEA_TRY(Escaped(kBytes, ElementType::bytes)));
}

Result<std::string_view> TupleReader::Text() {
  const ByteView escaped = TALEA_TRY(Escaped(kText, ElementType::text));
  const std::size_t valid = EscapedUtf8PrefixLength(escaped);
  if (valid != escaped.size()) {
    return Corruption(offset_ + 1 + valid, "UTF-8",
                      fmt::format("0x{:02x}", ByteAt(escaped, valid)));
  }
  return TakeEscaped(escaped);
}

Status TupleReader::BeginNested() {
  if (!At(kNested)) return Mismatch("a nested tuple");
  if (depth_ == kMaxTupleDepth) {
    return Corruption(offset_, fmt::format("at most {} tuples inside each other", kMaxTupleDepth),
                      "one more");
  }
  ++offset_;
  ++depth_;
  return {};
}

Status TupleReader::EndNested() {
  TALEA_CHECK(depth_ > 0);
  if (offset_ == packed_.size() || !AtEnd()) return Mismatch("the end of the nested tuple");
  ++offset_;
  --depth_;
  return {};
}

template <class Function>
auto TupleReader::AllOrNothing(Function read) {
  const std::size_t offset_before = offset_;
  const std::size_t depth_before = depth_;
  auto result = read();
  if (!result) {
    offset_ = offset_before;
    depth_ = depth_before;
  }
  return result;
}

Result<Element> TupleReader::Next() {
  switch (TALEA_TRY(Type())) {
    case ElementType::null:
      TALEA_TRY(Null());
      return Element();
    case ElementType::bytes:
      return Element(talea::Bytes(TALEA_TRY(Bytes())));
    case ElementType::text:
      return Element(talea::Text(TALEA_TRY(Text())));
    case ElementType::nested:
      return AllOrNothing([this] { return NextNested(); });
    case ElementType::integer:
      return NextInteger();
    case ElementType::float32:
      return Element(TALEA_TRY(Float()));
    case ElementType::float64:
      return Element(TALEA_TRY(Double()));
    case ElementType::boolean:
      return Element(TALEA_TRY(Bool()));
    case ElementType::uuid:
      return Element(TALEA_TRY(Uuid()));
  }
  std::unreachable();
}

Result<Element> TupleReader::NextInteger() {
  const StoredInteger stored = TALEA_TRY(Integer());
  offset_ = stored.end;
  if (const std::optional<std::int64_t> number = stored.ToInt64()) return Element(*number);
  return Element(TALEA_TRY(stored.ToBigInteger()));
}

Result<Element> TupleReader::NextNested() {
  TALEA_TRY(BeginNested());
  Tuple tuple;
  while (!AtEnd()) tuple.push_back(TALEA_TRY(Next()));
  TALEA_TRY(EndNested());
  return Element(std::move(tuple));
}

Status TupleReader::Skip() {
  switch (TALEA_TRY(Type())) {
    case ElementType::null:
      return Null();
    case ElementType::bytes:
      return SkipEscaped(kBytes, ElementType::bytes);
    case ElementType::text:
      return SkipEscaped(kText, ElementType::text);
    case ElementType::nested:
      return AllOrNothing([this] { return SkipNested(); });
    case ElementType::integer:
      offset_ = TALEA_TRY(Integer())
      .end;
      return {};
    case ElementType::float32:
      TALEA_TRY(Float());
      return {};
    case ElementType::float64:
      TALEA_TRY(Double());
      return {};
    case ElementType::boolean:
      TALEA_TRY(Bool());
      return {};
    case ElementType::uuid:
      TALEA_TRY(Uuid());
      return {};
  }
  std::unreachable();
}

Status TupleReader::SkipEscaped(std::uint8_t code, ElementType type) {
  offset_ += 1 + TALEA_TRY(Escaped(code, type))
  .size() + 1;
  return {};
}

Status TupleReader::SkipNested() {
  TALEA_TRY(BeginNested());
  while (!AtEnd()) TALEA_TRY(Skip());
  return EndNested();
}

Status TupleReader::Finish() const {
  if (depth_ > 0) return Corruption(offset_, "the end of the tuple", "a nested tuple without end");
  if (offset_ < packed_.size()) return Mismatch("the end of the tuple");
  return {};
}

}  // namespace talea
