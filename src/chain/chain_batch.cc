#include <deque>

#include "talea/chain.h"

namespace talea {

struct ChainBatch::Contents {
  // A delta whose parts are kept here.
  struct Delta {
    std::vector<Output> produced;
    std::vector<Output> recovered;
    std::vector<OutputReference> consumed;
    std::vector<OutputReference> undone;
  };

  ByteView Keep(ByteView view) { return bytes.emplace_back(view); }
  std::vector<Output> Keep(std::span<const Output> outputs) {
    std::vector<Output> kept(outputs.begin(), outputs.end());
    for (Output& output : kept) {
      output.cbor = Keep(output.cbor);
      for (Tag& tag : output.tags) tag.bytes = Keep(tag.bytes);
    }
    return kept;
  }

  std::deque<std::string> bytes;
  std::deque<Delta> kept_deltas;
  std::vector<UtxoSetDelta> deltas;  // views of those
  std::vector<EntityWrite> entities;
  std::vector<ValueWrite> values;
  std::vector<CounterAdd> counters;
  std::optional<ChainPoint> cursor;
};

ChainBatch::ChainBatch() : contents_(std::make_unique<Contents>()) {}
ChainBatch::~ChainBatch() = default;
ChainBatch::ChainBatch(ChainBatch&&) noexcept = default;
ChainBatch& ChainBatch::operator=(ChainBatch&&) noexcept = default;

void ChainBatch::WriteEntity(std::string_view name_space, const EntityKey& key, ByteView value) {
  contents_->entities.push_back({contents_->Keep(name_space), key, contents_->Keep(value)});
}

void ChainBatch::DeleteEntity(std::string_view name_space, const EntityKey& key) {
  contents_->entities.push_back({contents_->Keep(name_space), key, std::nullopt});
}

void ChainBatch::AddValue(std::string_view name_space, const EntityKey& key, ByteView value) {
  contents_->values.push_back({contents_->Keep(name_space), key, contents_->Keep(value), false});
}

void ChainBatch::RemoveValue(std::string_view name_space, const EntityKey& key, ByteView value) {
  contents_->values.push_back({contents_->Keep(name_space), key, contents_->Keep(value), true});
}

void ChainBatch::AddToCounter(std::string_view name_space, const EntityKey& key,
                              std::int64_t delta) {
  contents_->counters.push_back({contents_->Keep(name_space), key, delta});
}

void ChainBatch::ApplyUtxoSet(const UtxoSetDelta& delta) {
  const Contents::Delta& kept = contents_->kept_deltas.emplace_back(
      Contents::Delta{.produced = contents_->Keep(delta.produced),
                      .recovered = contents_->Keep(delta.recovered),
                      .consumed = {delta.consumed.begin(), delta.consumed.end()},
                      .undone = {delta.undone.begin(), delta.undone.end()}});
  contents_->deltas.push_back({kept.produced, kept.recovered, kept.consumed, kept.undone});
}

void ChainBatch::SetCursor(const ChainPoint& point) { contents_->cursor = point; }

bool ChainBatch::empty() const {
  return contents_->deltas.empty() && contents_->entities.empty() && contents_->values.empty() &&
         contents_->counters.empty() && !contents_->cursor;
}

ChainBatch::Parts ChainBatch::parts() const {
  return {.deltas = contents_->deltas,
          .entities = contents_->entities,
          .values = contents_->values,
          .counters = contents_->counters,
          .cursor = contents_->cursor};
}

}  // namespace talea
