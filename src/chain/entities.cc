#include "chain/entities.h"

#include <fmt/format.h>

#include "base/coding.h"

namespace talea::chain {
namespace {

constexpr std::size_t kLongestName = 255;
constexpr std::size_t kLongestValue = 4096;  // it is part of a key

std::unexpected<Error> Collision(std::string_view name, ByteView other) {
  return Fail(ErrorCode::already_exists,
              fmt::format("namespace {}: expected its hash {:016x} to be its own, found that of "
                          "namespace {}",
                          Quoted(name), HashNamespace(name).number, Quoted(other)));
}

std::unexpected<Error> TooLong(const ValueWrite& write) {
  return Fail(ErrorCode::invalid_argument,
              fmt::format("namespace {}, key {}: expected a value of at most {} bytes, found {}",
                          Quoted(write.name_space), write.key.ToString(), kLongestValue,
                          write.value.size()));
}

}  // namespace

Result<EntityPlan::Namespace*> EntityPlan::Enter(std::string_view name, bool written) {
  if (name.size() > kLongestName) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("namespace {}: expected a name of at most {} bytes, found {}",
                            Quoted(name), kLongestName, name.size()));
  }
  const auto [found, made] = namespaces_.try_emplace(HashNamespace(name), Namespace{name});
  if (!made && found->second.name != name) return Collision(name, found->second.name);
  found->second.written |= written;
  return &found->second;
}

Status EntityPlan::Ask(Lookups& lookups) {
  for (const EntityWrite& write : entities_) {
    Namespace* name_space = TALEA_TRY(Enter(write.name_space, write.value.has_value()));
    entity_rows_.insert_or_assign(EntityRowKey(HashNamespace(write.name_space), write.key),
                                  RowChange{name_space, write.value});
  }
  for (const ValueWrite& write : values_) {
    if (write.value.size() > kLongestValue) return TooLong(write);
    Namespace* name_space = TALEA_TRY(Enter(write.name_space, !write.remove));
    value_rows_.insert_or_assign(
        ValueKey(HashNamespace(write.name_space), write.key, write.value),
        RowChange{name_space, write.remove ? std::nullopt : std::optional(ByteView())});
  }
  for (const CounterAdd& add : counters_) {
    TALEA_TRY(Enter(add.name_space, true));
    std::int64_t& sum = counter_rows_[EntityRowKey(HashNamespace(add.name_space), add.key)];
    sum = WrappingAdd(sum, add.delta);
  }
  for (auto& [hash, name_space] : namespaces_) {
    name_space.lookup = lookups.AskOwned(kChainKeyspace, NamespaceKey(hash));
  }
  for (auto& [key, change] : entity_rows_) {
    change.lookup = lookups.Ask(kStateEntitiesKeyspace, key);
  }
  for (auto& [key, change] : value_rows_) change.lookup = lookups.Ask(kChainKeyspace, key);
  return {};
}

Status EntityPlan::Check(const Lookups& lookups) const {
  for (const auto& [hash, name_space] : namespaces_) {
    const std::optional<std::string>& registered = lookups.Found(name_space.lookup);
    if (registered && *registered != name_space.name) {
      return Collision(name_space.name, *registered);
    }
  }
  return {};
}

std::int64_t EntityPlan::WriteRow(const Keyspace& keyspace, const std::string& key,
                                  const RowChange& change, const Lookups& lookups, StepSink& sink) {
  const std::optional<std::string>& stored = lookups.Found(change.lookup);
  if (!change.value) {
    if (stored) sink.Erase(keyspace, key, *stored);
    return stored ? -1 : 0;
  }
  if (!stored || *stored != *change.value) sink.Put(keyspace, key, stored, *change.value);
  return stored ? 0 : 1;
}

void EntityPlan::Write(const Lookups& lookups, StepSink& sink) {
  for (const auto& [key, change] : entity_rows_) {
    change.name_space->entities += WriteRow(kStateEntitiesKeyspace, key, change, lookups, sink);
  }
  for (const auto& [key, change] : value_rows_) {
    change.name_space->values += WriteRow(kChainKeyspace, key, change, lookups, sink);
  }
  for (const auto& [key, delta] : counter_rows_) {
    if (delta != 0) sink.Add(kChainCountersKeyspace, key, delta);
  }
  for (const auto& [hash, name_space] : namespaces_) {
    if (name_space.written && !lookups.Found(name_space.lookup)) {
      sink.Insert(kChainKeyspace, NamespaceKey(hash), name_space.name);
    }
    const std::pair<ChainCount, std::int64_t> counts[] = {
        {ChainCount::entities, name_space.entities}, {ChainCount::values, name_space.values}};
    for (const auto& [count, delta] : counts) {
      if (delta != 0) sink.Add(kChainCountsKeyspace, CountKey(count, hash), delta);
    }
  }
}

}  // namespace talea::chain
