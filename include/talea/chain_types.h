// What a ledger's state is made of: points of the chain, outputs, entities, tags, blocks.
//
// What is given to a store is given as views: whoever owns the bytes keeps them until the call
// returns.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "talea/bytes.h"
#include "talea/result.h"

namespace talea {

// Exactly 32 bytes: a hash, or the key of an entity.
struct Bytes32 {
  std::array<std::uint8_t, 32> bytes{};

  // Refuses any other length; nothing is padded or cut.
  static Result<Bytes32> From(ByteView bytes);
  // From 64 hexadecimal digits, and back to lower-case ones.
  static Result<Bytes32> Parse(std::string_view hex);
  std::string ToString() const;

  ByteView view() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
  friend auto operator<=>(const Bytes32&, const Bytes32&) = default;
};

using EntityKey = Bytes32;

// A place on the chain.
struct ChainPoint {
  enum class Kind : std::uint8_t { origin = 0, slot = 1, specific = 2 };

  Kind kind = Kind::origin;
  std::uint64_t slot = 0;  // 0 for the origin
  Bytes32 hash = {};       // of a specific point's block; zero for the others

  static ChainPoint Origin() { return {}; }
  static ChainPoint AtSlot(std::uint64_t slot) { return {Kind::slot, slot, {}}; }
  static ChainPoint Of(std::uint64_t slot, const Bytes32& hash) {
    return {Kind::specific, slot, hash};
  }

  // origin, 4492800, or 4492800.aa83acbf.. with all 64 digits; and the same read back.
  std::string ToString() const;
  static Result<ChainPoint> Parse(std::string_view text);

  // What a kind does not have is not compared.
  friend bool operator==(const ChainPoint& a, const ChainPoint& b) {
    return a.kind == b.kind && (a.kind == Kind::origin || a.slot == b.slot) &&
           (a.kind != Kind::specific || a.hash == b.hash);
  }
};

// Where a ledger is; nothing before anybody has said so.
using Cursor = std::optional<ChainPoint>;
std::string Describe(const Cursor& cursor);  // the point, or "none"

// The name of an output: the transaction that made it, and its place there.
struct OutputReference {
  Bytes32 transaction;
  std::uint32_t index = 0;

  // The hash's 64 digits, '#' and the index in decimal; and the same read back.
  std::string ToString() const;
  static Result<OutputReference> Parse(std::string_view text);

  friend auto operator<=>(const OutputReference&, const OutputReference&) = default;
};

// What outputs can be found by. The numbers are part of the format.
enum class TagKind : std::uint8_t { address = 0, payment = 1, stake = 2, policy = 3, asset = 4 };
std::string_view Name(TagKind kind);
Result<TagKind> ParseTagKind(std::string_view name);

struct Tag {
  TagKind kind = TagKind::address;
  ByteView bytes;  // at most 4,096
  friend auto operator<=>(const Tag&, const Tag&) = default;
};

// An output as it is produced. The coin counts in the ledger's value; 2^63 - 1 at most.
struct Output {
  OutputReference reference;
  std::uint16_t era = 0;
  ByteView cbor;
  std::uint64_t coin = 0;
  std::vector<Tag> tags = {};  // in any order; one that is given twice counts once
};

// What is done to outputs: puts of the first two, then erases of the other two; so within one delta
// an erase wins, whatever put the output. An output that is put must not be there, one that is
// erased must be, if only since this delta.
struct UtxoSetDelta {
  std::span<const Output> produced = {};
  std::span<const Output> recovered = {};
  std::span<const OutputReference> consumed = {};
  std::span<const OutputReference> undone = {};
};

struct EntityWrite {
  std::string_view name_space;  // at most 255 bytes
  EntityKey key;
  std::optional<ByteView> value;  // or nothing: it is deleted, if it is there
};

// Adds one of the values that a key of a multi-value namespace has, or removes it.
struct ValueWrite {
  std::string_view name_space;
  EntityKey key;
  ByteView value;  // at most 4,096 bytes
  bool remove = false;
};

struct CounterAdd {
  std::string_view name_space;
  EntityKey key;
  std::int64_t delta = 0;
};

// One block of a chain: where it stands and all that it does.
struct Block {
  Cursor parent;  // must be the ledger's cursor: nothing for the first block of all
  ChainPoint point;
  std::vector<Output> produced = {};
  std::vector<OutputReference> consumed = {};  // of this block, or of earlier ones
  std::vector<EntityWrite> entities = {};
  std::vector<ValueWrite> values = {};
  std::vector<CounterAdd> counters = {};
};

// An output's value as it is stored.
class OutputValue {
 public:
  // The bytes of a row's value; corruption where they are too short.
  static Result<OutputValue> FromStored(std::string stored);

  std::uint16_t era() const {
    return static_cast<std::uint16_t>(static_cast<unsigned char>(stored_[0]) << 8 |
                                      static_cast<unsigned char>(stored_[1]));
  }
  ByteView cbor() const { return ByteView(stored_).substr(2); }
  ByteView stored() const { return stored_; }

  friend bool operator==(const OutputValue&, const OutputValue&) = default;

 private:
  explicit OutputValue(std::string stored) : stored_(std::move(stored)) {}
  std::string stored_;
};

// What was given with an output beside its value.
struct OutputNotes {
  struct StoredTag {
    TagKind kind;
    std::string bytes;
    friend auto operator<=>(const StoredTag&, const StoredTag&) = default;
  };
  std::uint64_t coin = 0;
  std::vector<StoredTag> tags;  // in ascending order, each once
  friend bool operator==(const OutputNotes&, const OutputNotes&) = default;
};

}  // namespace talea
