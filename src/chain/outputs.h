// What a step does to outputs: which come, which go, and whether that can be.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "chain/keys.h"
#include "chain/lookups.h"
#include "chain/step_sink.h"
#include "talea/chain.h"

namespace talea::chain {

// The deltas of a step, one after the other, brought down to one change of each output. An output
// that is made and spent within the step leaves no trace.
//
// Call Ask, then read the lookups, then Check, then Write.
class OutputPlan {
 public:
  OutputPlan(std::span<const UtxoSetDelta> deltas, const ApplyOptions& options)
      : deltas_(deltas), options_(options) {}

  // Fails if the deltas contradict themselves or hold what is out of bounds.
  Status Ask(Lookups& lookups);

  // Fails if they contradict what is stored.
  Status Check(const Lookups& lookups);

  void Write(const Lookups& lookups, StepSink& sink);

  std::uint64_t missing_inputs() const { return missing_inputs_; }

 private:
  // An output that the step has to do with.
  struct Change {
    OutputKey key;
    const Output* put = nullptr;   // what is there after the step, if it was put by it
    bool expected = false;         // it has to be stored: the first thing done is to erase it
    std::size_t value_lookup = 0;  // if it is looked up
    std::size_t notes_lookup = 0;  // if it is expected
  };

  // One thing that is done to an output.
  struct Event {
    OutputKey key;
    const Output* put = nullptr;  // or nothing: it is erased
  };
  // Where an event stands; with the first bytes of its key, by which nearly all are told apart.
  struct Place {
    std::uint64_t key_start;
    std::uint32_t event;
  };

  Status Put(std::span<const Output> outputs);
  void Erase(std::span<const OutputReference> references);
  void Note(const OutputReference& reference, const Output* put);
  // Brings what is done to each output down to a change, in the order of keys.
  Status Fold();
  Status Apply(const Event& event, Change& change);
  void WriteChange(const Change& change, const Lookups& lookups, StepSink& sink);
  void WriteValue(const Change& change, const std::optional<std::string>& old, StepSink& sink);
  void WriteNotes(const Change& change, const std::optional<std::string>& old, StepSink& sink);
  void WriteTags(const OutputKey& key, const OutputNotes& before, const Output* now,
                 StepSink& sink);

  const std::span<const UtxoSetDelta> deltas_;
  const ApplyOptions& options_;
  std::vector<Event> events_;  // in the order of the deltas
  std::vector<Place>
      places_;  // in the order of keys, and those of a key in the order of the deltas
  std::vector<Change> changes_;
  std::string value_;  // the one that is being written
  std::string row_;    // the key of the tag that is
  std::uint64_t missing_inputs_ = 0;
  std::int64_t outputs_ = 0;  // how many more there are
  std::int64_t coin_ = 0;
};

}  // namespace talea::chain
