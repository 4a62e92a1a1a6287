// Tuples for RapidCheck, in which the edges of every type are likely. For the tests
// of whatever keeps tuples.
#pragma once

#include <rapidcheck.h>

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

#include "talea/tuple.h"

namespace talea::testing {
namespace pick {

// From 0 to count - 1, however small RapidCheck wants values to be: here small is not simple.
inline std::size_t Pick(std::size_t count) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, count));
}

template <class Value>
Value PickFrom(std::initializer_list<Value> values) {
  return values.begin()[Pick(values.size())];
}

inline std::uint64_t PickBits() {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
}

inline bool OneIn(std::size_t count) { return Pick(count) == count - 1; }

// Most often none, one or two: what is wrong with tuples shows in small ones, and
// is easier to read there.
inline std::size_t PickSize(std::size_t most) { return OneIn(5) ? Pick(most + 1) : Pick(3); }

inline char PickByte() {
  return OneIn(2) ? static_cast<char>(PickBits()) : PickFrom({'\x00', '\x01', '\xfe', '\xff'});
}

inline std::string PickBytes() {
  std::string bytes(PickSize(12), '\0');
  for (char& byte : bytes) byte = PickByte();
  return bytes;
}

inline std::string PickText() {
  std::string text;
  for (std::size_t size = PickSize(10); size > 0; --size) {
    text += PickFrom<std::string_view>({std::string_view("\0", 1), "a", "b", "\x01", "\x7f",
                                        "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff",
                                        "\U00010000", "\U0010ffff"});
  }
  return text;
}

// 256^n - 1, 256^n and their neighbours, of both signs and of all sizes.
inline BigInteger PickEdgeInteger() {
  const std::size_t size = OneIn(8) ? 253 + Pick(3) : 1 + Pick(10);
  std::string magnitude(size, PickFrom({'\x00', '\xff'}));
  magnitude.back() = PickFrom({'\x00', '\x01', '\xfe', '\xff'});
  magnitude.front() = PickFrom({'\x01', '\x7f', '\x80', '\xff'});
  return *BigInteger::FromMagnitude(OneIn(2), magnitude);
}

inline Element PickInteger() {
  switch (Pick(3)) {
    case 0:
      return static_cast<int>(Pick(600)) - 300;
    case 1:
      return static_cast<std::int64_t>(PickBits());
    default:
      return PickEdgeInteger();
  }
}

template <class Float, class Bits>
Element PickFloat() {
  using Limits = std::numeric_limits<Float>;
  if (OneIn(2)) return std::bit_cast<Float>(static_cast<Bits>(PickBits()));
  const Float size = PickFrom({Float(0), Float(1), Limits::denorm_min(), Limits::max(),
                               Limits::infinity(), Limits::quiet_NaN()});
  return OneIn(2) ? -size : size;
}

inline Element PickUuid() {
  Uuid uuid;
  for (std::uint8_t& byte : uuid.bytes) byte = static_cast<std::uint8_t>(PickByte());
  return uuid;
}

inline Tuple PickTuple(int depth);

inline Element PickElement(int depth) {
  switch (Pick(depth == 0 ? 8 : 9)) {
    case 0:
      return nullptr;
    case 1:
      return OneIn(2);
    case 2:
      return PickInteger();
    case 3:
      return Text(PickText());
    case 4:
      return Bytes(PickBytes());
    case 5:
      return PickFloat<float, std::uint32_t>();
    case 6:
      return PickFloat<double, std::uint64_t>();
    case 7:
      return PickUuid();
    default:
      return PickTuple(depth - 1);
  }
}

inline Tuple PickTuple(int depth) {
  Tuple tuple;
  for (std::size_t size = PickSize(5); size > 0; --size) tuple.push_back(PickElement(depth));
  return tuple;
}

}  // namespace pick

inline rc::Gen<std::string> AnyBytes() { return rc::gen::exec(pick::PickBytes); }
inline rc::Gen<std::string> AnyText() { return rc::gen::exec(pick::PickText); }

// `depth` says how many tuples may stand inside each other.
inline rc::Gen<Element> AnyElement(int depth) {
  return rc::gen::exec([depth] { return pick::PickElement(depth); });
}

inline rc::Gen<Tuple> AnyTuple(int depth = 3) {
  return rc::gen::exec([depth] { return pick::PickTuple(depth); });
}

}  // namespace talea::testing
