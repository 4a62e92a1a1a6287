// What an engine must agree with: a plain std::map for each keyspace, blind to how engines work.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "talea/bytes.h"
#include "talea/key_range.h"
#include "talea/keyspace.h"
#include "talea/reader.h"
#include "talea/write_batch.h"

namespace talea::contract {

inline constexpr Keyspace kPoints{200, AccessPattern::point, "contract-points"};
inline constexpr Keyspace kScans{201, AccessPattern::scan, "contract-scans"};
inline constexpr Keyspace kCounters{202, AccessPattern::counter, "contract-counters"};
inline constexpr Keyspace kSums{203, AccessPattern::counter, "contract-sums"};
inline constexpr Keyspace kKeyspaces[] = {kPoints, kScans, kCounters, kSums};

// No engine under test holds this one.
inline constexpr Keyspace kForeign{204, AccessPattern::scan, "contract-foreign"};

// A counter's 8 bytes, and back.
std::string CounterBytes(std::int64_t value);
std::int64_t CounterValue(ByteView bytes);

using RowList = std::vector<std::pair<std::string, std::string>>;

// One state of all keyspaces. A counter of 0 is absent.
class Model {
 public:
  void Put(const Keyspace& keyspace, ByteView key, ByteView value);
  void PutCounter(const Keyspace& keyspace, ByteView key, std::int64_t value);
  void Insert(const Keyspace& keyspace, ByteView key, ByteView value) { Put(keyspace, key, value); }
  void Erase(const Keyspace& keyspace, ByteView key);
  void EraseRange(const Keyspace& keyspace, const KeyRange& range);
  void Add(const Keyspace& keyspace, ByteView key, std::int64_t delta);
  void Apply(const WriteBatch& batch);

  std::optional<std::string> Get(const Keyspace& keyspace, ByteView key) const;
  RowList Range(const Keyspace& keyspace, const KeyRange& range, bool reverse = false) const;

  friend bool operator==(const Model&, const Model&) = default;

 private:
  using Rows = std::map<std::string, std::string, std::less<>>;
  std::map<std::uint8_t, Rows> rows_{
      {kPoints.id, {}}, {kScans.id, {}}, {kCounters.id, {}}, {kSums.id, {}}};

  friend std::string Difference(const Model& expected, const Model& found);
};

// What tells the two apart, for a person to read; empty when they are equal.
std::string Difference(const Model& expected, const Model& found);

// Everything that the reader sees.
Model Dump(Reader& reader);

// All rows of the range, page by page. Throws where a page breaks its promises: rows out of order
// or out of the range, more of them than asked for, a rest that does not lie beyond them, or that
// never ends.
RowList ReadPages(Reader& reader, const Keyspace& keyspace, const KeyRange& range,
                  const PageOptions& options = {});

}  // namespace talea::contract
