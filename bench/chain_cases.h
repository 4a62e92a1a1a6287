// The cases of bench/chain_bench.cc.
#pragma once

#include <cstddef>

#include "bench/harness.h"

namespace talea::bench {

inline constexpr std::size_t kValueBytes = 100;  // of an output's row, era included
inline constexpr std::size_t kBatch = 1'000;

// How many outputs there are in all cases but utxo-workload.
inline std::size_t OutputCount(const Bench& bench) { return bench.quick() ? 200'000 : 2'000'000; }

// import, import-checked and import-tagged; the first two also with ordered/ before their names
void ImportCases(Bench& bench);

// bulk-ingest and bulk-ingest-presorted; the second also with ordered/ before its name
void BulkIngestCases(Bench& bench);

// utxo-workload
void UtxoWorkloadCase(Bench& bench);

// scan, get and multi-get
void LedgerReadCases(Bench& bench);

}  // namespace talea::bench
