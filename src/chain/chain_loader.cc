#include "talea/chain_loader.h"

#include <fmt/format.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "chain/block_group.h"
#include "chain/prune.h"
#include "chain/staged_step.h"
#include "chain/unknown_outcome.h"
#include "coordination/attempts.h"

namespace talea {

using namespace chain;

namespace {

using CommitTask = std::packaged_task<Result<Version>()>;

// The blocks of a call, on their way into the ledger.
struct Shipment {
  std::span<const Block> blocks;
  std::unique_ptr<BlockGroup> group = nullptr;  // or nothing: they do not go together
  std::shared_ptr<Snapshot> snapshot = nullptr;
  std::future<Result<Version>> committed = {};
  CommitTask task = {};  // where no thread makes the commit
};

// Makes commits one after the other. A thread for each would take longer to begin than some commits
// take.
class CommitThread {
 public:
  ~CommitThread() {
    {
      std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_one();
    thread_.join();  // once it has made the commit that it was given
  }

  // The one before must have been made.
  void Give(CommitTask task) {
    {
      std::lock_guard lock(mutex_);
      task_ = std::move(task);
    }
    changed_.notify_one();
  }

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return task_.valid() || ended_; });
      if (!task_.valid()) return;
      CommitTask task = std::move(task_);
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  CommitTask task_;
  bool ended_ = false;
  std::thread thread_{[this] { Run(); }};
};

struct Steps {
  std::uint64_t first;
  std::uint64_t last;
};

}  // namespace

struct ChainLoader::State {
  State(ChainStore& chain, const Options& given) : store(chain), options(given) {
    if (options.in_background) thread.emplace();
  }

  std::unique_ptr<BlockGroup> Make(Reader& reader, const Standing& standing,
                                   const BlockGroup* before, std::span<const Block> blocks) const;
  void PrepareBehind(Shipment& next) const;
  void Prepare(Shipment& next) const;
  bool Fits(Shipment& next) const;
  void Start(std::unique_ptr<Shipment> next);
  Result<Version> Commit(const Shipment& shipment) const;
  void Prune(const std::optional<Steps>& made) const;
  Result<std::vector<Applied>> Land();
  void NoteLanded(const Shipment& shipment, Version version);
  Result<std::vector<Applied>> FindOut(const Shipment& shipment, const Error& unknown) const;
  Result<std::vector<Applied>> ApplyEach(const Shipment& shipment, bool unknown) const;

  ChainStore& store;
  const Options options;
  std::unique_ptr<Shipment> under_way;
  std::optional<Version> landed;  // that the last one made, if its blocks went in together
  std::optional<Steps> unpruned;  // made together, and nothing was forgotten since
  std::optional<CommitThread> thread;
};

// Nothing where some do not fit: what it is, Apply finds out too, or gets over.
std::unique_ptr<BlockGroup> ChainLoader::State::Make(Reader& reader, const Standing& standing,
                                                     const BlockGroup* before,
                                                     std::span<const Block> blocks) const {
  const BlockGroup::Options group_options{.limits = store.engine().limits(),
                                          .with_undo = store.options().undo_window > 0,
                                          .apply = options.apply};
  auto made = BlockGroup::Make(reader, standing, before, blocks, group_options);
  return made ? std::move(*made) : nullptr;
}

// While those before are being committed.
void ChainLoader::State::PrepareBehind(Shipment& next) const {
  if (!under_way || !under_way->group) return;
  const BlockGroup& before = *under_way->group;
  next.group = Make(*under_way->snapshot, before.after(), &before, next.blocks);
}

// In the state that is there now.
void ChainLoader::State::Prepare(Shipment& next) const {
  Engine& engine = store.engine();
  Result<std::unique_ptr<Snapshot>> snapshot = engine.OpenSnapshot();
  if (!snapshot) return;
  const Result<Standing> standing = ReadSettled(engine, **snapshot);
  if (!standing || !MakeWay(engine, *standing)) return;
  next.group = Make(**snapshot, *standing, nullptr, next.blocks);
  next.snapshot = std::move(*snapshot);
}

// Whether what was made ready is for the state that is there now. That somebody else has written
// anything at all is enough to doubt it.
bool ChainLoader::State::Fits(Shipment& next) const {
  if (!next.group || !landed) return false;
  Result<std::unique_ptr<Snapshot>> snapshot = store.engine().OpenSnapshot();
  if (!snapshot || (*snapshot)->version() != *landed) return false;
  next.snapshot = std::move(*snapshot);
  return true;
}

