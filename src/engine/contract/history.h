// What concurrent transactions did, and whether it could have happened one after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/contract/model.h"
#include "talea/reader.h"

namespace talea::contract {

// One read with its answer, or one write, to be repeated on a model.
struct HistoryStep {
  enum class Kind : std::uint8_t { recorded_read, unrecorded_read, write };

  Kind kind;
  std::string name;  // for messages

  // A write is made; a read tells whether its answer is the same.
  std::function<bool(Model&)> repeat;
};

// One committed transaction. Moments are taken from History::Moment.
struct HistoryEntry {
  std::uint64_t began = 0;          // before its first call
  std::uint64_t committing = 0;     // before the commit was asked for
  std::uint64_t ended = 0;          // after the commit was acknowledged
  std::optional<Version> snapshot;  // what its reads saw, if it read
  Version version;
  std::vector<HistoryStep> steps;

  bool writes() const;
};

// Collects what the threads of a test committed, from an empty state on.
class History {
 public:
  // Ever growing, in the order of real time.
  std::uint64_t Moment() { return ++moment_; }

  void Add(HistoryEntry entry);
  std::size_t size() const { return entries_.size(); }

  // Repeats everything in the order of versions, when all threads have ended. Returns nothing, or
  // what is wrong:
  // - two commits that wrote have the same version;
  // - a recorded read differs from the state just before its transaction's version;
  // - any read differs from the state of its transaction's snapshot;
  // - a commit has a lower version than one acknowledged before it was asked for;
  // - a snapshot does not see a commit acknowledged before it was opened;
  // - the state at the end is not `found`.
  std::string Check(const Model& found);

 private:
  std::string Repeat(std::vector<Model>& states) const;
  std::string CheckSnapshots(const std::vector<Model>& states) const;
  std::string CheckRealTime() const;

  std::atomic<std::uint64_t> moment_ = 0;
  std::mutex mutex_;
  std::vector<HistoryEntry> entries_;  // after Check: those that wrote, in the order of versions
  std::vector<HistoryEntry> read_only_;
};

}  // namespace talea::contract
