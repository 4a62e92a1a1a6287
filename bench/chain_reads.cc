// Reading outputs, from two copies of one ledger.
#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/chain_cases.h"
#include "bench/chain_databases.h"
#include "terminal/numbers.h"

namespace talea::bench {
namespace {

constexpr std::size_t kTogether = 100;

// Which outputs are asked for. A tenth of them are not there.
OutputRows AskedFor(std::size_t count, std::size_t stored) {
  Random random(2);
  std::vector<std::uint64_t> numbers;
  numbers.reserve(count);
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(random.Below(stored + stored / 9));
  return {numbers, sizeof kEra};
}

std::uint64_t Weigh(const OutputReference& reference, const std::optional<OutputValue>& value) {
  return value ? WeighOutput(reference.transaction.view(), value->cbor()) : 0;
}

std::uint64_t ScanOurs(const ChainView& view) {
  std::uint64_t weight = 0;
  std::optional<OutputReference> next;
  do {
    const OutputPage page = Must(view.ScanOutputs(next));
    for (std::size_t row = 0; row < page.size(); ++row) {
      const OutputPage::Entry entry = page[row];
      weight += WeighOutput(entry.reference.transaction.view(), entry.cbor);
    }
    next = page.next();
  } while (next);
  return weight;
}

std::uint64_t GetOurs(const ChainView& view, std::span<const OutputReference> references) {
  std::uint64_t weight = 0;
  for (const OutputReference& reference : references) {
    weight += Weigh(reference, Must(view.GetOutput(reference)));
  }
  return weight;
}

std::uint64_t GetRaw(RawLedger& ledger, const OutputRows& asked) {
  std::uint64_t weight = 0;
  rocksdb::PinnableSlice value;
  for (std::size_t row = 0; row < asked.size(); ++row) {
    const rocksdb::Status found = ledger.db().Get({}, ledger.outputs(), asked.key(row), &value);
    if (found.ok()) weight += WeighRow(asked.key(row), value.ToStringView());
    value.Reset();
  }
  return weight;
}

std::uint64_t MultiGetOurs(const ChainView& view, std::span<const OutputReference> references) {
  std::uint64_t weight = 0;
  for (std::size_t from = 0; from < references.size(); from += kTogether) {
    const auto together = references.subspan(from, kTogether);
    const std::vector<std::optional<OutputValue>> values = Must(view.GetOutputs(together));
    for (std::size_t i = 0; i < values.size(); ++i) weight += Weigh(together[i], values[i]);
  }
  return weight;
}

std::uint64_t MultiGetRaw(RawLedger& ledger, const OutputRows& asked) {
  std::uint64_t weight = 0;
  for (std::size_t from = 0; from < asked.size(); from += kTogether) {
    std::vector<rocksdb::Slice> keys;
    keys.reserve(kTogether);
    for (std::size_t row = from; row < from + kTogether; ++row) keys.emplace_back(asked.key(row));
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    ledger.db().MultiGet({}, ledger.outputs(), keys.size(), keys.data(), values.data(),
                         statuses.data());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (statuses[i].ok()) weight += WeighRow(asked.key(from + i), values[i].ToStringView());
    }
  }
  return weight;
}

}  // namespace

void LedgerReadCases(Bench& bench) {
  if (!bench.WantsAny({"scan", "get", "multi-get"})) return;
  const std::size_t outputs = OutputCount(bench);
  const std::size_t gets = bench.quick() ? 100'000 : 500'000;
  const Folder our_folder, raw_folder;
  {
    OurLedger ledger(our_folder.path());
    ledger.ApplyRows(OutputRows::Unsorted(outputs, kValueBytes), kBatch, {.outputs_are_new = true});
    ledger.Settle();
    Must(ledger.engine().Shutdown(std::chrono::minutes(1)));
  }
  LinkFolder(our_folder.path(), raw_folder.path());
  OurLedger ours(our_folder.path());
  RawLedger raw(raw_folder.path(), kAllKeyspaces);
  const ChainView view = Must(ours.store().Open());
  const OutputRows asked = AskedFor(gets, outputs);
  std::vector<OutputReference> references;
  for (std::size_t row = 0; row < asked.size(); ++row) references.push_back(asked.reference(row));

  const std::string rows =
      fmt::format("{} outputs of {} + {} bytes", FullNumber(outputs), kKeyBytes, kValueBytes);
  const auto measure = [&](std::string name, std::string unit, std::string size, std::size_t count,
                           auto our_body, auto raw_body) {
    bench.Case(
        std::move(name),
        {.unit = std::move(unit), .better = Better::higher, .size = std::move(size), .bar = 0.9},
        [&](Round& round) { round.Time([&] { round.Answer(our_body()); }, count); },
        [&](Round& round) { round.Time([&] { round.Answer(raw_body()); }, count); });
  };
  measure(
      "scan", "outputs/s", rows + ", pages of 1,000", outputs, [&] { return ScanOurs(view); },
      [&] { return raw.Weight(); });
  measure(
      "get", "gets/s", rows + ", a tenth of the keys absent", gets,
      [&] { return GetOurs(view, references); }, [&] { return GetRaw(raw, asked); });
  measure(
      "multi-get", "gets/s",
      fmt::format("{}, a tenth of the keys absent, {} at once", rows, kTogether), gets,
      [&] { return MultiGetOurs(view, references); }, [&] { return MultiGetRaw(raw, asked); });
}

}  // namespace talea::bench
