// How a layer takes part in an undo, where restoring its bytes is not enough.
//
// An undo record holds the inverse of each write. That is not enough for what is derived from other
// rows by a rule that may have changed since: the counter that an entry was counted in may be
// divided by now. The layer then does it anew, from the rows that come and go.
#pragma once

#include <initializer_list>

#include "talea/keyspace.h"
#include "talea/result.h"
#include "talea/transaction.h"

namespace talea {

// Given what an undo record would do to the rule's keyspaces, in order, does what is right instead.
using UndoRule = Status (*)(Transaction& transaction, const WriteBatch& restore);

// From now on, and in the whole process, Transaction::Undo leaves these keyspaces to the rule.
// Setting the same rule again changes nothing; a keyspace has one rule at most. From any thread.
void SetUndoRule(std::initializer_list<const Keyspace*> keyspaces, UndoRule rule);

// The keyspace's rule, or null.
UndoRule FindUndoRule(std::uint8_t keyspace);

}  // namespace talea
