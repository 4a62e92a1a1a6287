#include "chain/keys.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "base/check.h"
#include "base/coding.h"
#include "chain/codec.h"
#include "keyspace/prefixed_key.h"
#include "talea/tuple_packer.h"
#include "talea/tuple_reader.h"

namespace talea::chain {
namespace {

constexpr std::size_t kHashBytes = 8;
constexpr std::size_t kTagHeadBytes = 3;  // the kind and the length
constexpr auto kLastTagKind = static_cast<std::uint8_t>(TagKind::asset);

std::string ValuePrefix(NamespaceHash name_space, const EntityKey& key) {
  std::string prefix = PrefixedKey(ChainPrefix::value, name_space.number);
  TuplePacker(prefix).Bytes(key.view());
  return prefix;
}

std::string HashBytes(NamespaceHash name_space) {
  std::string bytes;
  AppendBigEndian64(bytes, name_space.number);
  return bytes;
}

// Of exactly kOutputKeyBytes.
OutputReference LoadReference(ByteView bytes) {
  OutputReference reference;
  std::memcpy(reference.transaction.bytes.data(), bytes.data(), 32);
  reference.index = LoadBigEndian32(bytes.data() + 32);
  return reference;
}

Result<Cursor> TakePoint(ByteView key) {
  TupleReader reader(key);
  TALEA_TRY(TakePrefix(reader, ChainPrefix::point));
  Cursor cursor = TALEA_TRY(DecodeCursor(TALEA_TRY(reader.Bytes())));
  TALEA_TRY(reader.Finish());
  return cursor;
}

Result<ValueKeyParts> TakeValue(ByteView key) {
  TupleReader reader(key);
  TALEA_TRY(TakePrefix(reader, ChainPrefix::value));
  ValueKeyParts parts;
  parts.entity.name_space.number = TALEA_TRY(reader.Uint());
  parts.entity.key = TALEA_TRY(EntityKey::From(TALEA_TRY(reader.Bytes())));
  parts.value = TALEA_TRY(reader.Bytes());
  TALEA_TRY(reader.Finish());
  return parts;
}

bool HasNamespace(ChainCount count) {
  return count == ChainCount::entities || count == ChainCount::values;
}

}  // namespace

NamespaceHash HashNamespace(std::string_view name) {
  return {XXH3_64bits(name.data(), name.size())};
}

OutputKey::OutputKey(const OutputReference& reference) {
  std::memcpy(bytes.data(), reference.transaction.bytes.data(), 32);
  const std::uint32_t index = __builtin_bswap32(reference.index);
  std::memcpy(bytes.data() + 32, &index, sizeof index);
}

Result<OutputReference> ReferenceOfKey(ByteView key, const Keyspace& keyspace) {
  if (key.size() == kOutputKeyBytes) return LoadReference(key);
  return NoSuchKey(keyspace, key, "an output",
                   fmt::format("{} bytes, found {}", kOutputKeyBytes, key.size()));
}

std::string EntityRowKey(NamespaceHash name_space, const EntityKey& key) {
  std::string row_key;
  row_key.reserve(kEntityKeyBytes);
  AppendBigEndian64(row_key, name_space.number);
  row_key.append(key.view());
  return row_key;
}

Result<EntityKeyParts> PartsOfEntityKey(ByteView key, const Keyspace& keyspace) {
  if (key.size() != kEntityKeyBytes) {
    return NoSuchKey(keyspace, key, "an entity",
                     fmt::format("{} bytes, found {}", kEntityKeyBytes, key.size()));
  }
  EntityKeyParts parts;
  parts.name_space.number = LoadBigEndian64(key.data());
  std::memcpy(parts.key.bytes.data(), key.data() + kHashBytes, parts.key.bytes.size());
  return parts;
}

KeyRange EntityKeys(NamespaceHash name_space) { return KeyRange::Prefix(HashBytes(name_space)); }

KeyRange EntityKeysWithin(NamespaceHash name_space, const std::optional<EntityKey>& from,
                          const std::optional<EntityKey>& to) {
  KeyRange range = EntityKeys(name_space);
  if (from) range = range.StartingAt(EntityRowKey(name_space, *from));
  return to ? range.EndingAt(EntityRowKey(name_space, *to)) : range;
}

std::string StagingHeaderKey() { return PrefixedKey(ChainPrefix::staging); }
std::string LastStagedKey() { return PrefixedKey(ChainPrefix::last_staged); }
std::string ImportMarkKey() { return PrefixedKey(ChainPrefix::import_mark); }

std::string NamespaceKey(NamespaceHash name_space) {
  return PrefixedKey(ChainPrefix::name_space, name_space.number);
}

KeyRange NamespaceKeys() { return KeyRange::Prefix(PrefixedKey(ChainPrefix::name_space)); }

Result<NamespaceHash> NamespaceOfKey(ByteView key) {
  return NamespaceHash {
    TALEA_TRY(Named(kChainKeyspace, "a namespace", key, TakeNumber(ChainPrefix::name_space, key)))
  };
}

std::string StepKey(std::uint64_t step) { return PrefixedKey(ChainPrefix::step, step); }

KeyRange StepKeys() { return KeyRange::Prefix(PrefixedKey(ChainPrefix::step)); }

KeyRange StepKeysUpTo(std::uint64_t step) {
  return StepKeys().EndingAt(KeySuccessor(StepKey(step)));
}

Result<std::uint64_t> StepOfKey(ByteView key) {
  return Named(kChainKeyspace, "a step", key, TakeNumber(ChainPrefix::step, key));
}

std::string PointKey(const Cursor& point) {
  std::string key = PrefixedKey(ChainPrefix::point);
  TuplePacker(key).Bytes(EncodeCursor(point));
  return key;
}

KeyRange PointKeys() { return KeyRange::Prefix(PrefixedKey(ChainPrefix::point)); }

Result<Cursor> PointOfKey(ByteView key) {
  return Named(kChainKeyspace, "a point", key, TakePoint(key));
}

std::string ValueKey(NamespaceHash name_space, const EntityKey& key, ByteView value) {
  std::string row_key = ValuePrefix(name_space, key);
  TuplePacker(row_key).Bytes(value);
  return row_key;
}

KeyRange ValueKeys(NamespaceHash name_space, const EntityKey& key) {
  return KeysInsidePacked(ValuePrefix(name_space, key));
}

KeyRange ValueKeys(NamespaceHash name_space) {
  return KeyRange::Prefix(PrefixedKey(ChainPrefix::value, name_space.number));
}

KeyRange ValueKeys() { return KeyRange::Prefix(PrefixedKey(ChainPrefix::value)); }

Result<ValueKeyParts> PartsOfValueKey(ByteView key) {
  return Named(kChainKeyspace, "a value", key, TakeValue(key));
}

namespace {

// With the length before the bytes, so that no tag's rows begin as another's do.
void AppendTagPrefix(std::string& key, const Tag& tag) {
  TALEA_CHECK(tag.bytes.size() <= kLongestTag);
  key.push_back(static_cast<char>(tag.kind));
  AppendBigEndian16(key, static_cast<std::uint16_t>(tag.bytes.size()));
  key.append(tag.bytes);
}

}  // namespace

std::string TagKey(const Tag& tag, const OutputReference& reference) {
  std::string key;
  AssignTagKey(key, tag, OutputKey(reference));
  return key;
}

void AssignTagKey(std::string& key, const Tag& tag, const OutputKey& output) {
  key.clear();
  key.reserve(kTagHeadBytes + tag.bytes.size() + kOutputKeyBytes);
  AppendTagPrefix(key, tag);
  key.append(output.view());
}

KeyRange TagKeys(const Tag& tag) {
  std::string prefix;
  AppendTagPrefix(prefix, tag);
  return KeyRange::Prefix(prefix);
}

Result<TagKeyParts> PartsOfTagKey(ByteView key) {
  const auto bad = [&](std::string_view why) {
    return NoSuchKey(kChainTagsKeyspace, key, "a tag", why);
  };
  if (key.size() < kTagHeadBytes) return bad("a kind and a length first");
  const auto kind = static_cast<std::uint8_t>(key[0]);
  if (kind > kLastTagKind) return bad(fmt::format("a kind up to {}, found {}", kLastTagKind, kind));
  const std::size_t length = LoadBigEndian16(key.data() + 1);
  const std::size_t whole = kTagHeadBytes + length + kOutputKeyBytes;
  if (length > kLongestTag) {
    return bad(fmt::format("a tag of up to {} bytes, found {}", kLongestTag, length));
  }
  if (key.size() != whole) return bad(fmt::format("{} bytes, found {}", whole, key.size()));
  return TagKeyParts{static_cast<TagKind>(kind), key.substr(kTagHeadBytes, length),
                     LoadReference(key.substr(kTagHeadBytes + length))};
}

std::string CountKey(ChainCount count) {
  TALEA_CHECK(!HasNamespace(count));
  return std::string(1, static_cast<char>(count));
}

std::string CountKey(ChainCount count, NamespaceHash name_space) {
  TALEA_CHECK(HasNamespace(count));
  return static_cast<char>(count) + HashBytes(name_space);
}

Result<CountKeyParts> PartsOfCountKey(ByteView key) {
  const auto bad = [&](std::string_view why) {
    return NoSuchKey(kChainCountsKeyspace, key, "a count", why);
  };
  if (key.empty()) return bad("a kind first");
  const auto kind = static_cast<std::uint8_t>(key[0]);
  if (kind > static_cast<std::uint8_t>(ChainCount::values)) {
    return bad(fmt::format("a kind that Talea writes, found {}", kind));
  }
  const auto count = static_cast<ChainCount>(kind);
  const std::size_t size = HasNamespace(count) ? 1 + kHashBytes : 1;
  if (key.size() != size) return bad(fmt::format("{} bytes, found {}", size, key.size()));
  if (!HasNamespace(count)) return CountKeyParts{count, std::nullopt};
  return CountKeyParts{count, NamespaceHash{LoadBigEndian64(key.data() + 1)}};
}

std::string StagedKey(StagedAs as, std::uint8_t keyspace, ByteView key) {
  std::string staged;
  staged.reserve(1 + key.size());
  staged.push_back(static_cast<char>(static_cast<std::uint8_t>(as) | keyspace));
  staged.append(key);
  return staged;
}

KeyRange StagedKeysOf(StagedAs as, std::uint8_t keyspace, const KeyRange& range) {
  const KeyRange from = KeyRange::Prefix(StagedKey(as, keyspace, {}))
                            .StartingAt(StagedKey(as, keyspace, range.begin()));
  return range.end() ? from.EndingAt(StagedKey(as, keyspace, *range.end())) : from;
}

KeyRange UnstagedKeys(const KeyRange& staged) {
  TALEA_CHECK(!staged.begin().empty());
  const KeyRange from = KeyRange::From(ByteView(staged.begin()).substr(1));
  const bool open_end = !staged.end() || staged.end()->front() != staged.begin().front();
  return open_end ? from : from.EndingAt(ByteView(*staged.end()).substr(1));
}

Result<StagedKeyParts> PartsOfStagedKey(ByteView key) {
  if (key.empty()) {
    return NoSuchKey(kChainStagingKeyspace, key, "a staged row", "a keyspace's id first");
  }
  constexpr auto kChange = static_cast<std::uint8_t>(StagedAs::change);
  const auto first = static_cast<std::uint8_t>(key[0]);
  return StagedKeyParts{static_cast<StagedAs>(first & kChange),
                        static_cast<std::uint8_t>(first & ~kChange), key.substr(1)};
}

}  // namespace talea::chain
