// Batches that are staged, and what readers see of them. For tests alone.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "chain/keys.h"
#include "chain/staged_reader.h"
#include "chain/staging.h"
#include "coordination/coordination_for_test.h"
#include "talea/testing/random.h"
#include "talea/testing/simulation.h"

namespace talea::chain {

inline Status Anything(Transaction&) { return {}; }

// A simulation that knows the keyspaces of a ledger, in which nothing goes wrong.
inline Simulation MakeCalmSimulation(
    SimulationProfile profile = SimulationProfile::FoundationDb()) {
  return Simulation::Make(KeyspacesForTest(), profile.WithoutFaults(), TestSeed()).value();
}

inline Result<StagingState> ReadState(Reader& reader) {
  return ReadStagingState(TALEA_TRY(reader.Get(kChainKeyspace, StagingHeaderKey())));
}

// What a view of a ledger reads from: the newest state, with what is staged and in.
inline Result<std::shared_ptr<Reader>> OpenReader(Engine& engine) {
  std::shared_ptr<Reader> snapshot = TALEA_TRY(engine.OpenSnapshot());
  if (TALEA_TRY(ReadState(*snapshot)) != StagingState::in) return snapshot;
  return std::make_shared<StagedReader>(std::move(snapshot));
}

// Every row that a reader of the ledger sees, by keyspace id and key.
inline Result<StoredRows> ReadLedger(Engine& engine) {
  const std::shared_ptr<Reader> reader = TALEA_TRY(OpenReader(engine));
  StoredRows all;
  for (const Keyspace& keyspace : engine.keyspaces().all()) {
    if (!MayBeStaged(keyspace.id) && keyspace.id != kRows.id) continue;
    Scanner rows(*reader, keyspace, KeyRange::All());
    while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
      const bool own = keyspace.id == kChainKeyspace.id &&
                       (row->key == StagingHeaderKey() || row->key == LastStagedKey());
      if (!own) all.emplace(std::pair(int{keyspace.id}, std::string(row->key)), row->value);
    }
  }
  return all;
}

// Stages the writes as a batch that is in, and not settled.
inline Status StageAndEnter(Engine& engine, const WriteBatch& writes) {
  Staging staging = TALEA_TRY(Staging::Begin(engine, Anything));
  TALEA_TRY(staging.Add(writes));
  return staging.Enter(Anything, Durability::buffered);
}

}  // namespace talea::chain
