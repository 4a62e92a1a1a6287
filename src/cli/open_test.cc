#include "cli/open.h"

#include <gtest/gtest.h>

#include <sstream>

#include "talea/testing/result_matchers.h"

namespace talea::cli {
namespace {

Result<std::shared_ptr<Engine>> Open(std::string location) {
  std::ostringstream out;
  const Context context{.location = std::move(location), .screen = {}, .out = out, .err = out};
  return OpenExisting(context);
}

// The location got create=no appended, unless it said something about that itself: so create=yes
// made `talea get` create a database.
TEST(OpenExisting, CreatesNothingWhateverTheLocationSays) {
  const auto nothing = std::filesystem::temp_directory_path() / "talea-open-test-nothing";
  const std::string location = "rocksdb:" + nothing.string();
  for (const char* options : {"", "?create=no", "?create=yes", "?tenant=a&create=yes"}) {
    EXPECT_ERROR(Open(location + options), ErrorCode::not_found) << options;
    EXPECT_FALSE(std::filesystem::exists(nothing)) << options;
  }
}

TEST(OpenExisting, TakesOneInMemoryWhichIsAlwaysNew) { EXPECT_OK(Open("memory:")); }

}  // namespace
}  // namespace talea::cli
