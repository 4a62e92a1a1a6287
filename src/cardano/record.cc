#include "cardano/record.h"

#include <cbor.h>
#include <fmt/format.h>

#include <array>

#include "cardano/block_contents.h"
#include "cardano/cbor_cursor.h"

namespace talea::cardano {
namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kBlockElements = 7;
constexpr std::size_t kTransactionElements = 9;

// Writes CBOR by libcbor.
class RecordWriter {
 public:
  // In place of what is there.
  explicit RecordWriter(std::string& out) : out_(out) { out_.clear(); }

  void Array(std::size_t size) { Append(cbor_encode_array_start, size); }
  void Number(std::uint64_t number) { Append(cbor_encode_uint, number); }
  void Hash(const Bytes32& hash) {
    Append(cbor_encode_bytestring_start, hash.bytes.size());
    out_.append(hash.view());
  }
  void Null() { Append(cbor_encode_null); }

 private:
  template <class Encode, class... Value>
  void Append(Encode encode, Value... value) {
    std::array<unsigned char, 9> head;
    const std::size_t size = encode(value..., head.data(), head.size());
    out_.append(reinterpret_cast<const char*>(head.data()), size);
  }

  std::string& out_;
};

// One that is at most so large.
Result<std::uint64_t> ReadUpTo(CborCursor& cursor, std::uint64_t most, std::string_view what) {
  const std::size_t offset = cursor.offset();
  const std::uint64_t number = TALEA_TRY(cursor.Unsigned(what));
  if (number <= most) return number;
  return cursor.Wrong(offset,
                      fmt::format("expected {} of at most {}, found {}", what, most, number));
}

// Of a transaction's outputs. Who reads a record makes room for them, so it is not believed beyond
// what a block of 16 MiB can hold, with four bytes for each at least.
Result<std::uint32_t> ReadOutputs(CborCursor& cursor, std::string_view what) {
  constexpr std::uint32_t most = std::uint32_t{1} << 22;
  return static_cast<std::uint32_t>(TALEA_TRY(ReadUpTo(cursor, most, what)));
}

Result<std::optional<Bytes32>> ReadParent(CborCursor& cursor) {
  if (cursor.Peek() != CborKind::null) return TALEA_TRY(ReadHash(cursor, "the parent"));
  TALEA_TRY(cursor.Null("the parent"));
  return std::nullopt;
}

Status CheckVersion(CborCursor& cursor) {
  const std::uint64_t version = TALEA_TRY(cursor.Unsigned("the version"));
  if (version == kVersion) return {};
  return Fail(ErrorCode::unsupported,
              fmt::format("expected version {}, found {}", kVersion, version));
}

// The elements of a record up to its version; more of them than this version has are told later.
Result<CborItems> Begin(CborCursor& cursor, std::uint64_t elements) {
  const CborItems items = TALEA_TRY(cursor.LongRecord("a record", 1));
  TALEA_TRY(CheckVersion(cursor));
  if (!items.indefinite && items.left + 1 == elements) return items;
  return cursor.Wrong(0, fmt::format("expected an array of {}", elements));
}

Status Read(CborCursor& cursor, CardanoBlockRecord& record) {
  TALEA_TRY(Begin(cursor, kBlockElements));
  constexpr auto newest = static_cast<std::uint64_t>(CardanoEra::conway);
  record.era = static_cast<CardanoEra>(TALEA_TRY(ReadUpTo(cursor, newest, "the era")));
  record.number = TALEA_TRY(cursor.Unsigned("the number"));
  record.slot = TALEA_TRY(cursor.Unsigned("the slot"));
  record.bytes = TALEA_TRY(cursor.Unsigned("the length"));
  record.parent = TALEA_TRY(ReadParent(cursor));
  CborItems transactions = TALEA_TRY(cursor.Array("the transactions"));
  record.transactions.reserve(transactions.Room());
  while (TALEA_TRY(cursor.More(transactions))) {
    record.transactions.push_back(TALEA_TRY(ReadHash(cursor, "a transaction")));
  }
  return {};
}

Status Read(CborCursor& cursor, CardanoTransactionRecord& record) {
  TALEA_TRY(Begin(cursor, kTransactionElements));
  record.block = TALEA_TRY(ReadHash(cursor, "the block"));
  record.slot = TALEA_TRY(cursor.Unsigned("the slot"));
  record.index = TALEA_TRY(cursor.Unsigned("the place in the block"));
  record.valid = TALEA_TRY(ReadUpTo(cursor, 1, "the validity"))
  == 1;
  record.fee = TALEA_TRY(cursor.Unsigned("the fee"));
  CborItems consumed = TALEA_TRY(cursor.Array("the inputs"));
  record.consumed.reserve(consumed.Room());
  while (TALEA_TRY(cursor.More(consumed))) {
    record.consumed.push_back(TALEA_TRY(ReadReference(cursor)));
  }
  record.first_output = TALEA_TRY(ReadOutputs(cursor, "the index of the first output"));
  record.outputs = TALEA_TRY(ReadOutputs(cursor, "the number of outputs"));
  return {};
}

// A record has one form: what would be written again is what was read, and nothing behind it.
template <class Record>
Result<Record> Decode(ByteView value, std::string_view what) {
  SteadyBytes joined;
  CborCursor cursor(value, joined);
  Record record;
  if (const Status read = Read(cursor, record); !read) {
    const bool unknown = read.error().code() == ErrorCode::unsupported;
    return Fail(unknown ? ErrorCode::unsupported : ErrorCode::corruption,
                fmt::format("record of a {}: {}", what, read.error().message()));
  }
  std::string again;
  Encode(record, again);
  if (again == value) return record;
  return Fail(ErrorCode::corruption,
              fmt::format("record of a {}: expected its one form, of {} bytes, found another, of "
                          "{}",
                          what, again.size(), value.size()));
}

// What is stored under a hash; nothing is nothing.
template <class Record>
Result<std::optional<Record>> ReadStored(const std::optional<std::string>& value,
                                         const Bytes32& hash, Result<Record> (*decode)(ByteView)) {
  if (!value) return std::nullopt;
  Result<Record> record = decode(*value);
  if (record) return *std::move(record);
  return Fail(record.error().code(),
              fmt::format("namespace {}, key {}: {}", Quoted(Record::kNamespace), hash.ToString(),
                          record.error().message()));
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
  writer.Number(record.valid ? 1 : 0);
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

using namespace cardano;

Result<std::optional<CardanoBlockRecord>> GetCardanoBlock(const ChainView& view,
                                                          const Bytes32& hash) {
  const auto value = TALEA_TRY(view.GetEntity(CardanoBlockRecord::kNamespace, hash));
  return ReadStored(value, hash, DecodeBlockRecord);
}

Result<std::optional<CardanoTransactionRecord>> GetCardanoTransaction(const ChainView& view,
                                                                      const Bytes32& hash) {
  const auto value = TALEA_TRY(view.GetEntity(CardanoTransactionRecord::kNamespace, hash));
  return ReadStored(value, hash, DecodeTransactionRecord);
}

Result<std::vector<std::optional<CardanoTransactionRecord>>> GetCardanoTransactions(
    const ChainView& view, std::span<const Bytes32> hashes) {
  const auto values = TALEA_TRY(view.GetEntities(CardanoTransactionRecord::kNamespace, hashes));
  std::vector<std::optional<CardanoTransactionRecord>> records;
  records.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    records.push_back(TALEA_TRY(ReadStored(values[i], hashes[i], DecodeTransactionRecord)));
  }
  return records;
}

}  // namespace talea
