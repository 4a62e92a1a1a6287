#include "chain/output_rows.h"

#include "base/coding.h"
#include "chain/codec.h"
#include "chain/output_check.h"

namespace talea::chain {
namespace {

constexpr std::uint64_t kRowsBetweenTicks = 4096;

}  // namespace

Status Ticker::Tick() {
  if (++done_ % kRowsBetweenTicks != 0 || !progress_ || progress_(done_, total_)) return {};
  stopped_ = true;
  return Fail(ErrorCode::unavailable, "bulk ingest: it was told to stop");
}

Result<std::optional<OutputRow>> GivenOutputs::Next() {
  const std::optional<Output> output = TALEA_TRY(source_.Next());
  if (!output) return std::nullopt;
  TALEA_TRY(CheckOutput(*output));
  TALEA_TRY(ticker_.Tick());
  key_.emplace(output->reference);
  value_.clear();
  AppendOutput(value_, *output);
  notes_ = EncodeNotes(*output);
  return OutputRow{*key_, value_, notes_};
}

// The rows that are sorted have the notes first, after their length, and then the value.
Status SortedOutputs::Begin() {
  std::string packed;
  std::uint64_t count = 0;
  while (const std::optional<OutputRow> row = TALEA_TRY(given_.Next())) {
    packed.clear();
    AppendSized(packed, row->notes);
    packed.append(row->value);
    TALEA_TRY(sorter_.Add(row->key, packed));
    ++count;
  }
  ticker_.Expect(2 * count);
  return {};
}

Result<std::optional<OutputRow>> SortedOutputs::Next() {
  const std::optional<Row> row = TALEA_TRY(sorter_.Next());
  if (!row) return std::nullopt;
  TALEA_TRY(ticker_.Tick());
  ByteReader packed(row->value);
  const std::optional<ByteView> notes = packed.Sized();
  if (!notes) {
    return Fail(ErrorCode::io_error, "bulk ingest: a scratch file does not hold what was written");
  }
  return OutputRow{row->key, packed.rest(), *notes};
}

}  // namespace talea::chain
