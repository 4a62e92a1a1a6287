// Exports and imports, on every engine.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chain/export_format.h"
#include "chain/import.h"
#include "chain/import_mark.h"
#include "chain/transfer_testing.h"
#include "coordination/engines_for_test.h"

namespace talea::chain {
namespace {

using testing::HasSubstr;

class TransferOnEngines : public TransferTest, public testing::WithParamInterface<EngineForTest> {};

std::vector<EngineForTest> SimulatedEngines() {
  std::vector<EngineForTest> engines = EnginesForTest();
  std::erase_if(engines, [](const EngineForTest& engine) { return !engine.profile; });
  return engines;
}

TEST_P(TransferOnEngines, AnImportHoldsWhatWasExportedAndIsExportedAsTheSameBytes) {
  const std::string hash = MakeExport("first", 2000);
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  const TransferReport report = ASSERT_VALUE(ImportChain(store, At("first")));
  EXPECT_TRUE(report.finished);
  EXPECT_EQ(report.resumed, 0u);
  EXPECT_EQ(report.state_hash, hash);
  EXPECT_EQ(HashOfState(store), hash);
  const TransferReport again = ASSERT_VALUE(ExportChain(store.Open().value(), At("second")));
  EXPECT_EQ(again, (TransferReport{.finished = true, .rows = report.rows, .state_hash = hash}));
  EXPECT_TRUE(Bytes("first") == Bytes("second"));
}

TEST_P(TransferOnEngines, TheSameStateIsExportedAsTheSameBytesByEveryEngine) {
  const std::string hash = MakeExport("memory", 700);
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  ASSERT_OK(Fill(store, 700));
  EXPECT_EQ(HashOfState(store), hash);
  ASSERT_OK(ExportChain(store.Open().value(), At("own")));
  EXPECT_TRUE(Bytes("memory") == Bytes("own"));
}

TEST_P(TransferOnEngines, BlocksGoOnFromAnImportAndBackToIt) {
  const std::string hash = MakeExport("file", 200);
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  ASSERT_OK(ImportChain(store, At("file")));
  const Cursor cursor = ASSERT_VALUE(store.Open()).cursor();
  const ChainPoint point = ChainPoint::Of(1000, HashOf(1000));
  ASSERT_OK(store.Apply({.parent = cursor, .point = point, .consumed = {{HashOf(3), 1}}}));
  EXPECT_EQ(ASSERT_VALUE(store.Open().value().CountOutputs()), 199u);
  EXPECT_NE(HashOfState(store), hash);
  EXPECT_EQ(ASSERT_VALUE(store.RollBack(cursor)), 1u);
  EXPECT_EQ(HashOfState(store), hash);
  EXPECT_ERROR(store.RollBack(ChainPoint::Origin()), ErrorCode::not_found);
}

TEST_P(TransferOnEngines, AnEmptyLedgerIsCarriedOverToo) {
  MakeExport("empty", 0);
  EXPECT_EQ(Bytes("empty").size(), kExportHeaderBytes + kExportFooterBytes);
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  const TransferReport report = ASSERT_VALUE(ImportChain(store, At("empty")));
  EXPECT_TRUE(report.finished);
  EXPECT_EQ(report.rows, 0u);
  EXPECT_EQ(ASSERT_VALUE(store.Open()).cursor(), Cursor());
  MakeExport("full", 10);
  EXPECT_OK(ImportChain(store, At("full")));  // it is still empty
}

TEST_P(TransferOnEngines, AnImportThatIsStoppedGoesOnWhereItWas) {
  const std::string hash = MakeExport("file", 3000);
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  int calls = 0;
  const auto stop = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_LE(done, total);
    return ++calls < 3;
  };
  const auto import = [&](const RowProgress& progress) {
    return Import(*engine, ExportReader::Open(OpenExportFile(At("file")).value()).value(), progress,
                  {.ingest_bytes = 1, .commit_bytes = 1});
  };
  const TransferReport stopped = ASSERT_VALUE(import(stop));
  EXPECT_FALSE(stopped.finished);
  EXPECT_GT(stopped.rows, 0u);
  EXPECT_ERROR(store.Open(), ErrorCode::precondition_failed);
  const TransferReport report = ASSERT_VALUE(import({}));
  EXPECT_TRUE(report.finished);
  EXPECT_EQ(report.resumed, stopped.rows);
  EXPECT_EQ(HashOfState(store), hash);
}

INSTANTIATE_TEST_SUITE_P(Engines, TransferOnEngines, testing::ValuesIn(EnginesForTest()),
                         [](const auto& engine) { return engine.param.name; });

class TransferWithFaults : public TransferOnEngines {};

TEST_P(TransferWithFaults, AnImportHappensOnceWhateverFaultsThereAre) {
  const std::string hash = MakeExport("file", 1500);
  EngineUnderTest engine(GetParam(), {.conflict = 0.2,
                                      .snapshot_expired = 0.05,
                                      .timed_out = 0.05,
                                      .unavailable = 0.05,
                                      .unknown_applied = 0.2,
                                      .unknown_lost = 0.1,
                                      .unknown_later = 0.2,
                                      .short_page = 0.1,
                                      .crash = 0.1,
                                      .power_cut = 0.1});
  for (int round = 0; round < 5; ++round) {
    engine.simulation()->InjectFaults(true);
    for (bool finished = false; !finished;) {
      const Result<TransferReport> report =
          Import(*engine, ExportReader::Open(OpenExportFile(At("file")).value()).value(), {},
                 {.ingest_bytes = 1, .commit_bytes = 1});
      finished = report.has_value();
      if (finished) {
        EXPECT_EQ(report->state_hash, hash);
      }
      if (!finished) {
        ASSERT_NE(report.error().code(), ErrorCode::corruption) << report.error();
        engine.Reopen();
      }
      // The one before may have finished it, and not been told.
      finished = finished || report.error().code() == ErrorCode::precondition_failed;
    }
    engine.simulation()->InjectFaults(false);
    engine.Reopen();
    engine.simulation()->Settle();
    ChainStore store(*engine);
    ASSERT_EQ(HashOfState(store), hash);
    EXPECT_FALSE(ASSERT_VALUE(AbandonImport(store)));
    // To begin anew, as the ledger has to be empty.
    Transaction transaction(*engine);
    for (const Keyspace& keyspace : engine->keyspaces().all())
      transaction.EraseRange(keyspace, KeyRange::All());
    ASSERT_OK(transaction.Commit(Durability::synced));
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, TransferWithFaults, testing::ValuesIn(SimulatedEngines()),
                         [](const auto& engine) { return engine.param.name; });

// Every write of an import is a moment to be killed in: the mark, each segment, the last commit.
TEST_F(TransferTest, AnImportThatIsKilledInAnyOfItsWritesGoesOn) {
  const std::string hash = MakeExport("file", 1500);
  int deaths = 0;
  for (const bool shared : {false, true}) {
    for (const bool applied : {false, true}) {
      for (int writes = 0;; ++writes) {
        SCOPED_TRACE(fmt::format("write {}, applied {}, shared {}", writes, applied, shared));
        const std::shared_ptr<Engine> engine = OpenEngineForTest();
        const auto import = [&](int most) -> Result<bool> {
          DyingEngine dying(engine, most, applied, shared);
          TALEA_TRY(Import(dying,
                           TALEA_TRY(ExportReader::Open(TALEA_TRY(OpenExportFile(At("file"))))), {},
                           {.ingest_bytes = 1, .commit_bytes = 1}));
          return true;
        };
        const Result<bool> first = import(writes);
        ChainStore store(*engine);
        if (!first) {
          ++deaths;
          const bool over = store.Open().has_value() && store.Open()->cursor();
          if (!over) {
            ASSERT_OK(import(1000));
          }
        }
        ASSERT_EQ(HashOfState(store), hash);
        if (first) break;
      }
    }
  }
  EXPECT_GT(deaths, 30);
}

TEST_F(TransferTest, ALedgerThatIsBeingImportedIsRefusedToEveryOtherUse) {
  MakeExport("file", 100);
  MakeExport("other", 101);
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  ChainStore store(*engine);
  const auto stop = [](std::uint64_t, std::uint64_t) { return false; };
  EXPECT_FALSE(ASSERT_VALUE(ImportChain(store, At("file"), stop)).finished);
  EXPECT_ERROR(store.Open(), ErrorCode::precondition_failed);
  EXPECT_ERROR(store.Apply(Block{.point = ChainPoint::AtSlot(1)}), ErrorCode::precondition_failed);
  const Result<TransferReport> other = ImportChain(store, At("other"));
  ASSERT_ERROR(other, ErrorCode::precondition_failed);
  EXPECT_THAT(other.error().message(), HasSubstr("abandon it"));

  EXPECT_TRUE(ASSERT_VALUE(AbandonImport(store)));
  EXPECT_FALSE(ASSERT_VALUE(AbandonImport(store)));
  EXPECT_EQ(ASSERT_VALUE(store.Open()).cursor(), Cursor());
  EXPECT_OK(ImportChain(store, At("other")));
}

TEST_F(TransferTest, AnImportThatWasAbandonedHalfWayLeavesNothing) {
  MakeExport("file", 2000);
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  ChainStore store(*engine);
  int calls = 0;
  const auto stop = [&](std::uint64_t, std::uint64_t) { return ++calls < 4; };
  ExportReader reader = ASSERT_VALUE(ExportReader::Open(OpenExportFile(At("file")).value()));
  const TransferReport report =
      ASSERT_VALUE(Import(*engine, std::move(reader), stop, {.ingest_bytes = 1}));
  EXPECT_GT(report.rows, 0u);
  EXPECT_TRUE(ASSERT_VALUE(AbandonImport(store)));
  EXPECT_EQ(ASSERT_VALUE(ReadAllRows(*engine)), StoredRows());
}

TEST_F(TransferTest, OnlyAnEmptyLedgerIsImportedInto) {
  MakeExport("file", 10);
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  ChainStore store(*engine);
  ASSERT_OK(Fill(store, 1));
  const StoredRows before = ASSERT_VALUE(ReadAllRows(*engine));
  const Result<TransferReport> report = ImportChain(store, At("file"));
  ASSERT_ERROR(report, ErrorCode::precondition_failed);
  EXPECT_THAT(report.error().message(), HasSubstr("expected an empty ledger, found one at step 1"));
  EXPECT_EQ(ASSERT_VALUE(ReadAllRows(*engine)), before);
}

TEST_F(TransferTest, ARowThatNoStepHasWrittenIsFoundToo) {
  MakeExport("file", 10);
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  CommitRequest request;
  request.batch.Put(kStateEntitiesKeyspace, "stray", "");
  ASSERT_OK(engine->Commit(std::move(request)));
  ChainStore store(*engine);
  const Result<TransferReport> report = ImportChain(store, At("file"));
  ASSERT_ERROR(report, ErrorCode::precondition_failed);
  EXPECT_THAT(report.error().message(), HasSubstr("stray"));
}

TEST_F(TransferTest, ASecondImportAtOnceIsRefused) {
  MakeExport("file", 10);
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  ChainStore store(*engine);
  const auto progress = [&](std::uint64_t, std::uint64_t) {
    EXPECT_ERROR(ImportChain(store, At("file")), ErrorCode::precondition_failed);
    EXPECT_ERROR(AbandonImport(store), ErrorCode::precondition_failed);
    return true;
  };
  EXPECT_OK(ImportChain(store, At("file"), progress));
}

TEST_F(TransferTest, DamageIsNotWrittenAndTheFileCanBeMended) {
  const std::string hash = MakeExport("file", 1500);
  const std::string good = Bytes("file");
  std::string bad = good;
  bad[good.size() / 2] ^= 1;
  Write("file", bad);
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  ChainStore store(*engine);
  const auto import = [&] {
    return Import(*engine, ExportReader::Open(OpenExportFile(At("file")).value()).value(), {},
                  {.ingest_bytes = 1});
  };
  const Result<TransferReport> damaged = import();
  ASSERT_ERROR(damaged, ErrorCode::corruption);
  const ImportMark mark = ASSERT_VALUE(ReadImportMark(*engine->OpenSnapshot().value())).value();
  EXPECT_THAT(damaged.error().message(),
              HasSubstr(fmt::format("file\", byte {}: ", mark.position.offset)));
  EXPECT_LE(mark.position.offset, good.size() / 2);

  Write("file", good);
  const TransferReport report = ASSERT_VALUE(import());
  EXPECT_EQ(report.resumed, mark.position.rows);
  EXPECT_EQ(HashOfState(store), hash);
}

TEST_F(TransferTest, AStateWithAnotherHashThanTheFileSaysIsNotLetIn) {
  MakeExport("file", 100);
  std::string bytes = Bytes("file");
  const std::size_t end = bytes.size() - kExportFooterBytes;
  ExportFooter footer = ASSERT_VALUE(DecodeExportFooter(ByteView(bytes).substr(end)));
  footer.state_hash = std::string(32, '7');
  Write("file", bytes.substr(0, end) + Encode(footer));
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  ChainStore store(*engine);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Result<TransferReport> report = ImportChain(store, At("file"));
    ASSERT_ERROR(report, ErrorCode::corruption);
    EXPECT_THAT(report.error().message(), HasSubstr(footer.state_hash));
    EXPECT_ERROR(store.Open(), ErrorCode::precondition_failed);
  }
  EXPECT_TRUE(ASSERT_VALUE(AbandonImport(store)));
}

TEST_F(TransferTest, AnExportThatIsStoppedOrFailsLeavesNoFile) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  ChainStore store(*engine);
  ASSERT_OK(Fill(store, 100));
  const ChainView view = ASSERT_VALUE(store.Open());
  const auto stop = [](std::uint64_t, std::uint64_t) { return false; };
  EXPECT_FALSE(ASSERT_VALUE(ExportChain(view, At("file"), stop)).finished);
  EXPECT_EQ(FileCount(), 0u);
  Write("file", "mine");
  EXPECT_ERROR(ExportChain(view, At("file")), ErrorCode::already_exists);
  EXPECT_EQ(Bytes("file"), "mine");
  EXPECT_ERROR(ExportChain(view, At("no folder") / "file"), ErrorCode::not_found);
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(TransferTest, ProgressComesToItsEnd) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  ChainStore store(*engine);
  ASSERT_OK(Fill(store, 2000));
  std::uint64_t last = 0;
  std::uint64_t all = 0;
  const auto note = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_LE(last, done);
    EXPECT_LE(done, total);
    last = done;
    all = total;
    return true;
  };
  const TransferReport report = ASSERT_VALUE(ExportChain(store.Open().value(), At("file"), note));
  EXPECT_GE(last, report.rows);
  EXPECT_NEAR(static_cast<double>(all), static_cast<double>(report.rows),
              0.1 * static_cast<double>(report.rows));
  last = 0;
  const std::unique_ptr<Engine> other = OpenEngineForTest();
  ChainStore imported(*other);
  ASSERT_OK(ImportChain(imported, At("file"), note));
  EXPECT_EQ(last, 2 * report.rows);
  EXPECT_EQ(all, 2 * report.rows);
}

TEST_F(TransferTest, ALedgerWhoseCountsAreWrongIsNotExported) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  ChainStore store(*engine);
  ASSERT_OK(Fill(store, 10));
  CommitRequest request;
  request.batch.Add(kChainCountsKeyspace, CountKey(ChainCount::outputs), 1);
  ASSERT_OK(engine->Commit(std::move(request)));
  const Result<TransferReport> report = ExportChain(ASSERT_VALUE(store.Open()), At("file"));
  ASSERT_ERROR(report, ErrorCode::corruption);
  EXPECT_THAT(report.error().message(), HasSubstr("expected 10, by the rows"));
  EXPECT_EQ(FileCount(), 0u);
}

TEST_F(TransferTest, ARowLargerThanAFrameIsCarriedOver) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  ChainStore store(*engine);
  ASSERT_OK(Fill(store, 3, 3 * kFrameRowBytes));
  ASSERT_OK(ExportChain(store.Open().value(), At("file")));
  const std::unique_ptr<Engine> other = OpenEngineForTest();
  ChainStore imported(*other);
  ASSERT_OK(ImportChain(imported, At("file")));
  EXPECT_EQ(HashOfState(imported), HashOfState(store));
}

}  // namespace
}  // namespace talea::chain
