// A Database: an engine, a clock, and transactions that are tried again until they are decided.
//
//   auto database = TALEA_TRY(Database::Open("rocksdb:/var/lib/visits?cache=512M",
//                                            {.keyspaces = {kVisits, kPages}}));
//   TALEA_TRY(database->Transact([&](Transaction& transaction) -> Status {
//     transaction.Add(kVisits, "/home", 1);
//     transaction.Put(kPages, "/home", "ada");
//     return {};
//   }));
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "talea/engine.h"
#include "talea/keyspace.h"
#include "talea/progress.h"
#include "talea/result.h"
#include "talea/time.h"
#include "talea/transaction.h"

namespace talea {

// How long a transaction is tried again before its last error is returned.
struct RetryOptions {
  int attempts = 100;  // at least 1
  std::chrono::milliseconds within{10'000};
  // Pauses grow from the first to the longest, and are drawn at random below that.
  std::chrono::microseconds first_pause{200};
  std::chrono::microseconds longest_pause{200'000};
};

struct DatabaseOptions {
  // The program's own keyspaces, with ids from 128 on. Those of Talea's layers are always there;
  // and so is what the database holds already, whoever brought it. Over takes the engine's.
  std::vector<Keyspace> keyspaces;

  // Whether what is not there is created; if absent, as the location says.
  std::optional<bool> create = {};

  std::shared_ptr<const Clock> clock = {};  // the computer's if absent
  RetryOptions retry;

  // Gets warnings of the engine and of the database, a line each, from any thread.
  std::function<void(std::string_view line)> warn;

  // Waits between attempts; for tests, which do not.
  std::function<void(std::chrono::microseconds)> pause;
};

// Names a client's request, so that it is carried out once however often it arrives.
struct RequestKey {
  std::string key;  // 1 to 255 bytes, unique to the request
  std::chrono::microseconds time_to_live = std::chrono::hours(24);  // at most 366 days
  // Of what the request asks for. The same key with another fingerprint is refused, as that is a
  // mistake of the client's.
  std::string fingerprint = {};
};

struct RequestAnswer {
  std::string answer;     // what the body returned when it was committed
  bool replayed = false;  // by an earlier call: this one has changed nothing
};

// The value type of what a transaction's body returns.
template <class Body>
struct TransactionBodyResult {
  using type = std::invoke_result_t<Body&, Transaction&, Timestamp>;
};
template <class Body>
  requires std::invocable<Body&, Transaction&>
struct TransactionBodyResult<Body> {
  using type = std::invoke_result_t<Body&, Transaction&>;
};

class Database {
 public:
  // Opens what the location names, and creates it if it is not there:
  //   memory:                       gone with the process
  //   rocksdb:FOLDER?OPTION=VALUE&  on disk; docs/locations.md lists the options
  // A tenant's part of a database that holds several: ?tenant=NAME; talea/tenants.h tells how to
  // open two of them in one process, as a folder can be open only once at a time. A scheme,
  // option or value that is not known is refused by name, and so is a database whose schema is
  // newer than this program, or that is not whole: a copy or restore that was not finished.
  static Result<std::unique_ptr<Database>> Open(std::string_view location,
                                                DatabaseOptions options = {});

  // On an engine that is open already, your own perhaps. It must hold TaleaKeyspaces().
  static Result<std::unique_ptr<Database>> Over(std::shared_ptr<Engine> engine,
                                                DatabaseOptions options = {});

  virtual ~Database() = default;

  // Runs the body in a transaction and commits it; runs it again, in a new one, when it conflicted,
  // its snapshot expired or the engine was not available, within the bounds of RetryOptions. The
  // body is `Result<T>(Transaction&)` or `Result<T>(Transaction&, Timestamp now)`; it may run
  // several times, so it should do nothing that it cannot do twice, and `now` is the same each
  // time. What it returned in the attempt that was committed is returned, which need not be the
  // last that was run; so it should return what it finds, rather than write it to a variable
  // outside. An error of its own that is not retryable ends it, with nothing changed. It must not
  // throw: an exception of its own passes through, and then nothing is known of earlier attempts.
  //
  // It happens once or not at all: where an engine cannot tell whether a commit happened, the
  // database finds out. Only when that fails too, within the same bounds, is outcome_unknown
  // returned; and by engines that close themselves over it (Limits::outlives_unknown_outcomes), at
  // once. A commit that was found out about has called nothing that was given to
  // Transaction::AfterCommit and Transaction::Afterwards.
  //
  // Round trips: the body's own, one for the snapshot and one for the commit; each attempt anew. On
  // an engine that outlives unknown outcomes the first transaction that writes runs its body twice,
  // as it also begins the session by which the database finds out; and each commit that writes is
  // larger by its mark there, less than 500 bytes of Limits::transaction_bytes.
  template <class Body>
  auto Transact(Body&& body, Durability durability = Durability::buffered) ->
      typename TransactionBodyResult<std::remove_reference_t<Body>>::type;

  // Carries out a client's request once: if one with this key was committed within its time to
  // live, its answer is returned and the body is not run. The same key with another fingerprint is
  // refused with invalid_argument. An answer has to fit into a value of the engine (Limits), or it
  // fails with too_large. Taking back what the body did (RollBack) leaves the request carried out.
  //
  // Round trips: one more than Transact. One call in 64 also collects what is expired.
  virtual Result<RequestAnswer> TransactOnce(
      const RequestKey& request,
      const std::function<Result<std::string>(Transaction&, Timestamp now)>& body,
      Durability durability = Durability::buffered) = 0;

  // Takes back, newest first, all that was committed by moves of this progress beyond `position`
  // (see Progress::MoveWithUndo), in every layer; nothing for all of it. Each step is a commit of
  // its own, so if this is interrupted it has come part of the way, and can be called again.
  // Returns the number of steps. precondition_failed if that position was never reached, not_found
  // if the records do not reach back to it; either is found out before anything is changed. Whoever
  // moves the progress meanwhile is taken back too.
  virtual Result<std::uint64_t> RollBack(const Progress& progress,
                                         const Progress::Position& position) = 0;

  // The newest state, for reading without a transaction.
  Result<std::unique_ptr<Snapshot>> OpenSnapshot() { return engine().OpenSnapshot(); }

  virtual Engine& engine() = 0;
  virtual const Clock& clock() const = 0;

  // Drops what sessions and request keys left behind and is expired since an hour; at most `most`
  // of them. Returns how many. TransactOnce does a little of it as it goes, and so does opening a
  // database; a server calls it now and then.
  virtual Result<std::uint64_t> CollectExpired(std::uint64_t most) = 0;

  // Ends the session, lets the commits under way finish and closes the engine; see
  // Engine::Shutdown.
  virtual Status Shutdown(std::chrono::milliseconds bound) = 0;

 protected:
  // One run of a body. What it returns is to be kept at `place`, until another attempt is given the
  // same one: only attempts that may turn out to be the one that was committed keep theirs.
  using Attempt = std::function<Status(Transaction&, Timestamp now, std::size_t place)>;

  // Runs attempts until one is decided, and returns the place of the one that was committed.
  virtual Result<std::size_t> Run(const Attempt& attempt, Durability durability) = 0;
};

// Opens the engine that a location names, a tenant's too, whether it holds one database or tenants,
// and of whichever version: for tools, and for Tenants. Only the target of a copy that was not
// finished is refused, with precondition_failed; OpenCopy (talea/copy.h) goes on with that one. Of
// the options it takes the keyspaces, `create` and `warn`. Programs use Database::Open.
Result<std::shared_ptr<Engine>> OpenEngine(std::string_view location, DatabaseOptions options = {});

// The keyspaces of all of Talea's layers.
std::vector<Keyspace> TaleaKeyspaces();

template <class Body>
auto Database::Transact(Body&& body, Durability durability) ->
    typename TransactionBodyResult<std::remove_reference_t<Body>>::type {
  using Outcome = typename TransactionBodyResult<std::remove_reference_t<Body>>::type;
  const auto call = [&](Transaction& transaction, Timestamp now) -> Outcome {
    if constexpr (std::invocable<Body&, Transaction&>) {
      return body(transaction);
    } else {
      return body(transaction, now);
    }
  };
  std::vector<std::optional<Outcome>> outcomes;  // by place
  const Result<std::size_t> committed = Run(
      [&](Transaction& transaction, Timestamp now, std::size_t place) -> Status {
        if (outcomes.size() <= place) outcomes.resize(place + 1);
        const Outcome& outcome = outcomes[place].emplace(call(transaction, now));
        if (!outcome) return std::unexpected(outcome.error());
        return {};
      },
      durability);
  if (!committed) return std::unexpected(committed.error());
  return std::move(*outcomes[*committed]);
}

}  // namespace talea
