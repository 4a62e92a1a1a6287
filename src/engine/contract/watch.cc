// Watching a keyspace: every commit is told, in order, before anybody can see it.
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "base/coding.h"
#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkWatchTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

// Remembers what it was told, and keeps the sums of counters by it.
class Notebook final : public KeyspaceWatcher {
 public:
  struct Note {
    Version version;
    std::string text;
  };

  void Written(Version version, std::span<const WriteBatch::Operation> writes) override {
    const std::lock_guard lock(mutex_);
    for (const WriteBatch::Operation& write : writes) {
      const bool adds = write.kind == WriteBatch::Kind::add;
      if (adds) sums_[std::string(write.key)].push_back({version, write.delta});
      notes_.push_back({version, std::string(write.key) + (adds ? "+" : "=")});
    }
  }
  void Rewritten(Version version) override {
    const std::lock_guard lock(mutex_);
    notes_.push_back({version, "rewritten"});
  }

  std::vector<std::string> Texts() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> texts;
    for (const Note& note : notes_) texts.push_back(note.text);
    return texts;
  }
  bool Ascends() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::is_sorted(notes_, {}, &Note::version);
  }
  std::int64_t SumAt(const std::string& key, Version version) const {
    const std::lock_guard lock(mutex_);
    std::int64_t sum = 0;
    const auto found = sums_.find(key);
    if (found == sums_.end()) return 0;
    for (const auto& [at, delta] : found->second) sum += at <= version ? delta : 0;
    return sum;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Note> notes_;
  std::map<std::string, std::vector<std::pair<Version, std::int64_t>>> sums_;
};

TEST_P(EngineContract, AWatcherIsToldOfEveryCommitToItsKeyspaceInTheOrderOfKeys) {
  const auto notebook = std::make_shared<Notebook>();
  Write(engine(), Writes().Put(kPoints, "before", "it watched"));
  if (!engine().Watch(kPoints, notebook)) GTEST_SKIP() << "this engine cannot tell";
  Write(engine(), Writes().Put(kPoints, "b", "1").Put(kScans, "other", "1").Put(kPoints, "a", "1"));
  Write(engine(), Writes().Put(kScans, "other", "2"));
  Write(engine(), Writes().Erase(kPoints, "a"));
  Write(engine(), Writes().EraseRange(kPoints, KeyRange::Prefix("x")));
  EXPECT_EQ(notebook->Texts(), (std::vector<std::string>{"a=", "b=", "a=", "rewritten"}));
  EXPECT_TRUE(notebook->Ascends());
}

TEST_P(EngineContract, AWatcherThatIsGoneIsForgotten) {
  auto notebook = std::make_shared<Notebook>();
  if (!engine().Watch(kPoints, notebook)) GTEST_SKIP() << "this engine cannot tell";
  notebook.reset();
  Write(engine(), Writes().Put(kPoints, "a", "1"));
  EXPECT_EQ(Now(engine())->Get(kPoints, "a"), "1");
}

TEST_P(EngineContract, ConcurrentCommitsAreToldBeforeASnapshotSeesThem) {
  const auto notebook = std::make_shared<Notebook>();
  std::atomic<bool> stop = false;
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < 2; ++writer) {
    writers.emplace_back([&] {
      while (!stop) {
        WriteBatch batch;
        batch.Add(kCounters, "sum", 1);
        (void)engine().Commit({.batch = std::move(batch)});
      }
    });
  }
  const bool watches = engine().Watch(kCounters, notebook);
  const std::unique_ptr<Snapshot> start = Now(engine());
  const std::int64_t at_start = start->GetCounter(kCounters, "sum").value();
  const std::int64_t told_before = notebook->SumAt("sum", start->version());
  for (int round = 0; watches && round < 200; ++round) {
    const std::unique_ptr<Snapshot> snapshot = Now(engine());
    EXPECT_EQ(snapshot->GetCounter(kCounters, "sum").value() - at_start,
              notebook->SumAt("sum", snapshot->version()) - told_before);
  }
  stop = true;
  writers.clear();
  if (!watches) GTEST_SKIP() << "this engine cannot tell";
  EXPECT_TRUE(notebook->Ascends());
}

}  // namespace
}  // namespace talea
