#include <fmt/format.h>

#include <set>

#include "cardano/import_source.h"
#include "cardano/record.h"
#include "talea/cardano_import.h"

namespace talea {

using namespace cardano;

namespace {

// A block with the records of it, as the ledger takes them; the views are of the block and of this.
class BlockToApply {
 public:
  void Fill(const CardanoBlock& source, const Cursor& parent, bool with_records) {
    block_ = source.ToBlock(parent);
    if (with_records) AddRecords(source);
  }
  const Block& block() const { return block_; }

 private:
  void AddRecords(const CardanoBlock& source) {
    const std::size_t count = source.transactions().size();
    if (values_.size() < count + 1) values_.resize(count + 1);
    for (std::size_t place = 0; place < count; ++place) {
      Encode(RecordOf(source, place), values_[place]);
      block_.entities.push_back({CardanoTransactionRecord::kNamespace,
                                 source.transactions()[place].hash, values_[place]});
    }
    Encode(RecordOf(source), values_[count]);
    block_.entities.push_back({CardanoBlockRecord::kNamespace, source.hash(), values_[count]});
  }

  Block block_;
  std::vector<std::string> values_;  // of the entities; kept for their memory
};

// Which of the block's outputs, and of the inputs of its transactions, the ledger knows.
Result<std::set<OutputReference>> FindKnown(const ChainView& view, const CardanoBlock& block) {
  std::set<OutputReference> known;
  for (const CardanoTransaction& transaction : block.transactions()) {
    for (const Output& output : transaction.produced) known.insert(output.reference);
    const auto stored = TALEA_TRY(view.GetOutputs(transaction.consumed));
    for (std::size_t i = 0; i < stored.size(); ++i) {
      if (stored[i]) known.insert(transaction.consumed[i]);
    }
  }
  return known;
}

// The first input that is not there, with the place of its transaction; nothing where there is
// none. Where inputs may be missing, that is the first which the block has consumed before.
struct MissingInput {
  std::size_t transaction = 0;
  OutputReference input;
};
Result<std::optional<MissingInput>> FindMissingInput(const ChainView& view,
                                                     const CardanoBlock& block, bool may_miss) {
  const std::set<OutputReference> known = TALEA_TRY(FindKnown(view, block));
  std::set<OutputReference> spent;
  for (std::size_t place = 0; place < block.transactions().size(); ++place) {
    for (const OutputReference& input : block.transactions()[place].consumed) {
      const bool there = (may_miss || known.contains(input)) && spent.insert(input).second;
      if (!there) return MissingInput{place, input};
    }
  }
  return std::nullopt;
}

// Says which transaction the input belongs to, if it is an input that is missing.
std::unexpected<Error> Explain(const ChainStore& store, const CardanoBlock& block, bool may_miss,
                               Error error) {
  if (error.code() != ErrorCode::not_found) return std::unexpected(std::move(error));
  const Result<ChainView> view = store.Open();
  if (!view) return std::unexpected(std::move(error));
  const auto missing = FindMissingInput(*view, block, may_miss);
  if (!missing || !*missing) return std::unexpected(std::move(error));
  const auto& [place, input] = **missing;
  return Fail(ErrorCode::not_found,
              fmt::format("block {} at {}, transaction {} ({} of {}), input {}: expected an "
                          "output that is unspent, found none",
                          block.number(), block.point().ToString(),
                          block.transactions()[place].hash.ToString(), place + 1,
                          block.transactions().size(), input.ToString()));
}

class Import {
 public:
  Import(ChainStore& store, ImportSource source, const CardanoImportOptions& options)
      : store_(store), source_(std::move(source)), options_(options) {}

  Result<CardanoImportReport> Run() {
    report_.cursor = TALEA_TRY(ReadCursor());
    const CardanoBlock* block = TALEA_TRY(source_.Next());
    if (block != nullptr) block = TALEA_TRY(SkipWhatIsIn(block));
    for (; block != nullptr && !stopped_; block = TALEA_TRY(NextUnlessStopped())) {
      TALEA_TRY(Apply(*block));
    }
    report_.finished = !stopped_;
    return report_;
  }

 private:
  // Keeps no snapshot: one that is open makes every commit dearer.
  Result<Cursor> ReadCursor() const {
    const ChainView view = TALEA_TRY(store_.Open());
    return view.cursor();
  }
  // Returns the block to begin with.
  Result<const CardanoBlock*> SkipWhatIsIn(const CardanoBlock* block);
  Status Apply(const CardanoBlock& block);
  Result<const CardanoBlock*> NextUnlessStopped();

  ChainStore& store_;
  ImportSource source_;
  const CardanoImportOptions& options_;
  CardanoImportReport report_;
  BlockToApply to_apply_;
  bool stopped_ = false;
};

Result<const CardanoBlock*> Import::SkipWhatIsIn(const CardanoBlock* block) {
  const Cursor& cursor = report_.cursor;
  if (!cursor || cursor == ChainPoint::Origin()) return block;
  const bool specific = cursor->kind == ChainPoint::Kind::specific;
  if (specific && block->parent() == cursor->hash) return block;
  const ChainPoint first = block->point();
  while (block != nullptr && !stopped_) {
    ++report_.skipped;
    const bool last = specific && block->hash() == cursor->hash;
    block = TALEA_TRY(NextUnlessStopped());
    if (last || stopped_) return block;
  }
  return Fail(ErrorCode::precondition_failed,
              fmt::format("ledger at {}: expected that block in the files, or their first, {}, to "
                          "be its child; found neither",
                          cursor->ToString(), first.ToString()));
}

Status Import::Apply(const CardanoBlock& block) {
  to_apply_.Fill(block, report_.cursor, options_.keep_records);
  const auto applied =
      store_.Apply(to_apply_.block(), {.allow_missing_inputs = options_.allow_missing_inputs});
  if (!applied) return Explain(store_, block, options_.allow_missing_inputs, applied.error());
  report_.cursor = block.point();
  if (applied->already) {  // by somebody else, since this began
    ++report_.skipped;
    return {};
  }
  ++report_.blocks;
  report_.transactions += block.transactions().size();
  report_.consumed += to_apply_.block().consumed.size();
  report_.missing += applied->missing_inputs;
  report_.produced += to_apply_.block().produced.size();
  return {};
}

Result<const CardanoBlock*> Import::NextUnlessStopped() {
  stopped_ = options_.progress && !options_.progress(source_.bytes_read(), source_.bytes());
  if (stopped_) return nullptr;
  return source_.Next();
}

}  // namespace

Result<CardanoImportReport> ImportCardano(ChainStore& store,
                                          std::span<const std::filesystem::path> files,
                                          const CardanoImportOptions& options) {
  ImportSource source = TALEA_TRY(ImportSource::Of(files));
  return Import(store, std::move(source), options).Run();
}

}  // namespace talea
