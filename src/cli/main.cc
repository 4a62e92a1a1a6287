#include <fcntl.h>
#include <unistd.h>

#include <iostream>

#include "cli/run.h"

namespace {

// Where a standard descriptor is closed, the next file that is opened gets its number: what is told
// on standard error would be written into the database.
void KeepStandardDescriptors() {
  int opened = 0;
  do {
    opened = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  } while (opened >= 0 && opened <= STDERR_FILENO);
  if (opened >= 0) ::close(opened);
}

}  // namespace

int main(int count, char** arguments) {
  KeepStandardDescriptors();
  std::ios::sync_with_stdio(false);
  return static_cast<int>(
      talea::cli::Run({arguments + 1, arguments + count}, std::cout, std::cerr));
}
