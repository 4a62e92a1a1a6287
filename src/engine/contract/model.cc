#include "engine/contract/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "engine/contract/must.h"

namespace talea::contract {
namespace {

constexpr int kMostPages = 100'000;
constexpr int kMostDifferences = 10;

[[noreturn]] void Broken(const KeyRange& range, const std::string& what) {
  throw std::runtime_error(fmt::format("a page of {}: {}", range.ToString(), what));
}

// Whether a comes before b where rows are read in this direction.
bool Precedes(ByteView a, ByteView b, bool reverse) { return reverse ? b < a : a < b; }

bool LiesWithin(const KeyRange& inner, const KeyRange& outer) {
  if (inner.empty()) return true;
  if (inner.begin() < outer.begin()) return false;
  return !outer.end() || (inner.end() && *inner.end() <= *outer.end());
}

void CheckRows(const Page& page, const KeyRange& range, const PageOptions& options) {
  if (page.size() > options.row_limit) {
    Broken(range,
           fmt::format("expected at most {} rows, found {}", options.row_limit, page.size()));
  }
  std::size_t bytes = 0;
  for (std::size_t position = 0; position < page.size(); ++position) {
    const Row row = page[position];
    if (!range.Contains(row.key)) Broken(range, "found a row outside, " + Quoted(row.key));
    if (position > 0 && !Precedes(page[position - 1].key, row.key, options.reverse)) {
      Broken(range, "found a row out of order, " + Quoted(row.key));
    }
    if (position > 0 && bytes >= options.byte_limit) {
      Broken(range, fmt::format("found a row after {} of {} bytes", bytes, options.byte_limit));
    }
    bytes += row.key.size() + row.value.size();
  }
}

void CheckRest(const Page& page, const KeyRange& range, bool reverse) {
  if (!page.more()) return;
  const KeyRange& rest = *page.rest();
  if (!LiesWithin(rest, range)) Broken(range, "found a rest outside, " + rest.ToString());
  if (page.empty() || rest.empty()) return;
  const ByteView last = page[page.size() - 1].key;
  const bool beyond = reverse ? rest.end() && *rest.end() <= last : last < rest.begin();
  if (!beyond) Broken(range, fmt::format("found rest {} after {}", rest.ToString(), Quoted(last)));
}

}  // namespace

std::string CounterBytes(std::int64_t value) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8) {
    bytes.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xff));
  }
  return bytes;
}

std::int64_t CounterValue(ByteView bytes) {
  if (bytes.size() != 8) throw std::runtime_error("not a counter: " + Quoted(bytes));
  std::uint64_t value = 0;
  for (int byte = 7; byte >= 0; --byte)
    value = value << 8 | static_cast<unsigned char>(bytes[byte]);
  return static_cast<std::int64_t>(value);
}

void Model::Put(const Keyspace& keyspace, ByteView key, ByteView value) {
  if (keyspace.pattern == AccessPattern::counter && CounterValue(value) == 0) {
    return Erase(keyspace, key);
  }
  rows_.at(keyspace.id)[std::string(key)] = value;
}

void Model::PutCounter(const Keyspace& keyspace, ByteView key, std::int64_t value) {
  Put(keyspace, key, CounterBytes(value));
}

void Model::Erase(const Keyspace& keyspace, ByteView key) {
  rows_.at(keyspace.id).erase(std::string(key));
}

void Model::EraseRange(const Keyspace& keyspace, const KeyRange& range) {
  std::erase_if(rows_.at(keyspace.id), [&](const auto& row) { return range.Contains(row.first); });
}

void Model::Add(const Keyspace& keyspace, ByteView key, std::int64_t delta) {
  const std::optional<std::string> stored = Get(keyspace, key);
  const std::uint64_t base = stored ? static_cast<std::uint64_t>(CounterValue(*stored)) : 0;
  PutCounter(keyspace, key, static_cast<std::int64_t>(base + static_cast<std::uint64_t>(delta)));
}

void Model::Apply(const WriteBatch& batch) {
  for (const WriteBatch::Operation& operation : batch) {
    const Keyspace& keyspace = *std::ranges::find(kKeyspaces, operation.keyspace, &Keyspace::id);
    switch (operation.kind) {
      case WriteBatch::Kind::put:
        Put(keyspace, operation.key, operation.value);
        break;
      case WriteBatch::Kind::erase:
        Erase(keyspace, operation.key);
        break;
      case WriteBatch::Kind::erase_range:
        EraseRange(keyspace, operation.Range());
        break;
      case WriteBatch::Kind::add:
        Add(keyspace, operation.key, operation.delta);
        break;
    }
  }
}

std::optional<std::string> Model::Get(const Keyspace& keyspace, ByteView key) const {
  const Rows& rows = rows_.at(keyspace.id);
  const auto found = rows.find(key);
  if (found == rows.end()) return std::nullopt;
  return found->second;
}

RowList Model::Range(const Keyspace& keyspace, const KeyRange& range, bool reverse) const {
  RowList rows;
  for (const auto& row : rows_.at(keyspace.id)) {
    if (range.Contains(row.first)) rows.push_back(row);
  }
  if (reverse) std::ranges::reverse(rows);
  return rows;
}

std::string Difference(const Model& expected, const Model& found) {
  std::string difference;
  int shown = 0;
  const auto show = [](const std::optional<std::string>& value) {
    return value ? Quoted(*value) : std::string("nothing");
  };
  const auto compare = [&](const Keyspace& keyspace, const std::string& key) {
    const std::optional<std::string> a = expected.Get(keyspace, key), b = found.Get(keyspace, key);
    if (a == b || ++shown > kMostDifferences) return;
    difference +=
        fmt::format("\n{} {}: expected {}, found {}", keyspace.name, Quoted(key), show(a), show(b));
  };
  for (const Keyspace& keyspace : kKeyspaces) {
    for (const auto& [key, value] : expected.rows_.at(keyspace.id)) compare(keyspace, key);
    for (const auto& [key, value] : found.rows_.at(keyspace.id)) {
      if (!expected.Get(keyspace, key)) compare(keyspace, key);
    }
  }
  return difference;
}

Model Dump(Reader& reader) {
  Model model;
  for (const Keyspace& keyspace : kKeyspaces) {
    for (const auto& [key, value] : ReadPages(reader, keyspace, KeyRange::All())) {
      model.Put(keyspace, key, value);
      // The model drops a counter of 0 without a word; the engine must not have shown it.
      if (!model.Get(keyspace, key))
        Broken(KeyRange::All(), "found a counter of 0, " + Quoted(key));
    }
  }
  return model;
}

RowList ReadPages(Reader& reader, const Keyspace& keyspace, const KeyRange& range,
                  const PageOptions& options) {
  RowList rows;
  std::optional<KeyRange> rest = range;
  for (int pages = 0; rest; ++pages) {
    if (pages == kMostPages) Broken(range, fmt::format("found more than {} pages", kMostPages));
    const Page page = Must(reader.Range(keyspace, *rest, options));
    CheckRows(page, *rest, options);
    CheckRest(page, *rest, options.reverse);
    for (const Row row : page) rows.emplace_back(row.key, row.value);
    rest = page.rest();
  }
  return rows;
}

}  // namespace talea::contract
