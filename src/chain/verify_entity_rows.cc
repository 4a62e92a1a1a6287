#include <fmt/format.h>

#include "chain/verify_ledger.h"
#include "chain/verify_rows.h"
#include "coordination/damaged.h"

namespace talea::chain {
namespace {

class EntityRows final : public RowCheck {
 public:
  explicit EntityRows(const CheckedDatabase& database)
      : database_(database), counts_(database, ChainCount::entities, "entities") {}

  void Check(const Row& row, Problems& problems) override {
    database_.Note(kStateEntitiesKeyspace, row.key, CheckRow(row, problems), problems);
  }

  void Finish(Problems& problems) override { counts_.Finish(problems); }

 private:
  Status CheckRow(const Row& row, Problems& problems) {
    const EntityKeyParts parts = TALEA_TRY(PartsOfEntityKey(row.key));
    return counts_.Take(parts.name_space, problems);
  }

  const CheckedDatabase database_;
  NamespaceCounts counts_;
};

class EntityCounterRows final : public RowCheck {
 public:
  explicit EntityCounterRows(const CheckedDatabase& database)
      : database_(database), namespaces_(database) {}

  void Check(const Row& row, Problems& problems) override {
    database_.Note(kChainCountersKeyspace, row.key, CheckRow(row), problems);
  }

 private:
  Status CheckRow(const Row& row) {
    const EntityKeyParts parts = TALEA_TRY(PartsOfEntityKey(row.key, kChainCountersKeyspace));
    return namespaces_.Check("counter", parts.name_space);
  }

  const CheckedDatabase database_;
  KnownNamespaces namespaces_;
};

// Where there are rows to be counted, they are compared with the count as they come by.
class CountRows final : public RowCheck {
 public:
  explicit CountRows(const CheckedDatabase& database)
      : database_(database), namespaces_(database), judged_(BelongTogether(database)) {}

  void Check(const Row& row, Problems& problems) override {
    database_.Note(kChainCountsKeyspace, row.key, CheckRow(row), problems);
  }

 private:
  struct Counted {
    const Keyspace* keyspace;
    KeyRange rows;
    std::string_view plural;
  };

  static Counted CountedBy(const CountKeyParts& parts) {
    switch (parts.count) {
      case ChainCount::outputs:
        return {&kStateUtxosKeyspace, KeyRange::All(), "outputs"};
      case ChainCount::coin:
        return {&kChainNotesKeyspace, KeyRange::All(), "outputs with coin"};
      case ChainCount::entities:
        return {&kStateEntitiesKeyspace, EntityKeys(*parts.name_space), "entities"};
      case ChainCount::values:
        break;
    }
    return {&kChainKeyspace, ValueKeys(*parts.name_space), "values"};
  }

  Status CheckRow(const Row& row) {
    const CountKeyParts parts = TALEA_TRY(PartsOfCountKey(row.key));
    if (parts.name_space) TALEA_TRY(namespaces_.Check("count", *parts.name_space));
    const Counted counted = CountedBy(parts);
    if (!judged_ || HasRows(database_, *counted.keyspace, counted.rows) != false) return {};
    return Damaged("count", fmt::format("{} to be counted", counted.plural), "none");
  }

  const CheckedDatabase database_;
  KnownNamespaces namespaces_;
  const bool judged_;
};

}  // namespace

std::unique_ptr<RowCheck> MakeEntityRowCheck(const CheckedDatabase& database) {
  return std::make_unique<EntityRows>(database);
}

std::unique_ptr<RowCheck> MakeEntityCounterRowCheck(const CheckedDatabase& database) {
  return std::make_unique<EntityCounterRows>(database);
}

std::unique_ptr<RowCheck> MakeCountRowCheck(const CheckedDatabase& database) {
  return std::make_unique<CountRows>(database);
}

}  // namespace talea::chain
