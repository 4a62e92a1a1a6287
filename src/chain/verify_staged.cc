#include "chain/verify_staged.h"

#include "chain/codec.h"
#include "chain/keys.h"
#include "chain/staged_reader.h"

namespace talea::chain {
namespace {

bool IsStaged(const CheckedDatabase& database) {
  const auto value = database.Find(kChainKeyspace, StagingHeaderKey());
  if (!value || !*value) return false;
  const Result<StagingHeader> header = DecodeStagingHeader(**value);
  return header && header->in;
}

CheckedDatabase OverStaged(const CheckedDatabase& database) {
  return {.name = database.name,
          .keyspaces = database.keyspaces,
          .reader = std::make_shared<StagedReader>(database.reader),
          .complete = database.complete};
}

class StagedRows final : public RowCheck {
 public:
  StagedRows(const Keyspace& keyspace, const CheckedDatabase& seen, std::unique_ptr<RowCheck> check)
      : keyspace_(keyspace), reader_(seen.reader), check_(std::move(check)) {}

  void Check(const Row&, Problems&) override {}

  // Where it cannot go on, that is the problem of a row in chain-staging.
  void Finish(Problems& problems) override {
    Scanner rows(*reader_, keyspace_, KeyRange::All());
    Result<std::optional<Row>> row = rows.Next();
    for (; row && *row; row = rows.Next()) check_->Check(**row, problems);
    if (row) check_->Finish(problems);
  }

 private:
  const Keyspace keyspace_;
  const std::shared_ptr<Reader> reader_;
  const std::unique_ptr<RowCheck> check_;
};

}  // namespace

std::unique_ptr<RowCheck> CheckOverStaged(
    const Keyspace& keyspace, const CheckedDatabase& database,
    std::unique_ptr<RowCheck> (*make)(const CheckedDatabase& database)) {
  if (!IsStaged(database)) return make(database);
  const CheckedDatabase seen = OverStaged(database);
  return std::make_unique<StagedRows>(keyspace, seen, make(seen));
}

}  // namespace talea::chain
