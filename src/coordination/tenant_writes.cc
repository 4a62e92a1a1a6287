#include "coordination/tenant_writes.h"

#include "base/check.h"

namespace talea {
namespace {

const Keyspace& Held(const KeyspaceSet& keyspaces, std::uint8_t id) {
  const Keyspace* keyspace = keyspaces.Find(id);
  TALEA_CHECK(keyspace != nullptr);
  return *keyspace;
}

}  // namespace

WriteBatch Extend(const TenantPrefix& prefix, const WriteBatch& batch,
                  const KeyspaceSet& keyspaces) {
  WriteBatch extended;
  extended.Reserve(batch.bytes() + batch.count() * (prefix.size() + 1));
  std::string key;
  for (const WriteBatch::Operation& operation : batch) {
    const Keyspace& keyspace = Held(keyspaces, operation.keyspace);
    prefix.ExtendInto(key, operation.key);
    switch (operation.kind) {
      case WriteBatch::Kind::put:
        extended.Put(keyspace, key, operation.value);
        break;
      case WriteBatch::Kind::erase:
        extended.Erase(keyspace, key);
        break;
      case WriteBatch::Kind::add:
        extended.Add(keyspace, key, operation.delta);
        break;
      case WriteBatch::Kind::erase_range:
        extended.EraseRange(keyspace, prefix.Extend(operation.Range()));
        break;
    }
  }
  return extended;
}

ReadSet Extend(const TenantPrefix& prefix, const ReadSet& reads, const KeyspaceSet& keyspaces) {
  ReadSet extended;
  std::string key;
  for (std::size_t position = 0; position < reads.point_count(); ++position) {
    const ReadSet::Point point = reads.point(position);
    prefix.ExtendInto(key, point.key);
    extended.Add(Held(keyspaces, point.keyspace), key);
  }
  for (const ReadSet::Range& range : reads.ranges()) {
    extended.Add(Held(keyspaces, range.keyspace), prefix.Extend(range.range));
  }
  return extended;
}

struct ExtendedRuns::Extended final : SortedRun {
  Extended(const TenantPrefix& its_prefix, const IngestRequest::Run& run, const Limits& limits)
      : prefix(its_prefix), keyspace(run.keyspace), rows(run, limits) {}

  Result<std::optional<Row>> Next() override {
    const std::optional<Row> row = TALEA_TRY(rows.Next());
    if (!row) return std::nullopt;
    prefix.ExtendInto(key, row->key);
    return Row{key, row->value};
  }

  const TenantPrefix& prefix;
  const Keyspace* keyspace;
  CheckedRun rows;
  std::string key;
};

ExtendedRuns::ExtendedRuns(const TenantPrefix& prefix, const std::vector<IngestRequest::Run>& runs,
                           const Limits& limits) {
  for (const IngestRequest::Run& run : runs)
    extended_.push_back(std::make_shared<Extended>(prefix, run, limits));
}

std::vector<IngestRequest::Run> ExtendedRuns::runs() const {
  std::vector<IngestRequest::Run> runs;
  for (const std::shared_ptr<Extended>& run : extended_) runs.push_back({run->keyspace, run.get()});
  return runs;
}

}  // namespace talea
