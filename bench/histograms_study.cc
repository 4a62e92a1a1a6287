#include "bench/histograms_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace talea::bench {
namespace {

constexpr std::size_t kBatch = 1'000;
constexpr double kLeastExact = 0.99;

// A fixed histogram is asked one query in so many: where values are spread evenly it has nearly as
// many counters as entries, and a wide range reads a third of them.
constexpr std::size_t kAskFixedEvery = 10;

// Of all entries, those that are deleted: in whole ranges, and then here and there.
constexpr double kDeletedInRanges = 0.3;
constexpr double kDeletedAnywhere = 0.5;
constexpr std::size_t kDeletedRanges = 5;

std::unique_ptr<MeasuredIndex> InMemory(Histogram histogram) {
  return std::make_unique<MeasuredIndex>("memory:", histogram);
}

Accuracy AccuracyOf(MeasuredIndex& index, const std::vector<Query>& queries,
                    const EstimateOptions& options = {}) {
  const std::unique_ptr<Snapshot> snapshot = index.OpenSnapshot();
  Accuracy accuracy;
  for (const Query& query : queries) {
    accuracy.Add(query, Must(index.store().Estimate(*snapshot, kIndex, query.where(), options)));
  }
  return accuracy;
}

std::vector<Query> OneInSoMany(const std::vector<Query>& queries, std::size_t step) {
  std::vector<Query> some;
  for (std::size_t place = 0; place < queries.size(); place += step) some.push_back(queries[place]);
  return some;
}

template <class T>
void Shuffle(std::span<T> items, Random& random) {
  for (std::size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[random.Below(left)]);
  }
}

}  // namespace

std::string Findings::ToString() const {
  Table table{.columns = Accuracy::Titles(), .rows = {}};
  table.rows.push_back(learned.Line("learned"));
  table.rows.push_back(learned_without_peeking.Line("learned, no peeking"));
  if (fixed2) table.rows.push_back(fixed2->Line("fixed(2)"));
  if (fixed3) table.rows.push_back(fixed3->Line("fixed(3)"));
  return DrawTable(table, {});
}

std::optional<std::string> Findings::BrokenPromise() const {
  for (const auto& [name, accuracy] : {std::pair("learned", &learned),
                                       {"learned, no peeking", &learned_without_peeking},
                                       {"fixed(2)", fixed2 ? &*fixed2 : nullptr},
                                       {"fixed(3)", fixed3 ? &*fixed3 : nullptr}}) {
    if (accuracy != nullptr && accuracy->broken_promise()) {
      return fmt::format("{}: {}", name, *accuracy->broken_promise());
    }
  }
  if (learned.exact_share() >= kLeastExact) return std::nullopt;
  return fmt::format("learned: expected {} % of the estimates to be exact, found {:.3g} %",
                     100 * kLeastExact, 100 * learned.exact_share());
}

void Study::Reach(Phase phase) {
  TALEA_CHECK(phase_ <= phase);
  while (phase_ != phase) {
    switch (phase_) {
      case Phase::begun:
        Load();
        break;
      case Phase::loaded:
        Drift();
        break;
      default:
        Thin();
    }
    findings_.reset();
    phase_ = static_cast<Phase>(static_cast<int>(phase_) + 1);
    Must(learned_->store().Verify(*learned_->OpenSnapshot(), kIndex));
  }
}

void Study::AddFrom(MeasuredIndex& index, std::size_t first_document) const {
  std::uint64_t document = first_document;
  InBatches(std::span(entries_).subspan(first_document), kBatch,
            [&](std::span<const std::string> values) {
              std::vector<IndexEntry> batch;
              batch.reserve(values.size());
              for (const std::string& value : values) batch.push_back(EntryOf(value, document++));
              index.Add(batch);
            });
}

void Study::Load() {
  entries_ = set_.Values(values_);
  truth_ = std::make_unique<Truth>(entries_);
  learned_ = InMemory(Histogram::Learned());
  if (histograms_ == Histograms::learned_only) return AddFrom(*learned_, 0);
  fixed2_ = InMemory(Histogram::Fixed(2));
  fixed3_ = InMemory(Histogram::Fixed(3));
  InThreads(2, [&](int thread) {
    if (thread == 0) {
      AddFrom(*learned_, 0);
    } else {
      AddFrom(*fixed2_, 0), AddFrom(*fixed3_, 0);
    }
    return std::uint64_t{0};
  });
}

void Study::Drift() {
  fixed2_.reset(), fixed3_.reset();
  std::vector<std::string> later = set_.LaterValues(2 * values_);
  std::ranges::copy(later, std::back_inserter(entries_));
  truth_->Add(std::move(later));
  AddFrom(*learned_, values_);
}

// The documents to delete, in that order: those in a few ranges of values, from the first value to
// the last, and then as many of the others as it takes, at random.
std::vector<std::uint32_t> Study::Victims() const {
  std::vector<std::uint32_t> documents(entries_.size());
  std::iota(documents.begin(), documents.end(), 0u);
  std::ranges::sort(documents, {}, [&](std::uint32_t document) -> const std::string& {
    return entries_[document];
  });
  const auto all = static_cast<double>(documents.size());
  const auto length = static_cast<std::size_t>(all * kDeletedInRanges / kDeletedRanges);
  const std::size_t apart = documents.size() / kDeletedRanges;
  std::vector<std::uint32_t> victims, others;
  for (std::size_t place = 0; place < documents.size(); ++place) {
    (place % apart < length ? victims : others).push_back(documents[place]);
  }
  Random random(3);
  Shuffle(std::span(others), random);
  others.resize(static_cast<std::size_t>(all * kDeletedAnywhere));
  std::ranges::copy(others, std::back_inserter(victims));
  return victims;
}

void Study::Thin() {
  std::vector<bool> deleted(entries_.size());
  const std::vector<std::uint32_t> victims = Victims();
  InBatches(std::span(victims), kBatch, [&](std::span<const std::uint32_t> documents) {
    std::vector<IndexEntry> batch;
    batch.reserve(documents.size());
    for (const std::uint32_t document : documents) {
      batch.push_back(EntryOf(entries_[document], document));
      deleted[document] = true;
    }
    learned_->Remove(batch);
  });
  std::vector<std::string> left;
  for (std::size_t document = 0; document < entries_.size(); ++document) {
    if (!deleted[document]) left.push_back(std::move(entries_[document]));
  }
  entries_.clear();
  truth_ = std::make_unique<Truth>(std::move(left));
}

const Findings& Study::Ask() {
  if (!findings_) findings_ = Measure();
  return *findings_;
}

Findings Study::Measure() const {
  Random random(2);
  const std::vector<Query> queries = truth_->Draw({}, random);
  const std::vector<Query> fewer = OneInSoMany(queries, kAskFixedEvery);
  Findings findings{.entries = truth_->values().size()};
  InThreads(2, [&](int thread) {
    if (thread == 0) {
      findings.learned = AccuracyOf(*learned_, queries);
    } else {
      findings.learned_without_peeking = AccuracyOf(*learned_, queries, {.peek = false});
      if (fixed2_) findings.fixed2 = AccuracyOf(*fixed2_, fewer);
      if (fixed3_) findings.fixed3 = AccuracyOf(*fixed3_, fewer);
    }
    return std::uint64_t{0};
  });
  return findings;
}

}  // namespace talea::bench
