// How long work tells how far it is.
#pragma once

#include <cstdint>
#include <functional>

namespace talea {

// Called every now and then in long work: how much is done, in rows, and in all, or 0 while that is
// not known. Returning false stops the work, which can be resumed.
using RowProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

}  // namespace talea
