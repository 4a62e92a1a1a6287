#include "engine/rocksdb/backup.h"

#include <gmock/gmock.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "engine/rocksdb/file_size_limit_for_test.h"
#include "engine/rocksdb/testing.h"

namespace talea {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class BackupTest : public RocksDbTest {
 protected:
  // A database with several tables, backed up.
  void MakeBackup() {
    for (int table = 0; table < 3; ++table) {
      const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());  // writes the log out
      ASSERT_OK(Put(*engine, std::to_string(table), std::string(4 << 20, 'x')));
      ASSERT_OK(engine->Shutdown(std::chrono::seconds(10)));
    }
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
    ASSERT_OK(engine->BackUp(backups()));
  }

  // The shared tables of the backups, in the order of their names.
  std::vector<fs::path> Tables() const {
    std::vector<fs::path> tables;
    for (const auto& entry : fs::directory_iterator(backups() / "shared_checksum")) {
      tables.push_back(entry.path());
    }
    std::ranges::sort(tables);
    return tables;
  }

  static void FlipByte(const fs::path& path, std::size_t place) {
    std::string bytes = ReadAll(path);
    bytes.at(place) = static_cast<char>(bytes.at(place) ^ 1);
    WriteAll(path, bytes);
  }

  fs::path backups() const { return Path("backups"); }
};

TEST_F(BackupTest, ABackupTakenWhileWritingHoldsEverythingAcknowledgedBefore) {
  const std::filesystem::path backups = Path("backups");
  std::uint32_t id = 0;
  int before = 0;
  {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
    std::atomic<int> written = 0;
    std::jthread writer([&](const std::stop_token& stop) {
      for (int row = 0; !stop.stop_requested(); ++row) {
        if (!Put(*engine, std::to_string(row), "value")) break;
        written = row + 1;
      }
    });
    while (written < 100) std::this_thread::yield();
    before = written;
    id = ASSERT_VALUE(engine->BackUp(backups)).id;
    ASSERT_OK(engine->BackUp(backups));
  }
  EXPECT_EQ(ASSERT_VALUE(ListBackups(backups)).size(), 2u);
  ASSERT_OK(VerifyBackup(backups, id));
  ASSERT_OK(RestoreBackup(backups, id, Path("restored")));
  EXPECT_ERROR(RestoreBackup(backups, id, Path("restored")), ErrorCode::already_exists);

  RocksDbEngineOptions options = Options();
  options.folder = Path("restored");
  options.create = false;
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(OpenRocksDbEngine(options));
  for (int row = 0; row < before; ++row) {
    ASSERT_EQ(ASSERT_VALUE(Get(*engine, std::to_string(row))), "value") << row;
  }
  EXPECT_GE(ASSERT_VALUE(engine->OpenSnapshot())->version().number,
            static_cast<std::uint64_t>(before));
  ASSERT_OK(DropOldBackups(backups, 1));
  EXPECT_ERROR(VerifyBackup(backups, id), ErrorCode::not_found);
}

// Two backups at once into one folder took the same number, and one overwrote the other's files.
TEST_F(BackupTest, TwoBackupsAtOnceIntoOneFolderAreBothWholeOrOneIsRefused) {
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
  ASSERT_OK(Put(*engine, "key", std::string(1 << 20, 'x')));
  std::atomic<unsigned> made = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int times = 0; times < 5; ++times) {
          const Result<BackupDescription> backup = engine->BackUp(Path("backups"));
          if (backup) {
            ++made;
          } else {
            EXPECT_EQ(backup.error().code(), ErrorCode::unavailable) << backup.error();
          }
        }
      });
    }
  }
  const std::vector<BackupDescription> listed = ASSERT_VALUE(ListBackups(Path("backups")));
  EXPECT_GE(made, 5u);
  ASSERT_EQ(listed.size(), made);
  for (const BackupDescription& backup : listed) {
    EXPECT_OK(VerifyBackup(Path("backups"), backup.id));
  }
}

// A folder named ingest-1 in the database's own was taken for leftovers, and removed.
TEST_F(BackupTest, ACopyInsideOfTheDatabaseIsRefused) {
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
  const auto before = Contents(folder());
  for (const std::filesystem::path& inside :
       {folder(), folder() / "ingest-1", folder() / "a" / ".." / "b"}) {
    EXPECT_ERROR(engine->BackUp(inside), ErrorCode::invalid_argument) << inside;
    EXPECT_ERROR(engine->Checkpoint(inside), ErrorCode::invalid_argument) << inside;
  }
  EXPECT_EQ(before, Contents(folder()));
  EXPECT_OK(engine->Checkpoint(Path("database-2")));
}

