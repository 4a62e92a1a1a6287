#include "chain/codec.h"
#include "chain/verify_ledger.h"
#include "chain/verify_rows.h"
#include "coordination/damaged.h"

namespace talea::chain {
namespace {

class CursorRows final : public RowCheck {
 public:
  explicit CursorRows(const CheckedDatabase& database) : database_(database) {}

  void Check(const Row& row, Problems& problems) override {
    database_.Note(kStateCursorKeyspace, row.key, CheckRow(row), problems);
  }

 private:
  static Status CheckRow(const Row& row) {
    if (row.key != kCursorKey) return Damaged("cursor", "no row but that of key 00", "another");
    TALEA_TRY(DecodePoint(row.value));
    return {};
  }

  const CheckedDatabase database_;
};

class OutputRows final : public RowCheck {
 public:
  explicit OutputRows(const CheckedDatabase& database) : database_(database) {}

  void Check(const Row& row, Problems& problems) override {
    database_.Note(kStateUtxosKeyspace, row.key, CheckRow(row), problems);
  }

  void Finish(Problems& problems) override {
    if (outputs_ == 0 || !BelongTogether(database_)) return;
    CompareCount(database_, "ledger", outputs_, "outputs", CountKey(ChainCount::outputs), problems);
  }

 private:
  Status CheckRow(const Row& row) {
    TALEA_TRY(ReferenceOfKey(row.key));
    ++outputs_;
    TALEA_TRY(OutputValue::FromStored(std::string(row.value)));
    return {};
  }

  const CheckedDatabase database_;
  std::int64_t outputs_ = 0;
};

}  // namespace

std::unique_ptr<RowCheck> MakeCursorRowCheck(const CheckedDatabase& database) {
  return std::make_unique<CursorRows>(database);
}

std::unique_ptr<RowCheck> MakeOutputRowCheck(const CheckedDatabase& database) {
  return std::make_unique<OutputRows>(database);
}

}  // namespace talea::chain
