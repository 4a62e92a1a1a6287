#include "engine/undo_rules.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>

#include "base/check.h"

namespace talea {
namespace {

// By the id of the keyspace. A rule is a plain function, so there is nothing else to be published
// with it.
constinit std::array<std::atomic<UndoRule>, std::numeric_limits<std::uint8_t>::max() + 1> rules{};

}  // namespace

void SetUndoRule(std::initializer_list<const Keyspace*> keyspaces, UndoRule rule) {
  TALEA_CHECK(rule != nullptr);
  for (const Keyspace* keyspace : keyspaces) {
    UndoRule before = nullptr;
    const bool set = rules[keyspace->id].compare_exchange_strong(before, rule);
    TALEA_CHECK(set || before == rule);
  }
}

UndoRule FindUndoRule(std::uint8_t keyspace) { return rules[keyspace].load(); }

bool RuledWrites::Take(const Keyspace& keyspace, const WriteBatch::Operation& operation) {
  const UndoRule rule = FindUndoRule(keyspace.id);
  if (rule == nullptr) return false;
  PartOf(rule).Append(keyspace, operation);
  return true;
}

Status RuledWrites::Perform(Transaction& transaction) const {
  for (const Part& part : parts_) {
    TALEA_TRY(part.restore.status());
    TALEA_TRY(part.rule(transaction, part.restore));
  }
  return {};
}

WriteBatch& RuledWrites::PartOf(UndoRule rule) {
  const auto part = std::ranges::find(parts_, rule, &Part::rule);
  if (part != parts_.end()) return part->restore;
  return parts_.emplace_back(rule, WriteBatch()).restore;
}

}  // namespace talea
