// Checks the rows of a ledger, for VerifyDatabase: one check for each keyspace.
//
// While a batch is staged, what is checked is the state that readers see (verify_staged.h). While
// an import is not finished, that is the one problem noted, and rows are asked for nothing but to
// be readable.
#pragma once

#include <memory>

#include "coordination/row_check.h"

namespace talea::chain {

// Of state-cursor: that it can be read.
std::unique_ptr<RowCheck> MakeCursorRowCheck(const CheckedDatabase& database);

// Of state-utxos: that each can be read, and that they are counted.
std::unique_ptr<RowCheck> MakeOutputRowCheck(const CheckedDatabase& database);

// Of chain-notes: that each belongs to an output, that its tags are found with the same coin, and
// that the sum of all coin is right.
std::unique_ptr<RowCheck> MakeNoteRowCheck(const CheckedDatabase& database);

// Of chain-tags: that the notes of the output have the tag.
std::unique_ptr<RowCheck> MakeTagRowCheck(const CheckedDatabase& database);

// Of state-entities: that their namespaces have names, and that they are counted.
std::unique_ptr<RowCheck> MakeEntityRowCheck(const CheckedDatabase& database);

// Of chain-counters: that their namespaces have names.
std::unique_ptr<RowCheck> MakeEntityCounterRowCheck(const CheckedDatabase& database);

// Of chain-counts: that there is something to be counted.
std::unique_ptr<RowCheck> MakeCountRowCheck(const CheckedDatabase& database);

// Of chain: that names have the hashes that stand for them; that values belong to such namespaces,
// and are counted; that the steps follow each other up to the newest and to the cursor, and that
// each can be taken back; that points and steps lead to each other.
std::unique_ptr<RowCheck> MakeLedgerRowCheck(const CheckedDatabase& database);

// Of chain-staging: that there is a batch, and that its rows are for keyspaces that may be staged.
std::unique_ptr<RowCheck> MakeStagingRowCheck(const CheckedDatabase& database);

}  // namespace talea::chain
