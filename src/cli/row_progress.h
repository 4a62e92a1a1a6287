// A progress bar for long work over rows, which Ctrl-C stops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "talea/engine.h"
#include "terminal/progress_bar.h"

namespace talea::cli {

// Shows nothing where nothing but the answer is wanted: with --quiet or --json.
class RowProgressBar {
 public:
  RowProgressBar(std::string title, const Context& context, std::string unit = "rows")
      : title_(std::move(title)), unit_(std::move(unit)), shown_(!context.quiet && !context.json) {}

  // `done` of `total` rows, 0 if that is not known; false if the work should stop now.
  bool Report(std::uint64_t done, std::uint64_t total);

  // The reports from now on are about work of this title; nothing if they are already.
  void Next(const std::string& title);

  void Finish();
  bool interrupted() const { return interruption_.requested(); }

 private:
  std::string title_;
  const std::string unit_;
  const bool shown_;
  const Interruption interruption_;
  std::optional<ProgressBar> bar_;  // once the total is known
  std::uint64_t done_ = 0;
};

// How many rows there are, in one keyspace or in all, as well as the engine knows: good enough to
// tell how far it is.
std::uint64_t EstimatedRows(Engine& engine, const Keyspace* keyspace = nullptr);

}  // namespace talea::cli
