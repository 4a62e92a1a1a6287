#include "talea/chain_view.h"

#include <fmt/format.h>

#include "base/coding.h"
#include "chain/codec.h"
#include "chain/keys.h"
#include "chain/staged_reader.h"
#include "chain/staging.h"
#include "chain/standing.h"

namespace talea {

using namespace chain;

namespace {

// The first key of so many bytes at or after `bytes`, or nothing.
std::optional<std::string> FirstKeyFrom(ByteView bytes, std::size_t size) {
  std::string key(bytes.substr(0, size));
  if (bytes.size() <= size) {
    key.resize(size, '\0');
    return key;
  }
  // Longer ones lie just beyond the key that they begin with.
  for (std::size_t at = size; at-- > 0;) {
    if (static_cast<unsigned char>(key[at]) != 0xff) {
      key[at] = static_cast<char>(static_cast<unsigned char>(key[at]) + 1);
      return key;
    }
    key[at] = '\0';
  }
  return std::nullopt;
}

Status CheckForward(const PageOptions& options) {
  if (!options.reverse) return {};
  return Fail(ErrorCode::invalid_argument, "ledger: expected a scan in ascending order");
}

Result<std::uint64_t> AsCount(const std::optional<std::string>& row) {
  if (!row) return 0;
  const std::optional<std::int64_t> counter = DecodeCounter(*row);
  if (counter) return static_cast<std::uint64_t>(*counter);
  return Fail(ErrorCode::corruption,
              fmt::format("count of the ledger: expected 8 bytes, found {}", row->size()));
}

// The undo that is there, for statistics.
Status DescribeUndo(Reader& reader, ChainStatistics& statistics) {
  const Standing standing = TALEA_TRY(ReadStanding(reader));
  const std::optional<OldestStep> oldest = TALEA_TRY(FindOldestStep(reader, standing));
  statistics.undo_steps = oldest ? standing.step - oldest->step + 1 : 0;
  statistics.oldest = oldest ? oldest->row.before : standing.cursor;
  return {};
}

}  // namespace

Result<OutputPage> OutputPage::Over(Page page) {
  for (const Row row : page) {
    if (row.key.size() == kOutputKeyBytes && row.value.size() >= 2) continue;
    return Fail(
        ErrorCode::corruption,
        fmt::format("output {}: expected a key of {} bytes and a value of at least 2, found "
                    "{} and {}",
                    Quoted(row.key), kOutputKeyBytes, row.key.size(), row.value.size()));
  }
  return OutputPage(std::move(page));
}

OutputPage::Entry OutputPage::operator[](std::size_t position) const {
  const Row row = page_[position];
  Entry entry;
  std::memcpy(entry.reference.transaction.bytes.data(), row.key.data(), sizeof(Bytes32));
  entry.reference.index = LoadBigEndian32(row.key.data() + sizeof(Bytes32));
  entry.era = static_cast<std::uint16_t>(static_cast<unsigned char>(row.value[0]) << 8 |
                                         static_cast<unsigned char>(row.value[1]));
  entry.cbor = row.value.substr(2);
  return entry;
}

std::optional<OutputReference> OutputPage::next() const {
  if (!page_.more()) return std::nullopt;
  const auto key = FirstKeyFrom(page_.rest()->begin(), kOutputKeyBytes);
  if (!key) return std::nullopt;
  return ReferenceOfKey(*key).value();
}

Result<EntityPage> EntityPage::Over(Page page) {
  for (const Row row : page) TALEA_TRY(PartsOfEntityKey(row.key));
  return EntityPage(std::move(page));
}

EntityPage::Entry EntityPage::operator[](std::size_t position) const {
  const Row row = page_[position];
  return {PartsOfEntityKey(row.key).value().key, row.value};
}

std::optional<EntityKey> EntityPage::next() const {
  if (!page_.more()) return std::nullopt;
  const auto key = FirstKeyFrom(page_.rest()->begin(), kEntityKeyBytes);
  if (!key || !page_.rest()->Contains(*key)) return std::nullopt;
  return PartsOfEntityKey(*key).value().key;
}

Result<ChainView> ChainView::Over(Reader& reader) {
  return Over(std::shared_ptr<Reader>(std::shared_ptr<void>(), &reader));
}

Result<ChainView> ChainView::Over(std::shared_ptr<Reader> reader) {
  Standing standing = TALEA_TRY(ReadStanding(*reader));
  const bool in = standing.staging == StagingState::in;
  if (in) reader = std::make_shared<StagedReader>(std::move(reader));
  return ChainView(std::move(reader), std::move(standing.cursor), in);
}

Result<std::optional<OutputValue>> ChainView::GetOutput(const OutputReference& reference) const {
  const OutputKey key(reference);
  std::optional<std::string> stored = TALEA_TRY(reader_->Get(kStateUtxosKeyspace, key));
  if (!stored) return std::nullopt;
  return TALEA_TRY(OutputValue::FromStored(std::move(*stored)));
}

namespace {

// The rows of these outputs in one of the keyspaces that have their keys.
Result<std::vector<std::optional<std::string>>> OutputRows(
    Reader& reader, const Keyspace& keyspace, std::span<const OutputReference> references) {
  std::vector<OutputKey> keys(references.begin(), references.end());
  std::vector<KeyReference> asked;
  asked.reserve(keys.size());
  for (const OutputKey& key : keys) asked.emplace_back(keyspace, key);
  return reader.MultiGet(asked);
}

}  // namespace

Result<std::vector<std::optional<OutputValue>>> ChainView::GetOutputs(
    std::span<const OutputReference> references) const {
  auto rows = TALEA_TRY(OutputRows(*reader_, kStateUtxosKeyspace, references));
  std::vector<std::optional<OutputValue>> outputs(rows.size());
  for (std::size_t number = 0; number < rows.size(); ++number) {
    if (!rows[number]) continue;
    outputs[number] = TALEA_TRY(OutputValue::FromStored(std::move(*rows[number])));
  }
  return outputs;
}

Result<std::vector<std::optional<OutputNotes>>> ChainView::GetNotes(
    std::span<const OutputReference> references) const {
  const auto rows = TALEA_TRY(OutputRows(*reader_, kChainNotesKeyspace, references));
  std::vector<std::optional<OutputNotes>> notes(rows.size());
  for (std::size_t number = 0; number < rows.size(); ++number) {
    if (rows[number]) notes[number] = TALEA_TRY(DecodeNotes(*rows[number]));
  }
  return notes;
}

Result<OutputPage> ChainView::ScanOutputs(const std::optional<OutputReference>& from,
                                          const PageOptions& options) const {
  TALEA_TRY(CheckForward(options));
  const KeyRange range = from ? KeyRange::From(OutputKey(*from)) : KeyRange::All();
  return OutputPage::Over(TALEA_TRY(reader_->Range(kStateUtxosKeyspace, range, options)));
}

Result<ChainView::TaggedPage> ChainView::ScanTagged(const Tag& tag,
                                                    const std::optional<OutputReference>& from,
                                                    const PageOptions& options) const {
  TALEA_TRY(CheckForward(options));
  if (tag.bytes.size() > kLongestTag) return TaggedPage{};  // no output has it
  KeyRange range = TagKeys(tag);
  const std::size_t prefix = range.begin().size();
  if (from) range = range.StartingAt(TagKey(tag, *from));
  const Page page = TALEA_TRY(reader_->Range(kChainTagsKeyspace, range, options));
  TaggedPage tagged;
  tagged.outputs.reserve(page.size());
  for (const Row row : page) {
    const TagKeyParts parts = TALEA_TRY(PartsOfTagKey(row.key));
    tagged.outputs.push_back({ parts.reference, TALEA_TRY(DecodeCoin(row.value)) });
  }
  if (!page.more()) return tagged;
  const auto next = FirstKeyFrom(page.rest()->begin(), prefix + kOutputKeyBytes);
  if (next && page.rest()->Contains(*next)) {
    tagged.next = TALEA_TRY(ReferenceOfKey(ByteView(*next).substr(prefix)));
  }
  return tagged;
}

Result<std::optional<std::string>> ChainView::GetEntity(std::string_view name_space,
                                                        const EntityKey& key) const {
  return reader_->Get(kStateEntitiesKeyspace, EntityRowKey(HashNamespace(name_space), key));
}

Result<std::vector<std::optional<std::string>>> ChainView::GetEntities(
    std::string_view name_space, std::span<const EntityKey> keys) const {
  const NamespaceHash hash = HashNamespace(name_space);
  std::vector<std::string> rows;
  rows.reserve(keys.size());
  for (const EntityKey& key : keys) rows.push_back(EntityRowKey(hash, key));
  std::vector<KeyReference> asked;
  asked.reserve(rows.size());
  for (const std::string& row : rows) asked.emplace_back(kStateEntitiesKeyspace, row);
  return reader_->MultiGet(asked);
}

Result<EntityPage> ChainView::ScanEntities(std::string_view name_space,
                                           const std::optional<EntityKey>& from,
                                           const std::optional<EntityKey>& to,
                                           const PageOptions& options) const {
  TALEA_TRY(CheckForward(options));
  const KeyRange range = EntityKeysWithin(HashNamespace(name_space), from, to);
  return EntityPage::Over(TALEA_TRY(reader_->Range(kStateEntitiesKeyspace, range, options)));
}

Result<ChainView::ValuePage> ChainView::ScanValues(std::string_view name_space,
                                                   const EntityKey& key,
                                                   const std::optional<std::string>& after,
                                                   const PageOptions& options) const {
  TALEA_TRY(CheckForward(options));
  const NamespaceHash hash = HashNamespace(name_space);
  std::optional<KeyRange> range = ValueKeys(hash, key);
  if (after) range = range->StartingAt(KeySuccessor(ValueKey(hash, key, *after)));
  ValuePage values;
  // Those who go on do so after a value, so there has to be one where there are more.
  while (range && values.values.empty()) {
    const Page page = TALEA_TRY(reader_->Range(kChainKeyspace, *range, options));
    for (const Row row : page) {
      values.values.push_back(TALEA_TRY(PartsOfValueKey(row.key)).value);
    }
    range = page.rest();
  }
  values.more = range.has_value();
  return values;
}

Result<std::int64_t> ChainView::GetCounter(std::string_view name_space,
                                           const EntityKey& key) const {
  return reader_->GetCounter(kChainCountersKeyspace, EntityRowKey(HashNamespace(name_space), key));
}

Result<std::uint64_t> ChainView::CountOutputs() const {
  return AsCount(TALEA_TRY(reader_->Get(kChainCountsKeyspace, CountKey(ChainCount::outputs))));
}

Result<std::uint64_t> ChainView::SumCoin() const {
  return AsCount(TALEA_TRY(reader_->Get(kChainCountsKeyspace, CountKey(ChainCount::coin))));
}

Result<NamespaceInformation> ChainView::CountNamespace(std::string_view name_space) const {
  const NamespaceHash hash = HashNamespace(name_space);
  const std::string entities = CountKey(ChainCount::entities, hash);
  const std::string values = CountKey(ChainCount::values, hash);
  const KeyReference keys[] = {{kChainCountsKeyspace, entities}, {kChainCountsKeyspace, values}};
  const auto rows = TALEA_TRY(reader_->MultiGet(keys));
  NamespaceInformation information{.name = std::string(name_space)};
  information.entities = TALEA_TRY(AsCount(rows[0]));
  information.values = TALEA_TRY(AsCount(rows[1]));
  return information;
}

Result<ChainStatistics> ChainView::Statistics() const {
  ChainStatistics statistics;
  statistics.cursor = cursor_;
  statistics.staged = staged_;
  statistics.outputs = TALEA_TRY(CountOutputs());
  statistics.coin = TALEA_TRY(SumCoin());
  Scanner rows(*reader_, kChainKeyspace, NamespaceKeys());
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    statistics.namespaces.push_back({.name = std::string(row->value)});
  }
  std::ranges::sort(statistics.namespaces, {}, &NamespaceInformation::name);
  for (NamespaceInformation& information : statistics.namespaces) {
    information = TALEA_TRY(CountNamespace(information.name));
  }
  TALEA_TRY(DescribeUndo(*reader_, statistics));
  return statistics;
}

}  // namespace talea
