// The suite that checks the contract of talea/engine.h, for our engines and for one of your own.
//
// Link talea_testing and your engine with GoogleTest's main, and write nothing but this:
//
//   #include "talea/testing/engine_contract.h"
//
//   using talea::ContractEngine, talea::EngineContract;
//
//   INSTANTIATE_TEST_SUITE_P(Mine, EngineContract,
//                            testing::Values(ContractEngine{.name = "mine", .open = OpenMine}),
//                            EngineContract::Name);
//
// Every test opens an engine in a folder of its own, which is empty at first and removed
// afterwards, with four keyspaces whose ids are from 200 to 203. What an engine does not do (see
// ContractEngine) is skipped.
//
// Tests that start threads have names that begin with Concurrent: --gtest_filter='*.Concurrent*'
// selects them for the thread sanitizer. Random tests always take the same course, and print how to
// repeat one that failed. The environment can change that:
//   TALEA_SEED=n   another seed
//   TALEA_LONG=1   ten times the steps, and without TALEA_SEED a new seed each time
//   RC_PARAMS=...  overrules both for the random tests that shrink: see RapidCheck
//
// The engine under test must not inject faults. Short pages are fine, and so is snapshot_expired
// while other threads write, on an engine whose limits() state an age.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "talea/engine.h"
#include "talea/keyspace.h"
#include "talea/result.h"

namespace talea {

// An engine as the suite sees it: how it is opened, and what it does.
struct ContractEngine {
  using Opener = std::function<Result<std::unique_ptr<Engine>>(const std::filesystem::path& folder,
                                                               std::vector<Keyspace> keyspaces)>;

  std::string name;  // of letters, digits and '_', for the names of the tests

  // Opens the engine that lives in `folder`. The folder exists; at first it is empty. The suite
  // opens a folder again only after the engine that had it was destroyed.
  Opener open;

  // Opens what Checkpoint wrote to `folder`; empty for an engine without checkpoints.
  Opener open_checkpoint = nullptr;

  // Opening a folder again gives everything that was committed there. False for an engine that
  // lives in memory only.
  bool persists = true;

  // Ingest works.
  bool ingests = true;

  // A commit that has read something may fail with a retryable error though nobody wrote that; more
  // often than not it succeeds. The suite then tries again where another engine has one attempt.
  bool fails_spuriously = false;

  // How much work the larger tests do: 0.1 for an engine whose commits take milliseconds.
  double effort = 1.0;
};

std::ostream& operator<<(std::ostream& out, const ContractEngine& engine);

// The suite. What is declared here is for its own tests.
class EngineContract : public testing::TestWithParam<ContractEngine> {
 public:
  // Names the tests after their engine.
  static std::string Name(const testing::TestParamInfo<ContractEngine>& info);

 protected:
  EngineContract();
  ~EngineContract() override;

  void SetUp() override;
  void TearDown() override;

  Engine& engine() { return *engine_; }

  // A path inside this test's own folder, where nothing exists yet.
  std::filesystem::path Unused(const std::string& name) const { return folder_ / name; }

  // Destroys the engine and opens its folder again, after a Shutdown or without.
  enum class Goodbye { shutdown, none };
  void Reopen(Goodbye goodbye = Goodbye::shutdown);

  // Opens a checkpoint.
  std::unique_ptr<Engine> OpenCheckpoint(const std::filesystem::path& folder);

 private:
  std::unique_ptr<Engine> Open(const ContractEngine::Opener& opener,
                               const std::filesystem::path& folder);

  std::filesystem::path folder_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace talea
