#include "tests/crash/workload.h"

#include <fmt/format.h>

#include <map>

#include "talea/transaction.h"

namespace talea::crash {
namespace {

constexpr Keyspace kLast{200, AccessPattern::point, "last"};
constexpr Keyspace kRows{201, AccessPattern::scan, "rows"};
constexpr Keyspace kSums{202, AccessPattern::counter, "sums"};
constexpr Keyspace kShared{203, AccessPattern::counter, "shared"};

constexpr std::uint64_t kRowsOfAThread = 64;
constexpr std::uint64_t kErasesEvery = 16;
constexpr int kIngestedRows = 50;
constexpr std::size_t kPadding = 400;

std::string RowPrefix(std::uint32_t thread) { return fmt::format("thread {}/", thread); }
std::string RowKey(std::uint32_t thread, std::uint64_t number) {
  return fmt::format("{}{:02}", RowPrefix(thread), number % kRowsOfAThread);
}
std::string RowValue(std::uint64_t number) {
  return fmt::format("{} {}", number, std::string(kPadding, static_cast<char>('a' + number % 26)));
}

class IngestedRows final : public SortedRun {
 public:
  explicit IngestedRows(std::uint64_t number) : value_(RowValue(number)) {}
  Result<std::optional<Row>> Next() override {
    if (row_ == kIngestedRows) return std::nullopt;
    key_ = fmt::format("{}{:02}", RowPrefix(kIngests), row_++);
    return Row{key_, value_};
  }

 private:
  const std::string value_;
  std::string key_;
  int row_ = 0;
};

Result<std::map<std::string, std::string>> ReadRows(Reader& reader, std::uint32_t thread) {
  std::map<std::string, std::string> rows;
  Scanner scanner(reader, kRows, KeyRange::Prefix(RowPrefix(thread)), {.row_limit = 20});
  while (const std::optional<Row> row = TALEA_TRY(scanner.Next()))
    rows.emplace(row->key, row->value);
  return rows;
}

// The rows of a thread after its commit number `last`.
std::map<std::string, std::string> ExpectedRows(std::uint32_t thread, std::uint64_t last) {
  std::map<std::string, std::string> rows;
  const std::uint64_t erased = last - last % kErasesEvery;
  for (std::uint64_t number = std::max<std::uint64_t>(erased, 1); number <= last; ++number) {
    rows[RowKey(thread, number)] = RowValue(number);
  }
  return rows;
}

std::map<std::string, std::string> ExpectedIngest(std::uint64_t last) {
  std::map<std::string, std::string> rows;
  for (int row = 0; last > 0 && row < kIngestedRows; ++row) {
    rows[fmt::format("{}{:02}", RowPrefix(kIngests), row)] = RowValue(last);
  }
  return rows;
}

}  // namespace

Result<std::unique_ptr<RocksDbEngine>> OpenDatabase(const std::filesystem::path& folder,
                                                    bool small_buffers) {
  RocksDbEngineOptions options{.folder = folder, .keyspaces = {kLast, kRows, kSums, kShared}};
  if (small_buffers) {
    options.write_buffer_bytes = 256 << 10;
    options.log_bytes = 256 << 10;
  }
  return OpenRocksDbEngine(std::move(options));
}

Result<Version> WriteNumber(Engine& engine, std::uint32_t thread, std::uint64_t number,
                            Durability durability) {
  Transaction transaction(engine);
  transaction.Put(kLast, RowPrefix(thread), std::to_string(number));
  if (number % kErasesEvery == 0) {
    transaction.EraseRange(kRows, KeyRange::Prefix(RowPrefix(thread)));
  }
  transaction.Put(kRows, RowKey(thread, number), RowValue(number));
  transaction.Add(kSums, RowPrefix(thread), static_cast<std::int64_t>(number));
  transaction.Add(kShared, "commits", 1);
  return transaction.Commit(durability);
}

Result<Version> IngestNumber(Engine& engine, std::uint64_t number) {
  IngestedRows rows(number);
  IngestRequest request;
  request.runs.push_back({&kRows, &rows});
  request.batch.Put(kLast, RowPrefix(kIngests), std::to_string(number));
  request.batch.Add(kSums, RowPrefix(kIngests), static_cast<std::int64_t>(number));
  request.batch.Add(kShared, "commits", 1);
  return engine.Ingest(std::move(request));
}

Result<std::array<std::uint64_t, kThreads + 1>> LastNumbers(Reader& reader) {
  std::array<std::uint64_t, kThreads + 1> numbers{};
  for (std::uint32_t thread = 0; thread <= kThreads; ++thread) {
    const std::optional<std::string> last = TALEA_TRY(reader.Get(kLast, RowPrefix(thread)));
    if (last) numbers[thread] = std::stoull(*last);
  }
  return numbers;
}

Result<std::string> FindHalfCommits(Reader& reader) {
  const auto last = TALEA_TRY(LastNumbers(reader));
  std::uint64_t commits = 0;
  for (std::uint32_t thread = 0; thread <= kThreads; ++thread) {
    commits += last[thread];
    const auto expected =
        thread == kIngests ? ExpectedIngest(last[thread]) : ExpectedRows(thread, last[thread]);
    if (TALEA_TRY(ReadRows(reader, thread)) != expected) {
      return fmt::format("thread {}: its rows are not those of commit {}", thread, last[thread]);
    }
    const auto expected_sum = static_cast<std::int64_t>(last[thread] * (last[thread] + 1) / 2);
    const std::int64_t sum = TALEA_TRY(reader.GetCounter(kSums, RowPrefix(thread)));
    if (sum != expected_sum) {
      return fmt::format("thread {}, commit {}: expected the sum {}, found {}", thread,
                         last[thread], expected_sum, sum);
    }
  }
  const std::int64_t counted = TALEA_TRY(reader.GetCounter(kShared, "commits"));
  if (counted != static_cast<std::int64_t>(commits)) {
    return fmt::format("expected {} commits counted, found {}", commits, counted);
  }
  return std::string();
}

}  // namespace talea::crash
