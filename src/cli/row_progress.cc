#include "cli/row_progress.h"

namespace talea::cli {

bool RowProgressBar::Report(std::uint64_t done, std::uint64_t total) {
  if (shown_) {
    if (!bar_) bar_.emplace(title_, unit_, total);
    bar_->Advance(done - done_);
  }
  done_ = done;
  return !interrupted();
}

void RowProgressBar::Next(const std::string& title) {
  if (title == title_) return;
  Finish();
  title_ = title;
  done_ = 0;
}

void RowProgressBar::Finish() {
  if (bar_) bar_->Finish();
  bar_.reset();
}

std::uint64_t EstimatedRows(Engine& engine, const Keyspace* keyspace) {
  const Result<Statistics> statistics = engine.GetStatistics();
  if (!statistics) return 0;
  double rows = 0;
  for (const Metric& metric : statistics->metrics) {
    const bool counts =
        metric.name == "talea_engine_rows" || metric.name == "talea_engine_rows_estimate";
    const bool meant = keyspace == nullptr || metric.label == keyspace->name;
    if (counts && meant) rows += metric.value;
  }
  return static_cast<std::uint64_t>(rows);
}

}  // namespace talea::cli
