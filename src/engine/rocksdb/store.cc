#include "engine/rocksdb/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/coding.h"
#include "engine/rocksdb/log_check.h"
#include "engine/rocksdb/status.h"

namespace talea {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIngestFolderPrefix = "ingest-";

Error About(const fs::path& folder, const Error& error) {
  return {error.code(),
          fmt::format("database in {}: {}", Quoted(folder.native()), error.message())};
}

std::vector<std::string> FileNames(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

Status EnsureFolder(const RocksDbEngineOptions& options) {
  std::error_code error;
  const fs::file_status found = fs::status(options.folder, error);
  if (fs::is_directory(found)) return {};
  if (fs::exists(found))
    return Fail(ErrorCode::invalid_argument, "expected a folder, found a file");
  if (!options.create) return Fail(ErrorCode::not_found, "expected a folder, found nothing");
  if (fs::create_directory(options.folder, error) || !error) return {};
  return Fail(ErrorCode::io_error, fmt::format("creating the folder: {}", error.message()));
}

// A folder without our file may become a database only if it is empty.
Status CheckFresh(const RocksDbEngineOptions& options) {
  std::vector<std::string> names = FileNames(options.folder);
  std::erase(names, std::string(kFormatFileName) + ".tmp");  // of a creation that was killed
  if (names.empty() && options.create) return {};
  if (names.empty()) {
    return Fail(ErrorCode::not_found, "expected a database, found an empty folder");
  }
  const bool rocksdb = std::ranges::binary_search(names, "CURRENT");
  return Fail(
      ErrorCode::invalid_argument,
      fmt::format("expected a file {} or an empty folder, found {}", kFormatFileName,
                  rocksdb ? "a RocksDB database that is not Talea's"
                          : fmt::format("{} and {} more", Quoted(names[0]), names.size() - 1)));
}

// Whether RocksDB has a database there. Our file comes first when one is created, so it may not
// have; but then there is no data either.
Result<bool> HasRocksDb(const fs::path& folder) {
  bool current = false;
  std::optional<std::string> data;
  for (const std::string& name : FileNames(folder)) {
    if (name == "CURRENT") current = true;
    if (name.ends_with(".sst") || name.ends_with(".log")) data = name;
  }
  if (current || !data) return current;
  return Fail(ErrorCode::corruption, fmt::format("expected a file CURRENT beside {}", *data));
}

Result<std::vector<std::string>> ListFamilies(const rocksdb::DBOptions& options,
                                              const fs::path& folder,
                                              const std::vector<StoredKeyspace>& stored) {
  std::vector<std::string> names;
  TALEA_TRY(Check("reading the list of column families",
                  rocksdb::DB::ListColumnFamilies(options, folder, &names)));
  std::erase(names, rocksdb::kDefaultColumnFamilyName);
  for (const std::string& name : names) {
    if (std::ranges::find(stored, name, &StoredKeyspace::name) != stored.end()) continue;
    return Fail(ErrorCode::corruption,
                fmt::format("column family {}: expected it to be listed in the file {}",
                            Quoted(name), kFormatFileName));
  }
  return names;
}

const Keyspace& Named(const KeyspaceSet& keyspaces, std::string_view name) {
  return *std::ranges::find(keyspaces.all(), name, &Keyspace::name);
}

Result<Version> ReadVersionOf(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* bookkeeping) {
  std::string bytes;
  const rocksdb::Status read = db.Get({}, bookkeeping, kVersionKey, &bytes);
  if (read.IsNotFound()) return Version{};
  TALEA_TRY(Check("reading the version", read));
  if (bytes.size() == sizeof(std::uint64_t)) {
    return Version{LoadLittleEndian<std::uint64_t>(bytes.data())};
  }
  return Fail(ErrorCode::corruption,
              fmt::format("row {}: expected 8 bytes, found {}", kVersionKey, Quoted(bytes)));
}

}  // namespace

Result<FolderLock> FolderLock::Take(const fs::path& folder) {
  // A lock of the folder itself, by flock: RocksDB's own, by fcntl, is given up when anybody in the
  // process closes the file.
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return Fail(ErrorCode::io_error, fmt::format("opening the folder: {}", std::strerror(errno)));
  }
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return FolderLock(descriptor);
  const int error = errno;
  ::close(descriptor);
  if (error != EWOULDBLOCK) {
    return Fail(ErrorCode::io_error, fmt::format("locking the folder: {}", std::strerror(error)));
  }
  return Fail(ErrorCode::unavailable, "expected it to be free, found it in use by another engine");
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::unique_ptr<Store>> Store::Open(rocksdb::Env& environment,
                                           const RocksDbEngineOptions& options,
                                           const KeyspaceSet& keyspaces,
                                           std::shared_ptr<rocksdb::EventListener> listener) {
  const auto open = [&]() -> Result<std::unique_ptr<Store>> {
    TALEA_TRY(EnsureFolder(options));
    FolderLock lock = TALEA_TRY(FolderLock::Take(options.folder));
    std::unique_ptr<Store> store(new Store(environment, options, keyspaces, std::move(lock)));
    TALEA_TRY(store->Identify(options));
    TALEA_TRY(store->CheckOwnLogs());
    TALEA_TRY(store->OpenRocksDb(std::move(listener)));
    TALEA_TRY(store->AddMissingFamilies());
    store->RemoveIngestLeftovers();
    store->RemoveEmptyLogs();
    return store;
  };
  Result<std::unique_ptr<Store>> store = open();
  if (!store) return std::unexpected(About(options.folder, store.error()));
  return store;
}

Status Store::Identify(const RocksDbEngineOptions& options) {
  std::optional<std::vector<StoredKeyspace>> stored = TALEA_TRY(ReadFormatFile(folder_));
  if (!stored) TALEA_TRY(CheckFresh(options));
  const bool fresh = !stored;
  if (stored) stored_ = std::move(*stored);
  format_file_ = EncodeFormatFile(TALEA_TRY(MatchKeyspaces(stored_, keyspaces_)));
  if (fresh) return WriteFormatFile(folder_, format_file_);
  exists_ = TALEA_TRY(HasRocksDb(folder_));
  return {};
}

// A log that is not needed any more may be there yet, and damaged: a power cut may have come before
// it was deleted. And one that is needed may be empty or not there, which its neighbours do not
// tell from one that was deleted. RocksDB knows; it is asked, without changing anything, only where
// something looks wrong or is not there.
Status Store::CheckOwnLogs() {
  if (!exists_) return {};
  LogHistory history;
  const Status all = CheckLogs(folder_, 0, history);
  if (all && history.linked()) return {};
  FirstNeededLog first;
  rocksdb::DBOptions options = tuning_.database();
  options.wal_filter = &first;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status asked = rocksdb::DB::OpenForReadOnly(
      options, folder_, TALEA_TRY(StoredFamilies()), &handles, &opened);
  if (!asked.ok()) return all;
  const std::unique_ptr<rocksdb::DB> db(opened);
  const Result<Version> in_files = ReadVersionOf(*db, handles.front());
  for (rocksdb::ColumnFamilyHandle* handle : handles) db->DestroyColumnFamilyHandle(handle);
  TALEA_TRY(in_files);
  stop_at_gap_.SetInFiles(in_files->number);
  LogHistory needed(in_files->number);
  return CheckLogs(folder_, first.number(), needed);
}

// Those that RocksDB has; the bookkeeping comes first.
Result<std::vector<rocksdb::ColumnFamilyDescriptor>> Store::StoredFamilies() {
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors{
      {rocksdb::kDefaultColumnFamilyName, tuning_.Bookkeeping()}};
  if (!exists_) return descriptors;
  for (const std::string& name : TALEA_TRY(ListFamilies(tuning_.database(), folder_, stored_))) {
    descriptors.emplace_back(name, tuning_.Family(Named(keyspaces_, name).pattern));
  }
  return descriptors;
}

Status Store::OpenRocksDb(std::shared_ptr<rocksdb::EventListener> listener) {
  rocksdb::DBOptions options = tuning_.database();
  options.create_if_missing = !exists_;
  options.listeners.push_back(std::move(listener));
  options.wal_filter = &stop_at_gap_;
  const auto descriptors = TALEA_TRY(StoredFamilies());
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  TALEA_TRY(
      Check("opening RocksDB", rocksdb::DB::Open(options, folder_, descriptors, &handles, &db)));
  db_.reset(db);
  bookkeeping_ = handles.front();
  for (rocksdb::ColumnFamilyHandle* handle : std::span(handles).subspan(1)) Place(handle);
  return {};
}

// A keyspace is first listed in our file, and then made; where a crash came between, this is the
// next try.
Status Store::AddMissingFamilies() {
  std::vector<rocksdb::ColumnFamilyDescriptor> missing;
  for (const Keyspace& keyspace : keyspaces_.all()) {
    if (families_[keyspaces_.Position(keyspace.id)] != nullptr) continue;
    missing.emplace_back(std::string(keyspace.name), tuning_.Family(keyspace.pattern));
  }
  if (missing.empty()) return {};
  if (EncodeFormatFile(stored_) != format_file_) {
    TALEA_TRY(WriteFormatFile(folder_, format_file_));
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const rocksdb::Status created = db_->CreateColumnFamilies(missing, &handles);
  std::ranges::for_each(handles, [this](auto* handle) { Place(handle); });
  return Check("creating column families", created);
}

void Store::Place(rocksdb::ColumnFamilyHandle* handle) {
  families_[keyspaces_.Position(Named(keyspaces_, handle->GetName()).id)] = handle;
}

Status Store::CheckOutside(const fs::path& folder) const {
  std::error_code error;
  const fs::path own = fs::weakly_canonical(folder_, error);
  fs::path above = fs::weakly_canonical(fs::absolute(folder, error), error);
  for (; above != own; above = above.parent_path()) {
    if (!above.has_relative_path()) return {};
  }
  return Fail(ErrorCode::invalid_argument,
              fmt::format("folder {}: expected one outside of the database in {}",
                          Quoted(folder.native()), Quoted(folder_.native())));
}

std::filesystem::path Store::NewIngestFolder() {
  return folder_ / fmt::format("{}{}", kIngestFolderPrefix, ingests_.fetch_add(1));
}

// RocksDB begins a log at each opening, and drops those before it at the next flush. A program that
// opens a database over and over and only reads never has one, and would leave a file each time.
void Store::RemoveEmptyLogs() {
  std::unique_ptr<rocksdb::LogFile> current;
  if (!db_->GetCurrentWalFile(&current).ok()) return;
  for (const std::string& name : FileNames(folder_)) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || std::string_view(end) != ".log") continue;
    if (number >= current->LogNumber()) continue;
    std::error_code ignored;
    if (fs::file_size(folder_ / name, ignored) == 0) fs::remove(folder_ / name, ignored);
  }
}

void Store::RemoveIngestLeftovers() {
  std::error_code ignored;
  for (const std::string& name : FileNames(folder_)) {
    if (name.starts_with(kIngestFolderPrefix)) fs::remove_all(folder_ / name, ignored);
  }
}

Store::~Store() {
  for (rocksdb::ColumnFamilyHandle* handle : families_) {
    if (handle != nullptr) db_->DestroyColumnFamilyHandle(handle);
  }
  if (bookkeeping_ != nullptr) db_->DestroyColumnFamilyHandle(bookkeeping_);
}

Result<Version> Store::ReadVersion() { return ReadVersionOf(*db_, bookkeeping_); }

}  // namespace talea
