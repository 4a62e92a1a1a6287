#include <iostream>

#include "cli/run.h"

int main(int count, char** arguments) {
  std::ios::sync_with_stdio(false);
  return static_cast<int>(
      talea::cli::Run({arguments + 1, arguments + count}, std::cout, std::cerr));
}
