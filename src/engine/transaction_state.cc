#include "engine/transaction_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/checks.h"
#include "engine/overlay_page.h"

namespace talea {

Transaction::State::State(Engine& engine)
    : engine_(&engine), overlays_(engine.keyspaces().all().size()), unrecorded_(*this) {}

Status Transaction::State::CheckUsable() const {
  if (!used_up_) return {};
  return Fail(ErrorCode::invalid_argument, "transaction: expected one that was not committed yet");
}

Result<Snapshot*> Transaction::State::OpenSnapshot() {
  TALEA_TRY(CheckUsable());
  if (!snapshot_) snapshot_ = TALEA_TRY(engine_->OpenSnapshot());
  return snapshot_.get();
}

// The writes to a keyspace, or null if there are none.
KeyspaceOverlay* Transaction::State::FindWrites(const Keyspace& keyspace) const {
  if (engine_->keyspaces().Find(keyspace.id) == nullptr) return nullptr;
  KeyspaceOverlay* writes = overlays_[Position(keyspace)].get();
  return writes && !writes->empty() ? writes : nullptr;
}

bool Transaction::State::HasWrites() const {
  return std::ranges::any_of(overlays_,
                             [](const auto& writes) { return writes && !writes->empty(); });
}

void Transaction::State::Remember(const Keyspace& keyspace, ByteView key,
                                  const std::optional<std::string>& value) {
  if (!undo_) return;
  stored_.resize(overlays_.size());
  stored_[Position(keyspace)].emplace(key, value);
}

Result<std::optional<std::string>> Transaction::State::Get(const Keyspace& keyspace, ByteView key,
                                                           bool record) {
  TALEA_TRY(CheckUsable());
  const KeyspaceOverlay* writes = FindWrites(keyspace);
  if (writes && !writes->NeedsStored(key)) return writes->Resolve(key, std::nullopt);
  std::optional<std::string> stored = TALEA_TRY(TALEA_TRY(OpenSnapshot())->Get(keyspace, key));
  if (record) reads.Add(keyspace, key);
  Remember(keyspace, key, stored);
  return writes ? writes->Resolve(key, stored) : std::move(stored);
}

Result<std::vector<std::optional<std::string>>> Transaction::State::MultiGet(
    std::span<const KeyReference> keys, bool record) {
  TALEA_TRY(CheckUsable());
  const auto needs_stored = [&](const KeyReference& key) {
    const KeyspaceOverlay* writes = FindWrites(*key.keyspace);
    return !writes || writes->NeedsStored(key.key);
  };
  std::vector<KeyReference> asked;
  asked.reserve(keys.size());
  std::ranges::copy_if(keys, std::back_inserter(asked), needs_stored);
  std::vector<std::optional<std::string>> stored;
  if (!asked.empty()) stored = TALEA_TRY(TALEA_TRY(OpenSnapshot())->MultiGet(asked));
  for (std::size_t position = 0; position < asked.size(); ++position) {
    if (record) reads.Add(*asked[position].keyspace, asked[position].key);
    Remember(*asked[position].keyspace, asked[position].key, stored[position]);
  }
  if (!HasWrites()) return stored;

  std::vector<std::optional<std::string>> values;
  values.reserve(keys.size());
  std::size_t answered = 0;
  for (const KeyReference& key : keys) {
    const KeyspaceOverlay* writes = FindWrites(*key.keyspace);
    std::optional<std::string> base =
        needs_stored(key) ? std::move(stored[answered++]) : std::nullopt;
    values.push_back(writes ? writes->Resolve(key.key, base) : std::move(base));
  }
  return values;
}

Result<Page> Transaction::State::Range(const Keyspace& keyspace, const KeyRange& range,
                                       const PageOptions& options, bool record) {
  Snapshot* snapshot = TALEA_TRY(OpenSnapshot());
  KeyspaceOverlay* writes = FindWrites(keyspace);
  // What this transaction has erased as a whole holds only its own writes. Storage is asked all the
  // same, for an empty range: it refuses bad options and tells the version.
  const bool erased = writes && writes->ErasedWholly(range);
  const KeyRange asked = erased ? range.EndingAt(range.begin()) : range;
  Page page = TALEA_TRY(snapshot->Range(keyspace, asked, options));
  if (writes) page = LayOver(range, page, page.rest(), *writes, options);
  if (record && !erased) reads.Add(keyspace, Covered(range, page.rest(), options.reverse));
  return page;
}

void Transaction::State::Write(const Keyspace& keyspace, const WriteBatch::Operation& operation,
                               bool inserted) {
  Status accepted = CheckUsable();
  if (accepted) accepted = engine_->keyspaces().Check(keyspace);
  if (accepted) accepted = CheckOperation(keyspace, operation);
  if (!accepted) return Refuse(std::move(accepted).error());

  std::unique_ptr<KeyspaceOverlay>& writes = overlays_[Position(keyspace)];
  if (!writes) writes = std::make_unique<KeyspaceOverlay>(*engine_->keyspaces().Find(keyspace.id));
  switch (operation.kind) {
    case WriteBatch::Kind::put:
      return writes->Put(operation.key, operation.value, inserted);
    case WriteBatch::Kind::erase:
      return writes->Erase(operation.key);
    case WriteBatch::Kind::erase_range:
      return writes->EraseRange(operation.Range());
    case WriteBatch::Kind::add:
      return writes->Add(operation.key, operation.delta);
  }
}

void Transaction::State::Apply(const WriteBatch& batch) {
  if (!batch.status()) return Refuse(batch.status().error());
  for (const WriteBatch::Operation& operation : batch) {
    const Keyspace* keyspace = engine_->keyspaces().Find(operation.keyspace);
    if (keyspace == nullptr) return Refuse(UnknownKeyspace(operation));
    Write(*keyspace, operation);
  }
}

bool Transaction::State::MayRecord(const Keyspace& keyspace) {
  Status accepted = engine_->keyspaces().Check(keyspace);
  if (accepted) {
    if (Result<Snapshot*> opened = OpenSnapshot(); !opened)
      accepted = std::unexpected(opened.error());
  }
  if (!accepted) Refuse(accepted.error());
  return accepted.has_value();
}

void Transaction::State::KeepUndo(const Keyspace& keyspace, ByteView key) {
  Status accepted = engine_->keyspaces().Check(keyspace);
  if (accepted && keyspace.pattern == AccessPattern::counter) {
    accepted = Fail(ErrorCode::invalid_argument,
                    fmt::format("undo record in keyspace {}: expected one without counters",
                                Quoted(keyspace.name)));
  }
  // Those who must not be undone, such as leases, refuse a transaction that keeps undo.
  if (accepted && HasWrites()) {
    accepted = Fail(ErrorCode::invalid_argument,
                    fmt::format("undo record in keyspace {}: expected to be asked for before the "
                                "first write",
                                Quoted(keyspace.name)));
  }
  if (!accepted) return Refuse(std::move(accepted).error());
  undo_ = UndoPlace{engine_->keyspaces().Find(keyspace.id), std::string(key)};
}

void Transaction::State::Refuse(Error error) {
  if (refused_) refused_ = std::unexpected(std::move(error));
}

Status Transaction::State::Refused(const Error& error) {
  Refuse(error);
  return std::unexpected(error);
}

Result<Version> Transaction::State::Commit(Durability durability, const WriteBatch& beside) {
  TALEA_TRY(CheckUsable());
  Result<Version> version = CommitWrites(durability, beside);
  used_up_ = true;
  snapshot_.reset();
  // Out of this object's hands, so that the work may do anything, even drop the transaction.
  auto works = std::exchange(afterwards, {});
  if (!version) return version;
  for (std::move_only_function<void()>& work : works) work();
  return version;
}

Result<Version> Transaction::State::CommitWrites(Durability durability, const WriteBatch& beside) {
  TALEA_TRY(refused_);
  CommitRequest request;
  request.durability = durability;
  constexpr std::size_t kRoomToAppend = 64;
  std::size_t bytes = beside.bytes() + kRoomToAppend;
  for (const auto& writes : overlays_) bytes += writes ? writes->EncodedBytes() : 0;
  request.batch.Reserve(undo_ ? bytes + bytes / 2 : bytes);
  for (const std::unique_ptr<KeyspaceOverlay>& writes : overlays_) {
    if (writes) writes->AppendTo(request.batch);
  }
  if (undo_) TALEA_TRY(AppendUndo(request.batch));
  request.batch.Append(beside);
  request.snapshot = snapshot_.get();
  request.reads = std::move(reads);
  request.expected = std::move(expected);
  if (!callbacks.empty()) {
    request.after_commit = [calls = std::move(callbacks)](Version version) mutable {
      for (auto& call : calls) call(version);
    };
  }
  return engine_->Commit(std::move(request));
}

std::size_t Transaction::State::size() const {
  const Limits& limits = engine_->limits();
  std::size_t size = limits.Size({}, reads);
  for (const std::unique_ptr<KeyspaceOverlay>& writes : overlays_) {
    if (writes) size += writes->Size(limits);
  }
  return size;
}

}  // namespace talea
