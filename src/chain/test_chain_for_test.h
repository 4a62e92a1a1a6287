// Random blocks, each on top of the one before it, and what they lead to. For tests alone.
#pragma once

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "chain/ledger_for_test.h"
#include "chain/random_ledger_for_test.h"

namespace talea::chain {

struct TestChain {
  std::vector<TestBatch> blocks;
  std::vector<LedgerState> states{LedgerState()};  // before the first block, and after each

  explicit TestChain(std::size_t count, std::uint64_t seed = TestSeed()) {
    Random random(seed);
    while (blocks.size() < count) {
      LedgerState next = states.back();
      TestBatch block =
          RandomBatches(next, random, {.bytes = 150, .outputs = 10}).ForABlock(Flaw::none);
      TALEA_CHECK(ApplyTo(next, block).has_value());
      blocks.push_back(std::move(block));
      states.push_back(std::move(next));
    }
  }

  Block block(std::size_t number) const { return BlockOf(blocks[number], states[number].cursor); }

  // How many blocks lead to this point, which is one of the chain's.
  std::size_t Height(const Cursor& point) const {
    const auto found = std::ranges::find(states, point, &LedgerState::cursor);
    TALEA_CHECK(found != states.end());
    return static_cast<std::size_t>(found - states.begin());
  }
};

}  // namespace talea::chain
