// Walks over CBOR, one head at a time: nothing is copied, and no tree is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cardano/cbor_head.h"
#include "cardano/steady_bytes.h"
#include "talea/bytes.h"
#include "talea/result.h"

namespace talea::cardano {

// How much of an array or map is still to come.
struct CborItems {
  std::uint64_t left = 0;  // items or pairs
  bool indefinite = false;

  // How many to make room for: what bytes claim is not believed beyond this.
  std::size_t Room() const { return left < 1024 ? left : 1024; }
};

// Takes items off the front of bytes. `what` names the thing for the error: invalid_argument
// "byte 17: expected the slot, an unsigned integer, found null". After an error nothing more may be
// taken. For one thread.
class CborCursor {
 public:
  // Strings in chunks are joined in `joined`. Errors count bytes from `first_byte`.
  CborCursor(ByteView bytes, SteadyBytes& joined, std::size_t first_byte = 0)
      : bytes_(bytes), joined_(&joined), first_byte_(first_byte) {}

  // How far it has come.
  std::size_t offset() const { return offset_; }
  // What was taken since it was at that offset.
  ByteView Since(std::size_t offset) const { return bytes_.substr(offset, offset_ - offset); }

  // A cursor over what this one has taken: a part of its bytes, or a string that was in chunks.
  CborCursor Over(ByteView taken) const;

  // What comes next; an end and what is malformed are kinds too.
  CborKind Peek() { return Next().kind; }

  Result<std::uint64_t> Unsigned(std::string_view what) {
    if (Next().kind != CborKind::unsigned_integer) [[unlikely]]
      return ExpectedKind(what, CborKind::unsigned_integer);
    return Take().value;
  }
  Result<ByteView> Bytes(std::string_view what);
  Result<ByteView> Bytes(std::string_view what, std::size_t size);
  Status Null(std::string_view what);

  Status Tag(std::string_view what, std::uint64_t number);
  // Takes this tag if it comes next.
  void TagIfThere(std::uint64_t number);

  // Each is followed by More for each of its items or pairs, up to the false of the last.
  Result<CborItems> Array(std::string_view what);
  Result<CborItems> Map(std::string_view what);
  // True if there is another one, to be taken next. An open end is taken with the last.
  Result<bool> More(CborItems& items) {
    if (items.indefinite) return MoreBeforeStop();
    return items.left != 0 && items.left-- != 0;
  }

  // An array of so many fields, to be taken one after the other without More, and then closed. A
  // long one may have others behind these, which Close passes over.
  Result<CborItems> Record(std::string_view what, std::uint64_t fields);
  Result<CborItems> LongRecord(std::string_view what, std::uint64_t fields);
  Status Close(CborItems record);

  // Passes over an item with all that is in it, and returns its bytes.
  Result<ByteView> Skip();

  // Fails if there is anything left behind `what`.
  Status CheckEnd(std::string_view what) const;

  // An error that says what was expected in the place of what comes next.
  std::unexpected<Error> Expected(std::string_view what);
  // An error about what was found at an offset.
  std::unexpected<Error> Wrong(std::size_t offset, std::string_view what) const;

  // After an error, if that was because the bytes end: how many there would have to be at least
  // for it to come further; otherwise 0.
  std::uint64_t needed() const { return needed_; }

 private:
  // Of a walk over nested items: an array, a map, or the item that is skipped itself.
  struct Level {
    std::uint64_t left;
    CborKind kind;
    bool indefinite;
  };

  const CborHead& Next() {
    if (!peeked_) next_ = DecodeHead(bytes_.substr(offset_));
    peeked_ = true;
    return next_;
  }
  // What Next() returned, which stays as it is until the next call of that.
  const CborHead& Take() {
    offset_ += next_.size;
    peeked_ = false;
    return next_;
  }
  ByteView Taken() const { return bytes_.substr(offset_ - next_.value, next_.value); }
  std::unexpected<Error> ExpectedKind(std::string_view what, CborKind kind);
  Result<bool> MoreBeforeStop();
  Result<ByteView> JoinChunks();
  Status SkipChunks(CborKind kind);
  Status SkipItem(Level& level);
  Status Enter(Level& level, const CborHead& head);
  Status Leave(Level& level);

  ByteView bytes_;
  SteadyBytes* joined_;
  std::size_t first_byte_;
  std::size_t offset_ = 0;
  bool peeked_ = false;
  CborHead next_;
  std::uint64_t needed_ = 0;
  std::vector<Level> levels_;
};

}  // namespace talea::cardano
