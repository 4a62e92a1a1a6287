#include "engine/rocksdb/ingest.h"

#include <fmt/format.h>
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <utility>

#include "base/coding.h"
#include "engine/checks.h"
#include "engine/rocksdb/status.h"

namespace talea {
namespace {

namespace fs = std::filesystem;

using Write = KeyspaceOverlay::Write;
using WriteKind = KeyspaceOverlay::Kind;

rocksdb::IngestExternalFileOptions IngestOptions() {
  rocksdb::IngestExternalFileOptions options;
  options.move_files = true;
  options.write_global_seqno = false;
  return options;
}

void Apply(const WriteBatch::Operation& operation, KeyspaceOverlay& writes) {
  switch (operation.kind) {
    case WriteBatch::Kind::put:
      return writes.Put(operation.key, operation.value, false);
    case WriteBatch::Kind::erase:
      return writes.Erase(operation.key);
    case WriteBatch::Kind::erase_range:
      return writes.EraseRange(operation.Range());
    case WriteBatch::Kind::add:
      return writes.Add(operation.key, operation.delta);
  }
}

std::vector<Write> SortedWrites(const KeyspaceOverlay* writes) {
  std::vector<Write> sorted;
  if (writes == nullptr) return sorted;
  std::ranges::copy_if(writes->writes(), std::back_inserter(sorted),
                       [](const Write& write) { return write.kind != WriteKind::dropped; });
  std::ranges::sort(sorted, {}, &Write::key);
  return sorted;
}

}  // namespace

// Rows for sorted files, one after the other, each begun when the one before it is large enough.
class IngestFiles::FileSequence {
 public:
  FileSequence(IngestFiles& owner, const Keyspace& keyspace, std::vector<std::string>& files)
      : owner_(owner),
        keyspace_(keyspace),
        family_(owner.keyspaces_.Position(keyspace.id)),
        files_(files) {}

  Status Put(ByteView key, ByteView value) {
    TALEA_TRY(MakeRoom(key));
    rows_.Put(keyspace_, key, value);
    return {};
  }
  Status Erase(ByteView key) {
    TALEA_TRY(MakeRoom(key));
    rows_.Erase(keyspace_, key);
    return {};
  }
  Status Add(ByteView key, std::int64_t delta) {
    TALEA_TRY(MakeRoom(key));
    rows_.Add(keyspace_, key, delta);
    return {};
  }
  Status EraseRange(const ErasedRange& range) {
    TALEA_TRY(MakeRoom({}));
    rows_.EraseRange(keyspace_, KeyRange::From(range.begin).EndingAt(range.end));
    return {};
  }

  Status Finish() {
    if (rows_.empty()) return {};
    files_.push_back(owner_.NewFile());
    return owner_.builders_.Build(family_, files_.back(), std::exchange(rows_, {}));
  }

 private:
  Status MakeRoom(ByteView key) {
    owner_.far_keys_.Note(family_, key);
    if (rows_.bytes() < kIngestFileBytes) return {};
    TALEA_TRY(Finish());
    rows_ = owner_.builders_.TakeEmpty();
    rows_.Reserve(kIngestFileBytes + kRoomForOneMore);
    return {};
  }

  static constexpr std::size_t kRoomForOneMore = 64 << 10;

