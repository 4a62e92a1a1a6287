// A database that an earlier Talea wrote, in tests/fixtures: this one must read it, whatever it
// writes itself.
//
// A new format gets a new fixture; the old ones stay as they are. To write one:
//   TALEA_WRITE_FIXTURE=tests/fixtures/rocksdb-N build/dev/src/engine/rocksdb/rocksdb_test
//       --gtest_filter='FixtureTest.*'
#include <cstdlib>

#include "base/coding.h"
#include "engine/rocksdb/testing.h"

namespace talea {
namespace {

namespace fs = std::filesystem;
using Rows = std::map<std::string, std::string>;

class FixtureTest : public RocksDbTest {
 protected:
  static fs::path Fixtures() {
    return fs::path(__FILE__).parent_path() / "../../../tests/fixtures";
  }

  // In two parts: the first is in tables once the second is in the log.
  static CommitRequest FirstPart() {
    CommitRequest request;
    request.batch.Put(kTestPoints, "", "the empty key");
    request.batch.Put(kTestPoints, "erased", "later");
    request.batch.Put(kTestPoints, std::string("nul\0nul", 7), std::string("\0\xff", 2));
    for (int row = 0; row < 20; ++row) {
      request.batch.Put(kTestScans, "row " + std::to_string(100 + row), std::to_string(row * row));
    }
    request.batch.Add(kTestCounters, "negative", -5);
    request.batch.Add(kTestCounters, "sum", 40);
    request.batch.Add(kTestCounters, "zero", 1);
    return request;
  }
  static CommitRequest SecondPart() {
    CommitRequest request;
    request.batch.Put(kTestPoints, "second", "part");
    request.batch.Erase(kTestPoints, "erased");
    request.batch.EraseRange(kTestScans, KeyRange::From("row 103"));
    request.batch.Put(kTestScans, std::string(70, '\xff'), "far");
    request.batch.Add(kTestCounters, "sum", 2);
    request.batch.Add(kTestCounters, "zero", -1);
    return request;
  }

  // A copy, so that the fixture stays as it is. Of RocksDB's files those are left out that it can
  // do without.
  static void Copy(const fs::path& from, const fs::path& to) {
    fs::create_directories(to);
    for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
      const std::string name = entry.path().filename();
      if (name == "LOCK" || name.starts_with("OPTIONS")) continue;
      fs::copy_file(entry.path(), to / name);
    }
  }

  void Write(const fs::path& fixture) {
    for (CommitRequest (*part)() : {FirstPart, SecondPart}) {
      const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
      ASSERT_OK(engine->Commit(part()));
      ASSERT_OK(engine->Shutdown(std::chrono::seconds(10)));
    }
    Copy(folder(), fixture);
  }

  static Result<Rows> Read(Reader& reader, const Keyspace& keyspace) {
    Rows rows;
    Scanner scanner(reader, keyspace, {});
    while (const std::optional<Row> row = TALEA_TRY(scanner.Next())) {
      rows.emplace(row->key, row->value);
    }
    return rows;
  }

  static void ExpectAll(Engine& engine) {
    const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine.OpenSnapshot());
    EXPECT_EQ(snapshot->version().number, 2u);
    EXPECT_EQ(ASSERT_VALUE(Read(*snapshot, kTestPoints)),
              (Rows{{"", "the empty key"},
                    {std::string("nul\0nul", 7), std::string("\0\xff", 2)},
                    {"second", "part"}}));
    EXPECT_EQ(ASSERT_VALUE(Read(*snapshot, kTestScans)), (Rows{{"row 100", "0"},
                                                               {"row 101", "1"},
                                                               {"row 102", "4"},
                                                               {std::string(70, '\xff'), "far"}}));
    EXPECT_EQ(ASSERT_VALUE(Read(*snapshot, kTestCounters)),
              (Rows{{"negative", EncodeCounter(-5)}, {"sum", EncodeCounter(42)}}));
  }
};

TEST_F(FixtureTest, TheDatabaseOfFormat1IsReadAsItWasWritten) {
  if (const char* fixture = std::getenv("TALEA_WRITE_FIXTURE")) Write(fixture);
  fs::remove_all(folder());
  Copy(Fixtures() / "rocksdb-1", folder());
  RocksDbEngineOptions options = Options();
  options.create = false;
  for (int times = 0; times < 2; ++times) {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(OpenRocksDbEngine(options));
    ExpectAll(*engine);
  }
}

}  // namespace
}  // namespace talea
