// The process that is killed: applies blocks, takes some back now and then, and tells on its
// standard output what it is going to do.
//
//   ledger_writer LOCATION SEED
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "talea/testing/random.h"
#include "tests/crash/ledger_workload.h"

namespace talea::crash {
namespace {

constexpr std::uint64_t kMostTakenBack = 8;

void Tell(const Intention& intention) {
  if (::write(STDOUT_FILENO, &intention, sizeof intention) < 0) std::_Exit(2);
}

std::uint64_t NextAfter(std::uint64_t number, Random& random) {
  const std::uint64_t few = 1 + random.Below(kMostTakenBack);
  const bool back = random.Chance(0.08);
  if (number == kBlocks) return kBlocks - kUndoWindow / 2;
  return back && few <= number ? number - few : number + 1;
}

Status Run(const std::string& location, std::uint64_t seed) {
  const auto workload = TALEA_TRY(LedgerWorkload::Open(location));
  Random random(seed);
  std::uint64_t number = TALEA_TRY(workload->Newest());
  while (true) {
    const std::uint64_t next = NextAfter(number, random);
    Tell({number, next});
    TALEA_TRY(next > number ? workload->ApplyAfter(number) : workload->RollBackTo(next));
    number = next;
  }
}

}  // namespace
}  // namespace talea::crash

int main(int, char** arguments) {
  const talea::Status ended =
      talea::crash::Run(arguments[1], std::strtoull(arguments[2], nullptr, 10));
  fmt::print(stderr, "ledger_writer: {}\n", ended.error().message());
  return 1;
}
