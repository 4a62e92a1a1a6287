#include "chain/block_group.h"

#include <fmt/format.h>

#include "base/check.h"
#include "chain/step.h"

namespace talea::chain {

Status CheckMoves(const Block& block) {
  if (block.parent != block.point) return {};
  return Fail(
      ErrorCode::invalid_argument,
      fmt::format("block {}: expected another point than that of its parent, found the same",
                  block.point.ToString()));
}

Status CheckParent(const Block& block, const Cursor& cursor) {
  if (cursor == block.parent) return {};
  return Fail(ErrorCode::precondition_failed,
              fmt::format("block {}: expected its parent to be the cursor, {}, found {}",
                          block.point.ToString(), Describe(cursor), Describe(block.parent)));
}

// Puts the writes over those of the blocks before.
class BlockGroup::Sink final : public StepSink {
 public:
  Sink(std::deque<KeyspaceOverlay>& rows, bool inserts_are_checked)
      : rows_(rows), inserts_are_checked_(inserts_are_checked) {}

  void Insert(const Keyspace& keyspace, ByteView key, ByteView value) override {
    rows_[keyspace.id].Put(key, value, inserts_are_checked_);
  }
  void Replace(const Keyspace& keyspace, ByteView key, ByteView, ByteView value) override {
    rows_[keyspace.id].Put(key, value, false);
  }
  // What these blocks have made themselves is not written at all.
  void Erase(const Keyspace& keyspace, ByteView key, ByteView) override {
    if (!rows_[keyspace.id].TakeBack(key)) rows_[keyspace.id].Erase(key);
  }
  void Add(const Keyspace& keyspace, ByteView key, std::int64_t delta) override {
    rows_[keyspace.id].Add(key, delta);
  }

 private:
  std::deque<KeyspaceOverlay>& rows_;
  const bool inserts_are_checked_;
};

namespace {

// Some of the keys that are asked for, and where their values belong.
struct Wave {
  void Ask(const KeyReference& key, std::size_t place) {
    keys.push_back(key);
    places.push_back(place);
  }
  Status Read(Reader& reader, std::vector<std::optional<std::string>>& stored) const {
    if (keys.empty()) return {};
    auto values = TALEA_TRY(reader.MultiGet(keys));
    for (std::size_t i = 0; i < keys.size(); ++i) stored[places[i]] = std::move(values[i]);
    return {};
  }

  std::vector<KeyReference> keys;
  std::vector<std::size_t> places;
};

bool AsksFor(const KeyReference& key, const Keyspace& keyspace) {
  return key.keyspace->id == keyspace.id;
}

}  // namespace

// The blocks as steps that have asked for what they have to know.
struct BlockGroup::Blocks {
  Status Ask(std::span<const Block> blocks, const Standing& standing, const ApplyOptions& options) {
    const Cursor* cursor = &standing.cursor;
    Cursor point;
    for (const Block& block : blocks) {
      TALEA_TRY(CheckMoves(block));
      TALEA_TRY(CheckParent(block, *cursor));
      point = block.point;
      cursor = &point;
      Step& step = steps.emplace_back(changes.emplace_back(block).parts, options);
      TALEA_TRY(step.Ask(standing));
      const std::span<const KeyReference> asked = step.lookups().keys();
      keys.insert(keys.end(), asked.begin(), asked.end());
    }
    return {};
  }

  // An output that is not there has no notes: so these are read after the outputs, and none is
  // looked for in vain. A step asks for both in the same order, for the outputs first.
  Result<std::vector<std::optional<std::string>>> Read(Reader& reader) const {
    std::vector<std::optional<std::string>> stored(keys.size());
    Wave all_but_notes;
    for (std::size_t place = 0; place < keys.size(); ++place) {
      if (!AsksFor(keys[place], kChainNotesKeyspace)) all_but_notes.Ask(keys[place], place);
    }
    TALEA_TRY(all_but_notes.Read(reader, stored));
    Wave notes;
    std::size_t output = 0;
    for (std::size_t place = 0; place < keys.size(); ++place) {
      if (!AsksFor(keys[place], kChainNotesKeyspace)) continue;
      while (!AsksFor(keys[output], kStateUtxosKeyspace) || keys[output].key != keys[place].key) {
        ++output;
      }
      if (stored[output]) notes.Ask(keys[place], place);
    }
    TALEA_TRY(notes.Read(reader, stored));
    return stored;
  }

  std::deque<BlockChanges> changes;
  std::deque<Step> steps;
  std::vector<KeyReference> keys;  // of all steps, one after the other
};

BlockGroup::BlockGroup(const Standing& standing, const BlockGroup* before)
    : before_(before), after_(standing) {
  for (std::uint8_t id = 0; id <= kChainStagingKeyspace.id; ++id) {
    TALEA_CHECK(kAllKeyspaces[id].id == id);
    rows_.emplace_back(kAllKeyspaces[id]);
  }
}

Result<std::unique_ptr<BlockGroup>> BlockGroup::Make(Reader& reader, const Standing& standing,
                                                     const BlockGroup* before,
                                                     std::span<const Block> blocks,
                                                     const Options& options) {
  std::unique_ptr<BlockGroup> group(new BlockGroup(standing, before));
  Blocks asking;
  TALEA_TRY(asking.Ask(blocks, standing, options.apply));
  std::vector<std::optional<std::string>> stored = TALEA_TRY(asking.Read(reader));
  std::size_t used = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Step& step = asking.steps[i];
    const std::size_t count = step.lookups().keys().size();
    TALEA_TRY(group->Add(step, blocks[i].point, std::span(stored).subspan(used, count), options));
    used += count;
  }
  group->before_ = nullptr;
  return group;
}

Status BlockGroup::Add(Step& step, const ChainPoint& point,
                       std::span<std::optional<std::string>> stored, const Options& options) {
  const std::span<const KeyReference> keys = step.lookups().keys();
  for (std::size_t i = 0; i < keys.size(); ++i) Overlay(keys[i], stored[i]);
  step.lookups().Answer(
      {std::make_move_iterator(stored.begin()), std::make_move_iterator(stored.end())});
  TALEA_TRY(step.Check());
  Sink sink(rows_, !options.apply.outputs_are_new);
  restore_.Clear();
  WriteStep(options.limits, step, after_, options.with_undo, sink, sink, restore_);
  answers_.push_back({.missing_inputs = step.missing_inputs()});
  after_ = StandingAfter(after_, point, options.with_undo);
  return {};
}

void BlockGroup::Overlay(const KeyReference& key, std::optional<std::string>& stored) const {
  if (Changed(key, stored) || before_ == nullptr) return;
  before_->Changed(key, stored);
}

bool BlockGroup::Changed(const KeyReference& key, std::optional<std::string>& stored) const {
  const KeyspaceOverlay::Write* write = rows_[key.keyspace->id].Find(key.key);
  if (write == nullptr) return false;
  if (write->kind == KeyspaceOverlay::Kind::put) {
    stored = write->value;
  } else {
    stored.reset();  // no counter is looked up
  }
  return true;
}

WriteBatch BlockGroup::Writes() const {
  std::size_t bytes = 0;
  for (const KeyspaceOverlay& rows : rows_) bytes += rows.EncodedBytes();
  WriteBatch batch;
  batch.Reserve(bytes);
  for (const KeyspaceOverlay& rows : rows_) rows.AppendTo(batch);
  return batch;
}

}  // namespace talea::chain
