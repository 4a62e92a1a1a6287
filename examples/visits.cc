// Counts visits, and keeps a log of them, in a database on disk: two keyspaces that always agree,
// even if the program is killed in between.
//
//   example_visits [LOCATION [COUNT]]
//
// Records COUNT visits (1,000 if not given, and for ever if 0) after those that are there already,
// and tells of each hundredth. LOCATION is such as rocksdb:visits.db; without one all is in memory.
#include <charconv>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>

#include "talea/database.h"
#include "talea/tuple.h"

namespace {

using talea::AccessPattern, talea::Database, talea::Keyspace, talea::Reader, talea::Result,
    talea::Status, talea::Timestamp, talea::Transaction;

constexpr Keyspace kVisits{200, AccessPattern::counter, "visits"};  // page -> how often
constexpr Keyspace kLog{201, AccessPattern::scan, "log"};           // (number) -> page

// How many visits the log knows: the number of the last one.
Result<std::int64_t> LoggedVisits(Reader& reader) {
  const auto last =
      TALEA_TRY(reader.Range(kLog, talea::KeyRange::All(), {.reverse = true, .row_limit = 1}));
  if (last.empty()) return 0;
  const talea::Tuple key = TALEA_TRY(talea::Unpack(last[0].key));
  return key.at(0).AsInt();
}

// How many visits the counters know, all pages together.
Result<std::int64_t> CountedVisits(Reader& reader) {
  std::int64_t visits = 0;
  talea::Scanner pages(reader, kVisits, talea::KeyRange::All());
  while (const auto page = TALEA_TRY(pages.Next())) {
    visits += TALEA_TRY(reader.GetCounter(kVisits, page->key));
  }
  return visits;
}

// Counts a visit and logs it, or does neither. Returns its number.
Result<std::int64_t> Visit(Database& database, std::string_view page) {
  return database.Transact([&](Transaction& transaction) -> Result<std::int64_t> {
    const std::int64_t logged = TALEA_TRY(LoggedVisits(transaction));
    const std::int64_t number = logged + 1;
    transaction.Add(kVisits, page, 1);
    transaction.Put(kLog, TALEA_TRY(talea::Pack({number})), page);
    return number;
  });
}

Status CheckAgreement(Database& database) {
  const auto snapshot = TALEA_TRY(database.OpenSnapshot());
  const std::int64_t logged = TALEA_TRY(LoggedVisits(*snapshot));
  const std::int64_t counted = TALEA_TRY(CountedVisits(*snapshot));
  if (logged != counted) {
    return talea::Fail(talea::ErrorCode::corruption, "visits: expected " + std::to_string(logged) +
                                                         ", as logged, found " +
                                                         std::to_string(counted) + " counted");
  }
  std::cout << logged << " visits so far, in the log and in the counters" << std::endl;
  return {};
}

Status Run(std::string_view location, std::int64_t count) {
  const auto database = TALEA_TRY(Database::Open(location, {.keyspaces = {kVisits, kLog}}));
  TALEA_TRY(CheckAgreement(*database));
  for (std::int64_t visit = 0; count == 0 || visit < count; ++visit) {
    const std::string_view page = visit % 7 == 0 ? "/about" : visit % 3 == 0 ? "/blog" : "/home";
    const std::int64_t number = TALEA_TRY(Visit(*database, page));
    if (number % 100 == 0) std::cout << "visit " << number << ", to " << page << std::endl;
  }
  return CheckAgreement(*database);
}

}  // namespace

int main(int count, char** arguments) {
  std::int64_t visits = 1000;
  if (count > 2) {
    const std::string_view text = arguments[2];
    if (std::from_chars(text.begin(), text.end(), visits).ptr != text.end() || visits < 0) {
      std::cerr << "visits: expected a number of visits, found " << text << "\n";
      return 2;
    }
  }
  if (const Status done = Run(count > 1 ? arguments[1] : "memory:", visits); !done) {
    std::cerr << "visits: " << done.error() << "\n";
    return 1;
  }
}
