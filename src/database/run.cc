#include "database/run.h"

#include <fmt/format.h>

namespace talea {
namespace {

class Run {
 public:
  Run(const RunRequest& request, Retries retries)
      : request_(request), retries_(std::move(retries)) {}

  Result<std::size_t> UntilDecided();

 private:
  enum class Done { wrote, only_read, to_be_made_anew };

  // The place of the attempt that was committed; nothing if it is to be made anew.
  Result<std::optional<std::size_t>> TryOnce();
  Result<Done> Perform(Transaction& transaction);
  Result<std::optional<std::size_t>> Fence();
  Status Commit(Transaction& transaction, Durability durability, WriteBatch beside);

  bool MayTryAgain(const Error& error) const {
    return error.retryable() || (commit_unknown_ && request_.guard.FindsOut());
  }
  // Whether this outcome is only true if no earlier attempt happens any more. A commit that wrote
  // has seen to that itself.
  bool NeedsFence(const Result<Done>& outcome) const {
    if (undecided_ == 0 || !request_.guard.FindsOut()) return false;
    return outcome ? *outcome == Done::only_read : !MayTryAgain(outcome.error());
  }
  std::unexpected<Error> Failed(const Error& error) const;
  std::unexpected<Error> GaveUp(const Error& error) const;

  const RunRequest& request_;
  Retries retries_;
  std::size_t undecided_ = 0;    // attempts that may have been committed, or may still be
  bool commit_unknown_ = false;  // the last step ended with the engine not knowing
};

Result<std::size_t> Run::UntilDecided() {
  while (true) {
    const Result<std::optional<std::size_t>> tried = TryOnce();
    if (tried && *tried) return **tried;
    if (tried) continue;
    if (!MayTryAgain(tried.error())) return Failed(tried.error());
    if (!retries_.Again()) return GaveUp(tried.error());
  }
}

Result<std::optional<std::size_t>> Run::TryOnce() {
  commit_unknown_ = false;
  Transaction transaction(request_.engine);
  if (undecided_ > 0) {
    const std::optional<std::size_t> happened = TALEA_TRY(request_.guard.FindOut(transaction));
    if (happened) return happened;
  }
  const std::size_t place = undecided_;
  const Result<Done> outcome = Perform(transaction);
  if (NeedsFence(outcome)) {
    const std::optional<std::size_t> happened = TALEA_TRY(Fence());
    if (happened) return happened;
  }
  if (!outcome) return std::unexpected(outcome.error());
  if (*outcome == Done::to_be_made_anew) return std::nullopt;
  return place;
}

Result<Run::Done> Run::Perform(Transaction& transaction) {
  TALEA_TRY(request_.attempt(transaction, request_.now, undecided_));
  std::optional<WriteBatch> mark = TALEA_TRY(request_.guard.Mark(transaction, undecided_));
  if (!mark) return Done::to_be_made_anew;
  const bool writes = transaction.has_writes() || !mark->empty();
  const Status committed = Commit(transaction, request_.durability, std::move(*mark));
  if (commit_unknown_) ++undecided_;
  TALEA_TRY(committed);
  return writes ? Done::wrote : Done::only_read;
}

Result<std::optional<std::size_t>> Run::Fence() {
  Transaction fence(request_.engine);
  const std::optional<std::size_t> happened = TALEA_TRY(request_.guard.FindOut(fence));
  if (happened) return happened;
  TALEA_TRY(Commit(fence, Durability::buffered, request_.guard.Fence()));
  undecided_ = 0;
  return std::nullopt;
}

Status Run::Commit(Transaction& transaction, Durability durability, WriteBatch beside) {
  const Result<Version> version = transaction.Commit(durability, std::move(beside));
  if (version) return {};
  commit_unknown_ = version.error().code() == ErrorCode::outcome_unknown;
  return std::unexpected(version.error());
}

std::unexpected<Error> Run::Failed(const Error& error) const {
  if (undecided_ == 0 || error.code() == ErrorCode::outcome_unknown) return std::unexpected(error);
  return Fail(ErrorCode::outcome_unknown,
              fmt::format("transaction: whether it was committed cannot be found out after {}: {}",
                          retries_.Spent(), error.message()));
}

std::unexpected<Error> Run::GaveUp(const Error& error) const {
  return Fail(undecided_ == 0 ? error.code() : ErrorCode::outcome_unknown,
              fmt::format("transaction: gave up after {}, the last of which ended with {}: {}",
                          retries_.Spent(), Name(error.code()), error.message()));
}

}  // namespace

Result<std::size_t> RunUntilDecided(const RunRequest& request, Retries retries) {
  return Run(request, std::move(retries)).UntilDecided();
}

}  // namespace talea
