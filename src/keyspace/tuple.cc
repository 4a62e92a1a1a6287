#include "talea/tuple.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <utility>

#include "keyspace/tuple_format.h"
#include "talea/tuple_packer.h"
#include "talea/tuple_reader.h"

namespace talea {
namespace {

constexpr std::size_t kShownInMessages = 64;

std::unexpected<Error> Unexpected(std::string_view expected, const Element& found) {
  std::string shown = found.ToString();
  if (shown.size() > kShownInMessages) shown = shown.substr(0, kShownInMessages) + "...";
  return Fail(ErrorCode::invalid_argument, fmt::format("tuple element: expected {}, found {} {}",
                                                       expected, Name(found.type()), shown));
}

std::strong_ordering CompareValues(Null, Null) { return std::strong_ordering::equal; }

std::strong_ordering CompareValues(float left, float right) {
  return tuple_format::OrderedBits<std::uint32_t>(left) <=>
         tuple_format::OrderedBits<std::uint32_t>(right);
}

std::strong_ordering CompareValues(double left, double right) {
  return tuple_format::OrderedBits<std::uint64_t>(left) <=>
         tuple_format::OrderedBits<std::uint64_t>(right);
}

template <class Value>
std::strong_ordering CompareValues(const Value& left, const Value& right) {
  return left <=> right;
}

}  // namespace

std::string_view Name(ElementType type) {
  switch (type) {
    case ElementType::null:
      return "null";
    case ElementType::bytes:
      return "bytes";
    case ElementType::text:
      return "text";
    case ElementType::nested:
      return "nested";
    case ElementType::integer:
      return "integer";
    case ElementType::float32:
      return "float32";
    case ElementType::float64:
      return "float64";
    case ElementType::boolean:
      return "boolean";
    case ElementType::uuid:
      return "uuid";
  }
  std::unreachable();
}

Element::Element(BigInteger number) {
  if (const std::optional<std::int64_t> small = number.ToInt64()) {
    value_ = *small;
  } else {
    value_ = std::move(number);
  }
}

Element::Element(Tuple nested) : value_(std::move(nested)) {}
Element::Element(const Element&) = default;
Element::Element(Element&&) noexcept = default;
Element& Element::operator=(const Element&) = default;
Element& Element::operator=(Element&&) noexcept = default;
Element::~Element() = default;

ElementType Element::type() const {
  using enum ElementType;
  constexpr ElementType kTypes[] = {null,    bytes,   text,    nested,  integer,
                                    integer, float32, float64, boolean, uuid};
  static_assert(std::size(kTypes) == std::variant_size_v<Value>);
  return kTypes[value_.index()];
}

std::strong_ordering operator<=>(const Element& left, const Element& right) {
  if (const auto by_type = left.type() <=> right.type(); by_type != 0) return by_type;
  if (left.value_.index() == right.value_.index()) {
    return std::visit(
        [&]<class Value>(const Value& value) {
          return CompareValues(value, *std::get_if<Value>(&right.value_));
        },
        left.value_);
  }
  // One is a std::int64_t and the other a BigInteger, which lies beyond all of
  // those: its sign decides.
  const auto* big_left = std::get_if<BigInteger>(&left.value_);
  const bool less =
      big_left ? big_left->negative() : !std::get_if<BigInteger>(&right.value_)->negative();
  return less ? std::strong_ordering::less : std::strong_ordering::greater;
}

bool operator==(const Element& left, const Element& right) { return (left <=> right) == 0; }

Result<std::int64_t> Element::AsInt() const {
  if (const auto* number = std::get_if<std::int64_t>(&value_)) return *number;
  return Unexpected("a signed integer of 64 bits", *this);
}

Result<std::uint64_t> Element::AsUint() const {
  if (type() == ElementType::integer) {
    const BigInteger number = TALEA_TRY(AsBigInteger());
    if (const std::optional<std::uint64_t> fits = number.ToUint64()) return *fits;
  }
  return Unexpected("an unsigned integer of 64 bits", *this);
}

Result<BigInteger> Element::AsBigInteger() const {
  if (const auto* number = std::get_if<std::int64_t>(&value_)) return BigInteger(*number);
  if (const auto* number = std::get_if<BigInteger>(&value_)) return *number;
  return Unexpected("an integer", *this);
}

Result<float> Element::AsFloat() const {
  if (const auto* number = std::get_if<float>(&value_)) return *number;
  return Unexpected("a float32", *this);
}

Result<double> Element::AsDouble() const {
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  return Unexpected("a float64", *this);
}

Result<bool> Element::AsBool() const {
  if (const auto* boolean = std::get_if<bool>(&value_)) return *boolean;
  return Unexpected("a boolean", *this);
}

Result<Uuid> Element::AsUuid() const {
  if (const auto* uuid = std::get_if<Uuid>(&value_)) return *uuid;
  return Unexpected("a uuid", *this);
}

Result<std::string_view> Element::AsText() const& {
  if (const auto* text = std::get_if<Text>(&value_)) return text->value;
  return Unexpected("text", *this);
}

Result<ByteView> Element::AsBytes() const& {
  if (const auto* bytes = std::get_if<Bytes>(&value_)) return bytes->value;
  return Unexpected("bytes", *this);
}

Result<const Tuple*> Element::AsNested() const& {
  if (const auto* tuple = std::get_if<Tuple>(&value_)) return tuple;
  return Unexpected("a nested tuple", *this);
}

Result<std::string> Pack(const Tuple& tuple) {
  std::string packed;
  TALEA_TRY(TuplePacker(packed).AddAll(tuple));
  return packed;
}

Result<Tuple> Unpack(ByteView packed) {
  Tuple tuple;
  TupleReader reader(packed);
  while (!reader.AtEnd()) tuple.push_back(TALEA_TRY(reader.Next()));
  return tuple;
}

KeyRange KeysInsidePacked(ByteView prefix) {
  // Type codes lie between the two, and 0xff is none.
  std::string begin(prefix);
  std::string end(prefix);
  begin.push_back('\x00');
  end.push_back('\xff');
  return KeyRange::From(begin).EndingAt(end);
}

Result<KeyRange> KeysInside(const Tuple& prefix) {
  return KeysInsidePacked(TALEA_TRY(Pack(prefix)));
}

Result<KeyRange> KeysStartingWith(const Tuple& prefix) {
  return KeyRange::Prefix(TALEA_TRY(Pack(prefix)));
}

Result<KeyRange> KeysStartingWithPartOf(const Tuple& prefix) {
  if (prefix.empty()) {
    return Fail(ErrorCode::invalid_argument,
                "tuple: expected text or bytes as the last element, found no element");
  }
  const ElementType last = prefix.back().type();
  if (last != ElementType::text && last != ElementType::bytes) {
    return Unexpected("text or bytes as the last one", prefix.back());
  }
  std::string packed = TALEA_TRY(Pack(prefix));
  packed.pop_back();  // the terminator, which only the whole of the last element would have here
  return KeyRange::Prefix(packed);
}

}  // namespace talea
