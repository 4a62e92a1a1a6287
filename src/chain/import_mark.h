// The row that marks a ledger until an import, or a bulk ingest, is finished, and says how far it
// is.
//
// While it is there nobody else uses the ledger: who opens it or commits to it reads the mark.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chain/export_reader.h"
#include "talea/engine.h"
#include "talea/reader.h"
#include "talea/result.h"
#include "talea/uuid.h"
#include "talea/write_batch.h"

namespace talea::chain {

struct ImportMark {
  enum class Kind : std::uint8_t { file = 1, ingest = 2 };

  Kind kind = Kind::file;
  Uuid run;                 // tells it from every other import, of the same file too
  ExportIdentity source;    // of a file
  ExportPosition position;  // up to where it is in

  friend bool operator==(const ImportMark&, const ImportMark&) = default;
};

std::string Encode(const ImportMark& mark);
// unsupported for a newer format, corruption for anything else.
Result<ImportMark> DecodeImportMark(ByteView value);

Result<std::optional<ImportMark>> ReadImportMark(Reader& reader);

// Sets the mark, which gets a run of its own, in a ledger that holds nothing at all; or finds the
// one that an import of the same kind and source has left. Tries until it is decided. Otherwise
// fails with precondition_failed, telling what is there and what can be done about it.
Result<ImportMark> BeginImport(Engine& engine, ImportMark mark);

// Erases this mark, in the same commit as these last writes, and syncs. Tries until it is decided.
// precondition_failed if somebody has abandoned the import.
Status FinishImport(Engine& engine, const ImportMark& mark, const WriteBatch& last);

// Empties the ledger, if there is a mark, whatever it says. Returns whether there was. Tries until
// it is decided.
Result<bool> AbandonAnyImport(Engine& engine);

}  // namespace talea::chain
