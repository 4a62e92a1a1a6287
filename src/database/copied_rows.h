// The rows of an engine that make up its database, in the order of keyspace ids and keys.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "coordination/steady_reader.h"
#include "talea/engine.h"
#include "talea/result.h"

namespace talea {

// A place between two rows: right after this one.
struct RowPosition {
  std::uint8_t keyspace;
  std::string key;
  friend auto operator<=>(const RowPosition&, const RowPosition&) = default;
};

struct CopiedRow {
  const Keyspace* keyspace;
  Row row;
};

// Whether a row belongs to the database wherever it is. Sessions, leases and the mark of a copy do
// not: they are about processes that work on this very engine.
bool IsCopied(const Keyspace& keyspace, ByteView key);

// Fails with unsupported where the engine holds tenants, whose rows are of several databases.
Status CheckHoldsOneDatabase(Engine& engine);

// Refuses the target of a copy that was not finished, with precondition_failed.
Status CheckIsWhole(Engine& engine);

// Both of these. The mark of an unfinished copy is not copied itself, so that a copy of one would
// pass for a whole database.
Status CheckCanBeCopied(Engine& source);

// Walks over them, as a SteadyReader reads them.
class CopiedRows {
 public:
  static Result<CopiedRows> Open(Engine& engine);

  // Continues after this place, or from the beginning.
  void Seek(const std::optional<RowPosition>& after);

  // The place of the last row that was taken.
  const std::optional<RowPosition>& position() const { return position_; }

  // The next row, valid until Take; nothing at the end.
  Result<std::optional<CopiedRow>> Peek();
  void Take();  // once Peek has shown one

 private:
  CopiedRows(Engine& engine, std::unique_ptr<SteadyReader> reader)
      : engine_(&engine), reader_(std::move(reader)) {}
  Status ReadPage();
  const Keyspace& keyspace() const { return engine_->keyspaces().all()[keyspace_]; }

  Engine* engine_;
  std::unique_ptr<SteadyReader> reader_;
  std::optional<RowPosition> position_;
  std::size_t keyspace_ = 0;  // of the page; its place among all
  std::optional<KeyRange> rest_ = KeyRange::All();
  Page page_;
  std::size_t next_ = 0;  // row of the page
};

}  // namespace talea
