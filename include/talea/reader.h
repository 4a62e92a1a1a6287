// Reading: single keys, many keys at once, and ranges in pages.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "talea/bytes.h"
#include "talea/key_range.h"
#include "talea/keyspace.h"
#include "talea/result.h"

namespace talea {

// A position in the order of commits: each commit that writes has a higher one than all before it.
struct Version {
  std::uint64_t number = 0;
  friend auto operator<=>(const Version&, const Version&) = default;
};

// A key in a keyspace, as a view.
struct KeyReference {
  KeyReference(const Keyspace& space, ByteView bytes) : keyspace(&space), key(bytes) {}
  const Keyspace* keyspace;
  ByteView key;
};

// A stored row, as views into the page that holds it.
struct Row {
  ByteView key;
  ByteView value;
  friend bool operator==(const Row&, const Row&) = default;
};

// How a range is to be read.
struct PageOptions {
  bool reverse = false;          // from the last key to the first
  std::size_t row_limit = 1000;  // at least 1
  std::size_t byte_limit =
      1 << 20;  // at least 1, of keys and values; the row that passes it is included
};

// Some consecutive rows of a range, in one buffer. It may hold fewer rows than asked for, even
// none, and yet not be the last: only more() tells.
class Page {
 public:
  class Iterator;

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return buffer_.size(); }
  Row operator[](std::size_t position) const {
    const Entry& entry = entries_[position];
    const char* key = buffer_.data() + entry.offset;
    return {ByteView(key, entry.key_bytes), ByteView(key + entry.key_bytes, entry.value_bytes)};
  }
  Iterator begin() const;
  Iterator end() const;

  // The part of the range that was not read yet; absent when there is nothing more. Ask for it to
  // go on.
  const std::optional<KeyRange>& rest() const { return rest_; }
  bool more() const { return rest_.has_value(); }

  // The version whose state these rows are.
  Version version() const { return version_; }

  // For engines, which fill pages.
  void Append(ByteView key, ByteView value) {
    const std::size_t offset = buffer_.size();
    entries_.push_back(
        {offset, static_cast<std::uint32_t>(key.size()), static_cast<std::uint32_t>(value.size())});
    const std::size_t end = offset + key.size() + value.size();
    if (end > buffer_.capacity()) buffer_.reserve(std::max(end, 2 * buffer_.capacity()));
    buffer_.resize_and_overwrite(end, [&](char* bytes, std::size_t size) {
      Copy(key, bytes + offset);
      Copy(value, bytes + offset + key.size());
      return size;
    });
    if (entries_.size() == kFirstRows) ReserveAll();
  }
  // Gets memory at once for all rows that a page with these limits will have, as soon as there are
  // enough of them to judge by.
  void Expect(const PageOptions& options) { expected_ = options; }
  void SetRest(std::optional<KeyRange> rest) { rest_ = std::move(rest); }
  void SetVersion(Version version) { version_ = version; }
  bool Full(const PageOptions& options) const {
    return size() >= options.row_limit || bytes() >= options.byte_limit;
  }
  // Takes so many bytes off the front of each key, which has them. bytes() still counts them.
  void RemovePrefix(std::size_t bytes) {
    for (Entry& entry : entries_) {
      entry.offset += bytes;
      entry.key_bytes -= static_cast<std::uint32_t>(bytes);
    }
  }
  // Sets rest() to what lies beyond the last row, in the direction of reading.
  void SetRestAfterLastRow(const KeyRange& range, bool reverse);

 private:
  struct Entry {
    std::size_t offset;
    std::uint32_t key_bytes;
    std::uint32_t value_bytes;
  };

  // Rows are short, and so many that calls of memcpy would be a good part of a scan: by blocks of
  // 16 bytes, of which the last may overlap the one before.
  static void Copy(ByteView from, char* to) {
    constexpr std::size_t kBlock = 16;
    const std::size_t size = from.size();
    if (size < kBlock || size > 16 * kBlock) {
      from.copy(to, size);
      return;
    }
    for (std::size_t done = 0; done + kBlock < size; done += kBlock) {
      std::memcpy(to + done, from.data() + done, kBlock);
    }
    std::memcpy(to + size - kBlock, from.data() + size - kBlock, kBlock);
  }

  static constexpr std::size_t kFirstRows = 16;
  void ReserveAll();

  std::string buffer_;
  std::vector<Entry> entries_;
  PageOptions expected_{.row_limit = 0};
  std::optional<KeyRange> rest_;
  Version version_;
};

class Page::Iterator {
 public:
  using value_type = Row;
  using difference_type = std::ptrdiff_t;

  Iterator() = default;
  Iterator(const Page* page, std::size_t position) : page_(page), position_(position) {}
  Row operator*() const { return (*page_)[position_]; }
  Iterator& operator++() { return ++position_, *this; }
  Iterator operator++(int) { return {page_, position_++}; }
  friend bool operator==(const Iterator&, const Iterator&) = default;

 private:
  const Page* page_ = nullptr;
  std::size_t position_ = 0;
};

inline Page::Iterator Page::begin() const { return {this, 0}; }
inline Page::Iterator Page::end() const { return {this, size()}; }

// Reads rows. A Snapshot and a Transaction are Readers whose answers all belong to one state; a
// PagedReader's each belong to a recent one.
class Reader {
 public:
  virtual ~Reader() = default;

  // The key's value, or nothing. A counter whose sum is 0 is absent.
  virtual Result<std::optional<std::string>> Get(const Keyspace& keyspace, ByteView key) = 0;

  // The values of many keys, in the order asked for: one round trip, however many keyspaces they
  // are in.
  virtual Result<std::vector<std::optional<std::string>>> MultiGet(
      std::span<const KeyReference> keys) = 0;

  // The first rows of the range, or with options.reverse the last ones, the last first.
  virtual Result<Page> Range(const Keyspace& keyspace, const KeyRange& range,
                             const PageOptions& options = {}) = 0;

  // A counter's sum; 0 when absent.
  Result<std::int64_t> GetCounter(const Keyspace& keyspace, ByteView key);
};

// Walks over a whole range, page by page:
//   Scanner rows(reader, kOutputs, KeyRange::Prefix("a"));
//   while (std::optional<Row> row = TALEA_TRY(rows.Next())) Use(*row);
class Scanner {
 public:
  Scanner(Reader& reader, const Keyspace& keyspace, KeyRange range, PageOptions options = {});

  // The next row, valid until the next call; nothing at the end.
  Result<std::optional<Row>> Next();

 private:
  Reader& reader_;
  const Keyspace& keyspace_;
  PageOptions options_;
  std::optional<KeyRange> rest_;
  Page page_;
  std::size_t position_ = 0;
};

}  // namespace talea
