#include "chain/import_segment.h"

#include <algorithm>
#include <deque>
#include <span>

#include "chain/keys.h"

namespace talea::chain {
namespace {

// The most that a frame's rows can cost.
std::size_t CostOf(const FrameHead& head, const Limits::Cost& cost) {
  return std::max(cost.key_factor, cost.value_factor) * head.row_bytes + cost.fixed * head.rows;
}

// The rows of frames, one after the other.
class FrameRun final : public SortedRun {
 public:
  explicit FrameRun(std::span<const ExportFrame> frames) : frames_(frames) {}

  Result<std::optional<Row>> Next() override {
    while (rows_.empty()) {
      if (frames_.empty()) return std::nullopt;
      rows_ = frames_.front().rows();
      frames_ = frames_.subspan(1);
    }
    return TakeRow(rows_);
  }

 private:
  std::span<const ExportFrame> frames_;
  ByteView rows_;
};

}  // namespace

Result<ImportSegment> ImportSegment::Read(ExportReader& reader, const Room& room) {
  std::vector<ExportFrame> frames;
  StateCounts counts;
  for (std::size_t cost = 0; cost < room.bytes;) {
    std::optional<ExportFrame> frame = TALEA_TRY(reader.Next(counts));
    if (!frame) break;
    cost += CostOf(frame->head, room.cost);
    frames.push_back(std::move(*frame));
  }
  WriteBatch adds;
  for (const auto& [key, number] : counts.Rows()) adds.Add(kChainCountsKeyspace, key, number);
  return ImportSegment(std::move(frames), std::move(adds));
}

WriteBatch ImportSegment::WithMark(WriteBatch batch, const ImportMark& next) const {
  batch.Append(counts_);
  batch.Put(kChainKeyspace, ImportMarkKey(), Encode(next));
  return batch;
}

Result<Version> ImportSegment::IngestInto(Engine& engine, const ImportMark& next) const {
  IngestRequest request{.batch = WithMark({}, next)};
  std::deque<FrameRun> runs;
  const auto same_keyspace = [](const ExportFrame& a, const ExportFrame& b) {
    return a.place->keyspace == b.place->keyspace;
  };
  for (std::span<const ExportFrame> rest = frames_; !rest.empty();) {
    const auto end = std::ranges::find_if_not(
        rest, [&](const ExportFrame& frame) { return same_keyspace(rest.front(), frame); });
    const auto count = static_cast<std::size_t>(end - rest.begin());
    request.runs.push_back({rest.front().place->keyspace, &runs.emplace_back(rest.first(count))});
    rest = rest.subspan(count);
  }
  return engine.Ingest(std::move(request));
}

CommitRequest ImportSegment::AsCommit(const ImportMark& now, const ImportMark& next) const {
  WriteBatch batch;
  for (const ExportFrame& frame : frames_) {
    for (ByteView rows = frame.rows(); !rows.empty();) {
      const Row row = TakeRow(rows);
      batch.Put(*frame.place->keyspace, row.key, row.value);
    }
  }
  CommitRequest request;
  request.expected.push_back({&kChainKeyspace, ImportMarkKey(), Encode(now)});
  request.batch = WithMark(std::move(batch), next);
  return request;
}

}  // namespace talea::chain
