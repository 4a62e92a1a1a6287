#include "histograms/store_state.h"

#include <mutex>

#include "keyspace/registry.h"

namespace talea {
namespace histograms {

Result<std::shared_ptr<const IndexState>> KnownIndex::Decode(ByteView row) {
  const std::lock_guard lock(mutex_);
  if (!state_ || row_ != row) {
    state_ = std::make_shared<const IndexState>(TALEA_TRY(DecodeIndexState(row)));
    row_ = row;
  }
  return state_;
}

std::shared_ptr<Layout> KnownIndex::LayoutOf(HistogramId histogram) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Layout>& layout = layouts_[histogram];
  if (!layout) layout = std::make_shared<Layout>();
  return layout;
}

std::vector<std::shared_ptr<Layout>> KnownIndex::Layouts() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Layout>> layouts;
  for (const auto& [id, layout] : layouts_) layouts.push_back(layout);
  return layouts;
}

}  // namespace histograms

using histograms::Index;
using histograms::IndexId;
using histograms::KnownIndex;

std::shared_ptr<KnownIndex> IndexStore::State::Recall(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = known_.find(name);
  return found == known_.end() ? nullptr : found->second;
}

std::shared_ptr<KnownIndex> IndexStore::State::Known(std::string_view name, IndexId id) {
  const std::unique_lock lock(mutex_);
  std::shared_ptr<KnownIndex>& known = known_[std::string(name)];
  if (!known || known->id() != id) known = std::make_shared<KnownIndex>(id);
  return known;
}

void IndexStore::State::Forget(std::string_view name) {
  const std::unique_lock lock(mutex_);
  const auto found = known_.find(name);
  if (found != known_.end()) known_.erase(found);
}

std::vector<std::pair<std::string, std::shared_ptr<KnownIndex>>> IndexStore::State::AllKnown()
    const {
  const std::shared_lock lock(mutex_);
  return {known_.begin(), known_.end()};
}

Result<Index> IndexStore::State::Find(Reader& reader, std::string_view name) {
  if (const std::shared_ptr<KnownIndex> known = Recall(name)) {
    const std::optional<std::string> row =
        TALEA_TRY(reader.Get(kHistogramsKeyspace, histograms::IndexKey(known->id())));
    if (row) {
      Index index { known->id(), TALEA_TRY(known->Decode(*row)) };
      if (index.state->name == name) return index;
    }
  }
  Index index = TALEA_TRY(histograms::FindIndex(reader, name));
  Known(name, index.id);
  return index;
}

Result<IndexStore::State::Opened> IndexStore::State::Open(std::string_view name) {
  const auto snapshot = TALEA_TRY(engine_.OpenSnapshot());
  Index index = TALEA_TRY(histograms::FindIndex(*snapshot, name));
  return Opened{Known(name, index.id), std::move(index)};
}

}  // namespace talea
