// The engine that keeps its data in a folder, on RocksDB: the embedded default.
//
// One process at a time has the folder. Commits that arrive together are written, and synced,
// together. When a write fails (a full disk, a broken one) the engine takes no more commits until
// it is opened again, while reads go on; nothing that was acknowledged is lost.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "talea/engine.h"
#include "talea/time.h"

namespace talea {

// How data is compressed on disk. The newest data, which is soon rewritten, is not compressed at
// all.
enum class Compression : std::uint8_t {
  none,
  lz4,   // throughout: the least time
  zstd,  // LZ4, and Zstandard for the oldest and largest part: smaller, for more time in
         // compactions. What is ingested is LZ4 until it is compacted
};

struct RocksDbEngineOptions {
  std::filesystem::path folder;

  // What the folder holds. Each keyspace that was ever opened in it must be named, as it was then;
  // new ones are added.
  std::vector<Keyspace> keyspaces;

  // Whether keyspaces that the folder holds and the list does not name are opened too, as they
  // were, rather than refused: for tools, which do not know what a program has brought.
  bool open_stored_keyspaces = false;

  // Whether to create the database where the folder is empty or absent; its parent must exist.
  bool create = true;

  // Every commit is at least this durable, whatever it asks for.
  Durability least_durability = Durability::buffered;

  // Memory. Blocks that were read, their indexes and filters are all within cache_bytes; writes on
  // their way to a file are within write_buffer_bytes, those of all keyspaces together.
  std::size_t cache_bytes = 256 << 20;
  std::size_t write_buffer_bytes = 192 << 20;

  // How far the write-ahead log may grow before the keyspace that holds on to its oldest part is
  // written out. It bounds the disk space of the log, and the time to open after a crash.
  std::size_t log_bytes = 512 << 20;

  // How many files may be open. If absent, half of what the process may open (`ulimit -n`), which
  // leaves room for sockets and for compactions; 256 is enough to work with.
  std::optional<int> open_files;

  Compression compression = Compression::zstd;

  // Threads that write out and compact in the background; shared by all engines of the process.
  int background_threads = 2;

  // Gets the warnings of RocksDB, a line each, from any thread. Without it they are dropped: the
  // engine writes no log of its own into the folder.
  std::function<void(std::string_view line)> warn;
};

// A backup in a folder of backups.
struct BackupDescription {
  std::uint32_t id;  // ascending
  Timestamp taken;
  std::uint64_t bytes;  // that restoring it reads; many are shared with other backups

  // What is wrong with it, where that is seen without reading all of it (VerifyBackup does that):
  // it lacks a file, or what describes it cannot be read. It cannot be restored, and when it was
  // taken and how large it is are not known.
  std::optional<std::string> damage = {};
};

class RocksDbEngine : public Engine {
 public:
  // Adds a backup to `folder`, which is created if absent, while reads and writes go on. Files that
  // an earlier backup in that folder holds are not copied again, so it may well be taken often; it
  // is checksummed, and complete in itself. Every commit that was acknowledged before is in it.
  //
  // A folder takes the backups of one database; it fails, and changes nothing, where the folder
  // holds those of another or anything else. A restored database is another than that which was
  // backed up, and needs a folder of its own.
  //
  // A Checkpoint, by comparison, takes no time and no space, but shares its files with the engine:
  // it guards against mistakes, not against the loss of a disk.
  virtual Result<BackupDescription> BackUp(const std::filesystem::path& folder) = 0;
};

// Opens the database in a folder, or a checkpoint or restored backup of one.
//
// Where the folder is damaged, in use, not ours, of a newer format, or holds other keyspaces, it
// fails, naming what was expected and what was found, and leaves every file as it was.
Result<std::unique_ptr<RocksDbEngine>> OpenRocksDbEngine(RocksDbEngineOptions options);

// The backups in a folder, oldest first, damaged ones among them.
Result<std::vector<BackupDescription>> ListBackups(const std::filesystem::path& backups);

// Reads every file of a backup and compares its checksum.
Status VerifyBackup(const std::filesystem::path& backups, std::uint32_t id);

// Writes a backup to a new folder, all or nothing, for OpenRocksDbEngine.
Status RestoreBackup(const std::filesystem::path& backups, std::uint32_t id,
                     const std::filesystem::path& folder);

// Drops one backup, which may be damaged.
Status DropBackup(const std::filesystem::path& backups, std::uint32_t id);

// Drops all that are older than the newest `kept` backups; those that are seen to be damaged are
// not counted among these, and are dropped where they are older.
Status DropOldBackups(const std::filesystem::path& backups, std::uint32_t kept);

}  // namespace talea
