#include "histograms/entry_counts.h"

#include <fmt/format.h>

#include "base/coding.h"
#include "coordination/damaged.h"
#include "histograms/fixed.h"
#include "keyspace/registry.h"

namespace talea::histograms {
namespace {

// What a histogram is called in a problem, and where that is noted.
class Complaint {
 public:
  Complaint(const CheckedDatabase& database, const Index& index, HistogramId histogram)
      : name_(fmt::format("{}index {}, histogram {}", database.name, Quoted(index.state->name),
                          histogram)) {}

  void Compare(std::string_view where, std::uint64_t entries, std::int64_t sum,
               Problems& problems) const {
    if (static_cast<std::uint64_t>(sum) == entries) return;
    problems.Note(
        fmt::format("{}, {}: expected counters with a sum of {}, the number of entries, found {}",
                    name_, where, entries, sum));
  }

 private:
  const std::string name_;
};

// A bucket at a time, or all buckets of a division or union that is under way.
class LearnedCounts final : public HistogramCounts {
 public:
  LearnedCounts(const CheckedDatabase& database, const Index& index, HistogramId histogram)
      : complaint_(database, index, histogram),
        reader_(database.reader),
        index_(index.id),
        histogram_(histogram) {}

  Status Take(ByteView value_and_document, Problems& problems) override {
    if (!span_) TALEA_TRY(Open(""));
    while (span_->upper && value_and_document >= *span_->upper) {
      TALEA_TRY(Compare(problems));
      TALEA_TRY(Open(std::string(*span_->upper)));
    }
    ++entries_;
    return {};
  }

  Status Finish(Problems& problems) override {
    if (!span_) TALEA_TRY(Open(""));
    TALEA_TRY(Compare(problems));
    while (span_->upper) {
      TALEA_TRY(Open(std::string(*span_->upper)));
      TALEA_TRY(Compare(problems));
    }
    return {};
  }

 private:
  Status Open(const std::string& lower) {
    span_ = TALEA_TRY(FindSpan(*reader_, index_, histogram_, lower));
    entries_ = 0;
    if (span_->lower == lower && (!span_->upper || *span_->upper > lower)) return {};
    return Damaged("bucket", "one from " + Quoted(lower) + " on", Quoted(span_->lower));
  }

  Status Compare(Problems& problems) const {
    const CounterSum counters = TALEA_TRY(SumCounters(*reader_, index_, histogram_, *span_));
    const KeyRange range = KeyRange::From(span_->lower);
    complaint_.Compare(
        "values " + (span_->upper ? range.EndingAt(*span_->upper) : range).ToString(), entries_,
        counters.sum, problems);
    return {};
  }

  const Complaint complaint_;
  const std::shared_ptr<Reader> reader_;
  const IndexId index_;
  const HistogramId histogram_;
  std::optional<Span> span_;
  std::uint64_t entries_ = 0;
};

// A prefix at a time. A prefix has a counter for each bucket that its values lie in.
class FixedCounts final : public HistogramCounts {
 public:
  FixedCounts(const CheckedDatabase& database, const Index& index, const HistogramState& histogram)
      : complaint_(database, index, histogram.id),
        reader_(database.reader),
        bytes_(histogram.kind.fixed_bytes),
        elements_(index.state->elements),
        counters_(*reader_, kHistogramCountersKeyspace, CounterKeys(index.id, histogram.id)) {}

  Status Take(ByteView value_and_document, Problems& problems) override {
    TALEA_TRY(ValueLength(value_and_document, elements_));  // else it has no prefix
    const std::string prefix = PrefixOfEntry(value_and_document, bytes_, elements_);
    if (prefix != prefix_) {
      TALEA_TRY(Compare(problems));
      prefix_ = prefix;
      entries_ = 0;
    }
    ++entries_;
    return {};
  }

  Status Finish(Problems& problems) override {
    TALEA_TRY(Compare(problems));
    while (const std::optional<Sum> sum = TALEA_TRY(NextSum(std::nullopt))) {
      Note(sum->prefix, 0, sum->sum, problems);
    }
    return {};
  }

 private:
  struct Sum {
    std::string prefix;
    std::int64_t sum = 0;
  };

  // Compares the prefix that is complete, and those before it that have counters and no entries.
  Status Compare(Problems& problems) {
    if (!prefix_) return {};
    std::int64_t found = 0;
    while (const std::optional<Sum> sum = TALEA_TRY(NextSum(prefix_))) {
      if (sum->prefix == *prefix_) {
        found = sum->sum;
      } else {
        Note(sum->prefix, 0, sum->sum, problems);
      }
    }
    Note(*prefix_, entries_, found, problems);
    return {};
  }

  // The sum of the next prefix's counters, unless it is greater than `last`.
  Result<std::optional<Sum>> NextSum(const std::optional<std::string>& last) {
    if (!next_) next_ = TALEA_TRY(NextCounter());
    if (!next_ || (last && next_->prefix > *last)) return std::nullopt;
    std::optional<Sum> sum = std::move(next_);
    while ((next_ = TALEA_TRY(NextCounter())) && next_->prefix == sum->prefix) {
      sum->sum = WrappingAdd(sum->sum, next_->sum);
    }
    return sum;
  }

  Result<std::optional<Sum>> NextCounter() {
    const std::optional<Row> row = TALEA_TRY(counters_.Next());
    if (!row) return std::nullopt;
    CounterKeyParts parts = TALEA_TRY(PartsOfCounterKey(row->key));
    // Not between the braces: g++ 12 does not destroy what stands before a return from there.
    const std::int64_t sum = TALEA_TRY(CounterOf(*row));
    return Sum{std::move(parts.boundary), sum};
  }

  void Note(ByteView prefix, std::uint64_t entries, std::int64_t sum, Problems& problems) const {
    complaint_.Compare("prefix " + Quoted(prefix), entries, sum, problems);
  }

  const Complaint complaint_;
  const std::shared_ptr<Reader> reader_;
  const std::size_t bytes_;
  const std::size_t elements_;
  Scanner counters_;
  std::optional<Sum> next_;  // of a single counter
  std::optional<std::string> prefix_;
  std::uint64_t entries_ = 0;
};

}  // namespace

EntryCounts::EntryCounts(const CheckedDatabase& database, const Index& index) {
  for (const HistogramState& histogram : index.state->histograms) {
    if (histogram.building) continue;
    if (histogram.kind.learned()) {
      histograms_.push_back(std::make_unique<LearnedCounts>(database, index, histogram.id));
    } else {
      histograms_.push_back(std::make_unique<FixedCounts>(database, index, histogram));
    }
  }
}

void EntryCounts::Take(ByteView value_and_document, Problems& problems) {
  std::erase_if(histograms_, [&](const std::unique_ptr<HistogramCounts>& histogram) {
    return !histogram->Take(value_and_document, problems);
  });
}

void EntryCounts::Finish(Problems& problems) {
  for (const std::unique_ptr<HistogramCounts>& histogram : histograms_) {
    (void)histogram->Finish(problems);
  }
}

}  // namespace talea::histograms
