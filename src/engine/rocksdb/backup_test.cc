#include "engine/rocksdb/backup.h"

#include <thread>

#include "engine/rocksdb/testing.h"

namespace talea {
namespace {

class BackupTest : public RocksDbTest {};

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

}  // namespace
}  // namespace talea
