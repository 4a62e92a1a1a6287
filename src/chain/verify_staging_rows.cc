#include "chain/keys.h"
#include "chain/staged_row.h"
#include "chain/verify_rows.h"
#include "coordination/damaged.h"

namespace talea::chain {
namespace {

class StagingRows final : public RowCheck {
 public:
  explicit StagingRows(const CheckedDatabase& database) : database_(database) {}

  void Check(const Row& row, Problems& problems) override {
    const Result<WriteBatch::Operation> write = ReadStagedRow(row);
    if (!write) Note(row.key, std::unexpected(write.error()), problems);
    if (!std::exchange(any_, true)) Note(row.key, CheckHeader(), problems);
  }

 private:
  // All rows belong to one batch, so it is asked for once.
  Status CheckHeader() const {
    if (!database_.complete) return {};
    const auto header = database_.Find(kChainKeyspace, StagingHeaderKey());
    if (!header || *header) return {};
    return Damaged("staged row", "the header of its batch", "none");
  }

  void Note(ByteView key, const Status& status, Problems& problems) const {
    database_.Note(kChainStagingKeyspace, key, status, problems);
  }

  const CheckedDatabase database_;
  bool any_ = false;
};

}  // namespace

std::unique_ptr<RowCheck> MakeStagingRowCheck(const CheckedDatabase& database) {
  return std::make_unique<StagingRows>(database);
}

}  // namespace talea::chain
