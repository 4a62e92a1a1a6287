#include "cardano/record.h"

#include <fmt/format.h>

#include "cardano/record_codec.h"

namespace talea::cardano {
namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kBlockElements = 7;
constexpr std::size_t kTransactionElements = 9;

std::unexpected<Error> Damaged(std::string_view what, const RecordReader& reader) {
  return Fail(ErrorCode::corruption,
              fmt::format("record of a {}, byte {}: expected its next element, found "
                          "another one, or none",
                          what, reader.offset()));
}

// The elements of an array, each read by `read`.
template <class Element, class Read>
bool ReadList(RecordReader& reader, std::vector<Element>& list, Read read) {
  const auto size = reader.Array();
  for (std::uint64_t i = 0; size && i < *size; ++i) {
    const std::optional<Element> element = read(reader);
    if (!element) return false;
    list.push_back(*element);
  }
  return size.has_value();
}

template <class Target, class Value>
bool Set(Target& target, const std::optional<Value>& value) {
  if (!value || static_cast<Value>(static_cast<Target>(*value)) != *value) return false;
  target = static_cast<Target>(*value);
  return true;
}

// Of what is an array that begins with a number.
std::optional<std::uint64_t> VersionOf(ByteView value) {
  RecordReader reader(value);
  return reader.Array() ? reader.Number() : std::nullopt;
}

bool ReadHead(RecordReader& reader, std::size_t elements) {
  return reader.Array() == elements && reader.Number() == kVersion;
}

bool ReadEra(RecordReader& reader, CardanoEra& era) {
  const auto number = reader.Number();
  if (!number || *number > static_cast<std::uint64_t>(CardanoEra::conway)) return false;
  era = static_cast<CardanoEra>(*number);
  return true;
}

bool ReadParent(RecordReader& reader, std::optional<Bytes32>& parent) {
  if (reader.Null()) return true;
  parent = reader.Hash();
  return parent.has_value();
}

std::optional<OutputReference> ReadReference(RecordReader& reader) {
  OutputReference reference;
  const bool read = reader.Array() == 2u && Set(reference.transaction, reader.Hash()) &&
                    Set(reference.index, reader.Number());
  return read ? std::optional(reference) : std::nullopt;
}

bool Read(RecordReader& reader, CardanoBlockRecord& record) {
  return ReadHead(reader, kBlockElements) && ReadEra(reader, record.era) &&
         Set(record.number, reader.Number()) && Set(record.slot, reader.Number()) &&
         Set(record.bytes, reader.Number()) && ReadParent(reader, record.parent) &&
         ReadList(reader, record.transactions, [](RecordReader& from) { return from.Hash(); });
}

bool Read(RecordReader& reader, CardanoTransactionRecord& record) {
  return ReadHead(reader, kTransactionElements) && Set(record.block, reader.Hash()) &&
         Set(record.slot, reader.Number()) && Set(record.index, reader.Number()) &&
         Set(record.valid, reader.Truth()) && Set(record.fee, reader.Number()) &&
         ReadList(reader, record.consumed, ReadReference) &&
         Set(record.first_output, reader.Number()) && Set(record.outputs, reader.Number());
}

// A record has one form: what would be written again is what was read, and nothing behind it.
template <class Record>
Result<Record> Decode(ByteView value, std::string_view what) {
  if (const auto version = VersionOf(value); version && *version != kVersion) {
    return Fail(ErrorCode::unsupported, fmt::format("record of a {}: expected version {}, found {}",
                                                    what, kVersion, *version));
  }
  RecordReader reader(value);
  Record record;
  if (!Read(reader, record)) return Damaged(what, reader);
  std::string again;
  Encode(record, again);
  if (again == value) return record;
  return Fail(ErrorCode::corruption,
              fmt::format("record of a {}: expected the {} bytes of its one form, found others, or "
                          "more: {}",
                          what, again.size(), value.size()));
}

template <class Record>
Result<std::optional<Record>> Get(const ChainView& view, const Bytes32& hash,
                                  Result<Record> (*decode)(ByteView)) {
  const auto value = TALEA_TRY(view.GetEntity(Record::kNamespace, hash));
  if (!value) return std::nullopt;
  Result<Record> record = decode(*value);
  if (record) return *std::move(record);
  return Fail(record.error().code(), fmt::format("namespace {}, key {}: {}", Record::kNamespace,
                                                 hash.ToString(), record.error().message()));
}

}  // namespace

void Encode(const CardanoBlockRecord& record, std::string& out) {
  RecordWriter writer(out);
  writer.Array(kBlockElements);
  writer.Number(kVersion);
  writer.Number(static_cast<std::uint64_t>(record.era));
  writer.Number(record.number);
  writer.Number(record.slot);
  writer.Number(record.bytes);
  record.parent ? writer.Hash(*record.parent) : writer.Null();
  writer.Array(record.transactions.size());
  for (const Bytes32& transaction : record.transactions) writer.Hash(transaction);
}

void Encode(const CardanoTransactionRecord& record, std::string& out) {
  RecordWriter writer(out);
  writer.Array(kTransactionElements);
  writer.Number(kVersion);
  writer.Hash(record.block);
  writer.Number(record.slot);
  writer.Number(record.index);
  writer.Truth(record.valid);
  writer.Number(record.fee);
  writer.Array(record.consumed.size());
  for (const OutputReference& input : record.consumed) {
    writer.Array(2);
    writer.Hash(input.transaction);
    writer.Number(input.index);
  }
  writer.Number(record.first_output);
  writer.Number(record.outputs);
}

Result<CardanoBlockRecord> DecodeBlockRecord(ByteView value) {
  return Decode<CardanoBlockRecord>(value, "block");
}

Result<CardanoTransactionRecord> DecodeTransactionRecord(ByteView value) {
  return Decode<CardanoTransactionRecord>(value, "transaction");
}

CardanoBlockRecord RecordOf(const CardanoBlock& block) {
  CardanoBlockRecord record{.era = block.era(),
                            .number = block.number(),
                            .slot = block.slot(),
                            .bytes = block.bytes().size(),
                            .parent = block.parent(),
                            .transactions = {}};
  for (const CardanoTransaction& transaction : block.transactions()) {
    record.transactions.push_back(transaction.hash);
  }
  return record;
}

CardanoTransactionRecord RecordOf(const CardanoBlock& block, std::size_t place) {
  const CardanoTransaction& transaction = block.transactions()[place];
  const std::vector<Output>& produced = transaction.produced;
  return {.block = block.hash(),
          .slot = block.slot(),
          .index = place,
          .valid = transaction.valid,
          .fee = transaction.fee,
          .consumed = transaction.consumed,
          .first_output = produced.empty() ? 0 : produced.front().reference.index,
          .outputs = static_cast<std::uint32_t>(produced.size())};
}

}  // namespace talea::cardano

namespace talea {

Result<std::optional<CardanoBlockRecord>> GetCardanoBlock(const ChainView& view,
                                                          const Bytes32& hash) {
  return cardano::Get<CardanoBlockRecord>(view, hash, cardano::DecodeBlockRecord);
}

Result<std::optional<CardanoTransactionRecord>> GetCardanoTransaction(const ChainView& view,
                                                                      const Bytes32& hash) {
  return cardano::Get<CardanoTransactionRecord>(view, hash, cardano::DecodeTransactionRecord);
}

}  // namespace talea
