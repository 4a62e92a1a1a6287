#include "database/verify_tenant_rows.h"

#include <fmt/format.h>

#include "coordination/keys.h"
#include "coordination/tenant_keys.h"
#include "database/verify_database_rows.h"
#include "talea/tuple_reader.h"

namespace talea {
namespace {

// Reads the rows behind a tenant's number, in the tenant's terms.
class TenantReader final : public Reader {
 public:
  TenantReader(std::shared_ptr<Reader> host, std::uint64_t number)
      : host_(std::move(host)), prefix_(number) {}

  Result<std::optional<std::string>> Get(const Keyspace& keyspace, ByteView key) override {
    return host_->Get(keyspace, prefix_.Extend(key));
  }

  Result<std::vector<std::optional<std::string>>> MultiGet(
      std::span<const KeyReference> keys) override {
    std::vector<std::string> extended;
    extended.reserve(keys.size());
    std::vector<KeyReference> references;
    for (const KeyReference& key : keys) {
      references.emplace_back(*key.keyspace, extended.emplace_back(prefix_.Extend(key.key)));
    }
    return host_->MultiGet(references);
  }

  Result<Page> Range(const Keyspace& keyspace, const KeyRange& range,
                     const PageOptions& options) override {
    Page page = TALEA_TRY(host_->Range(keyspace, prefix_.Extend(range), options));
    page.RemovePrefix(prefix_.size());
    if (page.more()) page.SetRest(prefix_.Strip(*page.rest()));
    return page;
  }

 private:
  const std::shared_ptr<Reader> host_;
  const TenantPrefix prefix_;
};

// A tenant as a database of its own.
CheckedDatabase TenantDatabase(const CheckedDatabase& host, std::uint64_t number,
                               std::string_view name) {
  return {.name = fmt::format("tenant {}, ", Quoted(name)),
          .keyspaces = host.keyspaces,
          .reader = std::make_shared<TenantReader>(host.reader, number)};
}

// The keys of a tenant lie side by side, so there is one of them at a time.
class TenantRows final : public RowCheck {
 public:
  TenantRows(const Keyspace& keyspace, const CheckedDatabase& host, const TenantNames& tenants)
      : keyspace_(keyspace), host_(host), tenants_(tenants) {}

  void Check(const Row& row, Problems& problems) override {
    TupleReader key(row.key);
    const Result<ElementType> type = key.Type();
    if (keyspace_ == kTaleaKeyspace && type && *type == ElementType::text) {
      return Note(row.key, CheckHostRow(row), problems);
    }
    const Result<std::uint64_t> number = key.Uint();
    if (!number) return Note(row.key, NoTenant(number.error().message()), problems);
    if (number_ != *number) Note(row.key, Begin(*number, problems), problems);
    if (rows_) rows_->Check({key.rest(), row.value}, problems);
  }

  void Finish(Problems& problems) override {
    if (rows_) rows_->Finish(problems);
  }

 private:
  static std::unexpected<Error> NoTenant(std::string_view found) {
    return Fail(ErrorCode::corruption,
                fmt::format("expected a tenant's number at the front, found {}", found));
  }

  Status Begin(std::uint64_t number, Problems& problems) {
    Finish(problems);
    rows_.reset();
    number_ = number;
    const auto found = tenants_.find(number);
    if (found == tenants_.end()) {
      return NoTenant(fmt::format("{}, which no tenant has", number));
    }
    rows_ = MakeDatabaseRowCheck(keyspace_, TenantDatabase(host_, number, found->second));
    return {};
  }

  Status CheckHostRow(const Row& row) const;
  Status CheckTenant(const Row& row) const;
  Status CheckNextNumber(const Row& row) const;

  void Note(ByteView key, const Status& status, Problems& problems) const {
    if (!status) problems.Note(host_.About(keyspace_, key, status.error().message()));
  }

  const Keyspace keyspace_;
  const CheckedDatabase host_;
  const TenantNames& tenants_;
  std::optional<std::uint64_t> number_;  // of the rows at present
  std::unique_ptr<RowCheck> rows_;       // none where no tenant has the number
};

Status TenantRows::CheckHostRow(const Row& row) const {
  if (row.key == SchemaKey()) return CheckSchemaRow(row.value);
  if (row.key == NextTenantKey()) return CheckNextNumber(row);
  if (TenantRowKeys().Contains(row.key)) return CheckTenant(row);
  return Fail(ErrorCode::corruption,
              "expected the schema, a tenant or the number of the next one, found another row");
}

Status TenantRows::CheckTenant(const Row& row) const {
  const std::string name = TALEA_TRY(TenantOfRowKey(row.key));
  TALEA_TRY(CheckName("tenant", name));
  const std::uint64_t number = TALEA_TRY(DecodeTenantNumber(row.key, row.value));
  const auto owner = tenants_.find(number);
  if (owner != tenants_.end() && owner->second != name) {
    return Fail(
        ErrorCode::corruption,
        fmt::format("tenant {}: expected a number of its own, found {}, which is that of {}",
                    Quoted(name), number, Quoted(owner->second)));
  }
  const auto next = TALEA_TRY(host_.Find(kTaleaKeyspace, NextTenantKey()));
  if (next) return {};
  return Fail(ErrorCode::corruption,
              fmt::format("tenant {}: expected a row with the number of the next one, found none",
                          Quoted(name)));
}

Status TenantRows::CheckNextNumber(const Row& row) const {
  const std::uint64_t next = TALEA_TRY(DecodeTenantNumber(row.key, row.value));
  if (tenants_.empty() || tenants_.rbegin()->first < next) return {};
  return Fail(ErrorCode::corruption,
              fmt::format("number of the next tenant: expected one beyond {}, which tenant {} has, "
                          "found {}",
                          tenants_.rbegin()->first, Quoted(tenants_.rbegin()->second), next));
}

}  // namespace

Result<TenantNames> ReadTenantNames(Reader& host) {
  TenantNames tenants;
  Scanner rows(host, kTaleaKeyspace, TenantRowKeys());
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    Result<std::string> name = TenantOfRowKey(row->key);
    const Result<std::uint64_t> number = DecodeTenantNumber(row->key, row->value);
    if (name && number) tenants.emplace(*number, std::move(*name));
  }
  return tenants;
}

std::unique_ptr<RowCheck> MakeTenantRowCheck(const Keyspace& keyspace, const CheckedDatabase& host,
                                             const TenantNames& tenants) {
  return std::make_unique<TenantRows>(keyspace, host, tenants);
}

}  // namespace talea
