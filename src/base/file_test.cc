#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <map>

#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  FileTest() {
    std::string name = (fs::temp_directory_path() / "talea-file-test-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~FileTest() override { fs::remove_all(folder_); }

  fs::path At(std::string_view name) const { return folder_ / name; }

  void Write(const fs::path& path, std::string_view contents) const {
    std::ofstream(path, std::ios::binary) << contents;
  }

  static Status WriteFile(const fs::path& path, ByteView contents) {
    FileWriter file = TALEA_TRY(FileWriter::Create(path));
    TALEA_TRY(file.Append(contents));
    return file.Finish();
  }

  // All files in the test's folder, by their path in it; folders have no contents.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      const std::string name = fs::relative(entry.path(), folder_).string();
      files[name] = entry.is_directory() ? "" : ReadWholeFile(entry.path()).value();
    }
    return files;
  }

  using Found = std::map<std::string, std::string>;

 private:
  fs::path folder_;
};

TEST_F(FileTest, IsReadAsItWasWritten) {
  FileWriter file = ASSERT_VALUE(FileWriter::Create(At("a")));
  std::string expected;
  for (int part = 0; part < 300; ++part) {  // more than the writer's buffer, and more than one read
    const std::string bytes(10'007, static_cast<char>(part));
    ASSERT_OK(file.Append(bytes));
    expected += bytes;
  }
  EXPECT_EQ(file.written(), expected.size());
  ASSERT_OK(file.Finish());
  EXPECT_TRUE(ASSERT_VALUE(ReadWholeFile(At("a"))) == expected);
}

TEST_F(FileTest, ThatIsEmptyIsReadAsEmpty) {
  ASSERT_OK(WriteFile(At("a"), ""));
  EXPECT_EQ(ASSERT_VALUE(ReadWholeFile(At("a"))), "");
}

TEST_F(FileTest, MayBeFinishedByAnotherOwner) {
  FileWriter first = ASSERT_VALUE(FileWriter::Create(At("a")));
  ASSERT_OK(first.Append("one "));
  FileWriter second(std::move(first));
  ASSERT_OK(second.Append("two"));
  ASSERT_OK(second.Finish());
  EXPECT_EQ(Files(), (Found{{"a", "one two"}}));
}

TEST_F(FileTest, ThatExistsIsNotWrittenOver) {
  ASSERT_OK(WriteFile(At("a"), "first"));
  const Status second = WriteFile(At("a"), "second");
  ASSERT_ERROR(second, ErrorCode::already_exists);
  EXPECT_THAT(second.error().message(), HasSubstr(At("a").string()));
  EXPECT_EQ(Files(), (Found{{"a", "first"}}));
}

TEST_F(FileTest, ErrorsNameThePath) {
  const std::string missing = At("missing").string();
  const Result<std::string> read = ReadWholeFile(missing);
  ASSERT_ERROR(read, ErrorCode::not_found);
  EXPECT_THAT(read.error().message(), HasSubstr(missing));

  const Result<FileWriter> created = FileWriter::Create(At("missing") / "a");
  ASSERT_ERROR(created, ErrorCode::not_found);
  EXPECT_THAT(created.error().message(), HasSubstr(missing));

  const Result<std::string> folder = ReadWholeFile(At(""));
  ASSERT_ERROR(folder, ErrorCode::io_error);
  EXPECT_THAT(folder.error().message(), HasSubstr(At("").string()));

  const Status synced = SyncFolder(missing);
  ASSERT_ERROR(synced, ErrorCode::not_found);
  EXPECT_THAT(synced.error().message(), HasSubstr(missing));

  const Status renamed = RenameDurably(missing, At("b"));
  ASSERT_ERROR(renamed, ErrorCode::not_found);
  EXPECT_THAT(renamed.error().message(), HasSubstr(At("b").string()));
}

// A write that stopped half-way left all of its bytes in the buffer. Whoever went on after the
// error, once the disk had room again, got a whole-looking file with a part of it in it twice.
TEST_F(FileTest, HasEachByteOnceEvenAfterAWriteThatFailedHalfWay) {
  const std::string bytes = [] {
    std::string text;
    for (int number = 0; text.size() < (1 << 20) + 50'000; ++number) text += std::to_string(number);
    return text;
  }();
  FileWriter file = ASSERT_VALUE(FileWriter::Create(At("a")));

  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 100'000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &low), 0);
  const Status appended = file.Append(bytes);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, previous);

  ASSERT_ERROR(appended, ErrorCode::io_error);
  EXPECT_THAT(appended.error().message(), HasSubstr(At("a").string()));
  ASSERT_OK(file.Finish());
  EXPECT_TRUE(ASSERT_VALUE(ReadWholeFile(At("a"))) == bytes);
}

TEST_F(FileTest, FolderHasItsNameOnceItIsComplete) {
  const Status created = CreateFolderWhole(At("all"), [&](const fs::path& temporary) -> Status {
    EXPECT_FALSE(fs::exists(At("all")));
    EXPECT_EQ(temporary.parent_path(), At("all").parent_path());
    TALEA_TRY(WriteFile(temporary / "one", "1"));
    return WriteFile(temporary / "two", "2");
  });
  ASSERT_OK(created);
  EXPECT_EQ(Files(), (Found{{"all", ""}, {"all/one", "1"}, {"all/two", "2"}}));
}

TEST_F(FileTest, FolderThatCouldNotBeFilledLeavesNothing) {
  const Status created = CreateFolderWhole(At("all"), [&](const fs::path& temporary) -> Status {
    TALEA_TRY(WriteFile(temporary / "one", "1"));
    return Fail(ErrorCode::io_error, "the disk is full");
  });
  ASSERT_ERROR(created, ErrorCode::io_error);
  EXPECT_EQ(created.error().message(), "the disk is full");
  EXPECT_EQ(Files(), Found());
}

TEST_F(FileTest, FolderThatExistsIsRefusedBeforeAnythingIsWritten) {
  for (const bool empty : {true, false}) {
    SCOPED_TRACE(empty);
    fs::create_directories(At("all"));
    if (!empty) Write(At("all/old"), "old");
    const Found before = Files();
    bool filled = false;
    const Status created = CreateFolderWhole(At("all"), [&](const fs::path&) -> Status {
      filled = true;
      return {};
    });
    ASSERT_ERROR(created, ErrorCode::already_exists);
    EXPECT_THAT(created.error().message(), HasSubstr(At("all").string()));
    EXPECT_FALSE(filled);
    EXPECT_EQ(Files(), before);
  }
}

TEST_F(FileTest, FolderTakesNothingFromAnAttemptThatWasKilled) {
  fs::create_directories(At("all.talea-unfinished/deep"));
  Write(At("all.talea-unfinished/deep/leftover"), "old");
  ASSERT_OK(CreateFolderWhole(
      At("all"), [&](const fs::path& temporary) { return WriteFile(temporary / "new", "1"); }));
  EXPECT_EQ(Files(), (Found{{"all", ""}, {"all/new", "1"}}));
}

// `mkdir x.db.tmp; talea restore backups x.db` deleted x.db.tmp with all that a user had in it: the
// temporary folder was called FOLDER.tmp, and whatever stood there was removed.
TEST_F(FileTest, FolderLeavesAllThatIsNotOursBesideIt) {
  const auto fill = [](const fs::path& temporary) { return WriteFile(temporary / "new", "1"); };
  fs::create_directories(At("all.tmp"));
  Write(At("all.tmp/gold"), "gold");
  ASSERT_OK(CreateFolderWhole(At("all"), fill));
  EXPECT_EQ(Files(),
            (Found{{"all", ""}, {"all/new", "1"}, {"all.tmp", ""}, {"all.tmp/gold", "gold"}}));
}

// A file or a symbolic link under the temporary name was removed as well.
TEST_F(FileTest, FolderIsRefusedWhereSomethingElseHasItsTemporaryName) {
  const fs::path temporary = At("all.talea-unfinished");
  for (const bool link : {false, true}) {
    SCOPED_TRACE(link);
    fs::create_directories(At("elsewhere"));
    Write(At("elsewhere/gold"), "gold");
    if (link) {
      fs::create_directory_symlink(At("elsewhere"), temporary);
    } else {
      Write(temporary, "gold");
    }
    const Status created = CreateFolderWhole(At("all"), [](const fs::path&) { return Status(); });
    ASSERT_ERROR(created, ErrorCode::already_exists);
    EXPECT_THAT(created.error().message(), HasSubstr(temporary.string()));
    EXPECT_TRUE(fs::exists(fs::symlink_status(temporary)));
    EXPECT_TRUE(fs::exists(At("elsewhere/gold")));
    EXPECT_FALSE(fs::exists(At("all")));
    fs::remove(temporary);
  }
}

// A link that leads nowhere counted as absent: a whole restore was made, and then could not be
// given its name.
TEST_F(FileTest, FolderIsRefusedWhereALinkThatLeadsNowhereHasItsName) {
  fs::create_directory_symlink(At("nowhere"), At("all"));
  bool filled = false;
  const Status created = CreateFolderWhole(At("all"), [&](const fs::path&) -> Status {
    filled = true;
    return {};
  });
  EXPECT_ERROR(created, ErrorCode::already_exists);
  EXPECT_FALSE(filled);
}

// `talea restore backups ""` made a folder called ".tmp", and then failed to rename it to nothing.
TEST_F(FileTest, FolderWithoutANameIsRefused) {
  EXPECT_ERROR(CreateFolderWhole("", [](const fs::path&) { return Status(); }),
               ErrorCode::invalid_argument);
}

TEST_F(FileTest, FolderWithoutAParentIsRefusedByName) {
  const Status created =
      CreateFolderWhole(At("missing/all"), [](const fs::path&) { return Status(); });
  ASSERT_ERROR(created, ErrorCode::not_found);
  EXPECT_THAT(created.error().message(), HasSubstr(At("missing/all").string()));
}

// ".tmp" was appended to the path as it was given, so that "backup/" was to be made in
// "backup/.tmp", a folder within the one that must not exist: a checkpoint to any path with a slash
// at its end failed, as not_found.
TEST_F(FileTest, FolderMayBeGivenWithASlashAtItsEnd) {
  ASSERT_OK(CreateFolderWhole(
      At("all/"), [&](const fs::path& temporary) { return WriteFile(temporary / "new", "1"); }));
  EXPECT_EQ(Files(), (Found{{"all", ""}, {"all/new", "1"}}));
  EXPECT_ERROR(CreateFolderWhole(At("all/"), [](const fs::path&) { return Status(); }),
               ErrorCode::already_exists);
}

TEST_F(FileTest, IsReadInPartsAsItWasWritten) {
  ASSERT_OK(WriteFile(At("a"), "0123456789"));
  FileReader opened = ASSERT_VALUE(FileReader::Open(At("a")));
  const FileReader file(std::move(opened));
  EXPECT_EQ(file.size(), 10u);
  EXPECT_EQ(ASSERT_VALUE(file.Read(0, 10)), "0123456789");
  EXPECT_EQ(ASSERT_VALUE(file.Read(7, 3)), "789");
  EXPECT_EQ(ASSERT_VALUE(file.Read(10, 0)), "");
  const Result<std::string> beyond = file.Read(7, 4);
  ASSERT_ERROR(beyond, ErrorCode::io_error);
  EXPECT_THAT(beyond.error().message(), HasSubstr("expected 4 bytes at byte 7, found 3"));
}

TEST_F(FileTest, IsReadInPartsOnlyIfItIsAFile) {
  EXPECT_ERROR(FileReader::Open(At("missing")), ErrorCode::not_found);
  EXPECT_ERROR(FileReader::Open(At("")), ErrorCode::invalid_argument);
}

TEST_F(FileTest, HasItsNameOnceItIsComplete) {
  const Result<bool> created = CreateFileWhole(At("a"), [&](FileWriter& writer) -> Result<bool> {
    EXPECT_FALSE(fs::exists(At("a")));
    TALEA_TRY(writer.Append("all"));
    return true;
  });
  EXPECT_TRUE(ASSERT_VALUE(created));
  EXPECT_EQ(Files(), (Found{{"a", "all"}}));
}

TEST_F(FileTest, ThatIsNotCompletedLeavesNothing) {
  const auto fill = [](FileWriter& writer) -> Result<bool> {
    TALEA_TRY(writer.Append("some"));
    return false;
  };
  EXPECT_FALSE(ASSERT_VALUE(CreateFileWhole(At("a"), fill)));
  EXPECT_EQ(Files(), Found());
  const auto fail = [](FileWriter& writer) -> Result<bool> {
    TALEA_TRY(writer.Append("some"));
    return Fail(ErrorCode::unavailable, "not now");
  };
  EXPECT_ERROR(CreateFileWhole(At("a"), fail), ErrorCode::unavailable);
  EXPECT_EQ(Files(), Found());
}

TEST_F(FileTest, TakesNothingFromAnAttemptThatWasKilled) {
  Write(At("a.talea-unfinished"), "leftover");
  const auto fill = [](FileWriter& writer) -> Result<bool> {
    TALEA_TRY(writer.Append("new"));
    return true;
  };
  EXPECT_TRUE(ASSERT_VALUE(CreateFileWhole(At("a"), fill)));
  EXPECT_EQ(Files(), (Found{{"a", "new"}}));
}

TEST_F(FileTest, ThatExistsIsNeverReplacedByACompleteOne) {
  Write(At("old"), "old");
  bool filled = false;
  const auto fill = [&](FileWriter&) -> Result<bool> { return filled = true; };
  EXPECT_ERROR(CreateFileWhole(At("old"), fill), ErrorCode::already_exists);
  EXPECT_FALSE(filled);
  const auto be_late = [&](FileWriter&) -> Result<bool> {
    Write(At("meanwhile"), "somebody else's");
    return true;
  };
  EXPECT_ERROR(CreateFileWhole(At("meanwhile"), be_late), ErrorCode::already_exists);
  EXPECT_EQ(Files(), (Found{{"old", "old"}, {"meanwhile", "somebody else's"}}));
}

}  // namespace
}  // namespace talea
