// Applies many blocks, one behind the other, faster than each alone.
//
//   ChainLoader loader(chain, {});
//   std::vector<Block> before, some;
//   while (!(some = read_some()).empty()) {
//     TALEA_TRY(loader.Load(some));  // the answers are for the blocks of the call before
//     std::swap(before, some);       // and these have to stay until the next
//   }
//   TALEA_TRY(loader.Finish());
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "talea/chain.h"
#include "talea/result.h"

namespace talea {

// The blocks of a call go into the ledger in one commit, each as ChainStore::Apply has it and as a
// step of its own, which can be taken back alone. While they are being committed, those of the next
// call are made ready. Whatever keeps some from going in together, each is applied alone then.
//
// For one thread at a time. The store must outlive the loader.
class ChainLoader {
 public:
  struct Options {
    ApplyOptions apply = {};
    bool in_background = true;  // commits are made in a thread, rather than in the next call
  };

  ChainLoader(ChainStore& store, const Options& options);
  ~ChainLoader();  // lets a commit that is under way in the background end
  ChainLoader(const ChainLoader&) = delete;
  ChainLoader& operator=(const ChainLoader&) = delete;

  // Takes blocks that follow on those given before. They, and what they refer to, must stay as they
  // are until the next call has returned. Returns what became of those of the call before, in their
  // order; or why the first of them that failed did, and then those before it are in, and of this
  // call's none.
  Result<std::vector<Applied>> Load(std::span<const Block> blocks);

  // What became of the blocks of the last call.
  Result<std::vector<Applied>> Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace talea
