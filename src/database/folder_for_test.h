// A folder for one test, empty at first and removed afterwards.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace talea {

class FolderForTest {
 public:
  FolderForTest() {
    std::string path = (std::filesystem::temp_directory_path() / "talea-database-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) std::abort();
    root_ = path;
  }
  ~FolderForTest() { std::filesystem::remove_all(root_); }
  FolderForTest(const FolderForTest&) = delete;
  FolderForTest& operator=(const FolderForTest&) = delete;

  // Of a file or folder in it, and as a location.
  std::filesystem::path Path(const std::string& name) const { return root_ / name; }
  std::string RocksDb(const std::string& name, const std::string& options = "") const {
    return "rocksdb:" + Path(name).string() + options;
  }

 private:
  std::filesystem::path root_;
};

}  // namespace talea
