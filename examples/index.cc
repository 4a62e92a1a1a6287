// An index that a query planner could ask: people, an index of them by city and by age, and how
// many match a condition, without reading them.
//
//   example_index [LOCATION]
//
// LOCATION is such as rocksdb:people.db, where nothing is yet; without one all is in memory.
#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>

#include "talea/database.h"
#include "talea/histograms.h"
#include "talea/tuple.h"

namespace {

using talea::CountEstimate, talea::Database, talea::IndexStore, talea::Result, talea::Status,
    talea::Text, talea::Transaction, talea::Tuple, talea::Where;

constexpr talea::Keyspace kPeople{200, talea::AccessPattern::point, "people"};  // id -> city
constexpr std::string_view kByCityAndAge = "people-by-city-and-age";
constexpr std::int64_t kCount = 10'000;

struct Person {
  std::int64_t id;
  std::string_view city;
  std::int64_t age;
};

// The later a city stands in the list, the more people live there.
Person MakePerson(std::int64_t id) {
  constexpr std::array<std::string_view, 6> cities{"London", "Paris",  "Berlin",
                                                   "Madrid", "Lisbon", "Vienna"};
  const auto place = static_cast<std::size_t>(std::sqrt(id * 7919 % 36));
  return {.id = id, .city = cities[place], .age = id * 31 % 90};
}

Tuple ValueOf(const Person& person) { return {Text(person.city), person.age}; }

// The row and its entry in one transaction: neither is ever there without the other.
Status AddPerson(Transaction& transaction, IndexStore& indexes, const Person& person) {
  transaction.Put(kPeople, TALEA_TRY(talea::Pack({person.id})), person.city);
  TALEA_TRY(indexes.Add(transaction, kByCityAndAge, ValueOf(person), person.id));
  return {};
}

Status AddPeople(Database& database, IndexStore& indexes) {
  constexpr std::int64_t in_one_commit = 500;
  for (std::int64_t first = 0; first < kCount; first += in_one_commit) {
    TALEA_TRY(database.Transact([&](Transaction& transaction) -> Status {
      for (std::int64_t id = first; id < first + in_one_commit; ++id) {
        TALEA_TRY(AddPerson(transaction, indexes, MakePerson(id)));
      }
      return {};
    }));
  }
  return {};
}

// Somebody moves: the row and the index change together.
Status Move(Database& database, IndexStore& indexes, std::int64_t id, std::string_view city) {
  return database.Transact([&](Transaction& transaction) -> Status {
    const Person before = MakePerson(id);
    Person after = before;
    after.city = city;
    transaction.Put(kPeople, TALEA_TRY(talea::Pack({id})), city);
    TALEA_TRY(indexes.Update(transaction, kByCityAndAge, id, ValueOf(before), ValueOf(after)));
    return {};
  });
}

Status PrintEstimate(Database& database, IndexStore& indexes, std::string_view question,
                     const Where& where) {
  const auto snapshot = TALEA_TRY(database.OpenSnapshot());
  const CountEstimate count = TALEA_TRY(indexes.Estimate(*snapshot, kByCityAndAge, where));
  std::cout << "  " << question << ": " << std::llround(count.estimate);
  if (!count.exact) std::cout << ", between " << count.low << " and " << count.high;
  std::cout << "\n";
  return {};
}

Status AskQuestions(Database& database, IndexStore& indexes) {
  // A tuple shorter than the index's values stands for all that begin with it.
  TALEA_TRY(PrintEstimate(database, indexes, "in London", Where::Equal({"London"})));
  TALEA_TRY(PrintEstimate(database, indexes, "in Paris, from 18 to 64",
                          Where::AtLeast({"Paris", 18}) && Where::Below({"Paris", 65})));
  TALEA_TRY(
      PrintEstimate(database, indexes, "in Lisbon or Vienna", Where::In({{"Lisbon"}, {"Vienna"}})));
  TALEA_TRY(PrintEstimate(database, indexes, "elsewhere than in L...", !Where::StartsWith({"L"})));
  return {};
}

// The entries that match, in order of their values.
Status PrintOldest(Database& database, IndexStore& indexes, std::string_view city) {
  const auto snapshot = TALEA_TRY(database.OpenSnapshot());
  int printed = 0;
  TALEA_TRY(indexes.Scan(
      *snapshot, kByCityAndAge, Where::Equal({Text(city)}),
      [&](const talea::IndexEntry& entry) {
        std::cout << "  " << entry.value << ", person " << entry.document << "\n";
        return ++printed < 3;
      },
      /*reverse=*/true));
  return {};
}

Status Run(std::string_view location) {
  const auto database = TALEA_TRY(Database::Open(location, {.keyspaces = {kPeople}}));
  IndexStore indexes(database->engine());  // one for an engine is enough
  TALEA_TRY(indexes.Create(kByCityAndAge, {.elements = 2}));
  TALEA_TRY(AddPeople(*database, indexes));

  std::cout << "How many people are\n";
  TALEA_TRY(AskQuestions(*database, indexes));
  std::cout << "The oldest of Vienna\n";
  TALEA_TRY(PrintOldest(*database, indexes, "Vienna"));
  TALEA_TRY(Move(*database, indexes, 0, "Vienna"));
  std::cout << "After somebody has moved to Vienna\n";
  TALEA_TRY(AskQuestions(*database, indexes));

  // Every entry is counted, and compared with what the histogram says.
  const auto snapshot = TALEA_TRY(database->OpenSnapshot());
  return indexes.Verify(*snapshot, kByCityAndAge);
}

}  // namespace

int main(int count, char** arguments) {
  if (const Status done = Run(count > 1 ? arguments[1] : "memory:"); !done) {
    std::cerr << "index: " << done.error() << "\n";
    return 1;
  }
}
