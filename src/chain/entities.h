// What a step does to entities, to multi-value keys and to counters, and to the namespaces they are
// in.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "chain/keys.h"
#include "chain/lookups.h"
#include "chain/step_sink.h"
#include "talea/chain_types.h"

namespace talea::chain {

// The writes of a step, brought down to one for each key: the last one counts, and adds to one
// counter become one. A namespace that is new registers itself.
//
// Call Ask, then read the lookups, then Check, then Write.
class EntityPlan {
 public:
  EntityPlan(std::span<const EntityWrite> entities, std::span<const ValueWrite> values,
             std::span<const CounterAdd> counters)
      : entities_(entities), values_(values), counters_(counters) {}

  // Fails if two namespaces have the same hash, or a name is too long.
  Status Ask(Lookups& lookups);

  // Fails if a namespace has the hash of another that is registered.
  Status Check(const Lookups& lookups) const;

  void Write(const Lookups& lookups, StepSink& sink);

 private:
  struct Namespace {
    std::string_view name;
    bool written = false;  // something is put there, or added
    std::size_t lookup = 0;
    std::int64_t entities = 0;  // how many more there are
    std::int64_t values = 0;
  };
  struct RowChange {
    Namespace* name_space;
    std::optional<ByteView> value;  // what it becomes
    std::size_t lookup = 0;
  };

  Result<Namespace*> Enter(std::string_view name, bool written);
  // One row of a keyspace, by the rules of entities and values alike; returns how many more there
  // are.
  static std::int64_t WriteRow(const Keyspace& keyspace, const std::string& key,
                               const RowChange& change, const Lookups& lookups, StepSink& sink);

  const std::span<const EntityWrite> entities_;
  const std::span<const ValueWrite> values_;
  const std::span<const CounterAdd> counters_;
  std::map<NamespaceHash, Namespace> namespaces_;
  std::map<std::string, RowChange> entity_rows_;
  std::map<std::string, RowChange> value_rows_;
  std::map<std::string, std::int64_t> counter_rows_;
};

}  // namespace talea::chain
