#include "cardano/shelley.h"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "cardano/hash.h"
#include "cardano/transaction_body.h"

namespace talea::cardano {
namespace {

class ShelleyBlockReader {
 public:
  ShelleyBlockReader(CborCursor& cursor, CardanoEra era, SteadyBytes& joined)
      : cursor_(cursor), era_(era), joined_(joined) {}

  Result<BlockContents> Read();

 private:
  Status ReadHeader();
  Status ReadHeaderBody();
  Status ReadTransactions();
  Status ReadInvalidPlaces();
  Status Invalidate(std::size_t place);

  CborCursor& cursor_;
  const CardanoEra era_;
  SteadyBytes& joined_;
  BlockContents block_;
  std::vector<ByteView> bodies_;
};

Result<BlockContents> ShelleyBlockReader::Read() {
  const bool says_invalid = era_ >= CardanoEra::alonzo;
  const CborItems block = TALEA_TRY(cursor_.Record("the block", says_invalid ? 5 : 4));
  TALEA_TRY(ReadHeader());
  TALEA_TRY(ReadTransactions());
  TALEA_TRY(cursor_.Skip());
  TALEA_TRY(cursor_.Skip());
  if (says_invalid) TALEA_TRY(ReadInvalidPlaces());
  TALEA_TRY(cursor_.Close(block));
  return std::move(block_);
}

// [body, signature]
Status ShelleyBlockReader::ReadHeader() {
  const std::size_t begin = cursor_.offset();
  const CborItems header = TALEA_TRY(cursor_.Record("the header", 2));
  TALEA_TRY(ReadHeaderBody());
  TALEA_TRY(cursor_.Skip());
  TALEA_TRY(cursor_.Close(header));
  block_.hash = Blake2b256(cursor_.Since(begin));
  return {};
}

// [number, slot, parent's hash or null, ..]
Status ShelleyBlockReader::ReadHeaderBody() {
  const CborItems body = TALEA_TRY(cursor_.LongRecord("the header's body", 3));
  block_.number = TALEA_TRY(cursor_.Unsigned("the block's number"));
  block_.slot = TALEA_TRY(cursor_.Unsigned("the slot"));
  if (cursor_.Peek() == CborKind::null) {
    TALEA_TRY(cursor_.Null("the parent's hash"));
  } else {
    block_.parent = TALEA_TRY(ReadHash(cursor_, "the parent's hash"));
  }
  return cursor_.Close(body);
}

// As if all were valid: that is known behind them only, and few are not.
Status ShelleyBlockReader::ReadTransactions() {
  CborItems bodies = TALEA_TRY(cursor_.Array("the transactions"));
  block_.transactions.reserve(bodies.Room());
  bodies_.reserve(bodies.Room());
  while (TALEA_TRY(cursor_.More(bodies))) {
    const std::size_t begin = cursor_.offset();
    block_.transactions.push_back(TALEA_TRY(
        InTransaction(bodies_.size(), ReadTransactionBody(cursor_, era_, true, joined_))));
    bodies_.push_back(cursor_.Since(begin));
  }
  return {};
}

Status ShelleyBlockReader::ReadInvalidPlaces() {
  CborItems places = TALEA_TRY(cursor_.Array("the places of invalid transactions"));
  while (TALEA_TRY(cursor_.More(places))) {
    const std::size_t begin = cursor_.offset();
    const std::uint64_t place = TALEA_TRY(cursor_.Unsigned("the place of an invalid transaction"));
    if (place >= bodies_.size())
      return cursor_.Wrong(begin,
                           fmt::format("expected the place of one of {} transactions, found {}",
                                       bodies_.size(), place));
    TALEA_TRY(Invalidate(place));
  }
  return {};
}

Status ShelleyBlockReader::Invalidate(std::size_t place) {
  if (!block_.transactions[place].valid) return {};
  CborCursor body = cursor_.Over(bodies_[place]);
  block_.transactions[place] =
      TALEA_TRY(InTransaction(place, ReadTransactionBody(body, era_, false, joined_)));
  return {};
}

}  // namespace

Result<BlockContents> ReadShelleyBlock(CborCursor& cursor, CardanoEra era, SteadyBytes& joined) {
  return ShelleyBlockReader(cursor, era, joined).Read();
}

}  // namespace talea::cardano
