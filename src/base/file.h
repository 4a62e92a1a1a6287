// Files that are whole or not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "talea/bytes.h"
#include "talea/result.h"

namespace talea {

// Writes a new file from its start to its end, through a buffer. Dropped before Finish, it leaves
// the file as far as it came.
class FileWriter {
 public:
  // Fails if the file exists.
  static Result<FileWriter> Create(std::filesystem::path path);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  Status Append(ByteView bytes);
  std::uint64_t written() const { return written_; }

  // Writes what is buffered, syncs the file to the disk and closes it.
  Status Finish();

 private:
  FileWriter(std::filesystem::path path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  Status Flush();

  std::filesystem::path path_;
  int descriptor_;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

// Reads parts of a file that nobody writes to. May be used by several threads.
class FileReader {
 public:
  // Fails for anything but a regular file.
  static Result<FileReader> Open(std::filesystem::path path);
  FileReader(FileReader&& other) noexcept;
  FileReader& operator=(FileReader&&) = delete;
  ~FileReader();

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // when it was opened

  // Exactly these bytes; io_error if the file ends before.
  Result<std::string> Read(std::uint64_t offset, std::size_t count) const;

 private:
  FileReader(std::filesystem::path path, int descriptor, std::uint64_t size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_;
};

Result<std::string> ReadWholeFile(const std::filesystem::path& path);

// Makes the names in a folder (created, renamed, removed) survive a power cut.
Status SyncFolder(const std::filesystem::path& folder);

// Renames and makes that durable.
Status RenameDurably(const std::filesystem::path& from, const std::filesystem::path& to);

// What the name of a file or folder ends with until it is complete. No other program makes such
// names, so that one of that name may be removed.
inline constexpr char kUnfinishedSuffix[] = ".talea-unfinished";

// Fills a folder all or nothing: creates a temporary one beside it, which `fill` writes to, and
// gives it its name once it is complete. Fails with already_exists, before anything is written, if
// the folder is there, or if something else than a folder has the temporary name. What an attempt
// that was killed has left is cleared away by the next.
Status CreateFolderWhole(const std::filesystem::path& folder,
                         const std::function<Status(const std::filesystem::path& temporary)>& fill);

// The same for a file. Where `fill` returns false nothing is left of it either, and false is
// returned.
Result<bool> CreateFileWhole(const std::filesystem::path& file,
                             const std::function<Result<bool>(FileWriter& writer)>& fill);

}  // namespace talea
