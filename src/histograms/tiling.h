// Whether the buckets of a histogram lie side by side, from the first value to the last.
#pragma once

#include <optional>
#include <string>

#include "histograms/codec.h"

namespace talea::histograms {

// Is shown the buckets of a histogram in the order of their keys. Each must begin where the one
// before it ends. Only where a division or union is under way two layers of them lie above each
// other, those that end and those that take what is new, and each covers the whole of it.
class Tiling {
 public:
  // The next bucket. Fails with corruption if it does not belong there, and goes on behind it.
  Status Add(const BucketId& id, const BucketRow& row);

  // After the last one.
  Status Finish();

 private:
  using End = std::optional<std::string>;  // where the next bucket begins; absent: there is none

  struct Group {
    Span whole;
    End ending;
    End taking;
  };

  Status AddToGroup(const BucketId& id, const BucketRow& row);
  Status EndGroup();

  End end_ = std::string();
  std::optional<Group> group_;
};

}  // namespace talea::histograms
