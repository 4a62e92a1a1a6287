// Ctrl-C, for commands that can stop at a point from which they can go on.
#pragma once

#include <csignal>

namespace talea::cli {

// While it lives, the first SIGINT or SIGTERM only sets a flag, and a second one ends the process
// as usual. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool requested() const;

 private:
  struct sigaction before_interrupt_;
  struct sigaction before_terminate_;
};

}  // namespace talea::cli
