#include "cardano/transaction_body.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cardano/block_contents.h"
#include "cardano/hash.h"
#include "cardano/output.h"

namespace talea::cardano {
namespace {

// The keys of a body's map.
constexpr std::uint64_t kInputs = 0;
constexpr std::uint64_t kOutputs = 1;
constexpr std::uint64_t kFee = 2;
constexpr std::uint64_t kCollateral = 13;
constexpr std::uint64_t kCollateralReturn = 16;

constexpr std::uint64_t kSet = 258;  // the tag that Conway puts before a set

class BodyReader {
 public:
  BodyReader(CborCursor& cursor, CardanoEra era, bool valid, SteadyBytes& joined)
      : cursor_(cursor), era_(era), joined_(joined) {
    transaction_.valid = valid;
  }

  Result<CardanoTransaction> Read();

 private:
  Status ReadField(std::uint64_t key);
  Status ReadReferences();
  Status ReadOutputs();
  Status CountOutputs();
  Status ReadCollateralReturn();
  Status NoteKey(std::uint64_t key, std::size_t offset);
  Status CheckKeys(std::size_t offset) const;

  CborCursor& cursor_;
  const CardanoEra era_;
  SteadyBytes& joined_;
  CardanoTransaction transaction_;
  std::uint32_t seen_ = 0;            // a bit for each key below 32
  std::uint32_t passed_outputs_ = 0;  // of an invalid transaction
};

Result<CardanoTransaction> BodyReader::Read() {
  const std::size_t begin = cursor_.offset();
  CborItems fields = TALEA_TRY(cursor_.Map("the transaction's body"));
  while (TALEA_TRY(cursor_.More(fields))) {
    const std::size_t offset = cursor_.offset();
    const std::uint64_t key = TALEA_TRY(cursor_.Unsigned("a key of the transaction's body"));
    TALEA_TRY(NoteKey(key, offset));
    TALEA_TRY(ReadField(key));
  }
  TALEA_TRY(CheckKeys(begin));
  transaction_.hash = Blake2b256(cursor_.Since(begin));
  MakeUnique(transaction_.consumed);
  NameOutputs(transaction_, passed_outputs_);
  return std::move(transaction_);
}

Status BodyReader::ReadField(std::uint64_t key) {
  const bool valid = transaction_.valid;
  if (key == (valid ? kInputs : kCollateral)) return ReadReferences();
  if (key == kOutputs) return valid ? ReadOutputs() : CountOutputs();
  if (key == kCollateralReturn && !valid) return ReadCollateralReturn();
  if (key == kFee) {
    transaction_.fee = TALEA_TRY(cursor_.Unsigned("the fee"));
    return {};
  }
  TALEA_TRY(cursor_.Skip());
  return {};
}

Status BodyReader::ReadReferences() {
  cursor_.TagIfThere(kSet);
  CborItems inputs = TALEA_TRY(cursor_.Array("the inputs"));
  transaction_.consumed.reserve(inputs.Room());
  while (TALEA_TRY(cursor_.More(inputs)))
    transaction_.consumed.push_back(TALEA_TRY(ReadReference(cursor_)));
  return {};
}

Status BodyReader::ReadOutputs() {
  CborItems outputs = TALEA_TRY(cursor_.Array("the outputs"));
  transaction_.produced.reserve(outputs.Room());
  while (TALEA_TRY(cursor_.More(outputs)))
    transaction_.produced.push_back(TALEA_TRY(ReadOutput(cursor_, era_, joined_)));
  return {};
}

Status BodyReader::CountOutputs() {
  CborItems outputs = TALEA_TRY(cursor_.Array("the outputs"));
  for (; TALEA_TRY(cursor_.More(outputs)); ++passed_outputs_) TALEA_TRY(cursor_.Skip());
  return {};
}

Status BodyReader::ReadCollateralReturn() {
  transaction_.produced.push_back(TALEA_TRY(ReadOutput(cursor_, era_, joined_)));
  return {};
}

Status BodyReader::NoteKey(std::uint64_t key, std::size_t offset) {
  if (key >= 32) return {};
  const std::uint32_t bit = std::uint32_t{1} << key;
  if (seen_ & bit)
    return cursor_.Wrong(
        offset, fmt::format("expected each key of a transaction's body once, found {} again", key));
  seen_ |= bit;
  return {};
}

Status BodyReader::CheckKeys(std::size_t offset) const {
  for (const std::uint64_t key : {kInputs, kOutputs, kFee}) {
    if (!(seen_ >> key & 1))
      return cursor_.Wrong(
          offset,
          fmt::format("expected a transaction's body with keys 0, 1 and 2, found none with {}",
                      key));
  }
  return {};
}

}  // namespace

Result<CardanoTransaction> ReadTransactionBody(CborCursor& cursor, CardanoEra era, bool valid,
                                               SteadyBytes& joined) {
  return BodyReader(cursor, era, valid, joined).Read();
}

}  // namespace talea::cardano
