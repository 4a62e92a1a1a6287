// Where in the rows of a keyspace a part of an index entry stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/entry_rules.h"
#include "cli/json_fields.h"
#include "talea/keyspace.h"
#include "talea/reader.h"
#include "talea/result.h"

namespace talea::cli {

// key, value          all of its bytes; the value of a counter is a number
// key:N, value:N      the element N, from 1 on, of what is a packed tuple
// json:PATH           a field of a value that is JSON
struct RowExpression {
  enum class Part : std::uint8_t { key, value, json };
  Part part = Part::key;
  std::optional<std::size_t> element;  // from 0 on
  JsonPath path;

  static Result<RowExpression> Parse(std::string_view option, std::string_view text);
};

// Finds the parts of entries in rows.
class RowFinder {
 public:
  // The keyspace must outlive it.
  static Result<RowFinder> Make(const Keyspace& keyspace, const EntryArguments& arguments);

  // Fails with invalid_argument, naming keyspace and key, where a row is not what the expressions
  // ask for.
  Result<FoundEntry> Find(const Row& row);

 private:
  using Found = std::vector<std::optional<Element>>;

  explicit RowFinder(const Keyspace& keyspace) : keyspace_(&keyspace) {}
  Result<Found> FindAll(const Row& row);
  Result<std::optional<Element>> FindOne(const RowExpression& expression, const Row& row);

  const Keyspace* keyspace_;
  std::vector<RowExpression> expressions_;  // the last is the document's
  std::vector<JsonPath> paths_;             // of those that have one
  JsonFieldReader json_;
};

}  // namespace talea::cli
