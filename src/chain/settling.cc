// Moves staged rows to their places.
#include "chain/staged_row.h"
#include "chain/staging.h"
#include "chain/staging_commits.h"
#include "coordination/attempts.h"
#include "engine/checks.h"

namespace talea::chain {
namespace {

Status Move(const WriteBatch::Operation& write, Transaction& transaction) {
  const Keyspace* keyspace = transaction.engine().keyspaces().Find(write.keyspace);
  if (keyspace == nullptr) return std::unexpected(UnknownKeyspace(write));
  switch (write.kind) {
    case WriteBatch::Kind::put:
      return transaction.Put(*keyspace, write.key, write.value), Status();
    case WriteBatch::Kind::add:
      return transaction.Add(*keyspace, write.key, write.delta), Status();
    default:
      return transaction.Erase(*keyspace, write.key), Status();
  }
}

// Nobody adds rows to a batch that is in, so what was moved once need not be looked at again.
class Settling {
 public:
  explicit Settling(Engine& engine) : engine_(engine) {}

  // Makes one commit. Returns whether there is nothing left to do.
  Result<bool> MoveSome() {
    Transaction transaction(engine_);
    const std::optional<StagingHeader> header = TALEA_TRY(ReadHeader(transaction));
    if (!header || !header->in || (batch_ && *batch_ != header->batch)) return true;
    batch_ = header->batch;
    const std::optional<KeyRange> left = TALEA_TRY(MoveInto(transaction));
    transaction.EraseRange(kChainStagingKeyspace, left ? left_.EndingAt(left->begin()) : left_);
    if (!left) transaction.Erase(kChainKeyspace, StagingHeaderKey());
    TALEA_TRY(transaction.Commit());
    if (left) left_ = *left;
    return !left;
  }

 private:
  // The rows are read, and recorded, in the commit that erases them: of two who move one, the later
  // conflicts, so that what is added to a counter is added once. Returns what is left.
  Result<std::optional<KeyRange>> MoveInto(Transaction& transaction) const {
    const std::size_t most = MostBytesAtOnce(engine_.limits());
    const Page page = TALEA_TRY(transaction.Range(kChainStagingKeyspace, left_,
                                                  {.row_limit = kMostRows, .byte_limit = most}));
    for (const Row& row : page) {
      const WriteBatch::Operation write = TALEA_TRY(ReadStagedRow(row));
      const std::size_t size = transaction.size() + SizeToMove(engine_.limits(), write);
      if (size > most && transaction.has_writes()) return left_.StartingAt(row.key);
      TALEA_TRY(Move(write, transaction));
    }
    return page.rest();
  }

  static constexpr std::size_t kMostRows = 100'000;

  Engine& engine_;
  std::optional<Uuid> batch_;
  KeyRange left_;
};

}  // namespace

Status SettleStaged(Engine& engine) {
  Settling settling(engine);
  while (!TALEA_TRY(TryUntilDecided([&] { return settling.MoveSome(); }))) {
  }
  return {};
}

}  // namespace talea::chain