void ChainLoader::State::Start(std::unique_ptr<Shipment> next) {
  if (!Fits(*next)) {
    next->group = nullptr;
    Prepare(*next);
  }
  under_way = std::move(next);
  if (!under_way->group) return;
  CommitTask task([this, made = std::exchange(unpruned, {}), shipment = under_way.get()] {
    Prune(made);
    return Commit(*shipment);
  });
  under_way->committed = task.get_future();
  if (thread) {
    thread->Give(std::move(task));
  } else {
    under_way->task = std::move(task);
  }
}

Result<Version> ChainLoader::State::Commit(const Shipment& shipment) const {
  return store.engine().Commit({.snapshot = shipment.snapshot.get(),
                                .reads = ReadsOfStanding(),
                                .expected = {},
                                .batch = shipment.group->Writes(),
                                .durability = store.options().durability,
                                .after_commit = {}});
}

// Not before the next commit is about to be made: that has to find the ledger as it was left.
void ChainLoader::State::Prune(const std::optional<Steps>& made) const {
  if (made) PruneIfDue(store.engine(), made->first, made->last, store.options().undo_window);
}

Result<std::vector<Applied>> ChainLoader::State::Land() {
  landed.reset();
  if (!under_way) return std::vector<Applied>();
  const std::unique_ptr<Shipment> shipment = std::move(under_way);
  if (!shipment->group) return ApplyEach(*shipment, false);
  if (shipment->task.valid()) shipment->task();
  const Result<Version> committed = shipment->committed.get();
  if (!committed && Unknown(committed.error())) return FindOut(*shipment, committed.error());
  if (!committed) return ApplyEach(*shipment, false);
  NoteLanded(*shipment, *committed);
  return shipment->group->answers();
}

void ChainLoader::State::NoteLanded(const Shipment& shipment, Version version) {
  landed = version;
  const std::uint64_t last = shipment.group->after().step;
  if (!unpruned) unpruned = {last - shipment.blocks.size() + 1, last};
  unpruned->last = last;
}

// Where the ledger stands tells whether all are in, even where it keeps no undo and knows no point
// but the last.
Result<std::vector<Applied>> ChainLoader::State::FindOut(const Shipment& shipment,
                                                         const Error& unknown) const {
  const Result<Standing> found = TryUntilDecided([&]() -> Result<Standing> {
    const std::unique_ptr<Snapshot> snapshot = TALEA_TRY(store.engine().OpenSnapshot());
    return ReadStanding(*snapshot);
  });
  if (!found) {
    return Fail(unknown.code(),
                fmt::format("blocks from {} to {}: {}", shipment.blocks.front().point.ToString(),
                            shipment.blocks.back().point.ToString(), unknown.message()));
  }
  const Standing& after = shipment.group->after();
  const bool in = found->step == after.step && found->cursor == after.cursor;
  return in ? shipment.group->answers() : ApplyEach(shipment, true);
}

// `unknown`: they may be in, by a commit of which that is not known.
Result<std::vector<Applied>> ChainLoader::State::ApplyEach(const Shipment& shipment,
                                                           bool unknown) const {
  std::vector<Applied> all;
  for (std::size_t i = 0; i < shipment.blocks.size(); ++i) {
    const Applied applied =
        TALEA_TRY(UnlessOvertaken(store.Apply(shipment.blocks[i], options.apply), unknown));
    unknown = unknown && applied.already;  // a step that was made keeps out that commit for good
    // It was not in before; whoever has brought it in since, it answers as it did then.
    all.push_back(unknown ? shipment.group->answers()[i] : applied);
  }
  return all;
}

ChainLoader::ChainLoader(ChainStore& store, const Options& options)
    : state_(std::make_unique<State>(store, options)) {}

ChainLoader::~ChainLoader() = default;

Result<std::vector<Applied>> ChainLoader::Load(std::span<const Block> blocks) {
  auto next = std::make_unique<Shipment>(blocks);
  state_->PrepareBehind(*next);
  std::vector<Applied> answers = TALEA_TRY(state_->Land());
  if (!blocks.empty()) state_->Start(std::move(next));
  return answers;
}

Result<std::vector<Applied>> ChainLoader::Finish() {
  std::vector<Applied> answers = TALEA_TRY(state_->Land());
  state_->landed.reset();
  state_->Prune(std::exchange(state_->unpruned, {}));
  return answers;
}

}  // namespace talea
