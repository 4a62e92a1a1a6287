// Tuples: keys made of typed elements, packed so that the bytes sort as the values do.
//
//   std::string key = TALEA_TRY(Pack({"user", 42, nullptr, Bytes(digest)}));
//   Tuple tuple = TALEA_TRY(Unpack(key));
//   std::int64_t id = TALEA_TRY(tuple[1].AsInt());
//
// For any tuples x and y: x < y exactly when Pack(x) < Pack(y), and x == y exactly when
// Pack(x) == Pack(y). The format is the FoundationDB tuple layer's, byte for byte, as
// docs/formats/tuple.md describes it. Where speed counts, talea/tuple_packer.h and
// talea/tuple_reader.h do the same without building a Tuple.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "talea/big_integer.h"
#include "talea/bytes.h"
#include "talea/key_range.h"
#include "talea/result.h"
#include "talea/uuid.h"

namespace talea {

// How many tuples may stand inside each other, below the outermost one. Deeper ones
// are neither packed nor unpacked, so that no stored bytes can exhaust the stack.
inline constexpr std::size_t kMaxTupleDepth = 32;

// Nothing; it sorts before everything.
struct Null {
  friend auto operator<=>(const Null&, const Null&) = default;
};

// Arbitrary bytes, as an element.
struct Bytes {
  explicit Bytes(ByteView bytes) : value(bytes) {}
  std::string value;
  friend auto operator<=>(const Bytes&, const Bytes&) = default;
};

// Text in UTF-8, as an element. Packing refuses any other encoding.
struct Text {
  explicit Text(std::string_view text) : value(text) {}
  std::string value;
  friend auto operator<=>(const Text&, const Text&) = default;
};

// What an element holds, in the order in which the types sort.
enum class ElementType : std::uint8_t {
  null,
  bytes,
  text,
  nested,  // a tuple within the tuple
  integer,
  float32,
  float64,
  boolean,
  uuid,
};

// The type's name as written above.
std::string_view Name(ElementType type);
std::ostream& operator<<(std::ostream& out, ElementType type);

class Element;

// A value type, with all that a vector has. Beware of braces: write a tuple that holds a tuple and
// nothing else as Tuple{Element(inner)}, since to clang Tuple{inner} is only a copy of `inner`.
using Tuple = std::vector<Element>;

// One element of a tuple: a value of one of the types above.
//
// Elements compare as their packed bytes do. So elements of different types sort by type; an
// integer is equal to the same number in any other integer type, and to no float; a float is never
// equal to a double; and floats have a total order: -0.0 comes before 0.0, and each NaN is equal to
// itself and lies beyond the infinity of its sign.
class Element {
 public:
  Element() = default;  // null
  Element(std::nullptr_t) {}
  Element(Null) {}
  Element(const char* text) : Element(Text(text)) {}  // UTF-8, up to the first NUL
  Element(Text text) : value_(std::move(text)) {}
  Element(Bytes bytes) : value_(std::move(bytes)) {}
  Element(float number) : value_(number) {}
  Element(double number) : value_(number) {}
  Element(const Uuid& uuid) : value_(uuid) {}
  Element(BigInteger number);
  Element(Tuple nested);

  template <std::same_as<bool> Boolean>
  Element(Boolean boolean) : value_(boolean) {}

  template <WholeNumber Number>
  Element(Number number) {
    if (std::in_range<std::int64_t>(number)) {
      value_ = static_cast<std::int64_t>(number);
    } else {
      value_ = BigInteger(number);
    }
  }

  // A string may be either: say Text(string) or Bytes(string).
  Element(const std::string&) = delete;
  Element(std::string_view) = delete;

  // Out of line, since a variant's are slow to compile wherever a tuple is used.
  Element(const Element&);
  Element(Element&&) noexcept;
  Element& operator=(const Element&);
  Element& operator=(Element&&) noexcept;
  ~Element();

  ElementType type() const;
  bool is_null() const { return type() == ElementType::null; }

  // The value, or an error that says what was found instead. Views and pointers
  // live as long as the element does.
  Result<std::int64_t> AsInt() const;
  Result<std::uint64_t> AsUint() const;
  Result<BigInteger> AsBigInteger() const;
  Result<float> AsFloat() const;
  Result<double> AsDouble() const;
  Result<bool> AsBool() const;
  Result<Uuid> AsUuid() const;
  Result<std::string_view> AsText() const&;
  Result<ByteView> AsBytes() const&;
  Result<const Tuple*> AsNested() const&;
  Result<std::string_view> AsText() && = delete;
  Result<ByteView> AsBytes() && = delete;
  Result<const Tuple*> AsNested() && = delete;

  // For people: null, 0x00ff, "text", (1, 2), 42, 1.5f, 1.5, true, or a UUID in its usual form.
  std::string ToString() const;

  friend bool operator==(const Element& left, const Element& right);
  friend std::strong_ordering operator<=>(const Element& left, const Element& right);
  friend std::ostream& operator<<(std::ostream& out, const Element& element);

 private:
  friend class TuplePacker;

  // A BigInteger is held only where std::int64_t is too small, so each number has one form.
  using Value =
      std::variant<Null, Bytes, Text, Tuple, std::int64_t, BigInteger, float, double, bool, Uuid>;
  Value value_;
};

// For people: ("user", 42, null, 0x00ff).
std::string ToString(const Tuple& tuple);
std::ostream& operator<<(std::ostream& out, const Tuple& tuple);

// The tuple's bytes. Fails with invalid_argument on text that is not UTF-8, and on
// tuples nested too deep.
Result<std::string> Pack(const Tuple& tuple);

// The tuple of these bytes: Pack of it gives the same bytes again. Fails with
// corruption on bytes that Pack never writes, and with unsupported on the type
// codes of the format that Talea does not know; the message names the byte.
Result<Tuple> Unpack(ByteView packed);

// The keys of all longer tuples that begin with the elements of `prefix`, without
// `prefix` itself. FoundationDB's bindings call this range().
Result<KeyRange> KeysInside(const Tuple& prefix);
KeyRange KeysInsidePacked(ByteView prefix);  // the same, for a prefix that is packed already

// The keys that start with the packed `prefix`: its own, those inside it, and those
// that go on with bytes that are no tuple.
Result<KeyRange> KeysStartingWith(const Tuple& prefix);

// The keys of all tuples that begin with the elements of `prefix`, where of its last one, which
// must be text or bytes, only the beginning is given: {"city", "San "} finds the tuple
// ("city", "San Francisco", 1).
Result<KeyRange> KeysStartingWithPartOf(const Tuple& prefix);

}  // namespace talea
