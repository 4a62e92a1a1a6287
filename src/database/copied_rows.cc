#include "database/copied_rows.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "coordination/attempts.h"
#include "coordination/keys.h"
#include "coordination/schema.h"

namespace talea {
namespace {

constexpr PageOptions kPage{.row_limit = 10'000, .byte_limit = 1 << 20};

}  // namespace

bool IsCopied(const Keyspace& keyspace, ByteView key) {
  static const std::array left_out{
      PackedPrefix(TaleaPrefix::copy), PackedPrefix(TaleaPrefix::session),
      PackedPrefix(TaleaPrefix::session_slot), PackedPrefix(TaleaPrefix::lease),
      PackedPrefix(TaleaPrefix::lease_expiry)};
  if (keyspace.id != kTaleaKeyspace.id) return true;
  return std::ranges::none_of(left_out,
                              [&](const std::string& prefix) { return key.starts_with(prefix); });
}

Status CheckHoldsOneDatabase(Engine& engine) {
  if (engine.keyspaces().Find(kTaleaKeyspace.id) == nullptr) return {};
  PagedReader reader(engine);
  const auto row =
      TALEA_TRY(TryUntilDecided([&] { return reader.Get(kTaleaKeyspace, SchemaKey()); }));
  if (!row) return {};
  if (TALEA_TRY(DecodeSchema(*row)).layout != Layout::tenants) return {};
  return Fail(ErrorCode::unsupported,
              "expected an engine with one database, found one that holds tenants: name one");
}

Status CheckIsWhole(Engine& engine) {
  if (engine.keyspaces().Find(kTaleaKeyspace.id) == nullptr) return {};
  PagedReader reader(engine);
  return TryUntilDecided([&] { return CheckCopyIsFinished(reader); });
}

Status CheckCanBeCopied(Engine& source) {
  TALEA_TRY(CheckHoldsOneDatabase(source));
  return CheckIsWhole(source);
}

Result<CopiedRows> CopiedRows::Open(Engine& engine) {
  return CopiedRows(engine, TALEA_TRY(SteadyReader::Open(engine)));
}

void CopiedRows::Seek(const std::optional<RowPosition>& after) {
  if (after == position_) return;
  position_ = after;
  page_ = {};
  next_ = 0;
  keyspace_ = 0;
  rest_ = KeyRange::All();
  if (!after) return;
  const std::span<const Keyspace> all = engine_->keyspaces().all();
  while (keyspace_ < all.size() && all[keyspace_].id < after->keyspace) ++keyspace_;
  if (keyspace_ < all.size() && all[keyspace_].id == after->keyspace)
    rest_ = KeyRange::From(KeySuccessor(after->key));
}

Result<std::optional<CopiedRow>> CopiedRows::Peek() {
  while (keyspace_ < engine_->keyspaces().all().size()) {
    for (; next_ < page_.size(); ++next_) {
      if (IsCopied(keyspace(), page_[next_].key)) return CopiedRow{&keyspace(), page_[next_]};
    }
    if (rest_) {
      TALEA_TRY(ReadPage());
    } else {
      ++keyspace_;
      rest_ = KeyRange::All();
    }
  }
  return std::nullopt;
}

void CopiedRows::Take() {
  TALEA_CHECK(next_ < page_.size());
  position_ = {keyspace().id, std::string(page_[next_].key)};
  ++next_;
}

Status CopiedRows::ReadPage() {
  page_ = TALEA_TRY(reader_->Range(keyspace(), *rest_, kPage));
  rest_ = page_.rest();
  next_ = 0;
  return {};
}

}  // namespace talea
