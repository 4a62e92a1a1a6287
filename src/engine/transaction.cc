#include "talea/transaction.h"

#include "base/coding.h"
#include "engine/transaction_state.h"

namespace talea {

using Kind = WriteBatch::Kind;

Transaction::Transaction(Engine& engine) : state_(std::make_unique<State>(engine)) {}
Transaction::~Transaction() = default;
Transaction::Transaction(Transaction&&) noexcept = default;
Transaction& Transaction::operator=(Transaction&&) noexcept = default;

Engine& Transaction::engine() const { return state_->engine(); }
Reader& Transaction::unrecorded() { return state_->unrecorded(); }
std::size_t Transaction::size() const { return state_->size(); }
bool Transaction::has_writes() const { return state_->HasWrites() || keeps_undo(); }
bool Transaction::keeps_undo() const { return state_->KeepsUndo(); }

Result<std::optional<std::string>> Transaction::Get(const Keyspace& keyspace, ByteView key) {
  return state_->Get(keyspace, key, true);
}

Result<std::vector<std::optional<std::string>>> Transaction::MultiGet(
    std::span<const KeyReference> keys) {
  return state_->MultiGet(keys, true);
}

Result<Page> Transaction::Range(const Keyspace& keyspace, const KeyRange& range,
                                const PageOptions& options) {
  return state_->Range(keyspace, range, options, true);
}

Result<Version> Transaction::snapshot_version() {
  return TALEA_TRY(state_->OpenSnapshot())
  ->version();
}

void Transaction::Record(const Keyspace& keyspace, ByteView key) {
  if (state_->MayRecord(keyspace)) state_->reads.Add(keyspace, key);
}

void Transaction::Record(const Keyspace& keyspace, const KeyRange& range) {
  if (state_->MayRecord(keyspace)) state_->reads.Add(keyspace, range);
}

void Transaction::Expect(const Keyspace& keyspace, ByteView key, std::optional<std::string> value) {
  state_->expected.push_back({&keyspace, std::string(key), std::move(value)});
}

void Transaction::Put(const Keyspace& keyspace, ByteView key, ByteView value) {
  state_->Write(keyspace, {.kind = Kind::put, .keyspace = keyspace.id, .key = key, .value = value});
}

void Transaction::Insert(const Keyspace& keyspace, ByteView key, ByteView value) {
  state_->Write(keyspace, {.kind = Kind::put, .keyspace = keyspace.id, .key = key, .value = value},
                true);
}

void Transaction::PutCounter(const Keyspace& keyspace, ByteView key, std::int64_t value) {
  WriteBatch batch;
  batch.PutCounter(keyspace, key, value);
  state_->Apply(batch);
}

void Transaction::Erase(const Keyspace& keyspace, ByteView key) {
  state_->Write(keyspace, {.kind = Kind::erase, .keyspace = keyspace.id, .key = key, .value = {}});
}

void Transaction::EraseRange(const Keyspace& keyspace, const KeyRange& range) {
  state_->Write(keyspace, {.kind = Kind::erase_range,
                           .keyspace = keyspace.id,
                           .key = range.begin(),
                           .value = range.end() ? ByteView(*range.end()) : ByteView(),
                           .open_end = !range.end()});
}

void Transaction::Add(const Keyspace& keyspace, ByteView key, std::int64_t delta) {
  state_->Write(
      keyspace,
      {.kind = Kind::add, .keyspace = keyspace.id, .key = key, .value = {}, .delta = delta});
}

void Transaction::Apply(const WriteBatch& batch) { state_->Apply(batch); }

void Transaction::Refuse(Error error) { state_->Refuse(std::move(error)); }

void Transaction::KeepUndo(const Keyspace& keyspace, ByteView key) {
  state_->KeepUndo(keyspace, key);
}

Status Transaction::Undo(const Keyspace& keyspace, ByteView key) {
  return state_->Undo(*this, keyspace, key);
}

void Transaction::AfterCommit(std::move_only_function<void(Version)> callback) {
  state_->callbacks.push_back(std::move(callback));
}

void Transaction::Afterwards(std::move_only_function<void()> work) {
  state_->afterwards.push_back(std::move(work));
}

Result<Version> Transaction::Commit(Durability durability, WriteBatch beside) {
  return state_->Commit(durability, beside);
}

}  // namespace talea
