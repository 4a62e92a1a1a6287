#include "engine/persistent_map.h"

#include <algorithm>
#include <boost/container/static_vector.hpp>
#include <new>
#include <vector>

#include "base/check.h"

namespace talea {
namespace {

// Counts the owners of an object. The last one to let go sees everything the others did to it.
class OwnerCount {
 public:
  void Increment() { count_.fetch_add(1, std::memory_order_relaxed); }
  bool Decrement() { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  bool unique() const { return count_.load(std::memory_order_acquire) == 1; }

 private:
  std::atomic<std::uint32_t> count_ = 1;
};

// A row, never changed once made: its bytes follow the object in memory.
class Cell {
 public:
  static Shared<Cell> Make(ByteView key, ByteView value) {
    void* memory = ::operator new(sizeof(Cell) + key.size() + value.size());
    Cell* cell = new (memory) Cell(key.size(), value.size());
    key.copy(cell->data(), key.size());
    value.copy(cell->data() + key.size(), value.size());
    return Shared<Cell>(cell);
  }

  ByteView key() const { return {data(), key_bytes_}; }
  ByteView value() const { return {data() + key_bytes_, value_bytes_}; }
  std::size_t bytes() const { return std::size_t{key_bytes_} + value_bytes_; }

  void Retain() { owners_.Increment(); }
  void Release() {
    if (owners_.Decrement()) ::operator delete(this);
  }

 private:
  Cell(std::size_t key_bytes, std::size_t value_bytes)
      : key_bytes_(static_cast<std::uint32_t>(key_bytes)),
        value_bytes_(static_cast<std::uint32_t>(value_bytes)) {}
  char* data() { return reinterpret_cast<char*>(this + 1); }
  const char* data() const { return reinterpret_cast<const char*>(this + 1); }

  OwnerCount owners_;
  std::uint32_t key_bytes_;
  std::uint32_t value_bytes_;
};

constexpr std::size_t kCapacity = 32;
constexpr std::size_t kMergeBelow = kCapacity / 4;

}  // namespace

// A leaf holds rows. An inner node holds children; cells[i] is then a lower bound for the keys of
// child i and above all keys of child i - 1 (cells[0] bounds nothing, and is not looked at).
class PersistentMap::Node {
 public:
  using Cells = boost::container::static_vector<Shared<Cell>, kCapacity>;
  using Children = std::vector<Shared<Node>>;  // on the heap: most nodes are leaves and have none

  explicit Node(bool is_leaf) : leaf(is_leaf) {}
  Node(const Node& other) : leaf(other.leaf), cells(other.cells), children(other.children) {}

  // Gives a node that the caller may change: this one if nobody else has it, a copy otherwise.
  static Node& Own(Shared<Node>& link) {
    if (!link->owners_.unique()) link = Shared<Node>(new Node(*link));
    return *link;
  }

  std::size_t size() const { return cells.size(); }

  std::size_t FirstAtOrAfter(ByteView key) const {
    const auto found =
        std::ranges::lower_bound(cells, key, {}, [](const auto& cell) { return cell->key(); });
    return static_cast<std::size_t>(found - cells.begin());
  }

  std::size_t ChildFor(ByteView key) const {
    const auto found =
        std::upper_bound(cells.begin() + 1, cells.end(), key,
                         [](ByteView k, const auto& cell) { return k < cell->key(); });
    return static_cast<std::size_t>(found - cells.begin()) - 1;
  }

  bool HoldsAt(std::size_t position, ByteView key) const {
    return position < size() && cells[position]->key() == key;
  }

  // Moves the upper half to a new node on the right.
  Shared<Node> Split() {
    Shared<Node> right(new Node(leaf));
    const auto middle = static_cast<std::ptrdiff_t>(size() / 2);
    right->cells.assign(std::make_move_iterator(cells.begin() + middle),
                        std::make_move_iterator(cells.end()));
    cells.erase(cells.begin() + middle, cells.end());
    if (leaf) return right;
    right->children.assign(std::make_move_iterator(children.begin() + middle),
                           std::make_move_iterator(children.end()));
    children.erase(children.begin() + middle, children.end());
    return right;
  }

  void InsertChild(std::size_t position, Shared<Cell> bound, Shared<Node> child) {
    const auto at = static_cast<std::ptrdiff_t>(position);
    cells.insert(cells.begin() + at, std::move(bound));
    children.insert(children.begin() + at, std::move(child));
  }

  void RemoveChildren(std::size_t first, std::size_t last) {
    const auto from = static_cast<std::ptrdiff_t>(first);
    const auto to = static_cast<std::ptrdiff_t>(last);
    cells.erase(cells.begin() + from, cells.begin() + to);
    children.erase(children.begin() + from, children.begin() + to);
  }

