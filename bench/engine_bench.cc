// The RocksDB engine against RocksDB itself: the same options, column families, durability and
// data.
//
// The baseline is what one writes by hand: batches in the order in which the rows come, gets into a
// PinnableSlice, one iterator for a scan, and OptimisticTransactionDB with a snapshot for
// transactions.
#include <fmt/format.h>
#include <rocksdb/utilities/transaction.h>

#include <algorithm>
#include <filesystem>

#include "base/check.h"
#include "base/coding.h"
#include "bench/engine_databases.h"
#include "bench/harness.h"
#include "talea/rocksdb_engine.h"
#include "talea/testing/random.h"
#include "talea/transaction.h"

namespace talea::bench {
namespace {

// put/... and add/...: batches of random keys, from several threads, into an empty database.
void WriteCases(Bench& bench) {
  const std::size_t rows = bench.quick() ? 200'000 : 1'000'000;
  const std::string value(kValueBytes, 'v');
  const std::string one = EncodeCounter(1);
  const std::vector<std::string> keys = RandomKeys(rows, rows, 1);
  const auto part = [&](int thread, int threads, std::size_t batch, auto write) {
    const std::size_t share = rows / static_cast<std::size_t>(threads);
    const std::size_t first = share * static_cast<std::size_t>(thread);
    for (std::size_t from = first; from < first + share; from += batch) {
      write(std::span(keys).subspan(from, std::min(batch, first + share - from)));
    }
    return std::uint64_t{0};
  };
  for (const bool add : {false, true}) {
    for (const std::size_t batch_rows : {1'000, 10'000}) {
      for (const int threads : {1, 2}) {
        const auto ours = [&](Round& round) {
          const Folder folder;
          const auto engine = OpenOurs(folder.path());
          const auto write = [&](std::span<const std::string> batch_keys) {
            CommitRequest request;
            for (const std::string& key : batch_keys) {
              add ? request.batch.Add(kCounters, key, 1) : request.batch.Put(kPoints, key, value);
            }
            Must(engine->Commit(std::move(request)));
          };
          round.Time(
              [&] {
                InThreads(threads,
                          [&](int thread) { return part(thread, threads, batch_rows, write); });
              },
              rows);
          round.Answer(ScanOurs(*Must(engine->OpenSnapshot()), add ? kCounters : kPoints, {}));
        };
        const auto baseline = [&](Round& round) {
          const Folder folder;
          Raw raw(folder.path());
          const auto write = [&](std::span<const std::string> batch_keys) {
            rocksdb::WriteBatch batch;
            for (const std::string& key : batch_keys) {
              Must(add ? batch.Merge(raw.counters, key, one) : batch.Put(raw.points, key, value));
            }
            Must(raw.db->Write({}, &batch));
          };
          round.Time(
              [&] {
                InThreads(threads,
                          [&](int thread) { return part(thread, threads, batch_rows, write); });
              },
              rows);
          round.Answer(ScanRaw(raw, add ? raw.counters : raw.points, {}));
        };
        bench.Case(fmt::format("{}/{}k/{}", add ? "add" : "put", batch_rows / 1000, threads),
                   {.unit = "rows/s",
                    .better = Better::higher,
                    .size = fmt::format("{} random keys of 16 bytes, {}; batches of {}", rows,
                                        add ? "Add 1" : "values of 100", batch_rows)},
                   ours, baseline);
      }
    }
  }
}

// get/..., multi-get/... and scan/...: two copies of one database, byte for byte.
void ReadCases(Bench& bench) {
  const std::size_t rows = bench.quick() ? 200'000 : 1'000'000;
  const std::size_t gets = bench.quick() ? 100'000 : 500'000;
  constexpr std::size_t kTogether = 100;
  const Folder our_folder, raw_folder;
  {
    const auto engine = OpenOurs(our_folder.path());
    for (std::size_t from = 0; from < rows; from += 10'000) {
      CommitRequest request;
      for (std::size_t row = from; row < from + 10'000; ++row) {
        const std::string value = fmt::format("{:0>{}}", row, kValueBytes);
        request.batch.Put(kPoints, KeyOf(row), value);
        request.batch.Put(kScans, KeyOf(row), value);
      }
      Must(engine->Commit(std::move(request)));
    }
    Must(engine->Shutdown(std::chrono::minutes(1)));
  }
  OpenOurs(our_folder.path());  // the log becomes files
  fs::copy(our_folder.path(), raw_folder.path(), fs::copy_options::recursive);
  const auto engine = OpenOurs(our_folder.path());
  Raw raw(raw_folder.path());
  const std::vector<std::string> keys = RandomKeys(gets, rows + rows / 10, 2);  // some are absent
  const std::string size =
      fmt::format("{} rows of 16 + 100 bytes, a tenth of the keys absent", rows);

  for (const int threads : {1, 2}) {
    const std::size_t share = gets / static_cast<std::size_t>(threads);
    const auto keys_of = [&](int thread) {
      return std::span(keys).subspan(share * static_cast<std::size_t>(thread), share);
    };
    const auto measure = [&](std::string name, std::string unit, std::size_t count,
                             std::string sizes, auto our_body, auto raw_body) {
      bench.Case(
          fmt::format("{}/{}", name, threads),
          {.unit = std::move(unit), .better = Better::higher, .size = std::move(sizes)},
          [&](Round& round) {
            round.Time([&] { round.Answer(InThreads(threads, our_body)); }, count);
          },
          [&](Round& round) {
            round.Time([&] { round.Answer(InThreads(threads, raw_body)); }, count);
          });
    };
    measure(
        "get", "gets/s", gets, size,
        [&](int thread) {
          std::uint64_t weight = 0;
          const std::unique_ptr<Snapshot> snapshot = Must(engine->OpenSnapshot());
          for (const std::string& key : keys_of(thread)) {
            if (const auto value = Must(snapshot->Get(kPoints, key))) weight += Weigh(key, *value);
          }
          return weight;
        },
        [&](int thread) {
          std::uint64_t weight = 0;
          rocksdb::PinnableSlice value;
          for (const std::string& key : keys_of(thread)) {
            const rocksdb::Status found = raw.db->Get({}, raw.points, key, &value);
            if (found.ok()) weight += Weigh(key, value.ToStringView());
            value.Reset();
          }
          return weight;
        });
    measure(
        "multi-get", "gets/s", gets, fmt::format("{}; {} at once", size, kTogether),
        [&](int thread) {
          std::uint64_t weight = 0;
          const std::unique_ptr<Snapshot> snapshot = Must(engine->OpenSnapshot());
          const std::span<const std::string> mine = keys_of(thread);
          for (std::size_t from = 0; from < mine.size(); from += kTogether) {
            std::vector<KeyReference> together;
            together.reserve(kTogether);
            for (const std::string& key : mine.subspan(from, kTogether)) {
              together.emplace_back(kPoints, key);
            }
            const auto values = Must(snapshot->MultiGet(together));
            for (std::size_t i = 0; i < values.size(); ++i) {
              if (values[i]) weight += Weigh(together[i].key, *values[i]);
            }
          }
          return weight;
        },
        [&](int thread) {
          std::uint64_t weight = 0;
          const std::span<const std::string> mine = keys_of(thread);
          for (std::size_t from = 0; from < mine.size(); from += kTogether) {
            const std::span<const std::string> together = mine.subspan(from, kTogether);
            const std::vector<rocksdb::Slice> slices(together.begin(), together.end());
            std::vector<rocksdb::PinnableSlice> values(slices.size());
            std::vector<rocksdb::Status> statuses(slices.size());
            raw.db->MultiGet({}, raw.points, slices.size(), slices.data(), values.data(),
                             statuses.data());
            for (std::size_t i = 0; i < values.size(); ++i) {
              if (statuses[i].ok()) weight += Weigh(together[i], values[i].ToStringView());
            }
          }
          return weight;
        });
    // Two threads take a half of the keys each.
    const auto half = [&](int thread) {
      const std::string middle = threads == 1 ? "" : "\x80";
      return threads == 1  ? KeyRange()
             : thread == 0 ? KeyRange::Before(middle)
                           : KeyRange::From(middle);
    };
    measure(
        "scan", "rows/s", rows, fmt::format("{} rows of 16 + 100 bytes, pages of 1000", rows),
        [&](int thread) { return ScanOurs(*Must(engine->OpenSnapshot()), kScans, half(thread)); },
        [&](int thread) { return ScanRaw(raw, raw.scans, half(thread)); });
  }
}

// transaction...: reads some rows and adds one to the number in the first of them.
void TransactionCase(Bench& bench, const std::string& name, int threads, std::size_t reads,
                     std::size_t count, bool synced) {
  constexpr std::uint64_t kRows = 100'000;
  const std::size_t share = count / static_cast<std::size_t>(threads);
  const auto sum_of = [](ByteView value) { return LoadLittleEndian<std::uint64_t>(value.data()); };
  const auto padded = [](std::uint64_t number) {
    std::string value;
    AppendFixed64(value, number);
    value.resize(kValueBytes, 'p');
    return value;
  };
  const auto ours = [&](Round& round) {
    const Folder folder;
    const auto engine = OpenOurs(folder.path());
    CommitRequest load;
    for (std::uint64_t row = 0; row < kRows; ++row) load.batch.Put(kPoints, KeyOf(row), padded(0));
    Must(engine->Commit(std::move(load)));
    const auto attempt = [&](std::span<const std::string> keys) {
      Transaction transaction(*engine);
      const std::string value = Must(transaction.Get(kPoints, keys[0])).value();
      for (const std::string& key : keys.subspan(1)) Must(transaction.Get(kPoints, key));
      transaction.Put(kPoints, keys[0], padded(sum_of(value) + 1));
      const Result<Version> done =
          transaction.Commit(synced ? Durability::synced : Durability::buffered);
      TALEA_CHECK(done || done.error().code() == ErrorCode::conflict);
      return done.has_value();
    };
    round.Time(
        [&] {
          InThreads(threads, [&](int thread) {
            Random random(static_cast<std::uint64_t>(thread) + 3);
            std::vector<std::string> keys(reads);
            for (std::size_t i = 0; i < share; ++i) {
              for (std::string& key : keys) key = KeyOf(random.Below(kRows));
              while (!attempt(keys)) {
              }
            }
            return std::uint64_t{0};
          });
        },
        share * static_cast<std::size_t>(threads));
    std::uint64_t sum = 0;
    const auto snapshot = Must(engine->OpenSnapshot());
    Scanner rows(*snapshot, kPoints, {});
    while (const std::optional<Row> row = Must(rows.Next())) sum += sum_of(row->value);
    round.Answer(sum);
  };
  const auto baseline = [&](Round& round) {
    const Folder folder;
    Raw raw(folder.path(), true);
    rocksdb::WriteBatch load;
    for (std::uint64_t row = 0; row < kRows; ++row)
      Must(load.Put(raw.points, KeyOf(row), padded(0)));
    Must(raw.db->Write({}, &load));
    rocksdb::WriteOptions write_options;
    write_options.sync = synced;
    rocksdb::OptimisticTransactionOptions transaction_options;
    transaction_options.set_snapshot = true;
    const auto attempt = [&](std::span<const std::string> keys,
                             std::unique_ptr<rocksdb::Transaction>& transaction) {
      transaction.reset(raw.optimistic->BeginTransaction(write_options, transaction_options,
                                                         transaction.release()));
      rocksdb::ReadOptions read_options;
      read_options.snapshot = transaction->GetSnapshot();
      std::string value;
      Must(transaction->GetForUpdate(read_options, raw.points, keys[0], &value));
      const std::uint64_t number = sum_of(value);
      for (const std::string& key : keys.subspan(1)) {
        Must(transaction->GetForUpdate(read_options, raw.points, key, &value));
      }
      Must(transaction->Put(raw.points, keys[0], padded(number + 1)));
      const rocksdb::Status done = transaction->Commit();
      TALEA_CHECK(done.ok() || done.IsBusy() || done.IsTryAgain());
      return done.ok();
    };
    round.Time(
        [&] {
          InThreads(threads, [&](int thread) {
            Random random(static_cast<std::uint64_t>(thread) + 3);
            std::vector<std::string> keys(reads);
            std::unique_ptr<rocksdb::Transaction> transaction;
            for (std::size_t i = 0; i < share; ++i) {
              for (std::string& key : keys) key = KeyOf(random.Below(kRows));
              while (!attempt(keys, transaction)) {
              }
            }
            return std::uint64_t{0};
          });
        },
        share * static_cast<std::size_t>(threads));
    std::uint64_t sum = 0;
    const std::unique_ptr<rocksdb::Iterator> rows(raw.db->NewIterator({}, raw.points));
    for (rows->SeekToFirst(); rows->Valid(); rows->Next())
      sum += sum_of(rows->value().ToStringView());
    round.Answer(sum);
  };
  bench.Case(name,
             {.unit = "transactions/s",
              .better = Better::higher,
              .size = fmt::format("{} reads and 1 write among {} rows of 16 + 100 bytes{}", reads,
                                  kRows, synced ? ", synced" : "")},
             ours, baseline);
}

void TransactionCases(Bench& bench) {
  const std::size_t count = bench.quick() ? 20'000 : 200'000;
  const std::size_t synced = bench.quick() ? 50 : 300;  // for each thread
  TransactionCase(bench, "transaction/1", 1, 1, count, false);
  TransactionCase(bench, "transaction/2", 2, 1, count, false);
  TransactionCase(bench, "transaction-ten-reads/2", 2, 10, count / 2, false);
  TransactionCase(bench, "transaction-synced/8", 8, 1, 8 * synced, true);
  TransactionCase(bench, "transaction-synced/32", 32, 1, 32 * synced, true);
}

}  // namespace
}  // namespace talea::bench

int main(int argc, char** argv) {
  talea::bench::Bench bench("engine", talea::bench::ParseArguments(argc, argv));
  talea::bench::WriteCases(bench);
  talea::bench::ReadCases(bench);
  talea::bench::TransactionCases(bench);
  return bench.Finish();
}
