// Reading an export into a ledger.
#pragma once

#include <cstddef>

#include "chain/export_reader.h"
#include "talea/chain_transfer.h"
#include "talea/engine.h"
#include "talea/result.h"
#include "talea/row_progress.h"

namespace talea::chain {

// How much is written at a time: all of it is in memory, and lost if it is interrupted.
struct ImportSizes {
  std::size_t ingest_bytes = 64 << 20;
  std::size_t commit_bytes = 2 << 20;  // where the engine takes nothing in; less if it has to be
};

// See ImportChain.
Result<TransferReport> Import(Engine& engine, ExportReader reader, const RowProgress& progress,
                              const ImportSizes& sizes = {});

}  // namespace talea::chain
