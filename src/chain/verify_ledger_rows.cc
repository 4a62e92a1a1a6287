#include <fmt/format.h>

#include "chain/codec.h"
#include "chain/verify_ledger.h"
#include "chain/verify_rows.h"
#include "chain/verify_steps.h"
#include "coordination/damaged.h"
#include "talea/tuple_reader.h"

namespace talea::chain {
namespace {

// Rows come by kind: so all steps have come by once there is a point, and all points once there is
// a value.
class LedgerRows final : public RowCheck {
 public:
  explicit LedgerRows(const CheckedDatabase& database)
      : database_(database), steps_(database), values_(database, ChainCount::values, "values") {}

  void Check(const Row& row, Problems& problems) override {
    database_.Note(kChainKeyspace, row.key, CheckRow(row, problems), problems);
  }

  void Finish(Problems& problems) override {
    steps_.EndSteps(problems);
    steps_.EndPoints(problems);
    values_.Finish(problems);
  }

 private:
  Status CheckRow(const Row& row, Problems& problems);
  Status CheckStagingHeader(const Row& row) const;
  Status CheckImportMark(const Row& row) const;
  Status CheckNamespace(const Row& row) const;
  Status CheckValue(const Row& row, Problems& problems);

  const CheckedDatabase database_;
  StepChecks steps_;
  NamespaceCounts values_;
};

Status LedgerRows::CheckRow(const Row& row, Problems& problems) {
  TupleReader reader(row.key);
  const std::uint64_t kind = TALEA_TRY(reader.Uint());
  switch (kind) {
    case static_cast<std::uint64_t>(ChainPrefix::staging):
    case static_cast<std::uint64_t>(ChainPrefix::last_staged):
      return CheckStagingHeader(row);
    case static_cast<std::uint64_t>(ChainPrefix::import_mark):
      return CheckImportMark(row);
    case static_cast<std::uint64_t>(ChainPrefix::name_space):
      return CheckNamespace(row);
    case static_cast<std::uint64_t>(ChainPrefix::step):
      return steps_.TakeStep(row, problems);
    case static_cast<std::uint64_t>(ChainPrefix::point):
      steps_.EndSteps(problems);
      return steps_.TakePoint(row, problems);
    case static_cast<std::uint64_t>(ChainPrefix::value):
      return CheckValue(row, problems);
    default:
      return Damaged("row of a ledger", "a kind that Talea writes", fmt::format("{}", kind));
  }
}

Status LedgerRows::CheckStagingHeader(const Row& row) const {
  if (row.key != StagingHeaderKey() && row.key != LastStagedKey()) {
    return Damaged("header of a staged batch", "a key of one element", "more");
  }
  TALEA_TRY(DecodeStagingHeader(row.value));
  return {};
}

Status LedgerRows::CheckImportMark(const Row& row) const {
  if (row.key != ImportMarkKey()) {
    return Damaged("import of a ledger", "a key of one element", "more");
  }
  return Damaged("import of a ledger", "one that is finished", "one that is not");
}

Status LedgerRows::CheckNamespace(const Row& row) const {
  const NamespaceHash hash = TALEA_TRY(NamespaceOfKey(row.key));
  const NamespaceHash expected = HashNamespace(row.value);
  if (hash == expected) return {};
  return Damaged(fmt::format("namespace {}", Quoted(row.value)),
                 fmt::format("the hash {:016x} in its key", expected.number),
                 fmt::format("{:016x}", hash.number));
}

Status LedgerRows::CheckValue(const Row& row, Problems& problems) {
  const ValueKeyParts parts = TALEA_TRY(PartsOfValueKey(row.key));
  TALEA_TRY(values_.Take(parts.entity.name_space, problems));
  if (row.value.empty()) return {};
  return Damaged("value", "no bytes beside the key", Quoted(row.value));
}

}  // namespace

std::unique_ptr<RowCheck> MakeLedgerRowCheck(const CheckedDatabase& database) {
  return std::make_unique<LedgerRows>(database);
}

}  // namespace talea::chain
