#include "talea/write_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/coding.h"
#include "engine/checks.h"

namespace talea {
namespace {

using Operation = WriteBatch::Operation;
using Kind = WriteBatch::Kind;

// The byte after the key of an EraseRange.
enum EndMarker : char { kOpenEnd = 0, kClosedEnd = 1 };

// Mostly the length is a byte.
std::optional<ByteView> ReadSized(ByteReader& reader) {
  const ByteView rest = reader.rest();
  if (rest.empty() || static_cast<unsigned char>(rest.front()) >= 0x80) return reader.Sized();
  reader.Bytes(1);
  return reader.Bytes(static_cast<unsigned char>(rest.front()));
}

// Reads the rest of an operation whose head is taken already; false where the bytes are malformed.
bool ReadPayload(ByteReader& reader, Operation& operation) {
  switch (operation.kind) {
    case Kind::erase:
      return true;
    case Kind::put: {
      const std::optional<ByteView> value = ReadSized(reader);
      if (value) operation.value = *value;
      return value.has_value();
    }
    case Kind::add: {
      const std::optional<std::int64_t> delta = reader.Fixed<std::int64_t>();
      operation.delta = delta.value_or(0);
      return delta.has_value();
    }
    case Kind::erase_range: {
      const std::optional<char> marker = reader.Fixed<char>();
      operation.open_end = marker == kOpenEnd;
      if (operation.open_end) return true;
      const std::optional<ByteView> end = marker == kClosedEnd ? reader.Sized() : std::nullopt;
      if (end) operation.value = *end;
      return end && *end >= operation.key;
    }
  }
  return false;
}

std::optional<Operation> ReadOperation(ByteReader& reader) {
  const std::optional<std::uint8_t> kind = reader.Fixed<std::uint8_t>();
  const std::optional<std::uint8_t> keyspace = reader.Fixed<std::uint8_t>();
  const std::optional<ByteView> key = ReadSized(reader);
  if (!kind || !keyspace || !key) return std::nullopt;
  Operation operation{.kind = Kind{*kind}, .keyspace = *keyspace, .key = *key, .value = {}};
  if (!ReadPayload(reader, operation)) return std::nullopt;
  return operation;
}

// Each of these writes to memory that is large enough, and returns where that goes on.
char* StoreSized(char* at, ByteView bytes) {
  std::size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) *at++ = static_cast<char>(size | 0x80);
  *at++ = static_cast<char>(size);
  bytes.copy(at, bytes.size());
  return at + bytes.size();
}

char* StorePayload(char* at, const Operation& operation) {
  if (operation.kind == Kind::put) return StoreSized(at, operation.value);
  if (operation.kind != Kind::add) return at;
  std::memcpy(at, &operation.delta, sizeof operation.delta);
  return at + sizeof operation.delta;
}

// At least as many bytes as an operation takes.
std::size_t MostBytes(const Operation& operation) {
  constexpr std::size_t kMostLengthBytes = 10;
  return 2 + kMostLengthBytes + operation.key.size() + kMostLengthBytes + operation.value.size();
}

}  // namespace

KeyRange WriteBatch::Operation::Range() const {
  if (open_end) return KeyRange::From(key);
  return KeyRange::From(key).EndingAt(value);
}

void WriteBatch::Put(const Keyspace& keyspace, ByteView key, ByteView value) {
  Begin(keyspace, {.kind = Kind::put, .keyspace = keyspace.id, .key = key, .value = value});
}

void WriteBatch::PutCounter(const Keyspace& keyspace, ByteView key, std::int64_t value) {
  if (keyspace.pattern == AccessPattern::counter) return Put(keyspace, key, EncodeCounter(value));
  Refuse({ErrorCode::invalid_argument,
          fmt::format("PutCounter to keyspace {}, key {}: expected a counter keyspace",
                      Quoted(keyspace.name), Quoted(key))});
}

void WriteBatch::Erase(const Keyspace& keyspace, ByteView key) {
  Begin(keyspace, {.kind = Kind::erase, .keyspace = keyspace.id, .key = key, .value = {}});
}

void WriteBatch::EraseRange(const Keyspace& keyspace, const KeyRange& range) {
  Begin(keyspace,
        {.kind = Kind::erase_range, .keyspace = keyspace.id, .key = range.begin(), .value = {}});
  buffer_.push_back(range.end() ? kClosedEnd : kOpenEnd);
  if (range.end()) AppendSized(buffer_, *range.end());
}

void WriteBatch::Add(const Keyspace& keyspace, ByteView key, std::int64_t delta) {
  Begin(keyspace,
        {.kind = Kind::add, .keyspace = keyspace.id, .key = key, .value = {}, .delta = delta});
}

void WriteBatch::Append(const WriteBatch& other) {
  buffer_.append(other.buffer_);
  count_ += other.count_;
  if (status_ && !other.status_) status_ = other.status_;
}

void WriteBatch::Append(const Keyspace& keyspace, const Operation& operation) {
  switch (operation.kind) {
    case Kind::put:
      return Put(keyspace, operation.key, operation.value);
    case Kind::erase:
      return Erase(keyspace, operation.key);
    case Kind::erase_range:
      return EraseRange(keyspace, operation.Range());
    case Kind::add:
      return Add(keyspace, operation.key, operation.delta);
  }
}

void WriteBatch::Clear() {
  buffer_.clear();
  count_ = 0;
  status_ = {};
}

Result<WriteBatch> WriteBatch::Decode(ByteView encoded) {
  WriteBatch batch;
  ByteReader reader(encoded);
  while (!reader.empty()) {
    const std::size_t offset = reader.offset();
    if (!ReadOperation(reader)) {
      return Fail(ErrorCode::corruption,
                  fmt::format("write batch of {} bytes: expected an operation at byte {}, found {}",
                              encoded.size(), offset, Quoted(encoded.substr(offset, 16))));
    }
    ++batch.count_;
  }
  batch.buffer_ = encoded;
  return batch;
}

void WriteBatch::Refuse(Error error) {
  if (status_) status_ = std::unexpected(std::move(error));
}

// Appends the operation, but for the end of a range. The buffer grows once for each: there may be
// very many of them.
bool WriteBatch::Begin(const Keyspace& keyspace, const Operation& operation) {
  if (Status accepted = CheckOperation(keyspace, operation); !accepted) {
    Refuse(std::move(accepted).error());
    return false;
  }
  const std::size_t offset = buffer_.size();
  const std::size_t most = offset + MostBytes(operation);
  if (most > buffer_.capacity()) buffer_.reserve(std::max(most, 2 * buffer_.capacity()));
  buffer_.resize_and_overwrite(most, [&](char* bytes, std::size_t) {
    char* at = bytes + offset;
    *at++ = static_cast<char>(operation.kind);
    *at++ = static_cast<char>(keyspace.id);
    at = StorePayload(StoreSized(at, operation.key), operation);
    return static_cast<std::size_t>(at - bytes);
  });
  ++count_;
  return true;
}

void WriteBatch::Iterator::Advance() {
  at_ = next_;
  if (at_ == end_) return;
  ByteReader reader(ByteView(at_, static_cast<std::size_t>(end_ - at_)));
  const std::optional<Operation> operation = ReadOperation(reader);
  TALEA_CHECK(operation.has_value());  // a batch holds only what it wrote or has decoded before
  operation_ = *operation;
  next_ = at_ + reader.offset();
}

}  // namespace talea
