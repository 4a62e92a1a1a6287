// All rows of a ledger that holds nothing but outputs, as runs for Engine::Ingest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "chain/output_rows.h"
#include "chain/row_sorter.h"
#include "talea/engine.h"

namespace talea::chain {

// Four runs: the values of the outputs; their notes; their tags; the counts. The first is read from
// the outputs, one by one, and what the others will give is put aside meanwhile: so they are to be
// read one after the other.
//
// Fails with already_exists for an output that comes twice, and with invalid_argument for one that
// comes after a greater one.
class LedgerRuns {
 public:
  LedgerRuns(OutputRows& outputs, std::size_t memory_bytes, const std::filesystem::path& scratch);

  std::vector<IngestRequest::Run> runs();

  // Once the first run is at its end.
  std::uint64_t outputs() const { return count_; }

 private:
  class Values final : public SortedRun {
   public:
    explicit Values(LedgerRuns& owner) : owner_(owner) {}
    Result<std::optional<Row>> Next() override { return owner_.NextValue(); }

   private:
    LedgerRuns& owner_;
  };
  class Counts final : public SortedRun {
   public:
    explicit Counts(const LedgerRuns& owner) : owner_(owner) {}
    Result<std::optional<Row>> Next() override;

   private:
    const LedgerRuns& owner_;
    std::size_t next_ = 0;
    std::string key_;
    std::string value_;
  };

  Result<std::optional<Row>> NextValue();
  Status CheckOrder(ByteView key) const;
  Status AddNotes(const OutputRow& output);

  OutputRows& rows_;
  Values values_{*this};
  RowSorter notes_;  // are in order already
  RowSorter tags_;
  Counts counts_{*this};
  std::string last_key_;
  std::uint64_t count_ = 0;
  std::uint64_t coin_ = 0;  // wraps, as the counter does
};

}  // namespace talea::chain
