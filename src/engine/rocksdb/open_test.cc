// Databases that cannot be opened: the error names what is wrong, and nothing on disk changes.
#include <gmock/gmock.h>
#include <rocksdb/db.h>

#include "base/coding.h"
#include "engine/rocksdb/format_file.h"
#include "engine/rocksdb/testing.h"

namespace talea {
namespace {

using testing::HasSubstr;

class OpenTest : public RocksDbTest {
 protected:
  // Opening must fail like this, and leave everything as it is.
  void ExpectRefused(RocksDbEngineOptions options, ErrorCode code, const std::string& message) {
    const auto before = Contents(Path(""));
    const Result<std::unique_ptr<RocksDbEngine>> opened = OpenRocksDbEngine(std::move(options));
    ASSERT_ERROR(opened, code);
    EXPECT_THAT(opened.error().message(), HasSubstr(message));
    EXPECT_THAT(opened.error().message(), HasSubstr("database"));
    EXPECT_EQ(before, Contents(Path("")));
  }
  void ExpectRefused(ErrorCode code, const std::string& message) {
    ExpectRefused(Options(), code, message);
  }

  // The first file whose name ends so.
  std::filesystem::path FileEnding(const std::string& end) {
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      if (entry.path().native().ends_with(end)) return entry.path();
    }
    return {};
  }
  std::filesystem::path Manifest() {
    std::string name = ReadAll(folder() / "CURRENT");
    name.pop_back();
    return folder() / name;
  }
  // Opens again, which turns the log into files.
  void MakeDatabaseWithFiles() {
    MakeDatabase();
    ASSERT_OK(Open());
    ASSERT_FALSE(FileEnding(".sst").empty());
  }
};

TEST_F(OpenTest, AFolderThatIsAbsentOrEmptyBecomesADatabase) {
  ASSERT_OK(Open());
  std::filesystem::remove_all(folder());
  std::filesystem::create_directory(folder());
  ASSERT_OK(Open());
}

TEST_F(OpenTest, NothingIsCreatedWhereThatIsNotWanted) {
  RocksDbEngineOptions options = Options();
  options.create = false;
  ExpectRefused(options, ErrorCode::not_found, "found nothing");
  std::filesystem::create_directory(folder());
  ExpectRefused(options, ErrorCode::not_found, "found an empty folder");
}

TEST_F(OpenTest, AFileInPlaceOfTheFolderIsRefused) {
  WriteAll(folder(), "a file");
  ExpectRefused(ErrorCode::invalid_argument, "expected a folder, found a file");
}

TEST_F(OpenTest, AFolderWithOtherFilesIsRefused) {
  std::filesystem::create_directory(folder());
  WriteAll(folder() / "letter.txt", "Dear");
  ExpectRefused(ErrorCode::invalid_argument, "found \"letter.txt\"");
}

TEST_F(OpenTest, ARocksDbThatIsNotOursIsRefused) {
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, folder(), &db).ok());
  delete db;
  ExpectRefused(ErrorCode::invalid_argument, "a RocksDB database that is not Talea's");
}

TEST_F(OpenTest, AToolOpensKeyspacesThatItDoesNotKnow) {
  MakeDatabase();
  RocksDbEngineOptions options = Options();
  options.keyspaces = {kTestCounters};
  ExpectRefused(options, ErrorCode::invalid_argument, "points");
  options.open_stored_keyspaces = true;
  {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(OpenRocksDbEngine(options));
    const Keyspace* points = engine->keyspaces().Find(kTestPoints.id);
    ASSERT_NE(points, nullptr);
    EXPECT_EQ(*points, kTestPoints);
    EXPECT_EQ(ASSERT_VALUE(Get(*engine, "key")), "value");
  }
  options.keyspaces = {{kTestPoints.id, AccessPattern::scan, "others"}};
  ExpectRefused(options, ErrorCode::invalid_argument, "as it is stored in the database");
}

// Each look at a database left an empty log behind: a thousand calls of a tool, a thousand files.
TEST_F(OpenTest, OpeningToReadLeavesNoMoreFilesEachTime) {
  MakeDatabase();
  for (int times = 0; times < 3; ++times) ASSERT_OK(Open());
  const std::size_t files = Contents(folder()).size();
  for (int times = 0; times < 5; ++times) {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
    EXPECT_EQ(ASSERT_VALUE(Get(*engine, "key")), "value");
  }
  EXPECT_EQ(Contents(folder()).size(), files);
}

TEST_F(OpenTest, ADatabaseInUseIsRefusedAndGoesOn) {
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
  ExpectRefused(ErrorCode::unavailable, "in use by another engine");
  EXPECT_OK(Put(*engine, "key", "value"));
}

TEST_F(OpenTest, ANewerFormatIsRefused) {
  MakeDatabase();
  std::string bytes = ReadAll(folder() / kFormatFileName);
  bytes[8] = 2;
  WriteAll(folder() / kFormatFileName, bytes);
  ExpectRefused(ErrorCode::unsupported, "expected format 1, found 2");
}

