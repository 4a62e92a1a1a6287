// Reads packed tuples element by element, for paths where speed counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <string>
#include <string_view>

#include "talea/tuple.h"

namespace talea {
namespace tuple_format {
struct StoredInteger;
}

// Takes elements off the front of a packed tuple, whose bytes must outlive it and may be anything:
//
//   TupleReader reader(key);
//   std::int64_t index = TALEA_TRY(reader.Int());
//   ByteView document = TALEA_TRY(reader.Bytes());
//   TALEA_TRY(reader.Finish());
//
// A call that fails takes nothing. It fails with corruption where the next element is of
// another type, or is not as Pack writes it, and with unsupported at a type code that Talea
// does not know; the message names the byte, what was expected there and what was found.
class TupleReader {
 public:
  explicit TupleReader(ByteView packed) : packed_(packed) {}

  // True when no element is left in the innermost tuple that was begun.
  bool AtEnd() const;

  // The type of the next element, which stays.
  Result<ElementType> Type() const;

  Status Null();
  Result<std::int64_t> Int();
  Result<std::uint64_t> Uint();
  Result<talea::BigInteger> BigInteger();
  Result<float> Float();
  Result<double> Double();
  Result<bool> Bool();
  Result<talea::Uuid> Uuid();

  // These views live as long as the packed bytes and the reader: they lie in the
  // packed bytes, except where the element holds a NUL, which is escaped there, so
  // the reader has to keep a copy.
  Result<ByteView> Bytes();
  Result<std::string_view> Text();

  // Steps into a nested tuple, and out of it at its end. Elements that were not
  // read there fail EndNested().
  Status BeginNested();
  Status EndNested();

  // The next element, whatever it is.
  Result<Element> Next();

  // Passes over one element. The bytes of text are not looked at.
  Status Skip();

  // Fails unless every byte was read, and each nested tuple was ended.
  Status Finish() const;

  // Where the next element starts, and what is left from there.
  std::size_t offset() const { return offset_; }
  ByteView rest() const { return packed_.substr(offset_); }

 private:
  bool At(std::uint8_t code) const { return At(code, code); }
  bool At(std::uint8_t first, std::uint8_t last) const;
  Result<tuple_format::StoredInteger> Integer() const;
  Result<ByteView> FixedSize(std::uint8_t code, ElementType type, std::size_t size) const;
  Result<ByteView> Escaped(std::uint8_t code, ElementType type) const;
  ByteView TakeEscaped(ByteView escaped);
  Result<Element> NextInteger();
  Result<Element> NextNested();
  Status SkipEscaped(std::uint8_t code, ElementType type);
  Status SkipNested();

  template <class Function>
  auto AllOrNothing(Function read);

  std::unexpected<Error> Mismatch(std::string_view expected) const;

  ByteView packed_;
  std::size_t offset_ = 0;
  std::size_t depth_ = 0;
  std::forward_list<std::string> unescaped_;
};

}  // namespace talea
