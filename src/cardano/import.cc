#include <fmt/format.h>

#include <deque>
#include <map>
#include <set>

#include "cardano/import_source.h"
#include "cardano/record.h"
#include "talea/cardano_import.h"
#include "talea/chain_loader.h"

namespace talea {

using namespace cardano;

namespace {

// Blocks that go into the ledger together: a file's many small ones take less time so.
constexpr std::size_t kMostBlocks = 64;
constexpr std::size_t kMostRows = 1024;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

// Some blocks with the records of them, as the ledger takes them; the views are of this.
class BlocksToApply {
 public:
  void Add(CardanoBlock source, const Cursor& parent, bool with_records) {
    bytes_ += source.bytes().size();
    Block block = source.ToBlock(parent);
    if (with_records) AddRecords(source, block);
    rows_ += block.produced.size() + block.consumed.size() + block.entities.size();
    for (const Output& output : block.produced) rows_ += output.tags.size();
    blocks_.push_back(std::move(block));
    sources_.push_back(std::move(source));
  }
  void Clear() {
    bytes_ = 0;
    rows_ = 0;
    blocks_.clear();
    sources_.clear();
    records_.clear();
  }
  bool full() const {
    return blocks_.size() >= kMostBlocks || rows_ >= kMostRows || bytes_ >= kMostBytes;
  }
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<CardanoBlock>& sources() const { return sources_; }

 private:
  void AddRecords(const CardanoBlock& source, Block& block) {
    const std::vector<CardanoTransaction>& transactions = source.transactions();
    for (std::size_t place = 0; place < transactions.size(); ++place) {
      Encode(RecordOf(source, place), records_.emplace_back());
      block.entities.push_back(
          {CardanoTransactionRecord::kNamespace, transactions[place].hash, records_.back()});
    }
    Encode(RecordOf(source), records_.emplace_back());
    block.entities.push_back({CardanoBlockRecord::kNamespace, source.hash(), records_.back()});
  }

  std::size_t bytes_ = 0;
  std::size_t rows_ = 0;
  std::vector<Block> blocks_;
  std::vector<CardanoBlock> sources_;
  std::deque<std::string> records_;  // stay where they are
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
  std::optional<std::size_t> consumed_by;  // a transaction before it in the same block
};
Result<std::optional<MissingInput>> FindMissingInput(const ChainView& view,
                                                     const CardanoBlock& block, bool may_miss) {
  const std::set<OutputReference> known = TALEA_TRY(FindKnown(view, block));
  std::map<OutputReference, std::size_t> spent;  // by which transaction
  for (std::size_t place = 0; place < block.transactions().size(); ++place) {
    for (const OutputReference& input : block.transactions()[place].consumed) {
      if (!may_miss && !known.contains(input)) return MissingInput{place, input, {}};
      const auto [before, is_first] = spent.emplace(input, place);
      if (!is_first) return MissingInput{place, input, before->second};
    }
  }
  return std::nullopt;
}

// A transaction, and which one of its block it is.
std::string Located(const CardanoBlock& block, std::size_t place) {
  return fmt::format("transaction {} ({} of {})", block.transactions()[place].hash.ToString(),
                     place + 1, block.transactions().size());
}

std::string Describe(const CardanoBlock& block, const MissingInput& missing) {
  const std::string input =
      fmt::format("block {} at {}, {}, input {}", block.number(), block.point().ToString(),
                  Located(block, missing.transaction), missing.input.ToString());
  if (!missing.consumed_by) return input + ": expected an output that is unspent, found none";
  return fmt::format("{}: expected the block to consume it once, found that {} consumes it as well",
                     input, Located(block, *missing.consumed_by));
}

// Says which transaction the input belongs to, if it is an input that is missing.
std::unexpected<Error> Explain(const ChainStore& store, const CardanoBlock& block, bool may_miss,
                               Error error) {
  if (error.code() != ErrorCode::not_found) return std::unexpected(std::move(error));
  const Result<ChainView> view = store.Open();
  if (!view) return std::unexpected(std::move(error));
  const auto missing = FindMissingInput(*view, block, may_miss);
  if (!missing || !*missing) return std::unexpected(std::move(error));
  return Fail(ErrorCode::not_found, Describe(block, **missing));
}

class Import {
 public:
  Import(ChainStore& store, ImportSource source, const CardanoImportOptions& options)
      : store_(store),
        source_(std::move(source)),
        options_(options),
        loader_(store, {.apply = {.allow_missing_inputs = options.allow_missing_inputs}}) {}

