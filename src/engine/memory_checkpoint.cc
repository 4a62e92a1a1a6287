#include "engine/memory_checkpoint.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "base/coding.h"
#include "base/file.h"

namespace talea {
namespace {

constexpr ByteView kMagic = "TALEAMEM";
constexpr std::uint32_t kFormat = 1;
constexpr char kFileName[] = "memory.checkpoint";

std::unexpected<Error> Malformed(std::size_t offset, std::string_view expected) {
  return Fail(ErrorCode::corruption,
              fmt::format("memory checkpoint, byte {}: expected {}", offset, expected));
}

// A file whose last 8 bytes are the checksum of all before.
class ChecksummedFile {
 public:
  explicit ChecksummedFile(FileWriter file) : file_(std::move(file)), hash_(XXH3_createState()) {
    XXH3_64bits_reset(hash_.get());
  }

  Status Append(ByteView bytes) {
    XXH3_64bits_update(hash_.get(), bytes.data(), bytes.size());
    return file_.Append(bytes);
  }

  Status Finish() {
    std::string checksum;
    AppendFixed64(checksum, XXH3_64bits_digest(hash_.get()));
    TALEA_TRY(file_.Append(checksum));
    return file_.Finish();
  }

 private:
  struct FreeState {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  FileWriter file_;
  std::unique_ptr<XXH3_state_t, FreeState> hash_;
};

Status AppendKeyspace(ChecksummedFile& file, const Keyspace& keyspace, const PersistentMap& map) {
  std::string bytes;
  bytes.push_back(static_cast<char>(keyspace.id));
  bytes.push_back(static_cast<char>(keyspace.pattern));
  AppendSized(bytes, keyspace.name);
  AppendVarint(bytes, map.rows());
  PersistentMap::Cursor cursor(map);
  for (cursor.SeekAtOrAfter(""); cursor.valid(); cursor.Next()) {
    AppendSized(bytes, cursor.key());
    AppendSized(bytes, cursor.value());
    TALEA_TRY(file.Append(bytes));
    bytes.clear();
  }
  return file.Append(bytes);
}

Status ReadRows(ByteReader& reader, const Keyspace& keyspace, std::uint64_t rows,
                MemoryState& state) {
  std::optional<ByteView> previous;
  for (std::uint64_t row = 0; row < rows; ++row) {
    const std::size_t offset = reader.offset();
    const std::optional<ByteView> key = reader.Sized();
    const std::optional<ByteView> value = reader.Sized();
    if (!key || !value) return Malformed(offset, "a row");
    if (previous && *key <= *previous) return Malformed(offset, "a key after the one before it");
    const bool counter = keyspace.pattern == AccessPattern::counter;
    if (counter && DecodeCounter(*value).value_or(0) == 0) {
      return Malformed(offset, "a counter of 8 bytes that is not 0");
    }
    state.Put(keyspace, *key, *value);
    previous = key;
  }
  return {};
}

// Gives the id, which must be above `previous`.
Result<int> ReadKeyspace(ByteReader& reader, int previous, const KeyspaceSet& keyspaces,
                         MemoryState& state) {
  const std::size_t offset = reader.offset();
  const std::optional<std::uint8_t> id = reader.Fixed<std::uint8_t>();
  const std::optional<std::uint8_t> pattern = reader.Fixed<std::uint8_t>();
  const std::optional<ByteView> name = reader.Sized();
  const std::optional<std::uint64_t> rows = reader.Varint();
  if (!id || !pattern || !name || !rows ||
      *pattern > static_cast<std::uint8_t>(AccessPattern::counter)) {
    return Malformed(offset, "a keyspace");
  }
  if (*id <= previous) return Malformed(offset, "a keyspace id above the one before it");
  TALEA_TRY(keyspaces.Check(Keyspace{*id, AccessPattern{*pattern}, *name}));
  TALEA_TRY(ReadRows(reader, *keyspaces.Find(*id), *rows, state));
  return *id;
}

}  // namespace

Status WriteMemoryCheckpoint(const std::filesystem::path& folder, const KeyspaceSet& keyspaces,
                             const MemoryState& state) {
  return CreateFolderWhole(folder, [&](const std::filesystem::path& temporary) -> Status {
    ChecksummedFile file(TALEA_TRY(FileWriter::Create(temporary / kFileName)));
    std::string header(kMagic);
    AppendFixed32(header, kFormat);
    AppendFixed64(header, state.version.number);
    AppendVarint(header, keyspaces.all().size());
    TALEA_TRY(file.Append(header));
    for (const Keyspace& keyspace : keyspaces.all()) {
      TALEA_TRY(AppendKeyspace(file, keyspace, state.map(keyspace)));
    }
    TALEA_TRY(file.Finish());
    return SyncFolder(temporary);
  });
}

Result<MemoryState> ReadMemoryCheckpoint(const std::filesystem::path& folder,
                                         const KeyspaceSet& keyspaces) {
  const std::filesystem::path file = folder / kFileName;
  Result<MemoryState> state = DecodeMemoryCheckpoint(TALEA_TRY(ReadWholeFile(file)), keyspaces);
  if (state) return state;
  return Fail(state.error().code(),
              fmt::format("file {}: {}", Quoted(file.native()), state.error().message()));
}

Result<MemoryState> DecodeMemoryCheckpoint(ByteView bytes, const KeyspaceSet& keyspaces) {
  if (!bytes.starts_with(kMagic)) return Malformed(0, "the magic bytes TALEAMEM");
  ByteReader header(bytes.substr(kMagic.size()));
  const std::optional<std::uint32_t> format = header.Fixed<std::uint32_t>();
  if (!format) return Malformed(kMagic.size(), "a format number");
  if (*format != kFormat) {
    return Fail(ErrorCode::unsupported,
                fmt::format("memory checkpoint: expected format {}, found {}", kFormat, *format));
  }
  if (header.rest().size() < sizeof(std::uint64_t)) return Malformed(bytes.size(), "a checksum");
  const ByteView body = bytes.substr(0, bytes.size() - sizeof(std::uint64_t));
  const auto checksum = LoadLittleEndian<std::uint64_t>(body.data() + body.size());
  const std::uint64_t found = XXH3_64bits(body.data(), body.size());
  if (checksum != found) {
    return Malformed(
        body.size(),
        fmt::format("the checksum {:016x} of the bytes before, found {:016x}", found, checksum));
  }

  ByteReader reader(body);
  reader.Bytes(kMagic.size() + sizeof kFormat);
  const std::optional<std::uint64_t> version = reader.Fixed<std::uint64_t>();
  const std::optional<std::uint64_t> count = reader.Varint();
  if (!version || !count) return Malformed(reader.offset(), "a version and a number of keyspaces");
  MemoryState state(keyspaces);
  state.version = Version{*version};
  int id = -1;
  for (std::uint64_t left = *count; left > 0; --left) {
    id = TALEA_TRY(ReadKeyspace(reader, id, keyspaces, state));
  }
  if (!reader.empty()) return Malformed(reader.offset(), "the end");
  return state;
}

}  // namespace talea
