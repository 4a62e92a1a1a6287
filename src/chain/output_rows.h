// Outputs on their way into an empty ledger: in the order of their references, as they are stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chain/keys.h"
#include "chain/row_sorter.h"
#include "talea/chain_transfer.h"
#include "talea/result.h"
#include "talea/row_progress.h"

namespace talea::chain {

// One output; valid until the next one is asked for.
struct OutputRow {
  ByteView key;
  ByteView value;
  ByteView notes;  // empty if it has none
};

class OutputRows {
 public:
  virtual ~OutputRows() = default;
  // Does what has to be done before the first can be given. To be called once.
  virtual Status Begin() { return {}; }
  virtual Result<std::optional<OutputRow>> Next() = 0;
};

// Tells somebody how far it is, now and then.
class Ticker {
 public:
  explicit Ticker(const RowProgress& progress) : progress_(progress) {}

  // Another row. Fails if it is told to stop.
  Status Tick();
  // From now on it is known how many there will be.
  void Expect(std::uint64_t total) { total_ = total; }

  std::uint64_t done() const { return done_; }
  bool stopped() const { return stopped_; }

 private:
  const RowProgress& progress_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
  bool stopped_ = false;
};

// Those of a source, in its order. Fails for an output that is out of bounds.
class GivenOutputs final : public OutputRows {
 public:
  GivenOutputs(OutputSource& source, Ticker& ticker) : source_(source), ticker_(ticker) {}
  Result<std::optional<OutputRow>> Next() override;

 private:
  OutputSource& source_;
  Ticker& ticker_;
  std::optional<OutputKey> key_;
  std::string value_;
  std::string notes_;
};

// The same, sorted.
class SortedOutputs final : public OutputRows {
 public:
  SortedOutputs(OutputRows& given, Ticker& ticker, RowSorter::Options options)
      : given_(given), ticker_(ticker), sorter_(std::move(options)) {}
  Status Begin() override;
  Result<std::optional<OutputRow>> Next() override;

 private:
  OutputRows& given_;
  Ticker& ticker_;
  RowSorter sorter_;
};

}  // namespace talea::chain
