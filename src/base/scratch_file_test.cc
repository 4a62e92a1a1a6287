#include "base/scratch_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

namespace fs = std::filesystem;

TEST(ScratchFile, GivesBackWhatWasAppended) {
  ScratchFile file = ASSERT_VALUE(ScratchFile::Create({}));
  ASSERT_OK(file.Append("one"));
  ASSERT_OK(file.Append(""));
  ASSERT_OK(file.Append("two"));
  EXPECT_EQ(file.size(), 6);
  std::string read(4, '\0');
  ASSERT_OK(file.Read(1, read.data(), read.size()));
  EXPECT_EQ(read, "netw");
}

TEST(ScratchFile, RefusesToReadBeyondItsEnd) {
  ScratchFile file = ASSERT_VALUE(ScratchFile::Create({}));
  ASSERT_OK(file.Append("one"));
  char read[4];
  EXPECT_ERROR(file.Read(0, read, 4), ErrorCode::io_error);
}

TEST(ScratchFile, HasNoName) {
  std::string folder = (fs::temp_directory_path() / "talea-scratch-test-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  {
    ScratchFile file = ASSERT_VALUE(ScratchFile::Create(folder));
    ASSERT_OK(file.Append("one"));
    EXPECT_TRUE(fs::is_empty(folder));
  }
  fs::remove(folder);
}

TEST(ScratchFile, NamesTheFolderThatItCannotBeIn) {
  const auto missing = ScratchFile::Create("/there/is/none");
  ASSERT_ERROR(missing, ErrorCode::io_error);
  EXPECT_EQ(missing.error().message(),
            "creating a scratch file in \"/there/is/none\": No such file or directory");
  EXPECT_ERROR(ScratchFile::Create("/dev/null"), ErrorCode::io_error);
}

}  // namespace
}  // namespace talea
