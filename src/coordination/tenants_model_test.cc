// Two tenants and their erasures are two plain maps, whatever goes wrong meanwhile.
#include <gtest/gtest.h>

#include <map>
#include <ostream>

#include "base/coding.h"
#include "coordination/coordination_for_test.h"
#include "keyspace/registry.h"
#include "talea/tenants.h"
#include "talea/testing/model_test.h"
#include "talea/transaction.h"

namespace talea {
namespace {

struct Contents {
  std::map<std::string, std::string> rows;
  std::map<std::string, std::int64_t> counts;
  friend bool operator==(const Contents&, const Contents&) = default;
};

struct TenantOperation {
  enum class Kind : std::uint8_t { put, add, append, erase_from, erase_before, erase_tenant };
  Kind kind;
  bool second = false;  // of the two tenants
  std::string key;
  std::int64_t delta = 0;

  const char* tenant() const { return second ? "b" : "a"; }
};

std::ostream& operator<<(std::ostream& out, const TenantOperation& operation) {
  constexpr const char* kNames[] = {"put",        "add",          "append",
                                    "erase_from", "erase_before", "erase_tenant"};
  return out << operation.tenant() << "." << kNames[static_cast<int>(operation.kind)] << "("
             << Quoted(operation.key) << ", " << operation.delta << ")";
}

struct TenantsSystem {
  using Model = std::pair<Contents, Contents>;
  using Operation = TenantOperation;
  using Kind = Operation::Kind;

  static std::vector<Keyspace> Keyspaces() { return KeyspacesForTest(); }

  static Operation Generate(Random& random) {
    constexpr Kind kOften[] = {Kind::put,    Kind::put,        Kind::add,          Kind::add,
                               Kind::append, Kind::erase_from, Kind::erase_before, Kind::append};
    static const std::vector<std::string> kKeys{"", {"\0", 1}, "a", "ab", "b", "\xff", "\xff\xff"};
    const Kind kind = random.Below(25) == 0 ? Kind::erase_tenant : kOften[random.Below(8)];
    return {kind, random.Below(2) == 1, kKeys[random.Below(kKeys.size())], random.Between(-2, 2)};
  }

  static Status ApplyToModel(Model& model, const Operation& operation) {
    Contents& tenant = operation.second ? model.second : model.first;
    const std::string& key = operation.key;
    switch (operation.kind) {
      case Kind::put:
        tenant.rows[key] = std::to_string(operation.delta);
        break;
      case Kind::append:
        tenant.rows[key] += "+";
        break;
      case Kind::add:
        if ((tenant.counts[key] += operation.delta) == 0) tenant.counts.erase(key);
        break;
      case Kind::erase_from:
        tenant.rows.erase(tenant.rows.lower_bound(key), tenant.rows.end());
        break;
      case Kind::erase_before:
        tenant.counts.erase(tenant.counts.begin(), tenant.counts.lower_bound(key));
        break;
      case Kind::erase_tenant:
        tenant = {};
        break;
    }
    return {};
  }

  explicit TenantsSystem(Engine& its_engine)
      : engine(std::shared_ptr<Engine>(), &its_engine) {}  // it outlives this

  Status Apply(const Operation& operation) {
    Tenants tenants = TALEA_TRY(Tenants::Over(engine));
    const std::unique_ptr<Engine> tenant = TALEA_TRY(tenants.Open(operation.tenant()));
    if (operation.kind == Kind::erase_tenant) return Erase(tenants, *tenant, operation);
    Transaction transaction(*tenant);
    if (operation.kind == Kind::append) {
      const auto value = TALEA_TRY(transaction.Get(kRows, operation.key));
      transaction.Put(kRows, operation.key, value.value_or("") + "+");
    }
    if (operation.kind == Kind::put)
      transaction.Put(kRows, operation.key, std::to_string(operation.delta));
    if (operation.kind == Kind::add) transaction.Add(kCounts, operation.key, operation.delta);
    if (operation.kind == Kind::erase_from)
      transaction.EraseRange(kRows, KeyRange::From(operation.key));
    if (operation.kind == Kind::erase_before)
      transaction.EraseRange(kCounts, KeyRange::Before(operation.key));
    TALEA_TRY(transaction.Commit());
    return {};
  }

  // Whoever has it open can do nothing more.
  static Status Erase(Tenants& tenants, Engine& open, const Operation& operation) {
    Transaction transaction(open);
    TALEA_TRY(transaction.Get(kRows, operation.key));
    transaction.Put(kRows, operation.key, "late");
    TALEA_TRY(tenants.Erase(operation.tenant()));
    CommitRequest blind;
    blind.batch.Put(kRows, operation.key, "later");
    for (const Result<Version>& late : {transaction.Commit(), open.Commit(std::move(blind))}) {
      if (late) return Fail(ErrorCode::corruption, "a commit came after the erasure");
      if (late.error().retryable() || late.error().code() == ErrorCode::outcome_unknown ||
          late.error().code() == ErrorCode::closed)
        continue;  // injected
      if (late.error().code() != ErrorCode::not_found) return std::unexpected(late.error());
    }
    return {};
  }

  Result<Model> Observe() {
    Tenants tenants = TALEA_TRY(Tenants::Over(engine));
    Model model {
      TALEA_TRY(Read(tenants, "a"))
      , TALEA_TRY(Read(tenants, "b"))
    };
    std::size_t expected = 0, found = 0;
    for (const Contents& tenant : {model.first, model.second})
      expected += tenant.rows.size() + tenant.counts.size();
    PagedReader reader(*engine);
    for (const Keyspace& keyspace : {kRows, kCounts}) {
      Scanner rows(reader, keyspace, KeyRange::All());
      while (TALEA_TRY(rows.Next())) ++found;
    }
    if (found == expected) return model;
    return Fail(ErrorCode::corruption, "the host holds rows that are no tenant's");
  }

  static Result<Contents> Read(Tenants& tenants, const char* name) {
    const std::unique_ptr<Engine> tenant = TALEA_TRY(tenants.Open(name));
    PagedReader reader(*tenant);
    Contents contents;
    Scanner rows(reader, kRows, KeyRange::All());
    while (const std::optional<Row> row = TALEA_TRY(rows.Next()))
      contents.rows.emplace(row->key, row->value);
    Scanner counts(reader, kCounts, KeyRange::All(), {.reverse = true});
    while (const std::optional<Row> row = TALEA_TRY(counts.Next()))
      contents.counts.emplace(row->key, DecodeCounter(row->value).value());
    return contents;
  }

  std::shared_ptr<Engine> engine;
};

TEST(TenantsModel, AgreesOnTheEmbeddedProfile) {
  EXPECT_TRUE(AgreesWithModel<TenantsSystem>({.profile = SimulationProfile::RocksDb()}));
}

TEST(TenantsModel, AgreesOnTheClusterProfile) {
  EXPECT_TRUE(AgreesWithModel<TenantsSystem>({.profile = SimulationProfile::FoundationDb()}));
}

}  // namespace
}  // namespace talea