TEST_F(BackupTest, ADamagedBackupIsFoundOut) {
  MakeDatabase();
  std::uint32_t id = 0;
  {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
    id = ASSERT_VALUE(engine->BackUp(Path("backups"))).id;
  }
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(Path("backups") / "shared_checksum")) {
    std::string bytes = ReadAll(entry.path());
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    WriteAll(entry.path(), bytes);
  }
  EXPECT_ERROR(VerifyBackup(Path("backups"), id), ErrorCode::corruption);
  EXPECT_ERROR(ListBackups(Path("nowhere")), ErrorCode::not_found);
}

// A restore that failed at a damaged file left its temporary folder behind, as RocksDB's threads
// went on writing to it while it was removed, and the error was "While restoring  -> :".
TEST_F(BackupTest, ARestoreThatFailsLeavesNothingAndNamesTheDamagedFile) {
  MakeBackup();
  for (const fs::path& damaged : Tables()) {
    const std::size_t place = fs::file_size(damaged) / 2;
    FlipByte(damaged, place);
    const Status restored = RestoreBackup(backups(), 1, Path("restored"));
    ASSERT_ERROR(restored, ErrorCode::corruption);
    EXPECT_THAT(restored.error().message(), HasSubstr("backup 1 in \"" + backups().string()));
    EXPECT_THAT(restored.error().message(), HasSubstr(damaged.filename().string()));
    EXPECT_FALSE(fs::exists(Path("restored")));
    EXPECT_FALSE(fs::exists(Path("restored.talea-unfinished")));
    FlipByte(damaged, place);
  }
}

// A restore to a disk that is full did the same.
TEST_F(BackupTest, ARestoreThatFillsTheDiskLeavesNothingAndSaysSo) {
  MakeBackup();
  const FileSizeLimit limit(1 << 20);
  const Status restored = RestoreBackup(backups(), 1, Path("restored"));
  ASSERT_ERROR(restored, ErrorCode::io_error);
  EXPECT_THAT(restored.error().message(),
              HasSubstr("restoring backup 1 in \"" + backups().string()));
  EXPECT_THAT(restored.error().message(), HasSubstr("to \"" + Path("restored").string()));
  EXPECT_FALSE(fs::exists(Path("restored")));
  EXPECT_FALSE(fs::exists(Path("restored.talea-unfinished")));
}

// Backups that one may not read were said not to be there.
TEST_F(BackupTest, AFolderThatMayNotBeReadIsNotCalledEmpty) {
  MakeBackup();
  fs::permissions(backups().parent_path(), fs::perms(0755));
  fs::permissions(backups() / "meta", fs::perms::none);
  ::setfsuid(65534);  // root may read everything; others fail to do this, and need not
  const auto listed = ListBackups(backups());
  ::setfsuid(::geteuid());
  fs::permissions(backups() / "meta", fs::perms(0755));
  ASSERT_ERROR(listed, ErrorCode::io_error);
  EXPECT_THAT(listed.error().message(), HasSubstr("Permission denied"));
  EXPECT_THAT(listed.error().message(), HasSubstr("meta"));
}

// After one of its files was removed, or what describes it was damaged, a backup was not listed any
// more: a folder of damaged backups looked like one without any.
TEST_F(BackupTest, ADamagedBackupIsListedAsDamaged) {
  MakeBackup();
  const std::string description = ReadAll(backups() / "meta" / "1");
  WriteAll(backups() / "meta" / "1", description.substr(0, description.size() / 2));
  const std::vector<BackupDescription> unreadable = ASSERT_VALUE(ListBackups(backups()));
  ASSERT_EQ(unreadable.size(), 1u);
  EXPECT_EQ(unreadable[0].id, 1u);
  EXPECT_TRUE(unreadable[0].damage);

  WriteAll(backups() / "meta" / "1", description);
  EXPECT_FALSE(ASSERT_VALUE(ListBackups(backups())).at(0).damage);

  const fs::path removed = Tables().front();
  fs::remove(removed);
  const std::vector<BackupDescription> incomplete = ASSERT_VALUE(ListBackups(backups()));
  ASSERT_EQ(incomplete.size(), 1u);
  EXPECT_THAT(incomplete[0].damage.value_or(""), HasSubstr(removed.filename().string()));
  const Status restored = RestoreBackup(backups(), 1, Path("restored"));
  ASSERT_ERROR(restored, ErrorCode::corruption);
  EXPECT_THAT(restored.error().message(), HasSubstr("backup 1 in "));
}

