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
