#include "cli/interrupt.h"

namespace talea::cli {
namespace {

volatile std::sig_atomic_t requested_signal = 0;

void Remember(int signal) { requested_signal = signal; }

}  // namespace

Interruption::Interruption() {
  requested_signal = 0;
  struct sigaction action{};
  action.sa_handler = Remember;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_interrupt_);
  sigaction(SIGTERM, &action, &before_terminate_);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &before_interrupt_, nullptr);
  sigaction(SIGTERM, &before_terminate_, nullptr);
}

bool Interruption::requested() const { return requested_signal != 0; }

}  // namespace talea::cli
