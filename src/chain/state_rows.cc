#include "chain/state_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/coding.h"
#include "chain/codec.h"

namespace talea::chain {
namespace {

constexpr PageOptions kPage{.row_limit = 20'000, .byte_limit = 2 << 20};
constexpr std::size_t kEraBytes = 2;

std::unexpected<Error> Malformed(const StatePlace& place, ByteView key, std::string_view expected,
                                 std::string_view found) {
  return Fail(ErrorCode::corruption,
              fmt::format("keyspace {}, key {}: expected {}, found {}",
                          Quoted(place.keyspace->name), Quoted(key), expected, found));
}

Status CheckOutput(const StatePlace& place, const Row& row) {
  TALEA_TRY(ReferenceOfKey(row.key, *place.keyspace));
  if (row.value.size() >= kEraBytes) return {};
  return Malformed(place, row.key, "an era of 2 bytes and CBOR",
                   fmt::format("{} bytes", row.value.size()));
}

Status CheckNamespace(const StatePlace& place, const Row& row) {
  const NamespaceHash hash = TALEA_TRY(NamespaceOfKey(row.key));
  if (HashNamespace(row.value) == hash) return {};
  return Malformed(
      place, row.key, fmt::format("a name whose hash is {:016x}", hash.number),
      fmt::format("{} with {:016x}", Quoted(row.value), HashNamespace(row.value).number));
}

Status CheckCounter(const StatePlace& place, const Row& row) {
  TALEA_TRY(PartsOfEntityKey(row.key, *place.keyspace));
  if (DecodeCounter(row.value).value_or(0) != 0) return {};
  return Malformed(place, row.key, "a counter of 8 bytes that is not 0", Quoted(row.value));
}

Status CheckTag(const Row& row) {
  TALEA_TRY(PartsOfTagKey(row.key));
  TALEA_TRY(DecodeCoin(row.value));
  return {};
}

Status CheckCursor(const StatePlace& place, const Row& row) {
  if (row.key != kCursorKey) return Malformed(place, row.key, "the key of the cursor", "another");
  TALEA_TRY(DecodePoint(row.value));
  return {};
}

// How many tags an output has, by those whose notes come first.
struct Sample {
  std::uint64_t notes = 0;
  std::uint64_t tags = 0;
};

Result<Sample> SampleNotes(Reader& reader) {
  const Page page = TALEA_TRY(reader.Range(kChainNotesKeyspace, KeyRange::All(), {}));
  Sample sample{.notes = page.size()};
  for (const Row& row : page) sample.tags += TALEA_TRY(DecodeNotes(row.value))
  .tags.size();
  return sample;
}

}  // namespace

std::span<const StatePlace> StatePlaces() {
  static const std::array places{
      StatePlace{StatePart::cursor, "cursor", &kStateCursorKeyspace, KeyRange::All()},
      StatePlace{StatePart::outputs, "outputs", &kStateUtxosKeyspace, KeyRange::All()},
      StatePlace{StatePart::entities, "entities", &kStateEntitiesKeyspace, KeyRange::All()},
      StatePlace{StatePart::namespaces, "namespaces", &kChainKeyspace, NamespaceKeys()},
      StatePlace{StatePart::values, "values", &kChainKeyspace, ValueKeys()},
      StatePlace{StatePart::notes, "notes", &kChainNotesKeyspace, KeyRange::All()},
      StatePlace{StatePart::tags, "tags", &kChainTagsKeyspace, KeyRange::All()},
      StatePlace{StatePart::counters, "counters", &kChainCountersKeyspace, KeyRange::All()},
      StatePlace{StatePart::counts, "counts", &kChainCountsKeyspace, KeyRange::All()},
  };
  return places;
}

const StatePlace& PlaceOf(StatePart part) {
  const auto place = std::ranges::find(StatePlaces(), part, &StatePlace::part);
  TALEA_CHECK(place != StatePlaces().end());
  return *place;
}

Result<bool> WalkState(
    Reader& reader,
    const std::function<Result<bool>(const StatePlace& place, const Page& page)>& use) {
  for (const StatePlace& place : StatePlaces()) {
    std::optional<KeyRange> rest = place.keys;
    while (rest) {
      const Page page = TALEA_TRY(reader.Range(*place.keyspace, *rest, kPage));
      if (!TALEA_TRY(use(place, page))) return false;
      rest = page.rest();
    }
  }
  return true;
}

Result<std::uint64_t> EstimateStateRows(Reader& reader) {
  std::uint64_t outputs = 0;
  std::uint64_t others = 0;
  Scanner counts(reader, kChainCountsKeyspace, KeyRange::All());
  while (const std::optional<Row> row = TALEA_TRY(counts.Next())) {
    const auto number = static_cast<std::uint64_t>(DecodeCounter(row->value).value_or(0));
    const CountKeyParts parts = TALEA_TRY(PartsOfCountKey(row->key));
    if (parts.count == ChainCount::outputs) outputs = number;
    if (parts.name_space) others += number;
  }
  const Sample sample = TALEA_TRY(SampleNotes(reader));
  if (sample.notes == 0) return outputs + others;
  return outputs + others + outputs + outputs * sample.tags / sample.notes;
}

Status StateCounts::Take(const StatePlace& place, const Row& row) {
  switch (place.part) {
    case StatePart::outputs:
      TALEA_TRY(CheckOutput(place, row));
      ++outputs_;
      return {};
    case StatePart::entities:
      CountIn(ChainCount::entities,
              TALEA_TRY(PartsOfEntityKey(row.key, *place.keyspace)).name_space);
      return {};
    case StatePart::namespaces:
      return CheckNamespace(place, row);
    case StatePart::values:
      if (!row.value.empty()) return Malformed(place, row.key, "no bytes", Quoted(row.value));
      CountIn(ChainCount::values, TALEA_TRY(PartsOfValueKey(row.key)).entity.name_space);
      return {};
    case StatePart::notes:
      TALEA_TRY(ReferenceOfKey(row.key, *place.keyspace));
      coin_ += TALEA_TRY(DecodeNotes(row.value))
      .coin;
      return {};
    case StatePart::tags:
      return CheckTag(row);
    case StatePart::counters:
      return CheckCounter(place, row);
    case StatePart::cursor:
      return CheckCursor(place, row);
    case StatePart::counts:
      break;
  }
  return Malformed(place, row.key, "a part that is counted", place.name);
}

void StateCounts::CountIn(ChainCount count, NamespaceHash name_space) {
  const Key key{count, name_space};
  if (newest_ == nullptr || newest_->first != key)
    newest_ = &*by_namespace_.try_emplace(key, 0).first;
  ++newest_->second;
}

std::map<std::string, std::int64_t> StateCounts::Rows() const {
  std::map<std::string, std::int64_t> rows;
  if (outputs_ != 0) rows.emplace(CountKey(ChainCount::outputs), outputs_);
  if (coin_ != 0) rows.emplace(CountKey(ChainCount::coin), static_cast<std::int64_t>(coin_));
  for (const auto& [key, number] : by_namespace_)
    rows.emplace(CountKey(key.first, key.second), number);
  return rows;
}

Status CompareCounts(const std::map<std::string, std::int64_t>& counted,
                     const std::map<std::string, std::int64_t>& stored) {
  const auto number_in = [](const auto& rows, const std::string& key) {
    const auto found = rows.find(key);
    return found == rows.end() ? std::int64_t{0} : found->second;
  };
  std::map<std::string, std::int64_t> all = counted;
  all.insert(stored.begin(), stored.end());
  for (const auto& [key, unused] : all) {
    const std::int64_t expected = number_in(counted, key);
    const std::int64_t found = number_in(stored, key);
    if (expected == found) continue;
    return Malformed(PlaceOf(StatePart::counts), key,
                     fmt::format("{}, by the rows that are there", expected),
                     fmt::format("{}", found));
  }
  return {};
}

}  // namespace talea::chain