  // Drops the child if it is empty, or joins it with its right neighbour where both are small.
  void Tidy(std::size_t position) {
    if (position >= children.size()) return;
    if (children[position]->size() == 0) return RemoveChildren(position, position + 1);
    if (position + 1 == children.size()) return;
    const Node& right = *children[position + 1];
    const bool small = std::min(children[position]->size(), right.size()) < kMergeBelow;
    // A node is divided as soon as it is full, so none may be left full: the next Put needs room.
    if (!small || children[position]->size() + right.size() >= kCapacity) return;
    Node& left = Own(children[position]);
    const std::size_t joint = left.size();
    left.cells.insert(left.cells.end(), right.cells.begin(), right.cells.end());
    left.children.insert(left.children.end(), right.children.begin(), right.children.end());
    left.cells[joint] = left.leaf ? left.cells[joint] : cells[position + 1];
    RemoveChildren(position + 1, position + 2);
  }

  void TidyAround(std::size_t position) {
    Tidy(position);
    if (position > 0) Tidy(position - 1);
  }

  void Retain() { owners_.Increment(); }
  void Release() {
    if (owners_.Decrement()) delete this;
  }

  const bool leaf;
  Cells cells;
  Children children;

 private:
  OwnerCount owners_;
};

namespace {

using Node = PersistentMap::Node;

// What a change did to the map's totals.
struct Change {
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t bytes = 0;

