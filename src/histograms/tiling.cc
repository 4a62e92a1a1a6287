#include "histograms/tiling.h"

#include <fmt/format.h>

#include "coordination/damaged.h"

namespace talea::histograms {
namespace {

std::string Describe(const std::optional<std::string>& end) { return end ? Quoted(*end) : "none"; }

// That what begins here does so where what is before it has ended.
Status CheckBegin(std::string_view what, const std::optional<std::string>& end, ByteView lower) {
  if (end && *end == lower) return {};
  const std::string expected =
      end ? fmt::format("to begin at {}, where the one before ends", Quoted(*end))
          : "none behind one without an upper boundary";
  return Damaged(what, expected, Quoted(lower));
}

}  // namespace

Status Tiling::Add(const BucketId& id, const BucketRow& row) {
  const Status ordered =
      !row.upper || *row.upper > id.lower
          ? Status()
          : Damaged("bucket", fmt::format("an upper boundary after {}", Quoted(id.lower)),
                    Quoted(*row.upper));
  if (row.whole) {
    const Status fits = AddToGroup(id, row);
    return ordered ? fits : ordered;
  }
  const Status ended = EndGroup();
  const Status begun = CheckBegin("bucket", end_, id.lower);
  end_ = row.upper;
  if (!ordered) return ordered;
  return ended ? begun : ended;
}

Status Tiling::AddToGroup(const BucketId& id, const BucketRow& row) {
  Status status;
  if (!group_ || group_->whole != *row.whole) {
    status = EndGroup();
    const Status begun = CheckBegin("group of buckets", end_, row.whole->lower);
    if (status) status = begun;
    group_ = Group{*row.whole, row.whole->lower, row.whole->lower};
    end_ = row.whole->upper;
  }
  End& end = row.ending ? group_->ending : group_->taking;
  const Status begun = CheckBegin("bucket of a group", end, id.lower);
  end = row.upper;
  return status ? begun : status;
}

Status Tiling::EndGroup() {
  if (!group_) return {};
  const Group group = std::move(*group_);
  group_.reset();
  for (const End* end : {&group.ending, &group.taking}) {
    if (*end == group.whole.upper) continue;
    return Damaged(end == &group.ending ? "buckets that end" : "buckets that take their place",
                   fmt::format("the last one to have the upper boundary {}, as the group has",
                               Describe(group.whole.upper)),
                   Describe(*end));
  }
  return {};
}

Status Tiling::Finish() {
  TALEA_TRY(EndGroup());
  if (!end_) return {};
  return Damaged("last bucket", "no upper boundary", Quoted(*end_));
}

}  // namespace talea::histograms