TEST_F(OpenTest, ADamagedFormatFileIsRefusedWhereverTheDamageIs) {
  MakeDatabase();
  const std::string bytes = ReadAll(folder() / kFormatFileName);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (at >= 8 && at < 12) continue;  // the format number: the test above
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    EXPECT_ERROR(DecodeFormatFile(damaged), ErrorCode::corruption) << at;
    EXPECT_ERROR(DecodeFormatFile(bytes.substr(0, at)), ErrorCode::corruption) << at;
  }
  WriteAll(folder() / kFormatFileName, bytes.substr(0, bytes.size() - 1));
  ExpectRefused(ErrorCode::corruption, "checksum");
}

TEST_F(OpenTest, AKeyspaceThatIsStoredMustBeNamed) {
  MakeDatabase();
  RocksDbEngineOptions options = Options();
  options.keyspaces.pop_back();
  ExpectRefused(options, ErrorCode::invalid_argument, "keyspace \"counters\" (id 202, counter)");
}

TEST_F(OpenTest, AKeyspaceOpensOnlyAsItIsStored) {
  MakeDatabase();
  RocksDbEngineOptions options = Options();
  options.keyspaces.back() = Keyspace{202, AccessPattern::point, "counters"};
  ExpectRefused(options, ErrorCode::invalid_argument, "\"counters\" (id 202, counter)");
  options.keyspaces.back() = Keyspace{203, AccessPattern::counter, "counters"};
  ExpectRefused(options, ErrorCode::invalid_argument, "\"counters\" (id 202, counter)");
  options.keyspaces.back() = Keyspace{202, AccessPattern::counter, "sums"};
  ExpectRefused(options, ErrorCode::invalid_argument, "\"counters\" (id 202, counter)");
}

TEST_F(OpenTest, ANewKeyspaceIsAddedAndStays) {
  MakeDatabase();
  constexpr Keyspace kNew{210, AccessPattern::scan, "new"};
  RocksDbEngineOptions options = Options();
  options.keyspaces.push_back(kNew);
  {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(OpenRocksDbEngine(options));
    CommitRequest request;
    request.batch.Put(kNew, "a", "b");
    ASSERT_OK(engine->Commit(std::move(request)));
    EXPECT_EQ(ASSERT_VALUE(Get(*engine, "key")), "value");
  }
  ExpectRefused(ErrorCode::invalid_argument, "keyspace \"new\" (id 210, scan)");
  EXPECT_OK(OpenRocksDbEngine(options));
}

TEST_F(OpenTest, AnInterruptedCreationIsFinished) {
  MakeDatabase();
  // Killed before RocksDB was made: only our file is there.
  const std::string format = ReadAll(folder() / kFormatFileName);
  std::filesystem::remove_all(folder());
  std::filesystem::create_directory(folder());
  WriteAll(folder() / kFormatFileName, format);
  ASSERT_OK(Open());
}

TEST_F(OpenTest, AMissingPointerToTheManifestIsRefused) {
  MakeDatabaseWithFiles();
  std::filesystem::remove(folder() / "CURRENT");
  ExpectRefused(ErrorCode::corruption, "expected a file CURRENT");
}

TEST_F(OpenTest, ADamagedManifestIsRefused) {
  MakeDatabaseWithFiles();
  std::string bytes = ReadAll(Manifest());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0xff);
  WriteAll(Manifest(), bytes);
  ExpectRefused(ErrorCode::corruption, "Corruption");
}

TEST_F(OpenTest, AMissingFileIsRefused) {
  MakeDatabaseWithFiles();
  const std::filesystem::path file = FileEnding(".sst");
  std::filesystem::remove(file);
  ExpectRefused(ErrorCode::corruption, file.stem());
}

TEST_F(OpenTest, AFileThatWasCutIsRefused) {
  MakeDatabaseWithFiles();
  const std::filesystem::path file = FileEnding(".sst");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 10);
  ExpectRefused(ErrorCode::corruption, ".sst");
}

TEST_F(OpenTest, TheFormatFileHasTheseBytes) {
  const std::string expected = std::string(
      "TALEARDB\x01\0\0\0\x01\xc8\x02\x08"
      "counters",
      24);
  const std::string encoded = EncodeFormatFile({{200, AccessPattern::counter, "counters"}});
  ASSERT_EQ(encoded.size(), expected.size() + 8);
  EXPECT_EQ(encoded.substr(0, expected.size()), expected);
  EXPECT_EQ(LoadLittleEndian<std::uint64_t>(encoded.data() + expected.size()), 0x6c5de1fad9ab1ebdu);
}

TEST_F(OpenTest, TheFolderHoldsNoMoreThanItNeeds) {
  MakeDatabase();
  for (int times = 0; times < 5; ++times) ASSERT_OK(Open());
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    EXPECT_THAT(entry.path().filename().string(), testing::Not(testing::StartsWith("LOG")));
    ++files;
  }
  EXPECT_LE(files, 16);
}

}  // namespace
}  // namespace talea