// Damaged backups could not be dropped, and if they had been counted, the newest ones that are
// whole would have been dropped in their place.
TEST_F(BackupTest, DamagedBackupsAreDroppedAndNotCounted) {
  MakeBackup();
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
  for (int backup = 2; backup <= 5; ++backup) ASSERT_OK(engine->BackUp(backups()));
  WriteAll(backups() / "meta" / "1", "x");
  WriteAll(backups() / "meta" / "4", "x");
  const auto ids = [&] {
    const Result<std::vector<BackupDescription>> listed = ListBackups(backups());
    std::vector<std::uint32_t> found;
    for (const BackupDescription& backup : *listed) found.push_back(backup.id);
    return found;
  };
  ASSERT_OK(DropOldBackups(backups(), 4));
  EXPECT_EQ(ids(), (std::vector<std::uint32_t>{1, 2, 3, 4, 5})) << "only three are whole";
  ASSERT_OK(DropOldBackups(backups(), 2));
  EXPECT_EQ(ids(), (std::vector<std::uint32_t>{3, 4, 5}));
  ASSERT_OK(DropBackup(backups(), 4));
  EXPECT_EQ(ids(), (std::vector<std::uint32_t>{3, 5}));
  EXPECT_OK(VerifyBackup(backups(), 3));
  EXPECT_OK(VerifyBackup(backups(), 5));
  EXPECT_ERROR(DropBackup(backups(), 4), ErrorCode::not_found);
}

// Backups of two databases in one folder were mixed: the newest was the other's, and to keep one of
// this database dropped those of the other.
TEST_F(BackupTest, OfAnotherDatabaseIsRefused) {
  MakeBackup();
  const auto open = [&](const std::string& name) {
    RocksDbEngineOptions options = Options();
    options.folder = Path(name);
    return OpenRocksDbEngine(options);
  };
  ASSERT_OK(RestoreBackup(backups(), 1, Path("restored")));
  ASSERT_OK(ASSERT_VALUE(Open())->Checkpoint(Path("checkpoint")));
  const auto before = Contents(backups());
  for (const std::string name : {"new", "restored", "checkpoint"}) {
    SCOPED_TRACE(name);
    const std::unique_ptr<RocksDbEngine> other = ASSERT_VALUE(open(name));
    const auto refused = other->BackUp(backups());
    ASSERT_ERROR(refused, ErrorCode::invalid_argument);
    EXPECT_THAT(refused.error().message(), HasSubstr(ReadAll(folder() / "IDENTITY")));
    EXPECT_THAT(refused.error().message(), HasSubstr(ReadAll(Path(name) / "IDENTITY")));
    EXPECT_EQ(Contents(backups()), before);
    EXPECT_OK(other->BackUp(Path("backups of " + name)));
  }
  EXPECT_OK(ASSERT_VALUE(Open())->BackUp(backups())) << "the same, opened again";
}

// Where each backup is damaged so that it does not tell of which database it is, another's could
// have been added.
TEST_F(BackupTest, IsNotAddedWhereOnlyDamagedOnesAre) {
  MakeBackup();
  WriteAll(backups() / "meta" / "1", "x");
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
  EXPECT_ERROR(engine->BackUp(backups()), ErrorCode::corruption);
  ASSERT_OK(DropBackup(backups(), 1));
  EXPECT_OK(engine->BackUp(backups()));
}

// A backup to a folder of photographs, by a slip, put its own folders among them.
TEST_F(BackupTest, IntoAFolderThatHoldsSomethingElseIsRefused) {
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
  fs::create_directories(backups() / "lost+found");
  WriteAll(backups() / "photograph", "cat");
  const auto before = Contents(backups());
  const auto refused = engine->BackUp(backups());
  ASSERT_ERROR(refused, ErrorCode::invalid_argument);
  EXPECT_THAT(refused.error().message(), HasSubstr("photograph"));
  EXPECT_EQ(Contents(backups()), before);
  fs::remove(backups() / "photograph");
  EXPECT_OK(engine->BackUp(backups())) << "a disk of its own has lost+found";
}

// A flipped byte in what describes a backup made it disappear from the list. RocksDB has no
// checksum of the first two lines, the time and a number that no restore uses; all else must be
// noticed.
TEST_F(BackupTest, AFlippedByteInItsDescriptionIsNoticed) {
  MakeDatabase();
  ASSERT_OK(ASSERT_VALUE(Open())->BackUp(backups()));
  const fs::path path = backups() / "meta" / "1";
  const std::string description = ReadAll(path);
  const std::size_t checked = description.find('\n', description.find('\n') + 1) + 1;
  for (std::size_t place = checked; place < description.size(); ++place) {
    FlipByte(path, place);
    const std::vector<BackupDescription> listed = ASSERT_VALUE(ListBackups(backups()));
    ASSERT_EQ(listed.size(), 1u) << place;
    EXPECT_TRUE(listed[0].damage || !VerifyBackup(backups(), 1)) << place << description;
    WriteAll(path, description);
  }
}

}  // namespace
}  // namespace talea
