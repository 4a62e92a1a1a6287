// A list of writes that are applied together, in order.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

#include "talea/bytes.h"
#include "talea/key_range.h"
#include "talea/keyspace.h"
#include "talea/result.h"

namespace talea {

// Writes in one contiguous buffer. It is a value: copy it, move it, keep it, send it.
//
// Counter keyspaces accept Add, Put of exactly 8 bytes, Erase and EraseRange; other keyspaces
// accept all but Add. A write that breaks this is left out and remembered: status() tells the first
// one, and every engine refuses to commit a batch whose status is an error.
class WriteBatch {
 public:
  enum class Kind : std::uint8_t { put = 1, erase = 2, erase_range = 3, add = 4 };

  // One write, as views into the batch.
  struct Operation {
    Kind kind;
    std::uint8_t keyspace;   // its id
    ByteView key;            // for erase_range the first key
    ByteView value;          // put: the value; erase_range: the end, if there is one
    bool open_end = false;   // erase_range only: up to the end of the keyspace
    std::int64_t delta = 0;  // add only

    KeyRange Range() const;  // erase_range only
  };

  void Put(const Keyspace& keyspace, ByteView key, ByteView value);
  void Erase(const Keyspace& keyspace, ByteView key);
  void EraseRange(const Keyspace& keyspace, const KeyRange& range);

  // Adds to a signed 64-bit counter; an absent one counts as 0, and a sum of 0 is absent. Sums
  // wrap.
  void Add(const Keyspace& keyspace, ByteView key, std::int64_t delta);

  // A counter's value as Put takes it: 8 bytes, little-endian.
  void PutCounter(const Keyspace& keyspace, ByteView key, std::int64_t value);

  // Adds the other batch's writes, and its refused one if it has one, after these.
  void Append(const WriteBatch& other);
  // Adds a write of another batch, whose keyspace this is.
  void Append(const Keyspace& keyspace, const Operation& operation);
  void Clear();
  void Reserve(std::size_t bytes) { buffer_.reserve(bytes); }

  bool empty() const { return buffer_.empty(); }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return buffer_.size(); }
  const Status& status() const { return status_; }

  // The buffer, as Decode reads it and docs/formats.md describes it.
  ByteView encoded() const { return buffer_; }

  // Reads what encoded() gave. The bytes are untrusted: anything malformed is a corruption error.
  // Whether the keyspaces exist, and take such writes, is checked by the engine at commit.
  static Result<WriteBatch> Decode(ByteView encoded);

  class Iterator;
  Iterator begin() const;
  Iterator end() const;

  friend bool operator==(const WriteBatch& a, const WriteBatch& b) {
    return a.buffer_ == b.buffer_ && a.status_.has_value() == b.status_.has_value();
  }

 private:
  void Refuse(Error error);
  bool Begin(const Keyspace& keyspace, const Operation& operation);

  std::string buffer_;
  std::size_t count_ = 0;
  Status status_;
};

// Walks over a batch; valid until the batch changes.
class WriteBatch::Iterator {
 public:
  using value_type = Operation;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;

  Iterator() = default;
  const Operation& operator*() const { return operation_; }
  const Operation* operator->() const { return &operation_; }
  Iterator& operator++() { return Advance(), *this; }
  void operator++(int) { Advance(); }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

 private:
  friend class WriteBatch;
  Iterator(const char* at, const char* end) : at_(at), next_(at), end_(end) { Advance(); }
  void Advance();

  const char* at_ = nullptr;  // where the current operation starts
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  Operation operation_{};
};

inline WriteBatch::Iterator WriteBatch::begin() const {
  return Iterator(buffer_.data(), buffer_.data() + buffer_.size());
}
inline WriteBatch::Iterator WriteBatch::end() const {
  const char* end = buffer_.data() + buffer_.size();
  return Iterator(end, end);
}

}  // namespace talea