  Result<CardanoImportReport> Run() {
    report_.cursor = TALEA_TRY(ReadCursor());
    std::optional<CardanoBlock> first = TALEA_TRY(source_.Next());
    if (first) first = TALEA_TRY(SkipWhatIsIn(std::move(*first)));
    next_ = std::move(first);
    parent_ = report_.cursor;
    while (next_ && *next_ && !stopped_) TALEA_TRY(LoadSome());
    TALEA_TRY(Land(loader_.Finish()));
    if (!next_) return std::unexpected(std::move(next_).error());
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
  Result<std::optional<CardanoBlock>> SkipWhatIsIn(CardanoBlock block);
  // Gives the next block, and some that follow it, to the loader.
  Status LoadSome();
  // What became of the blocks that were loaded before the last ones.
  Status Land(Result<std::vector<Applied>> applied);
  std::unexpected<Error> Failed(Error error) const;
  bool Stopped() {
    stopped_ = options_.progress && !options_.progress(source_.bytes_read(), source_.bytes());
    return stopped_;
  }

  ChainStore& store_;
  ImportSource source_;
  const CardanoImportOptions& options_;
  CardanoImportReport report_;
  BlocksToApply loaded_;   // is being committed
  BlocksToApply loading_;  // is being filled, or made ready
  ChainLoader loader_;
  // Or what is wrong with its file, which is told once the blocks before it are in.
  Result<std::optional<CardanoBlock>> next_;
  Cursor parent_;  // of the next block
  bool stopped_ = false;
};

Result<std::optional<CardanoBlock>> Import::SkipWhatIsIn(CardanoBlock block) {
  const Cursor& cursor = report_.cursor;
  if (!cursor || cursor == ChainPoint::Origin()) return block;
  const bool specific = cursor->kind == ChainPoint::Kind::specific;
  if (specific && block.parent() == cursor->hash) return block;
  const ChainPoint first = block.point();
  for (std::optional<CardanoBlock> next = std::move(block); next;) {
    ++report_.skipped;
    const bool last = specific && next->hash() == cursor->hash;
    if (Stopped()) return std::nullopt;
    next = TALEA_TRY(source_.Next());
    if (last) return next;
  }
  return Fail(ErrorCode::precondition_failed,
              fmt::format("ledger at {}: expected that block in the files, or their first, {}, to "
                          "be its child; found neither",
                          cursor->ToString(), first.ToString()));
}

Status Import::LoadSome() {
  do {
    const ChainPoint point = (*next_)->point();
    loading_.Add(std::move(**next_), parent_, options_.keep_records);
    parent_ = point;
    next_ = Stopped() ? std::nullopt : source_.Next();
  } while (next_ && *next_ && !loading_.full());
  return Land(loader_.Load(loading_.blocks()));
}

Status Import::Land(Result<std::vector<Applied>> applied) {
  if (!applied) return Failed(std::move(applied).error());
  for (std::size_t i = 0; i < applied->size(); ++i) {
    const Block& block = loaded_.blocks()[i];
    report_.cursor = block.point;
    if ((*applied)[i].already) {  // by somebody else, since this began
      ++report_.skipped;
      continue;
    }
    ++report_.blocks;
    report_.transactions += loaded_.sources()[i].transactions().size();
    report_.consumed += block.consumed.size();
    report_.missing += (*applied)[i].missing_inputs;
    report_.produced += block.produced.size();
  }
  std::swap(loaded_, loading_);
  loading_.Clear();
  return {};
}

// The block that failed is the one behind the cursor: those before it are in.
std::unexpected<Error> Import::Failed(Error error) const {
  const Result<Cursor> cursor = ReadCursor();
  for (std::size_t i = 0; cursor && i < loaded_.blocks().size(); ++i) {
    if (loaded_.blocks()[i].parent != *cursor) continue;
    return Explain(store_, loaded_.sources()[i], options_.allow_missing_inputs, std::move(error));
  }
  return std::unexpected(std::move(error));
}

}  // namespace

Result<CardanoImportReport> ImportCardano(ChainStore& store,
                                          std::span<const std::filesystem::path> files,
                                          const CardanoImportOptions& options) {
  ImportSource source = TALEA_TRY(ImportSource::Of(files));
  return Import(store, std::move(source), options).Run();
}

}  // namespace talea
