// Imports many outputs into a new ledger, made up as they are asked for, and says how much memory
// that took. bench/chain_import_limits runs it under limits.
//
//   bench_chain_import FOLDER blocks|bulk OUTPUTS MOST_MEBIBYTES
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "bench/chain_cases.h"
#include "bench/chain_databases.h"
#include "terminal/numbers.h"

namespace talea::bench {
namespace {

void ImportBlocks(OurLedger& ledger, std::uint64_t outputs) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t first = 0; first < outputs; first += kBatch) {
    numbers.resize(std::min<std::uint64_t>(kBatch, outputs - first));
    std::iota(numbers.begin(), numbers.end(), first);
    ledger.ApplyRows(OutputRows(numbers, kValueBytes), kBatch, {.outputs_are_new = true});
  }
}

void ImportInBulk(OurLedger& ledger, const std::string& folder, std::uint64_t outputs) {
  GeneratedSource source(outputs, kValueBytes);
  Must(BulkIngest(ledger.store(), source, *CursorAfter(1), {.scratch = folder}));
}

int Main(const std::string& folder, std::string_view way, std::uint64_t outputs,
         std::uint64_t most_bytes) {
  const auto start = std::chrono::steady_clock::now();
  OurLedger ledger(folder);
  if (way == "blocks") {
    ImportBlocks(ledger, outputs);
  } else {
    ImportInBulk(ledger, folder, outputs);
  }
  ledger.Settle();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const std::uint64_t counted = Must(Must(ledger.store().Open()).CountOutputs());
  const std::uint64_t resident = MostResidentBytes();
  fmt::print("{}: {} outputs in {:.0f} s, {}/s; {} MiB of memory at most; {}\n", way,
             FullNumber(counted), took.count(),
             ShortNumber(static_cast<double>(counted) / took.count()), resident >> 20,
             ledger.Measure().ToString());
  if (counted == outputs && resident <= most_bytes) return 0;
  fmt::print(stderr, "{}: expected {} outputs within {} MiB, found {} and {}\n", way,
             FullNumber(outputs), most_bytes >> 20, FullNumber(counted), resident >> 20);
  return 1;
}

}  // namespace
}  // namespace talea::bench

int main(int argc, char** argv) {
  const std::string_view way = argc == 5 ? argv[2] : "";
  if (way != "blocks" && way != "bulk") {
    fmt::print(stderr, "usage: {} FOLDER blocks|bulk OUTPUTS MOST_MEBIBYTES\n", argv[0]);
    return 2;
  }
  return talea::bench::Main(argv[1], way, std::strtoull(argv[3], nullptr, 10),
                            std::strtoull(argv[4], nullptr, 10) << 20);
}
