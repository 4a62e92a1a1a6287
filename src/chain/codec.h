// The values of the chain layer's rows; docs/formats/chain.md has their bytes. Integers are
// big-endian, but for the cursor, whose format is others', and for counters.
//
// Values that are read back are untrusted: anything malformed is corruption.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "talea/chain_types.h"
#include "talea/result.h"
#include "talea/uuid.h"

namespace talea::chain {

// The cursor: the bincode form of a point; 4, 12 or 84 bytes. Its hash has lower-case digits, as
// others write it; a point has no other form.
std::string EncodePoint(const ChainPoint& point);
Result<ChainPoint> DecodePoint(ByteView value);

// The cursor after a step, and in keys: as above, or nothing at all where there is none.
std::string EncodeCursor(const Cursor& cursor);
Result<Cursor> DecodeCursor(ByteView value);

// An output's value: the era and then the CBOR.
std::string EncodeOutput(const Output& output);
void AppendOutput(std::string& out, const Output& output);

// What chain-notes has of an output: empty where there is neither coin nor tag, and then no row is
// stored. The tags are sorted, and each kept once. What is given must be within bounds.
std::string EncodeNotes(const Output& output);
Result<OutputNotes> DecodeNotes(ByteView value);

// The coin in a row of chain-tags: 8 bytes.
std::string EncodeCoin(std::uint64_t coin);
Result<std::uint64_t> DecodeCoin(ByteView value);

// The step that a point was reached by: 8 bytes. Also the position of Progress("chain").
std::string EncodeStep(std::uint64_t step);
Result<std::uint64_t> DecodeStep(ByteView value);

// A batch in chain-staging.
struct StagingHeader {
  bool in = false;  // false: it is being written, and nobody reads it yet
  Uuid batch;       // tells one from another
  friend bool operator==(const StagingHeader&, const StagingHeader&) = default;
};
std::string Encode(const StagingHeader& header);
Result<StagingHeader> DecodeStagingHeader(ByteView value);

// What is to become of a row, where it is not put: it is erased, or a counter is added to.
struct StagedChange {
  std::optional<std::int64_t> delta;  // nothing: it is erased
  friend bool operator==(const StagedChange&, const StagedChange&) = default;
};
std::string Encode(const StagedChange& change);
Result<StagedChange> DecodeStagedChange(ByteView value);

}  // namespace talea::chain
