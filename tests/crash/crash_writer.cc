// The process that is killed: writes as workload.h says, and tells on its standard output what was
// acknowledged.
//
//   crash_writer FOLDER SEED SMALL_BUFFERS
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "talea/testing/random.h"
#include "tests/crash/workload.h"

namespace talea::crash {
namespace {

template <class T>
T OrExit(Result<T> result) {
  if (result.has_value()) return std::move(result).value();
  fmt::print(stderr, "crash_writer: {}\n", result.error().message());
  std::_Exit(1);
}

// Less than a pipe's buffer takes at once, so it arrives whole or not at all.
void Acknowledge(const Acknowledgement& acknowledgement) {
  if (::write(STDOUT_FILENO, &acknowledgement, sizeof acknowledgement) < 0) std::_Exit(2);
}

void WriteForEver(Engine& engine, std::uint32_t thread, std::uint64_t last, std::uint64_t ingested,
                  std::uint64_t seed) {
  Random random(seed + thread);
  for (std::uint64_t number = last + 1;; ++number) {
    const Durability durability = random.Chance(0.1) ? Durability::synced : Durability::buffered;
    const Version version = OrExit(WriteNumber(engine, thread, number, durability));
    Acknowledge({thread, static_cast<std::uint32_t>(durability), number, version.number});
    if (thread == 0 && random.Chance(0.02)) {
      const Version ingest = OrExit(IngestNumber(engine, ++ingested));
      Acknowledge({kIngests, 1, ingested, ingest.number});
    }
  }
}

void Run(const char* folder, std::uint64_t seed, bool small_buffers) {
  const std::unique_ptr<RocksDbEngine> engine = OrExit(OpenDatabase(folder, small_buffers));
  const auto last = OrExit(LastNumbers(*OrExit(engine->OpenSnapshot())));
  std::vector<std::jthread> threads;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back(
        [&, thread] { WriteForEver(*engine, thread, last[thread], last[kIngests], seed); });
  }
}

}  // namespace
}  // namespace talea::crash

int main(int, char** arguments) {
  talea::crash::Run(arguments[1], std::strtoull(arguments[2], nullptr, 10), arguments[3][0] == '1');
}
