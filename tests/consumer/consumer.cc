// Opens a database, commits to two keyspaces, and finds both written when it is opened again.
//
//   consumer LOCATION
#include <talea/database.h>

#include <iostream>

namespace {

constexpr talea::Keyspace kVisits{200, talea::AccessPattern::counter, "visits"};
constexpr talea::Keyspace kPages{201, talea::AccessPattern::point, "pages"};

talea::Status Visit(std::string_view location) {
  const auto database =
      TALEA_TRY(talea::Database::Open(location, {.keyspaces = {kVisits, kPages}}));
  return database->Transact([](talea::Transaction& transaction) -> talea::Status {
    transaction.Add(kVisits, "/home", 1);
    transaction.Put(kPages, "/home", "ada");
    return {};
  });
}

talea::Status Check(std::string_view location) {
  const auto database =
      TALEA_TRY(talea::Database::Open(location, {.keyspaces = {kVisits, kPages}}));
  const auto snapshot = TALEA_TRY(database->OpenSnapshot());
  const auto visits = TALEA_TRY(snapshot->GetCounter(kVisits, "/home"));
  const auto page = TALEA_TRY(snapshot->Get(kPages, "/home"));
  std::cout << "/home: visit " << visits << " by " << page.value_or("nobody") << "\n";
  return {};
}

}  // namespace

int main(int, char** arguments) {
  for (const auto step : {Visit, Check}) {
    if (const talea::Status done = step(arguments[1]); !done) {
      std::cerr << "consumer: " << done.error() << "\n";
      return 1;
    }
  }
}
