// A ledger against RocksDB itself: the same options, durability and rows of outputs, and nothing
// else.
//
//   import           blocks of 1,000 outputs, with cursor, counts and undo, where the caller knows
//                    that no output is there yet, against the same rows in the same order, which is
//                    that of the keys, in batches of 1,000
//   import-checked   the same where each output is looked up first
//   import-tagged    the same as import, but each output has coin and three tags, which RocksDB is
//                    spared: what these cost, without a bar
//   bulk-ingest      outputs in no order, sorted here, until all is written out and compacted,
//                    against the sorted rows in batches of 1,000, until the same
//   bulk-ingest-presorted   outputs in the order of their keys against the same
//   utxo-workload    the one that the lsm-tree library for Cardano is measured by: batches of 256
//                    lookups, then 256 inserts and 256 deletes of what was looked up; here a block
//                    each, with undo, against MultiGet and a WriteBatch
//   scan, get, multi-get   of outputs, against Iterator, Get and MultiGet
#include "bench/chain_cases.h"

int main(int argc, char** argv) {
  talea::bench::Bench bench("chain", talea::bench::ParseArguments(argc, argv));
  talea::bench::ImportCases(bench);
  talea::bench::BulkIngestCases(bench);
  talea::bench::UtxoWorkloadCase(bench);
  talea::bench::LedgerReadCases(bench);
  return bench.Finish();
}
