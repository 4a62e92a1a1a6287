// Ledgers that are worth exporting, and engines that die while one is imported. For tests alone.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "chain/random_ledger_for_test.h"
#include "engine/forwarding_engine.h"
#include "talea/chain_transfer.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {

// Writes rows of every part, in some steps, the last of which sets the cursor.
inline Status Fill(ChainStore& store, std::uint64_t outputs, std::size_t cbor_bytes = 300) {
  constexpr std::uint64_t kStep = 500;
  for (std::uint64_t first = 0; first < outputs; first += kStep) {
    ChainBatch batch;
    for (std::uint64_t number = first; number < std::min(outputs, first + kStep); ++number) {
      const std::string cbor(cbor_bytes, static_cast<char>(number));
      const std::string tag = "tag" + std::to_string(number % 7);
      const Bytes32 key = HashOf(number);
      Output output{{key, 1}, 5, cbor, number * 1000, {{TagKind::address, tag}}};
      if (number % 3 == 0) output.tags.push_back({TagKind::stake, "stake"});
      batch.ApplyUtxoSet({.produced = {&output, 1}});
      if (number % 4 == 0) batch.WriteEntity(number % 8 == 0 ? "accounts" : "pools", key, cbor);
      if (number % 5 == 0) batch.AddValue("stakes", HashOf(number % 50), tag);
      if (number % 6 == 0) batch.AddToCounter("rewards", key, 7 - std::int64_t(number));
    }
    batch.SetCursor(ChainPoint::Of(first + 1, HashOf(first)));
    TALEA_TRY(store.Commit(batch));
  }
  return {};
}

inline std::string HashOfState(const ChainStore& store) {
  return store.Open().value().StateHash().value().value();
}

// Each test has a folder of its own.
class TransferTest : public ::testing::Test {
 protected:
  TransferTest() {
    std::string name = (std::filesystem::temp_directory_path() / "talea-transfer-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~TransferTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path At(std::string_view name) const { return folder_ / name; }
  std::string Bytes(std::string_view name) const { return ReadWholeFile(At(name)).value(); }
  void Write(std::string_view name, const std::string& bytes) const {
    std::ofstream(At(name), std::ios::binary | std::ios::trunc) << bytes;
  }
  bool Exists(std::string_view name) const { return std::filesystem::exists(At(name)); }
  std::size_t FileCount() const {
    const std::filesystem::directory_iterator files(folder_);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  // An export of a ledger with so many outputs; returns its hash.
  std::string MakeExport(std::string_view name, std::uint64_t outputs) const {
    const std::unique_ptr<Engine> engine = OpenEngineForTest();
    ChainStore store(*engine);
    EXPECT_OK(Fill(store, outputs));
    return ExportChain(store.Open().value(), At(name)).value().state_hash;
  }

 private:
  std::filesystem::path folder_;
};

// Dies in one of its writes, before or after it was made, and from then on refuses everything.
// Where it is said to be shared, imports commit and do not ingest.
class DyingEngine final : public ForwardingEngine {
 public:
  DyingEngine(std::shared_ptr<Engine> inner, int writes, bool applied, bool shared)
      : ForwardingEngine(std::move(inner)),
        left_(writes),
        applied_(applied),
        limits_(this->inner().limits()) {
    limits_.shared = shared;
  }

  bool dead() const { return left_ < 0; }
  const Limits& limits() const override { return limits_; }

  Result<std::unique_ptr<Snapshot>> OpenSnapshot() override {
    if (dead()) return Dead();
    return inner().OpenSnapshot();
  }
  Result<Version> Commit(CommitRequest request) override {
    return Write([&] { return inner().Commit(std::move(request)); });
  }
  Result<Version> Ingest(IngestRequest request) override {
    return Write([&] { return inner().Ingest(std::move(request)); });
  }

 private:
  static std::unexpected<Error> Dead() { return Fail(ErrorCode::closed, "the process has died"); }

  template <class Action>
  Result<Version> Write(Action action) {
    if (dead()) return Dead();
    if (left_-- > 0) return action();
    if (applied_) (void)action();
    return Dead();
  }

  int left_;
  const bool applied_;
  Limits limits_;
};

}  // namespace talea::chain
