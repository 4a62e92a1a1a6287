// Sums over many counters of a histogram, kept in memory, so that a wide range need not read them
// all.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "histograms/index.h"
#include "talea/engine.h"

namespace talea::histograms {

// The counters of one histogram by their keys, in blocks whose sums are known.
class CounterBlocks {
 public:
  void Add(ByteView key, std::int64_t delta);

  // Of the counters with keys in the range.
  std::int64_t Sum(const KeyRange& keys) const;

 private:
  static constexpr std::size_t kMostInBlock = 256;

  struct Block {
    std::map<std::string, std::int64_t, std::less<>> counters;
    std::int64_t sum = 0;
  };
  // By the first key that may lie in them; there is always one of the empty key.
  std::map<std::string, Block, std::less<>> blocks_{{std::string(), Block()}};
};

// Follows the counters of the histograms that are asked for, from commit to commit, where the
// engine tells of every one (Engine::Watch). An answer is for the version of a snapshot: what was
// committed since is taken off again, as long as it is remembered. From any thread.
class CoarseSums : public std::enable_shared_from_this<CoarseSums>, public KeyspaceWatcher {
 public:
  explicit CoarseSums(Engine& engine) : engine_(engine) {}

  // The sum of the counters whose boundaries lie in the span, at the snapshot; read from it if it
  // is not known.
  Result<CounterSum> Sum(Reader& reader, IndexId index, HistogramId histogram, const Span& span);

  void Written(Version version, std::span<const WriteBatch::Operation> writes) override;
  void Rewritten(Version version) override;

 private:
  // Fewer counters than this are quickly read.
  static constexpr std::uint64_t kWorthwhile = 256;
  // Beyond, the oldest are forgotten, and older snapshots read the counters themselves.
  static constexpr std::size_t kMostRemembered = 4096;
  // A histogram with more counters than this is not followed, to bound the memory.
  static constexpr std::uint64_t kMostFollowed = 1 << 20;

  struct Write {
    Version version;
    std::string key;
    std::int64_t delta;
  };
  struct Followed {
    CounterBlocks counters;  // at the newest version
    Version from;            // answers are for this version and later ones
    std::deque<Write> newest;
  };

  std::optional<std::int64_t> Known(Version version, const std::string& prefix,
                                    const KeyRange& keys) const;
  void Follow(IndexId index, HistogramId histogram);
  Result<std::optional<Followed>> ReadAll(IndexId index, HistogramId histogram, Version told);
  static void Apply(Followed& followed, Write write);

  Engine& engine_;
  std::once_flag watching_;
  bool watches_ = false;
  std::mutex following_;  // held by who begins to follow a histogram

  mutable std::mutex mutex_;
  Version told_;                                           // the newest; it may not be visible yet
  std::map<std::string, Followed, std::less<>> followed_;  // by the prefix of their counters
  // Of the histogram that is being read: what is written meanwhile, or nothing if it is in vain.
  std::string reading_;
  std::optional<std::deque<Write>> meanwhile_;
};

}  // namespace talea::histograms
