// The inside of an IndexStore: what it remembers, and the parts that its calls are made of.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "histograms/coarse_sums.h"
#include "histograms/codec.h"
#include "histograms/index.h"
#include "histograms/keys.h"
#include "histograms/latencies.h"
#include "histograms/layout.h"
#include "talea/histograms.h"

namespace talea::histograms {

// What a store remembers of an index. From any thread.
class KnownIndex {
 public:
  explicit KnownIndex(IndexId id) : id_(id) {}
  IndexId id() const { return id_; }

  // What the index's row says. Rows seldom change, so the newest is kept decoded.
  Result<std::shared_ptr<const IndexState>> Decode(ByteView row);

  std::shared_ptr<Layout> LayoutOf(HistogramId histogram);
  std::vector<std::shared_ptr<Layout>> Layouts() const;

  // Held by whoever divides or unites buckets.
  std::mutex reshaping;

 private:
  const IndexId id_;
  mutable std::mutex mutex_;
  std::string row_;
  std::shared_ptr<const IndexState> state_;
  std::map<HistogramId, std::shared_ptr<Layout>> layouts_;
};

// The numbers behind IndexStore::Metrics.
struct Activity {
  std::atomic<std::uint64_t> adds{0};
  std::atomic<std::uint64_t> deletes{0};
  std::atomic<std::uint64_t> estimates{0};
  std::atomic<std::uint64_t> peeks{0};      // estimates that read entries
  std::atomic<std::uint64_t> peek_hits{0};  // of these, the exact ones
  std::atomic<std::uint64_t> divisions{0};
  std::atomic<std::uint64_t> unions{0};
  Latencies latencies;
};

}  // namespace talea::histograms

namespace talea {

class IndexStore::State : public std::enable_shared_from_this<IndexStore::State> {
 public:
  explicit State(Engine& engine)
      : engine_(engine), sums_(std::make_shared<histograms::CoarseSums>(engine)) {}

  Engine& engine() const { return engine_; }
  histograms::Activity& activity() { return activity_; }
  histograms::CoarseSums& sums() { return *sums_; }

  // The index of that name in the reader's state; not_found.
  Result<histograms::Index> Find(Reader& reader, std::string_view name);

  // Adds or removes entries. Returns how many.
  Result<std::size_t> Change(Transaction& transaction, std::string_view name,
                             std::span<const IndexEntry> entries, bool add);

  // The index with all that is needed to divide its buckets; not_found.
  struct Opened {
    std::shared_ptr<histograms::KnownIndex> known;
    histograms::Index index;
  };
  Result<Opened> Open(std::string_view name);

  std::shared_ptr<histograms::KnownIndex> Known(std::string_view name, histograms::IndexId id);
  std::vector<std::pair<std::string, std::shared_ptr<histograms::KnownIndex>>> AllKnown() const;
  void Forget(std::string_view name);

 private:
  struct Found {
    std::shared_ptr<histograms::KnownIndex> index;
    std::shared_ptr<const histograms::IndexState> state;
    std::vector<std::string> keys;  // of the entries, ascending and each once
    std::vector<bool> present;      // for each of them
  };

  Result<Found> Look(Transaction& transaction, std::string_view name,
                     std::span<const IndexEntry> entries);
  std::shared_ptr<histograms::KnownIndex> Recall(std::string_view name) const;
  void CountChanges(Transaction& transaction, const Found& found,
                    const std::vector<ByteView>& changed, bool add);
  Status BringUpToDate(Reader& reader, histograms::KnownIndex& index,
                       const histograms::HistogramState& histogram, histograms::Layout& layout);

  Engine& engine_;
  const std::shared_ptr<histograms::CoarseSums> sums_;
  histograms::Activity activity_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::shared_ptr<histograms::KnownIndex>, std::less<>> known_;
};

}  // namespace talea
