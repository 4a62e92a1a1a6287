// What verifying a database is made of: checks that are shown every row of a keyspace. Whoever owns
// a keyspace writes one for it, and the database lists them all (src/database/row_checks.cc).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "talea/bytes.h"
#include "talea/keyspace.h"
#include "talea/reader.h"
#include "talea/result.h"

namespace talea {

// What was found wrong with a keyspace: all is counted, and the first of it is kept.
class Problems {
 public:
  explicit Problems(std::size_t most) : most_(most) {}

  void Note(std::string problem) {
    if (++count_ <= most_) first_.push_back(std::move(problem));
  }

  std::uint64_t count() const { return count_; }
  const std::vector<std::string>& first() const { return first_; }

 private:
  const std::size_t most_;
  std::uint64_t count_ = 0;
  std::vector<std::string> first_;
};

// A database as its checks see it: one of several, where the engine holds tenants.
struct CheckedDatabase {
  std::string name;  // for messages: empty, or `tenant "ada", `
  const KeyspaceSet& keyspaces;

  // The same state, for what a row's check has to know of others. What it fails with belongs to the
  // problem of those, and ends nothing.
  std::shared_ptr<Reader> reader;

  // False for the beginning of a copy, in which rows may lack others that they belong to.
  bool complete = true;

  Result<std::optional<std::string>> Find(const Keyspace& keyspace, ByteView key) const {
    return reader->Get(keyspace, key);
  }

  // `keyspace "talea", key "x": expected ..`
  std::string About(const Keyspace& keyspace, ByteView key, std::string_view complaint) const {
    return name + "keyspace " + Quoted(keyspace.name) + ", key " + Quoted(key) + ": " +
           std::string(complaint);
  }

  // Notes what is wrong with a row, if anything is, with the place of the row before it; what is
  // wrong with a key says so already.
  void Note(const Keyspace& keyspace, ByteView key, const Status& status,
            Problems& problems) const {
    if (status) return;
    const std::string complaint = name + status.error().message();
    const bool placed = complaint.starts_with(About(keyspace, key, ""));
    problems.Note(placed ? complaint : About(keyspace, key, status.error().message()));
  }
};

// Is shown the rows of one keyspace of one database, each once and in the order of their keys. Rows
// are untrusted: whatever they hold, a check notes it and goes on.
class RowCheck {
 public:
  virtual ~RowCheck() = default;
  virtual void Check(const Row& row, Problems& problems) = 0;

  // After the last row; not where reading failed or was stopped before it.
  virtual void Finish(Problems&) {}
};

}  // namespace talea
