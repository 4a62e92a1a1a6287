// Blocks of real networks, which are not part of the project.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace talea::cardano {

// Where they are: below TALEA_TEST_DATA, or beside the project. Tests run in its root.
inline std::filesystem::path RealBlocks() {
  const char* const data = std::getenv("TALEA_TEST_DATA");
  return std::filesystem::path(data != nullptr ? data : "../shared/data") / "cardano";
}

}  // namespace talea::cardano

#define TALEA_SKIP_WITHOUT_REAL_BLOCKS()                                           \
  if (!std::filesystem::exists(::talea::cardano::RealBlocks()))                    \
  GTEST_SKIP() << "there are no real blocks in " << ::talea::cardano::RealBlocks() \
               << "; TALEA_TEST_DATA names the folder that holds their folder, cardano"
