// Reading a ledger's state: cursor, outputs, entities and counts, all of one moment.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "talea/chain_types.h"
#include "talea/reader.h"
#include "talea/result.h"
#include "talea/row_progress.h"

namespace talea {

// Some consecutive outputs, in the order of their references.
class OutputPage {
 public:
  struct Entry {
    OutputReference reference;
    std::uint16_t era;
    ByteView cbor;
  };

  // Checks every row, and fails with corruption for one that is no output.
  static Result<OutputPage> Over(Page page);

  std::size_t size() const { return page_.size(); }
  bool empty() const { return page_.empty(); }
  Entry operator[](std::size_t position) const;
  const Page& page() const { return page_; }

  // Where to go on, if there is more.
  std::optional<OutputReference> next() const;

 private:
  explicit OutputPage(Page page) : page_(std::move(page)) {}
  Page page_;
};

// Some consecutive entities of one namespace, in the order of their keys.
class EntityPage {
 public:
  struct Entry {
    EntityKey key;
    ByteView value;
  };

  static Result<EntityPage> Over(Page page);

  std::size_t size() const { return page_.size(); }
  bool empty() const { return page_.empty(); }
  Entry operator[](std::size_t position) const;
  std::optional<EntityKey> next() const;

 private:
  explicit EntityPage(Page page) : page_(std::move(page)) {}
  Page page_;
};

// An output that has a tag, with its coin.
struct TaggedOutput {
  OutputReference reference;
  std::uint64_t coin = 0;
  friend bool operator==(const TaggedOutput&, const TaggedOutput&) = default;
};

struct NamespaceInformation {
  std::string name;
  std::uint64_t entities = 0;
  std::uint64_t values = 0;  // of multi-value keys
  friend bool operator==(const NamespaceInformation&, const NamespaceInformation&) = default;
};

struct ChainStatistics {
  Cursor cursor;
  std::uint64_t outputs = 0;
  std::uint64_t coin = 0;                        // of all outputs
  std::vector<NamespaceInformation> namespaces;  // by name
  // How many steps can be taken back, and where that leads.
  std::uint64_t undo_steps = 0;
  Cursor oldest;
  bool staged = false;  // a large batch is in, and being moved to its place
  friend bool operator==(const ChainStatistics&, const ChainStatistics&) = default;
};

// A ledger's state at one moment. Everything that is read from one view belongs together.
//
// A view of a snapshot may be used by several threads; one of a Transaction, or of an older point
// (ChainStore::OpenAt), by one at a time. Missing things come back absent, in the caller's order.
// Round trips: one for each call of a reader that is not a scan; a scan takes one for each page.
// While a large batch is staged each page takes three.
class ChainView {
 public:
  // Over a snapshot, or any other reader. Reads the cursor. precondition_failed while an import is
  // not finished.
  static Result<ChainView> Over(std::shared_ptr<Reader> reader);
  // The same of one that the caller keeps: a Transaction, whose own writes are then seen.
  static Result<ChainView> Over(Reader& reader);

  const Cursor& cursor() const { return cursor_; }

  Result<std::optional<OutputValue>> GetOutput(const OutputReference& reference) const;
  Result<std::vector<std::optional<OutputValue>>> GetOutputs(
      std::span<const OutputReference> references) const;

  // Coin and tags; also nothing where an output has neither.
  Result<std::vector<std::optional<OutputNotes>>> GetNotes(
      std::span<const OutputReference> references) const;

  // From the first output, or from this one on.
  Result<OutputPage> ScanOutputs(const std::optional<OutputReference>& from = {},
                                 const PageOptions& options = {}) const;

  // The outputs with exactly this tag, by reference; `next` tells where to go on.
  struct TaggedPage {
    std::vector<TaggedOutput> outputs;
    std::optional<OutputReference> next;
  };
  Result<TaggedPage> ScanTagged(const Tag& tag, const std::optional<OutputReference>& from = {},
                                const PageOptions& options = {}) const;

  Result<std::optional<std::string>> GetEntity(std::string_view name_space,
                                               const EntityKey& key) const;
  Result<std::vector<std::optional<std::string>>> GetEntities(
      std::string_view name_space, std::span<const EntityKey> keys) const;

  // The entities from `from` (the first if absent) up to, and without, `to` (all if absent).
  Result<EntityPage> ScanEntities(std::string_view name_space,
                                  const std::optional<EntityKey>& from = {},
                                  const std::optional<EntityKey>& to = {},
                                  const PageOptions& options = {}) const;

  // The values of a key in a multi-value namespace, in ascending order, after `after`.
  struct ValuePage {
    std::vector<std::string> values;
    bool more = false;  // then go on after the last
  };
  Result<ValuePage> ScanValues(std::string_view name_space, const EntityKey& key,
                               const std::optional<std::string>& after = {},
                               const PageOptions& options = {}) const;

  Result<std::int64_t> GetCounter(std::string_view name_space, const EntityKey& key) const;

  // In O(1): as many as a full scan would find.
  Result<std::uint64_t> CountOutputs() const;
  Result<std::uint64_t> SumCoin() const;
  Result<NamespaceInformation> CountNamespace(std::string_view name_space) const;

  // Reads a row for each namespace, and no more.
  Result<ChainStatistics> Statistics() const;

  // A hash, 32 hexadecimal digits, of cursor, outputs, entities, tags, values, counters, counts and
  // namespaces: equal for two stores that hold the same, whatever engine they are on and however
  // they came to it. Reads all of it. Progress is told the rows so far; if it returns false the
  // hash is not finished, and nothing is returned. Where snapshots expire, so may this: on a large
  // ledger there it fails with snapshot_expired.
  Result<std::optional<std::string>> StateHash(const RowProgress& progress = {}) const;

  // What it reads from, staged rows included.
  Reader& reader() const { return *reader_; }

 private:
  ChainView(std::shared_ptr<Reader> reader, Cursor cursor, bool staged)
      : reader_(std::move(reader)), cursor_(std::move(cursor)), staged_(staged) {}

  std::shared_ptr<Reader> reader_;
  Cursor cursor_;
  bool staged_;
};

}  // namespace talea
