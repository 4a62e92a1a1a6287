// The keys of the chain layer. Those of keyspace "chain" are packed tuples, so that `talea scan`
// shows them; the others are plain bytes, as docs/formats/chain.md has them.
//
// Keys that are read back are untrusted: what is no such key is corruption.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "keyspace/registry.h"
#include "talea/chain_types.h"
#include "talea/key_range.h"
#include "talea/result.h"

namespace talea::chain {

// The hash that stands for a namespace: XXH3 of 64 bits, big-endian.
struct NamespaceHash {
  std::uint64_t number = 0;
  friend auto operator<=>(const NamespaceHash&, const NamespaceHash&) = default;
};
NamespaceHash HashNamespace(std::string_view name);

// In state-cursor, state-utxos (and chain-notes), state-entities (and chain-counters).
inline constexpr ByteView kCursorKey{"\0", 1};
inline constexpr std::size_t kOutputKeyBytes = 36;
inline constexpr std::size_t kEntityKeyBytes = 40;
// On the stack: a block has thousands of these.
struct OutputKey {
  explicit OutputKey(const OutputReference& reference);
  std::array<char, kOutputKeyBytes> bytes;
  ByteView view() const { return {bytes.data(), bytes.size()}; }
  operator ByteView() const { return view(); }
};
// Errors name the keyspace.
Result<OutputReference> ReferenceOfKey(ByteView key,
                                       const Keyspace& keyspace = kStateUtxosKeyspace);
std::string EntityRowKey(NamespaceHash name_space, const EntityKey& key);
struct EntityKeyParts {
  NamespaceHash name_space;
  EntityKey key;
  friend auto operator<=>(const EntityKeyParts&, const EntityKeyParts&) = default;
};
Result<EntityKeyParts> PartsOfEntityKey(ByteView key,
                                        const Keyspace& keyspace = kStateEntitiesKeyspace);
KeyRange EntityKeys(NamespaceHash name_space);
// From `from`, or the first, up to and without `to`, or to the very last. Empty where `to` is not
// beyond `from`.
KeyRange EntityKeysWithin(NamespaceHash name_space, const std::optional<EntityKey>& from,
                          const std::optional<EntityKey>& to);

// In chain.
std::string StagingHeaderKey();
std::string LastStagedKey();  // the header of the batch that was in last
std::string ImportMarkKey();
std::string NamespaceKey(NamespaceHash name_space);
KeyRange NamespaceKeys();
Result<NamespaceHash> NamespaceOfKey(ByteView key);
std::string StepKey(std::uint64_t step);
KeyRange StepKeys();
KeyRange StepKeysUpTo(std::uint64_t step);  // with this one
Result<std::uint64_t> StepOfKey(ByteView key);
std::string PointKey(const Cursor& point);
KeyRange PointKeys();
Result<Cursor> PointOfKey(ByteView key);
std::string ValueKey(NamespaceHash name_space, const EntityKey& key, ByteView value);
KeyRange ValueKeys(NamespaceHash name_space, const EntityKey& key);
KeyRange ValueKeys(NamespaceHash name_space);
KeyRange ValueKeys();  // of all namespaces
struct ValueKeyParts {
  EntityKeyParts entity;
  std::string value;
  friend auto operator<=>(const ValueKeyParts&, const ValueKeyParts&) = default;
};
Result<ValueKeyParts> PartsOfValueKey(ByteView key);

// In chain-tags: the kind, the length of the tag, the tag, the output. What is given must be of at
// most kLongestTag bytes.
inline constexpr std::size_t kLongestTag = 4096;
std::string TagKey(const Tag& tag, const OutputReference& reference);
void AssignTagKey(std::string& key, const Tag& tag, const OutputKey& output);
KeyRange TagKeys(const Tag& tag);
struct TagKeyParts {
  TagKind kind;
  ByteView bytes;  // in the key
  OutputReference reference;
};
Result<TagKeyParts> PartsOfTagKey(ByteView key);

// In chain-counts.
std::string CountKey(ChainCount count);                            // outputs, coin
std::string CountKey(ChainCount count, NamespaceHash name_space);  // entities, values
struct CountKeyParts {
  ChainCount count;
  std::optional<NamespaceHash> name_space;
  friend bool operator==(const CountKeyParts&, const CountKeyParts&) = default;
};
Result<CountKeyParts> PartsOfCountKey(ByteView key);

// In chain-staging: the id of the keyspace, and the key there. A row that is put stands there as it
// is, so that it may be as long as the engine allows; what else is to become of a row, behind the
// id with the highest bit set.
enum class StagedAs : std::uint8_t { row = 0, change = 0x80 };
std::string StagedKey(StagedAs as, std::uint8_t keyspace, ByteView key);
KeyRange StagedKeysOf(StagedAs as, std::uint8_t keyspace, const KeyRange& range);
// The keys behind those of a part of such a range, or of all of it.
KeyRange UnstagedKeys(const KeyRange& staged);
struct StagedKeyParts {
  StagedAs as;
  std::uint8_t keyspace;
  ByteView key;  // in the staged key
};
Result<StagedKeyParts> PartsOfStagedKey(ByteView key);

}  // namespace talea::chain
