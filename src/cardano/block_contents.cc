#include "cardano/block_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

namespace talea::cardano {

Result<OutputReference> ReadReference(CborCursor& cursor) {
  const CborItems input = TALEA_TRY(cursor.Record("the input", 2));
  const Bytes32 transaction = TALEA_TRY(ReadHash(cursor, "the input's transaction"));
  const std::size_t begin = cursor.offset();
  const std::uint64_t index = TALEA_TRY(cursor.Unsigned("the input's index"));
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (index > kMost)
    return cursor.Wrong(
        begin, fmt::format("expected the input's index, at most {}, found {}", kMost, index));
  TALEA_TRY(cursor.Close(input));
  return OutputReference{transaction, static_cast<std::uint32_t>(index)};
}

void MakeUnique(std::vector<OutputReference>& references) {
  // Most tools write them in order.
  if (std::ranges::adjacent_find(references, std::greater_equal<>()) == references.end()) return;
  std::set<OutputReference> seen;
  std::erase_if(references,
                [&](const OutputReference& reference) { return !seen.insert(reference).second; });
}

Result<CardanoTransaction> InTransaction(std::size_t place,
                                         Result<CardanoTransaction> transaction) {
  if (transaction) return transaction;
  const Error& error = transaction.error();
  return Fail(error.code(), fmt::format("transaction {}: {}", place, error.message()));
}

void NameOutputs(CardanoTransaction& transaction, std::uint32_t first) {
  for (Output& output : transaction.produced) output.reference = {transaction.hash, first++};
}

}  // namespace talea::cardano