  void Gained(const Cell& cell) { ++rows, bytes += static_cast<std::ptrdiff_t>(cell.bytes()); }
  void Lost(const Cell& cell) { --rows, bytes -= static_cast<std::ptrdiff_t>(cell.bytes()); }
};

void Put(Shared<Node>& link, const Shared<Cell>& cell, Change& change) {
  Node& node = Node::Own(link);
  if (!node.leaf) {
    const std::size_t position = node.ChildFor(cell->key());
    Put(node.children[position], cell, change);
    if (node.children[position]->size() < kCapacity) return;
    Shared<Node> right = node.children[position]->Split();
    Shared<Cell> bound = right->cells[0];
    return node.InsertChild(position + 1, std::move(bound), std::move(right));
  }
  const std::size_t position = node.FirstAtOrAfter(cell->key());
  change.Gained(*cell);
  if (node.HoldsAt(position, cell->key())) {
    change.Lost(*node.cells[position]);
    node.cells[position] = cell;
  } else {
    node.cells.insert(node.cells.begin() + static_cast<std::ptrdiff_t>(position), cell);
  }
}

void Erase(Shared<Node>& link, ByteView key, Change& change) {
  Node& node = Node::Own(link);
  if (!node.leaf) {
    const std::size_t position = node.ChildFor(key);
    Erase(node.children[position], key, change);
    return node.TidyAround(position);
  }
  const std::size_t position = node.FirstAtOrAfter(key);
  change.Lost(*node.cells[position]);
  node.cells.erase(node.cells.begin() + static_cast<std::ptrdiff_t>(position));
}

void CountLost(const Node& node, Change& change) {
  if (node.leaf) {
    for (const Shared<Cell>& cell : node.cells) change.Lost(*cell);
  }
  for (const Shared<Node>& child : node.children) CountLost(*child, change);
}

void EraseRange(Shared<Node>& link, const KeyRange& range, Change& change) {
  Node& node = Node::Own(link);
  if (node.leaf) {
    const std::size_t first = node.FirstAtOrAfter(range.begin());
    const std::size_t last = range.end() ? node.FirstAtOrAfter(*range.end()) : node.size();
    for (std::size_t position = first; position < last; ++position)
      change.Lost(*node.cells[position]);
    node.cells.erase(node.cells.begin() + static_cast<std::ptrdiff_t>(first),
                     node.cells.begin() + static_cast<std::ptrdiff_t>(last));
    return;
  }
  const std::size_t first = node.ChildFor(range.begin());
  const std::size_t last = range.end() ? node.ChildFor(*range.end()) : node.size() - 1;
  EraseRange(node.children[first], range, change);
  if (last > first) {
    EraseRange(node.children[last], range, change);
    for (std::size_t between = first + 1; between < last; ++between) {
      CountLost(*node.children[between], change);
    }
    node.RemoveChildren(first + 1, last);
    node.Tidy(first + 1);
  }
  node.TidyAround(first);
}

// Drops levels that no longer divide anything.
void Lower(Shared<Node>& root) {
  while (!root->leaf && root->size() == 1) {
    Shared<Node> only = root->children[0];
    root = std::move(only);
  }
  if (root->size() == 0) root = {};
}

}  // namespace

PersistentMap::PersistentMap() = default;
PersistentMap::~PersistentMap() = default;
PersistentMap::PersistentMap(const PersistentMap&) = default;
PersistentMap::PersistentMap(PersistentMap&& other) noexcept
    : root_(std::move(other.root_)),
      rows_(std::exchange(other.rows_, 0)),
      bytes_(std::exchange(other.bytes_, 0)) {}
PersistentMap& PersistentMap::operator=(PersistentMap other) noexcept {
  std::swap(root_, other.root_);
  std::swap(rows_, other.rows_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

std::optional<ByteView> PersistentMap::Find(ByteView key) const {
  const Node* node = root_.get();
  if (node == nullptr) return std::nullopt;
  while (!node->leaf) node = node->children[node->ChildFor(key)].get();
  const std::size_t position = node->FirstAtOrAfter(key);
  if (!node->HoldsAt(position, key)) return std::nullopt;
  return node->cells[position]->value();
}

void PersistentMap::Put(ByteView key, ByteView value) {
  if (!root_) root_ = Shared<Node>(new Node(true));
  Change change;
  talea::Put(root_, Cell::Make(key, value), change);
  rows_ += static_cast<std::size_t>(change.rows);
  bytes_ += static_cast<std::size_t>(change.bytes);
  if (root_->size() < kCapacity) return;
  Shared<Node> right = root_->Split();
  Shared<Node> grown(new Node(false));
  Shared<Cell> bound = right->cells[0];
  grown->InsertChild(0, root_->cells[0], root_);
  grown->InsertChild(1, std::move(bound), std::move(right));
  root_ = std::move(grown);
}

void PersistentMap::Erase(ByteView key) {
  if (!Find(key)) return;
  Change change;
  talea::Erase(root_, key, change);
  rows_ += static_cast<std::size_t>(change.rows);
  bytes_ += static_cast<std::size_t>(change.bytes);
  Lower(root_);
}

void PersistentMap::EraseRange(const KeyRange& range) {
  if (!root_ || range.empty()) return;
  Change change;
  talea::EraseRange(root_, range, change);
  rows_ += static_cast<std::size_t>(change.rows);
  bytes_ += static_cast<std::size_t>(change.bytes);
  Lower(root_);
}

void PersistentMap::Cursor::Push(const Node* node, std::size_t position) {
  TALEA_CHECK(depth_ < kMostLevels);
  path_[depth_++] = {node, position};
}

void PersistentMap::Cursor::SeekAtOrAfter(ByteView key) {
  depth_ = 0;
  if (root_ == nullptr) return;
  const Node* node = root_;
  while (!node->leaf) {
    const std::size_t position = node->ChildFor(key);
    Push(node, position);
    node = node->children[position].get();
  }
  const std::size_t position = node->FirstAtOrAfter(key);
  Push(node, position);
  if (position < node->size()) return;
  --path_[depth_ - 1].position;  // nodes are never empty: step on from the leaf's last row
  Next();
}

void PersistentMap::Cursor::SeekBefore(std::optional<ByteView> key) {
  depth_ = 0;
  if (root_ == nullptr) return;
  if (!key) {
    Push(root_, root_->size() - 1);
    return DescendToLast();
  }
  SeekAtOrAfter(*key);
  if (valid()) return Previous();
  SeekBefore(std::nullopt);
}

ByteView PersistentMap::Cursor::key() const {
  const Step& step = path_[depth_ - 1];
  return step.node->cells[step.position]->key();
}

ByteView PersistentMap::Cursor::value() const {
  const Step& step = path_[depth_ - 1];
  return step.node->cells[step.position]->value();
}

void PersistentMap::Cursor::Next() {
  while (depth_ > 0 && path_[depth_ - 1].position + 1 == path_[depth_ - 1].node->size()) --depth_;
  if (depth_ == 0) return;
  ++path_[depth_ - 1].position;
  DescendToFirst();
}

void PersistentMap::Cursor::Previous() {
  while (depth_ > 0 && path_[depth_ - 1].position == 0) --depth_;
  if (depth_ == 0) return;
  --path_[depth_ - 1].position;
  DescendToLast();
}

void PersistentMap::Cursor::DescendToFirst() {
  while (!path_[depth_ - 1].node->leaf) {
    Push(path_[depth_ - 1].node->children[path_[depth_ - 1].position].get(), 0);
  }
}

void PersistentMap::Cursor::DescendToLast() {
  while (!path_[depth_ - 1].node->leaf) {
    const Node* child = path_[depth_ - 1].node->children[path_[depth_ - 1].position].get();
    Push(child, child->size() - 1);
  }
}

}  // namespace talea
