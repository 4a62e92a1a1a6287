// A shutdown that takes longer than it may.
#include <gmock/gmock.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <atomic>
#include <thread>

#include "engine/rocksdb/rocksdb_engine_internal.h"
#include "engine/rocksdb/testing.h"

namespace talea {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

// Lets no table be created until it is told to.
class HeldTables final : public rocksdb::FileSystemWrapper {
 public:
  HeldTables() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "HeldTables"; }
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override {
    if (path.ends_with(".sst")) {
      waiting = true;
      waiting.notify_all();
      released.wait(false);
    }
    return target()->NewWritableFile(path, options, file, context);
  }
  void Release() {
    released = true;
    released.notify_all();
  }

  std::atomic<bool> waiting = false;
  std::atomic<bool> released = false;
};

class ShutdownTest : public RocksDbTest {
 protected:
  // Returns with a flush under way that does not end.
  std::unique_ptr<RocksDbEngine> OpenWithHeldFlush() {
    RocksDbEngineOptions options = Options();
    options.write_buffer_bytes = 2 << 20;
    auto engine = OpenRocksDbEngineOn(*environment_, options);
    if (!engine) return nullptr;
    for (int row = 0; row < 1000 && !tables_->waiting; ++row) {
      EXPECT_OK(Put(**engine, std::to_string(row), std::string(10'000, 'x')));
      rows_ = row + 1;
      // Once the flush is due it needs time to begin, and more rows than fit into the other buffers
      // would wait for it in vain.
      if (row > 80) std::this_thread::sleep_for(milliseconds(10));
    }
    tables_->waiting.wait(false);
    return std::move(*engine);
  }

  const std::shared_ptr<HeldTables> tables_ = std::make_shared<HeldTables>();
  const std::unique_ptr<rocksdb::Env> environment_ = rocksdb::NewCompositeEnv(tables_);
  int rows_ = 0;
};

TEST_F(ShutdownTest, OneThatTakesTooLongNamesTheBackgroundWorkAndCanBeCalledAgain) {
  {
    const std::unique_ptr<RocksDbEngine> engine = OpenWithHeldFlush();
    ASSERT_NE(engine, nullptr);
    for (int times = 0; times < 2; ++times) {
      const Status stopped = engine->Shutdown(milliseconds(50));
      EXPECT_ERROR(stopped, ErrorCode::timed_out);
      EXPECT_THAT(stopped.error().message(), HasSubstr("within 50 ms, found 1 flushes"));
    }
    EXPECT_ERROR(Put(*engine, "late", "value"), ErrorCode::closed);
    tables_->Release();
    EXPECT_OK(engine->Shutdown(seconds(20)));
    EXPECT_OK(engine->Shutdown(milliseconds(0)));
  }
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
  EXPECT_EQ(ASSERT_VALUE(engine->OpenSnapshot())->version().number,
            static_cast<std::uint64_t>(rows_));
}

// A second caller waited behind the first one's lock for as long as that one's bound.
TEST_F(ShutdownTest, EachCallerHasItsOwnBound) {
  const std::unique_ptr<RocksDbEngine> engine = OpenWithHeldFlush();
  ASSERT_NE(engine, nullptr);
  std::jthread patient([&] { EXPECT_OK(engine->Shutdown(seconds(60))); });
  std::this_thread::sleep_for(milliseconds(50));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_ERROR(engine->Shutdown(milliseconds(20)), ErrorCode::timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(20));
  tables_->Release();
}

TEST_F(ShutdownTest, OneThatWaitsForACommitSaysSoAndCanBeCalledAgain) {
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
  std::atomic<bool> inside = false;
  std::atomic<bool> released = false;
  std::jthread committer([&] {
    CommitRequest request;
    request.batch.Put(kTestPoints, "key", "value");
    request.after_commit = [&](Version) {
      inside = true;
      inside.notify_all();
      released.wait(false);
    };
    EXPECT_OK(engine->Commit(std::move(request)));
  });
  inside.wait(false);
  const Status stopped = engine->Shutdown(milliseconds(30));
  EXPECT_ERROR(stopped, ErrorCode::timed_out);
  EXPECT_THAT(stopped.error().message(), HasSubstr("found 1 still running"));
  released = true;
  released.notify_all();
  EXPECT_OK(engine->Shutdown(seconds(20)));
}

TEST_F(ShutdownTest, AnEngineThatIsDestroyedWithASnapshotOpenStopsTheProgram) {
  EXPECT_DEATH(
      {
        std::unique_ptr<RocksDbEngine> engine = std::move(Open()).value();
        const std::unique_ptr<Snapshot> snapshot = std::move(engine->OpenSnapshot()).value();
        engine.reset();
      },
      "open_snapshots");
}

}  // namespace
}  // namespace talea
