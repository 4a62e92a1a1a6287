// Writes tuples without building them first, for paths where speed counts.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "talea/tuple.h"

namespace talea {

// Appends packed elements to a string, which must outlive it:
//
//   std::string key;
//   TuplePacker packer(key);
//   packer.Int(index).Bytes(document);
//   TALEA_TRY(packer.Text(name));
//
// What cannot fail returns the packer, and can be chained; what can fail returns a
// Status, and then has appended nothing. The string may hold bytes already, such as
// a prefix, and is never read.
class TuplePacker {
 public:
  explicit TuplePacker(std::string& out) : out_(&out) {}

  TuplePacker& Null();
  TuplePacker& Bytes(ByteView bytes);
  TuplePacker& BigInteger(const talea::BigInteger& number);
  TuplePacker& Double(double number);
  TuplePacker& Uuid(const talea::Uuid& uuid);

  // These take their own type only, and none that would have to be converted with a loss.
  template <WholeNumber Number>
  TuplePacker& Int(Number number) {
    return Integer(number < 0, MagnitudeOf(number));
  }
  template <std::same_as<float> Number>
  TuplePacker& Float(Number number) {
    return Float32(number);
  }
  template <std::same_as<bool> Boolean>
  TuplePacker& Bool(Boolean boolean) {
    return Truth(boolean);
  }

  // Fails with invalid_argument unless it is UTF-8.
  Status Text(std::string_view text);

  // What is appended until EndNested() becomes one element: a tuple within the
  // tuple. Fails with invalid_argument beyond kMaxTupleDepth. Each needs its end;
  // one end too many is a programmer's error.
  Status BeginNested();
  TuplePacker& EndNested();

  // Fails as Text() and BeginNested() do.
  Status Add(const Element& element);
  Status AddAll(const Tuple& tuple);  // its elements, one after the other

 private:
  TuplePacker& Integer(bool negative, std::uint64_t magnitude);
  TuplePacker& Float32(float number);
  TuplePacker& Truth(bool boolean);
  TuplePacker& Code(std::uint8_t code);
  Status AddValue(const Element& element);
  Status AddElements(const Tuple& tuple);
  Status AddNested(const Tuple& tuple);

  template <class Function>
  Status AllOrNothing(Function append);

  std::string* out_;
  std::size_t depth_ = 0;
};

}  // namespace talea