  IngestFiles& owner_;
  const Keyspace& keyspace_;
  const std::size_t family_;
  std::vector<std::string>& files_;
  WriteBatch rows_;
};

IngestFiles::IngestFiles(Store& store, const KeyspaceSet& keyspaces, const Limits& limits,
                         FarKeys& far_keys)
    : store_(store),
      keyspaces_(keyspaces),
      limits_(limits),
      far_keys_(far_keys),
      folder_(store.NewIngestFolder()),
      builders_(store) {}

IngestFiles::OwnFolder::~OwnFolder() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

std::string IngestFiles::NewFile() {
  return (folder_.path / fmt::format("{:06}.sst", file_count_++)).native();
}

Status IngestFiles::Prepare(const IngestRequest& request) {
  std::error_code error;
  fs::create_directory(folder_.path, error);
  if (error) {
    return Fail(ErrorCode::io_error, fmt::format("creating folder {}: {}",
                                                 Quoted(folder_.path.native()), error.message()));
  }
  std::vector<std::unique_ptr<KeyspaceOverlay>> overlays(keyspaces_.all().size());
  for (const WriteBatch::Operation& operation : request.batch) {
    std::unique_ptr<KeyspaceOverlay>& writes = overlays[keyspaces_.Position(operation.keyspace)];
    const Keyspace& keyspace = *keyspaces_.Find(operation.keyspace);
    if (!writes) writes = std::make_unique<KeyspaceOverlay>(keyspace);
    Apply(operation, *writes);
  }
  for (const IngestRequest::Run& run : request.runs) {
    CheckedRun rows(run, limits_);
    const auto writes = std::move(overlays[keyspaces_.Position(run.keyspace->id)]);
    TALEA_TRY(WriteKeyspace(*run.keyspace, &rows, writes.get()));
  }
  for (const Keyspace& keyspace : keyspaces_.all()) {
    const KeyspaceOverlay* writes = overlays[keyspaces_.Position(keyspace.id)].get();
    if (writes != nullptr) TALEA_TRY(WriteKeyspace(keyspace, nullptr, writes));
  }
  return builders_.Finish();
}

Status IngestFiles::WriteKeyspace(const Keyspace& keyspace, SortedRun* rows,
                                  const KeyspaceOverlay* writes) {
  std::vector<std::string> files;
  if (writes != nullptr) TALEA_TRY(WriteErasedRanges(keyspace, *writes, files));
  TALEA_TRY(WritePoints(keyspace, rows, writes, files));
  if (files.empty()) return {};
  rocksdb::IngestExternalFileArg argument;
  argument.column_family = store_.families()[keyspaces_.Position(keyspace.id)];
  argument.external_files = std::move(files);
  argument.options = IngestOptions();
  arguments_.push_back(std::move(argument));
  return {};
}

Status IngestFiles::WriteErasedRanges(const Keyspace& keyspace, const KeyspaceOverlay& writes,
                                      std::vector<std::string>& files) {
  FileSequence file(*this, keyspace, files);
  for (const KeyRange& erased : writes.erased_ranges()) {
    // Until these files enter, others may yet write a far key.
    for (const ErasedRange& range : RangesToErase(erased, true, limits_.key_bytes)) {
      TALEA_TRY(file.EraseRange(range));
    }
  }
  return file.Finish();
}

Status IngestFiles::WritePoints(const Keyspace& keyspace, SortedRun* rows,
                                const KeyspaceOverlay* writes, std::vector<std::string>& files) {
  FileSequence file(*this, keyspace, files);
  const std::vector<Write> sorted = SortedWrites(writes);
  auto write = sorted.begin();
  const auto append_write = [&]() -> Status {
    switch (write->kind) {
      case WriteKind::put:
        return file.Put(write->key, write->value);
      case WriteKind::erase:
        return file.Erase(write->key);
      case WriteKind::add:
        return file.Add(write->key, write->delta);
      case WriteKind::dropped:
        return {};
    }
    return {};
  };
  while (rows != nullptr) {
    const std::optional<Row> row = TALEA_TRY(rows->Next());
    if (!row) break;
    for (; write != sorted.end() && write->key < row->key; ++write) TALEA_TRY(append_write());
    std::optional<std::string> changed;
    if (writes != nullptr) changed = writes->Resolve(row->key, row->value);
    if (writes == nullptr) {
      TALEA_TRY(file.Put(row->key, row->value));
    } else if (changed) {
      TALEA_TRY(file.Put(row->key, *changed));
    } else {
      TALEA_TRY(file.Erase(row->key));
    }
    if (write != sorted.end() && write->key == row->key) ++write;
  }
  for (; write != sorted.end(); ++write) TALEA_TRY(append_write());
  return file.Finish();
}

Status IngestFiles::Enter(Version version, bool nobody_reads) {
  rocksdb::ColumnFamilyHandle* bookkeeping = store_.bookkeeping();
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), store_.db().GetOptions(bookkeeping),
                                bookkeeping);
  const std::string path = NewFile();
  std::string number;
  AppendFixed64(number, version.number);
  TALEA_TRY(Check("creating the version's file", writer.Open(path)));
  TALEA_TRY(Check("writing the version's file", writer.Put(kVersionKey, number)));
  TALEA_TRY(Check("finishing the version's file", writer.Finish()));
  rocksdb::IngestExternalFileArg argument;
  argument.column_family = bookkeeping;
  argument.external_files = {path};
  argument.options = IngestOptions();
  std::vector<rocksdb::IngestExternalFileArg> arguments = arguments_;
  arguments.push_back(std::move(argument));
  for (auto& each : arguments) each.options.snapshot_consistency = !nobody_reads;
  const rocksdb::Status entered = store_.db().IngestExternalFiles(arguments);
  if (entered.ok()) return {};
  // Where its manifest could not be written, RocksDB does not tell whether the next opening will
  // find the files in it.
  return Fail(ErrorCode::outcome_unknown, "ingesting: " + entered.ToString());
}

}  // namespace talea
