#include "chain/verify_ledger.h"

#include <fmt/format.h>

#include "coordination/damaged.h"

namespace talea::chain {

bool BelongTogether(const CheckedDatabase& database) {
  if (!database.complete) return false;
  const Result<std::optional<std::string>> mark = database.Find(kChainKeyspace, ImportMarkKey());
  return mark && !*mark;
}

std::optional<FoundValues> FindAll(const CheckedDatabase& database,
                                   std::span<const AskedKey> keys) {
  std::vector<KeyReference> references;
  references.reserve(keys.size());
  for (const auto& [keyspace, key] : keys) references.emplace_back(*keyspace, key);
  Result<FoundValues> values = database.reader->MultiGet(references);
  if (!values) return std::nullopt;
  return std::move(*values);
}

std::optional<bool> HasRows(const CheckedDatabase& database, const Keyspace& keyspace,
                            const KeyRange& range) {
  Scanner rows(*database.reader, keyspace, range, {.row_limit = 1});
  const Result<std::optional<Row>> row = rows.Next();
  if (!row) return std::nullopt;
  return row->has_value();
}

std::optional<std::int64_t> StoredCount(const CheckedDatabase& database, ByteView key) {
  const Result<std::int64_t> count = database.reader->GetCounter(kChainCountsKeyspace, key);
  if (!count) return std::nullopt;
  return *count;
}

Status KnownNamespaces::Check(std::string_view what, NamespaceHash name_space) {
  if (!judged_ || last_ == name_space) return {};
  last_ = name_space;
  const auto name = database_.Find(kChainKeyspace, NamespaceKey(name_space));
  if (!name || *name) return {};
  return Damaged(what, fmt::format("namespace {:016x} to have a name", name_space.number), "none");
}

std::string KnownNamespaces::Describe(NamespaceHash name_space) const {
  const auto name = database_.Find(kChainKeyspace, NamespaceKey(name_space));
  if (name && *name) return Quoted(**name);
  return fmt::format("{:016x}", name_space.number);
}

Status NamespaceCounts::Take(NamespaceHash name_space, Problems& problems) {
  if (current_ != name_space) Finish(problems);
  current_ = name_space;
  ++rows_;
  return namespaces_.Check(plural_, name_space);
}

void NamespaceCounts::Finish(Problems& problems) {
  if (current_ && BelongTogether(database_)) {
    CompareCount(database_, "namespace " + namespaces_.Describe(*current_), rows_, plural_,
                 CountKey(count_, *current_), problems);
  }
  current_.reset();
  rows_ = 0;
}

void CompareCount(const CheckedDatabase& database, std::string_view owner, std::int64_t rows,
                  std::string_view plural, ByteView count_key, Problems& problems) {
  const std::optional<std::int64_t> count = StoredCount(database, count_key);
  if (!count || *count == rows) return;
  problems.Note(fmt::format("{}{}: expected a count of {} {}, as many as there are, found {}",
                            database.name, owner, rows, plural, *count));
}

}  // namespace talea::chain
