// What the checks of a ledger's rows share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chain/keys.h"
#include "coordination/row_check.h"

namespace talea::chain {

// How many keys of other rows a check asks for at a time. A ledger has millions of rows, and each
// of them others that it belongs to.
inline constexpr std::size_t kKeysAtOnce = 1000;

// Whether rows can be asked for the others that they belong to: not while they come in one by one,
// in a copy or an import that is not finished. False, too, where that cannot be read.
bool BelongTogether(const CheckedDatabase& database);

struct AskedKey {
  const Keyspace* keyspace;
  std::string key;
};

// The values of these keys, in one round trip. None at all where they cannot be read, which is the
// problem of those rows.
using FoundValues = std::vector<std::optional<std::string>>;
std::optional<FoundValues> FindAll(const CheckedDatabase& database, std::span<const AskedKey> keys);

// Whether there is any row in the range; nothing where it cannot be read.
std::optional<bool> HasRows(const CheckedDatabase& database, const Keyspace& keyspace,
                            const KeyRange& range);

// The count that is stored, or nothing where it cannot be read.
std::optional<std::int64_t> StoredCount(const CheckedDatabase& database, ByteView key);

// Takes the namespaces of rows as these come, and tells of each once if it has no name.
class KnownNamespaces {
 public:
  explicit KnownNamespaces(const CheckedDatabase& database)
      : database_(database), judged_(BelongTogether(database)) {}

  // Fails with corruption the first time in a row that one without a name is asked for, telling
  // `what` belongs to it.
  Status Check(std::string_view what, NamespaceHash name_space);

  // Its name in quotes, or where it has none its hash.
  std::string Describe(NamespaceHash name_space) const;

 private:
  const CheckedDatabase database_;
  const bool judged_;
  std::optional<NamespaceHash> last_;
};

// Counts rows that come by namespace, and compares that with the counts that are stored.
class NamespaceCounts {
 public:
  // `plural` for messages.
  NamespaceCounts(const CheckedDatabase& database, ChainCount count, std::string_view plural)
      : database_(database), namespaces_(database), count_(count), plural_(plural) {}

  // Fails with corruption if the namespace has no name.
  Status Take(NamespaceHash name_space, Problems& problems);
  void Finish(Problems& problems);

 private:
  const CheckedDatabase database_;
  KnownNamespaces namespaces_;
  const ChainCount count_;
  const std::string_view plural_;
  std::optional<NamespaceHash> current_;
  std::int64_t rows_ = 0;
};

// `ledger: expected a count of 2 outputs, as many as there are, found 3`, if it is so.
void CompareCount(const CheckedDatabase& database, std::string_view owner, std::int64_t rows,
                  std::string_view plural, ByteView count_key, Problems& problems);

}  // namespace talea::chain
