#include "chain/step.h"

#include "chain/codec.h"

namespace talea::chain {

Status Step::Read(Reader& reader, const Standing& standing, std::size_t at_once) {
  TALEA_TRY(Ask(standing));
  TALEA_TRY(lookups_.Read(reader, at_once));
  return Check();
}

Status Step::Ask(const Standing& standing) {
  point_lookup_ = lookups_.AskOwned(kChainKeyspace, PointKey(After(standing)));
  TALEA_TRY(outputs_.Ask(lookups_));
  return entities_.Ask(lookups_);
}

Status Step::Check() {
  TALEA_TRY(outputs_.Check(lookups_));
  return entities_.Check(lookups_);
}

void Step::WriteChanges(StepSink& sink) {
  outputs_.Write(lookups_, sink);
  entities_.Write(lookups_, sink);
}

void Step::WriteCursor(const Standing& standing, StepSink& sink) {
  if (!cursor_ || cursor_ == standing.cursor) return;
  sink.Put(kStateCursorKeyspace, kCursorKey, standing.cursor_row, EncodePoint(*cursor_));
}

void Step::WriteStepRows(const Standing& standing, StepSink& sink) {
  const Cursor& after = After(standing);
  const std::uint64_t step = standing.step + 1;
  sink.Insert(kChainKeyspace, StepKey(step), Encode(StepRow{standing.cursor, after}));
  sink.Put(kChainKeyspace, PointKey(after), lookups_.Found(point_lookup_), EncodeStep(step));
}

}  // namespace talea::chain
