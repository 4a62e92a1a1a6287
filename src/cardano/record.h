// What an import keeps of blocks and transactions, as the values of entities: CBOR, an array whose
// first element is the version of the form. docs/formats/chain.md has the bytes.
#pragma once

#include <string>

#include "talea/bytes.h"
#include "talea/cardano_import.h"
#include "talea/result.h"

namespace talea::cardano {

// In place of what `out` holds, so that its memory can be used again.
void Encode(const CardanoBlockRecord& record, std::string& out);
void Encode(const CardanoTransactionRecord& record, std::string& out);

// Untrusted: corruption for anything that Encode does not write; unsupported for what begins with
// another version.
Result<CardanoBlockRecord> DecodeBlockRecord(ByteView value);
Result<CardanoTransactionRecord> DecodeTransactionRecord(ByteView value);

// The record of a block, and of the one of its transactions at this place.
CardanoBlockRecord RecordOf(const CardanoBlock& block);
CardanoTransactionRecord RecordOf(const CardanoBlock& block, std::size_t place);

}  // namespace talea::cardano
