// THE registry of every keyspace that Talea itself owns, and of every prefix within one. Nothing
// under src/ writes a key that is not announced here, so one look shows what a database can hold.
//
// To add a keyspace:
// - Take the lowest id below 128 that no line here has or had; ids from 128 on are the users'.
// - Name it after its layer, and what it holds where a layer has several: "histograms-counters".
// - Ids and names are part of the format on disk: the id is the key prefix on FoundationDB, the
//   name is the column family on RocksDB. So neither changes its meaning, and neither is reused:
//   leave the line of a retired one behind, as a comment.
// - Have few. A keyspace is for a way of reading (AccessPattern), not for a kind of row. Kinds that
//   are read alike share one, and tell their rows apart by the first element of the key. Such a
//   prefix is a packed small integer, and stands below its keyspace as a constant, under the same
//   rules as the ids.
// - Add it to kAllKeyspaces.
#pragma once

#include <array>

#include "talea/keyspace.h"

namespace talea {

// Talea's own bookkeeping, which belongs to no layer. Rows that tell of the whole engine begin with
// a text; those of one database, which where there are tenants stand behind a tenant's number, with
// one of these.
inline constexpr Keyspace kTaleaKeyspace{0, AccessPattern::point, "talea"};
enum class TaleaPrefix : std::uint8_t {
  // 1 was kept for the schema, whose row begins with a text
  session = 2,
  session_slot = 3,
  request = 4,
  request_expiry = 5,
  progress = 6,
  lease = 7,
  lease_expiry = 8,
  copy = 9,
};

// Undo records, by source and position.
inline constexpr Keyspace kUndoKeyspace{1, AccessPattern::scan, "undo"};

// Secondary indexes: what is known of each, its entries and its buckets, each row behind the number
// of its index.
inline constexpr Keyspace kHistogramsKeyspace{2, AccessPattern::scan, "histograms"};
enum class HistogramsPrefix : std::uint8_t {
  name = 0,
  index = 1,
  // 2 is left free: entries come last, where RocksDB takes ascending keys quickest
  bucket = 3,
  last_index = 6,
  build = 7,
  entry = 8,
  // No row begins with these: transactions only record such keys and erase them, to conflict.
  index_change = 4,
  bucket_end = 5,
};

// How many entries each bucket has, by index, histogram, bucket and generation.
inline constexpr Keyspace kHistogramCountersKeyspace{3, AccessPattern::counter,
                                                     "histograms-counters"};

// Keyspaces whose rows are not restored by an undo but derived anew, by a rule of their layer
// (engine/undo_rules.h).
inline constexpr bool NeedsUndoRule(std::uint8_t keyspace) {
  return keyspace == kHistogramsKeyspace.id || keyspace == kHistogramCountersKeyspace.id;
}

// The state of a ledger. The first three have the keys and values of docs/formats/chain.md, which
// others read and write too; none of the others is needed to read these.
//
// Where the ledger is: one row.
inline constexpr Keyspace kStateCursorKeyspace{4, AccessPattern::point, "state-cursor"};
// Unspent outputs, by transaction and index.
inline constexpr Keyspace kStateUtxosKeyspace{5, AccessPattern::point, "state-utxos"};
// Entities, by the hash of their namespace and their key.
inline constexpr Keyspace kStateEntitiesKeyspace{6, AccessPattern::scan, "state-entities"};

// What else is known of a ledger and read in ranges.
inline constexpr Keyspace kChainKeyspace{7, AccessPattern::scan, "chain"};
enum class ChainPrefix : std::uint8_t {
  staging = 0,      // the one row that tells of a batch in chain-staging
  import_mark = 1,  // the one row that tells of an import or ingest that is not finished
  name_space = 2,   // the names behind the hashes
  step = 3,         // what each commit that can still be undone has led to
  point = 4,        // and the other way round
  value = 5,        // multi-value namespaces
  last_staged = 6,  // the one row that tells which batch in chain-staging was in last
};

// What belongs to an output beside its value: coin and tags, by transaction and index.
inline constexpr Keyspace kChainNotesKeyspace{8, AccessPattern::point, "chain-notes"};

// Outputs by tag.
inline constexpr Keyspace kChainTagsKeyspace{9, AccessPattern::scan, "chain-tags"};

// The counters of entities, by the entity's key.
inline constexpr Keyspace kChainCountersKeyspace{10, AccessPattern::counter, "chain-counters"};

// How many rows there are, and the sum of all coin.
inline constexpr Keyspace kChainCountsKeyspace{11, AccessPattern::counter, "chain-counts"};
enum class ChainCount : std::uint8_t {
  outputs = 0,
  coin = 1,
  entities = 2,  // by namespace
  values = 3,    // likewise
};

// A batch that is too large for one commit, until its rows are where they belong: each behind the
// id of its keyspace.
inline constexpr Keyspace kChainStagingKeyspace{12, AccessPattern::scan, "chain-staging"};

inline constexpr std::array kAllKeyspaces{
    kTaleaKeyspace,       kUndoKeyspace,       kHistogramsKeyspace,    kHistogramCountersKeyspace,
    kStateCursorKeyspace, kStateUtxosKeyspace, kStateEntitiesKeyspace, kChainKeyspace,
    kChainNotesKeyspace,  kChainTagsKeyspace,  kChainCountersKeyspace, kChainCountsKeyspace,
    kChainStagingKeyspace};

}  // namespace talea
