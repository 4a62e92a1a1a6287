#include "cli/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "cli/sample_ledger.h"
#include "talea/histograms.h"
#include "talea/progress.h"
#include "talea/tuple.h"

namespace talea::cli {
namespace {

constexpr Keyspace kSamplePages{250, AccessPattern::point, "sample-pages"};
constexpr Keyspace kSampleVisits{251, AccessPattern::counter, "sample-visits"};

constexpr std::string_view kBySection = "sample-pages-by-section";
constexpr std::string_view kByVisits = "sample-pages-by-visits";

constexpr std::uint64_t kSeed = 20'260'101;
constexpr std::int64_t kPageSteps = 12;          // one commit each
constexpr std::int64_t kSteps = kPageSteps + 1;  // and the ledger, which knows how far it is
constexpr std::int64_t kPagesInStep = 50;
constexpr std::int64_t kDays = 7;
constexpr std::int64_t kFirstDay = 20'454;  // since the epoch: 2026-01-01
constexpr std::array kSections = {"guide", "reference", "blog", "shop", "help"};

// A few pages have most of the visits.
std::int64_t VisitsOnOneDay(std::mt19937_64& random, std::int64_t page) {
  const std::int64_t usual = 20'000 / (1 + page * 7919 % (kPageSteps * kPagesInStep));
  return 1 + usual / 2 +
         static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(1 + usual));
}

Status WritePage(Transaction& transaction, IndexStore& indexes, std::mt19937_64& random,
                 std::int64_t page) {
  const auto section = static_cast<std::size_t>(page) % kSections.size();
  const std::string path = fmt::format("/{}/{}", kSections[section], page);
  transaction.Put(kSamplePages, TALEA_TRY(Pack({Text(path)})),
                  fmt::format("Page {} of the {}", page, kSections[section]));
  std::int64_t visits = 0;
  for (std::int64_t day = kFirstDay; day < kFirstDay + kDays; ++day) {
    const std::int64_t on_day = VisitsOnOneDay(random, page);
    transaction.Add(kSampleVisits, TALEA_TRY(Pack({Text(path), day})), on_day);
    visits += on_day;
  }
  TALEA_TRY(indexes.Add(transaction, kBySection, {kSections[section]}, Text(path)));
  TALEA_TRY(indexes.Add(transaction, kByVisits, {visits}, Text(path)));
  return {};
}

Status WriteStep(Transaction& transaction, IndexStore& indexes, std::int64_t step) {
  // Each step has its own numbers, so that they do not depend on where the writing went on.
  std::mt19937_64 random(kSeed + static_cast<std::uint64_t>(step));
  for (std::int64_t page = step * kPagesInStep; page < (step + 1) * kPagesInStep; ++page) {
    TALEA_TRY(WritePage(transaction, indexes, random, page));
  }
  return {};
}

// Talea's own bookkeeping is in every database.
Status CheckEmpty(Transaction& transaction) {
  for (const Keyspace& keyspace : transaction.engine().keyspaces().all()) {
    if (keyspace.name == "talea") continue;
    Scanner rows(transaction, keyspace, KeyRange::All());
    if (!TALEA_TRY(rows.Next())) continue;
    return Fail(ErrorCode::precondition_failed,
                fmt::format("sample data: expected an empty database, found rows in keyspace {}",
                            Quoted(keyspace.name)));
  }
  return {};
}

// The number of steps that were done.
Result<std::int64_t> StepOf(const Progress::Position& position) {
  if (!position) return 0;
  const Tuple tuple = TALEA_TRY(Unpack(*position));
  const std::int64_t step = tuple.size() == 1 ? TALEA_TRY(tuple[0].AsInt()) : -1;
  if (step >= 0 && step <= kSteps) return step;
  return Fail(ErrorCode::corruption, fmt::format("progress \"sample\": expected a step up to {}, "
                                                 "found {}",
                                                 kSteps, ToString(tuple)));
}

// Marks the database as one with the sample in it, and returns whether there is more to write.
Result<bool> Begin(Database& database, const Progress& progress) {
  return database.Transact([&](Transaction& transaction) -> Result<bool> {
    const Progress::Position position = TALEA_TRY(progress.Read(transaction));
    if (position) return TALEA_TRY(StepOf(position))
    < kSteps;
    TALEA_TRY(CheckEmpty(transaction));
    TALEA_TRY(progress.Move(transaction, position, TALEA_TRY(Pack({0}))));
    return true;
  });
}

Status CreateIndexes(IndexStore& indexes) {
  for (const std::string_view name : {kBySection, kByVisits}) {
    const Status created = indexes.Create(name);
    // An earlier call may have come as far as this.
    if (!created && created.error().code() != ErrorCode::already_exists) return created;
  }
  return {};
}

Status WritePages(Database& database, IndexStore& indexes, const Progress& progress) {
  for (bool done = false; !done;) {
    done = TALEA_TRY(database.Transact([&](Transaction& transaction) -> Result<bool> {
      const Progress::Position position = TALEA_TRY(progress.Read(transaction));
      const std::int64_t step = TALEA_TRY(StepOf(position));
      if (step >= kPageSteps) return true;
      TALEA_TRY(WriteStep(transaction, indexes, step));
      TALEA_TRY(progress.Move(transaction, position, TALEA_TRY(Pack({step + 1}))));
      return false;
    }));
  }
  return {};
}

}  // namespace

std::vector<Keyspace> SampleKeyspaces() { return {kSamplePages, kSampleVisits}; }

Status WriteSample(Database& database) {
  const Progress progress("sample");
  if (!TALEA_TRY(Begin(database, progress))) return {};
  IndexStore indexes(database.engine());
  TALEA_TRY(CreateIndexes(indexes));
  TALEA_TRY(WritePages(database, indexes, progress));
  TALEA_TRY(WriteSampleLedger(database));
  return database.Transact([&](Transaction& transaction) -> Status {
    const Progress::Position position = TALEA_TRY(progress.Read(transaction));
    return progress.Move(transaction, position, TALEA_TRY(Pack({kSteps})));
  });
}

}  // namespace talea::cli
