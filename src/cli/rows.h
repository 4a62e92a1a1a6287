// Rows as they are shown: counters as numbers, other values as bytes.
#pragma once

#include <string>

#include "json/json.h"
#include "talea/keyspace.h"
#include "talea/reader.h"
#include "talea/result.h"

namespace talea::cli {

// The sum that a row of a counter keyspace holds; corruption unless it has 8 bytes.
Result<std::int64_t> CounterValue(const Keyspace& keyspace, const Row& row);

// A number, or the bytes quoted, and cut where long.
Result<std::string> ValueForPeople(const Keyspace& keyspace, const Row& row);

// {"key": ..., "value": ...}, both as arguments of this command line, a counter's value as a
// number.
Result<JsonObject> RowAsJson(const Keyspace& keyspace, const Row& row);

}  // namespace talea::cli
