// How a layer takes part in an undo, where restoring its bytes is not enough.
//
// An undo record holds the inverse of each write. That is not enough for what is derived from other
// rows by a rule that may have changed since: the counter that an entry was counted in may be
// divided by now. The layer then does it anew, from the rows that come and go.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "talea/keyspace.h"
#include "talea/result.h"
#include "talea/transaction.h"
#include "talea/write_batch.h"

namespace talea {

// Given what an undo record would do to the rule's keyspaces, in order, does what is right instead.
// Called once for a record that wrote to them. By then the transaction reads the rows of keyspaces
// without a rule as they are restored, and those of the rule's own as they were. Where it fails the
// transaction can no longer be committed.
using UndoRule = Status (*)(Transaction& transaction, const WriteBatch& restore);

// From now on, and in the whole process, Transaction::Undo leaves these keyspaces to the rule.
// Setting the same rule again changes nothing; a keyspace has one rule at most. From any thread.
void SetUndoRule(std::initializer_list<const Keyspace*> keyspaces, UndoRule rule);

// The keyspace's rule, or null.
UndoRule FindUndoRule(std::uint8_t keyspace);

// The part of an undo record that is left to rules.
class RuledWrites {
 public:
  // Whether the keyspace has a rule; if so the write is kept for it.
  bool Take(const Keyspace& keyspace, const WriteBatch::Operation& operation);

  // Calls each rule with its writes, in the order of their first ones, until one fails.
  Status Perform(Transaction& transaction) const;

 private:
  struct Part {
    UndoRule rule;
    WriteBatch restore;
  };
  WriteBatch& PartOf(UndoRule rule);

  std::vector<Part> parts_;
};

}  // namespace talea
