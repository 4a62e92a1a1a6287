// A tour of what Talea has today: counters and rows in one transaction, conflicts and retries,
// ordered keys, undo, and a simulated power cut.
#include <iostream>
#include <memory>
#include <string>

#include "talea/memory_engine.h"
#include "talea/testing/simulation.h"
#include "talea/transaction.h"
#include "talea/tuple.h"

namespace {

using talea::AccessPattern, talea::Durability, talea::Engine, talea::Keyspace, talea::Result,
    talea::Status;
using talea::Transaction;

constexpr Keyspace kStock{200, AccessPattern::counter, "stock"};  // (warehouse, article) -> pieces
constexpr Keyspace kOrders{201, AccessPattern::scan, "orders"};   // (warehouse, number) -> article
constexpr Keyspace kUndo{202, AccessPattern::point, "undo"};

std::string StockKey(const std::string& warehouse, const std::string& article) {
  return talea::Pack({talea::Text(warehouse), talea::Text(article)}).value();
}

// Takes one piece off the stock and notes the order, or changes nothing.
Status Order(Engine& engine, const std::string& warehouse, std::int64_t number,
             const std::string& article) {
  while (true) {
    Transaction transaction(engine);
    transaction.KeepUndo(kUndo, std::to_string(number));
    const std::int64_t pieces =
        TALEA_TRY(transaction.GetCounter(kStock, StockKey(warehouse, article)));
    if (pieces < 1) {
      return talea::Fail(talea::ErrorCode::not_found,
                         "article \"" + article + "\": expected a piece in stock, found none");
    }
    transaction.Add(kStock, StockKey(warehouse, article), -1);
    transaction.Put(kOrders, talea::Pack({talea::Text(warehouse), number}).value(), article);
    const Result<talea::Version> version = transaction.Commit();
    if (version) return {};
    if (!version.error().retryable()) return std::unexpected(version.error());
  }
}

Status PrintOrders(Engine& engine) {
  const auto snapshot = TALEA_TRY(engine.OpenSnapshot());
  talea::Scanner orders(*snapshot, kOrders, talea::KeyRange::All());
  while (const auto row = TALEA_TRY(orders.Next())) {
    std::cout << "  order " << TALEA_TRY(talea::Unpack(row->key))
    << ": " << row->value << "\n";
  }
  std::cout << "  lamps left: "
            << TALEA_TRY(snapshot->GetCounter(kStock, StockKey("north", "lamp")))
  << "\n";
  return {};
}

Status Tour() {
  const auto engine =
      TALEA_TRY(talea::OpenMemoryEngine({.keyspaces = {kStock, kOrders, kUndo}, .checkpoint = {}}));
  Transaction delivery(*engine);
  delivery.Add(kStock, StockKey("north", "lamp"), 2);
  TALEA_TRY(delivery.Commit());

  std::cout << "Three orders for two lamps:\n";
  for (std::int64_t number = 1; number <= 3; ++number) {
    if (Status ordered = Order(*engine, "north", number, "lamp"); !ordered) {
      std::cout << "  order " << number << " refused: " << ordered.error().message() << "\n";
    }
  }
  TALEA_TRY(PrintOrders(*engine));

  std::cout << "The second one taken back, in every keyspace at once:\n";
  Transaction cancellation(*engine);
  TALEA_TRY(cancellation.Undo(kUndo, "2"));
  TALEA_TRY(cancellation.Commit());
  return PrintOrders(*engine);
}

// The same code on a machine that loses its power: the synced order is there, a later one may not
// be.
Status PowerCut() {
  auto machine = TALEA_TRY(talea::Simulation::Make(
      {kStock, kOrders, kUndo}, talea::SimulationProfile::RocksDb().WithoutFaults(), 2));
  auto engine = TALEA_TRY(machine.Open());
  Transaction delivery(*engine);
  delivery.Add(kStock, StockKey("north", "lamp"), 9);
  TALEA_TRY(delivery.Commit(Durability::synced));
  for (std::int64_t number = 1; number <= 5; ++number)
    TALEA_TRY(Order(*engine, "north", number, "lamp"));
  machine.PowerCut();
  engine = TALEA_TRY(machine.Open());
  std::cout
      << "A synced delivery of nine lamps, five buffered orders, a power cut; what is left:\n";
  return PrintOrders(*engine);
}

}  // namespace

int main() {
  for (const auto part : {Tour, PowerCut}) {
    if (const Status done = part(); !done) {
      std::cerr << "quickstart: " << done.error() << "\n";
      return 1;
    }
  }
}
