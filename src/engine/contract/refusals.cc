// Commits that are refused: nothing of them is applied, and the error names the culprit.
#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkRefusalTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

// The keyspaces of these ids as somebody would see them who got their patterns wrong. A batch does
// not know better; the engine must.
constexpr Keyspace kCountersMistaken{kCounters.id, AccessPattern::scan, "contract-mistaken"};
constexpr Keyspace kScansMistaken{kScans.id, AccessPattern::counter, "contract-mistaken"};

// The batch, with proper writes before and after its own, is refused, and nothing is changed.
void ExpectRefused(Engine& engine, const WriteBatch& culprit, ErrorCode code,
                   const std::string& named) {
  Write(engine, Writes().Put(kPoints, "kept", "before").Add(kCounters, "kept", 1));
  const Model before = State(engine);

  WriteBatch batch = Writes().Put(kPoints, "kept", "changed").Add(kCounters, "kept", 1);
  batch.Append(culprit);
  batch.Append(Writes().Put(kScans, "created", "").EraseRange(kPoints, KeyRange::All()));
  bool called = false;
  CommitRequest request = Blind(batch);
  request.after_commit = [&](Version) { called = true; };
  const Result<Version> result = engine.Commit(std::move(request));

  ASSERT_ERROR(result, code);
  EXPECT_NE(result.error().message().find(named), std::string::npos)
      << "expected " << named << " in: " << result.error();
  EXPECT_FALSE(called);
  EXPECT_EQ(Difference(before, State(engine)), "");
  Write(engine, Writes().Put(kPoints, "kept", "after"));  // and the engine goes on
}

TEST_P(EngineContract, AWriteToAForeignKeyspaceIsRefused) {
  const std::string id = std::to_string(kForeign.id);
  ExpectRefused(engine(), Writes().Put(kForeign, "key", "value"), ErrorCode::invalid_argument, id);
  ExpectRefused(engine(), Writes().Erase(kForeign, "key"), ErrorCode::invalid_argument, id);
  ExpectRefused(engine(), Writes().EraseRange(kForeign, KeyRange::All()),
                ErrorCode::invalid_argument, id);
}

TEST_P(EngineContract, ABatchWithARefusedWriteIsRefused) {
  ExpectRefused(engine(), Writes().Put(kCounters, "seven bytes", "1234567"),
                ErrorCode::invalid_argument, "seven bytes");
  ExpectRefused(engine(), Writes().Put(kCounters, "nine bytes", "123456789"),
                ErrorCode::invalid_argument, "nine bytes");
  ExpectRefused(engine(), Writes().Put(kCounters, "no bytes", ""), ErrorCode::invalid_argument,
                "no bytes");
  ExpectRefused(engine(), Writes().Add(kPoints, "added to", 1), ErrorCode::invalid_argument,
                "added to");
  ExpectRefused(engine(), Writes().Add(kScans, "added to", 1), ErrorCode::invalid_argument,
                "added to");
}

TEST_P(EngineContract, ABatchWhoseOnlyWriteWasRefusedIsNotTakenForAnEmptyOne) {
  EXPECT_ERROR(engine().Commit(Blind(Writes().Add(kPoints, "key", 1))),
               ErrorCode::invalid_argument);
}

TEST_P(EngineContract, AWriteThatDoesNotFitTheKeyspacesPatternIsRefusedWhateverTheCallerTookItFor) {
  ExpectRefused(engine(), Writes().Put(kCountersMistaken, "mistaken", "not eight"),
                ErrorCode::invalid_argument, "mistaken");
  ExpectRefused(engine(), Writes().Add(kScansMistaken, "mistaken", 1), ErrorCode::invalid_argument,
                "mistaken");
}

TEST_P(EngineContract, ADecodedBatchIsCheckedLikeAnyOther) {
  const WriteBatch encoded = Writes().Put(kCountersMistaken, "decoded", "not eight");
  ExpectRefused(engine(), Must(WriteBatch::Decode(encoded.encoded())), ErrorCode::invalid_argument,
                "decoded");
}

TEST_P(EngineContract, AReadSetOrExpectationInAForeignKeyspaceIsRefused) {
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  CommitRequest reads = Blind(Writes().Put(kPoints, "key", "value"));
  reads.snapshot = snapshot.get();
  reads.reads = Reads().Key(kForeign, "key");
  EXPECT_ERROR(engine().Commit(std::move(reads)), ErrorCode::invalid_argument);

  CommitRequest ranges = Blind(Writes().Put(kPoints, "key", "value"));
  ranges.snapshot = snapshot.get();
  ranges.reads = Reads().Range(kForeign, KeyRange::All());
  EXPECT_ERROR(engine().Commit(std::move(ranges)), ErrorCode::invalid_argument);

  CommitRequest expects = Blind(Writes().Put(kPoints, "key", "value"));
  expects.expected.push_back({&kForeign, "key", std::nullopt});
  EXPECT_ERROR(engine().Commit(std::move(expects)), ErrorCode::invalid_argument);
  EXPECT_EQ(Read(engine(), kPoints, "key"), std::nullopt);
}

TEST_P(EngineContract, ReadsWithoutTheirSnapshotAreRefused) {
  CommitRequest request = Blind(Writes().Put(kPoints, "key", "value"));
  request.reads = Reads().Key(kPoints, "key");
  EXPECT_ERROR(engine().Commit(std::move(request)), ErrorCode::invalid_argument);
  EXPECT_EQ(Read(engine(), kPoints, "key"), std::nullopt);
}

}  // namespace
}  // namespace talea
