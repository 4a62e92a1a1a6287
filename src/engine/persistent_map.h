// An ordered map of bytes whose copies are cheap and independent of one another.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "talea/bytes.h"
#include "talea/key_range.h"

namespace talea {

// A pointer that counts its owners in the object itself, so that a writer can ask whether it is the
// only one. `Object` gives Retain(), Release() and owners().
template <class Object>
class Shared {
 public:
  Shared() = default;
  explicit Shared(Object* adopted) : object_(adopted) {}
  Shared(const Shared& other) : object_(other.object_) {
    if (object_) object_->Retain();
  }
  Shared(Shared&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Shared() {
    if (object_) object_->Release();
  }

  explicit operator bool() const { return object_ != nullptr; }
  Object* get() const { return object_; }
  Object* operator->() const { return object_; }
  Object& operator*() const { return *object_; }

 private:
  Object* object_ = nullptr;
};

// A B+ tree whose nodes are shared between copies: a copy costs one pointer, and a write after it
// copies only the nodes on its path that are shared. Where nothing is shared, writes happen in
// place.
//
// Copies may be used by different threads at once; one object, as usual, only by one at a time.
class PersistentMap {
 public:
  class Node;
  class Cursor;

  PersistentMap();
  ~PersistentMap();
  PersistentMap(const PersistentMap&);
  PersistentMap(PersistentMap&&) noexcept;
  PersistentMap& operator=(PersistentMap) noexcept;

  std::size_t rows() const { return rows_; }
  std::size_t bytes() const { return bytes_; }  // of keys and values

  // The key's value, valid until the map changes.
  std::optional<ByteView> Find(ByteView key) const;

  void Put(ByteView key, ByteView value);
  void Erase(ByteView key);
  void EraseRange(const KeyRange& range);

 private:
  Shared<Node> root_;
  std::size_t rows_ = 0;
  std::size_t bytes_ = 0;
};

// A place in a map, which must not change meanwhile.
class PersistentMap::Cursor {
 public:
  explicit Cursor(const PersistentMap& map) : root_(map.root_.get()) {}

  // Moves to the first row at or after the key, or to the last row before it; with no key, to the
  // last.
  void SeekAtOrAfter(ByteView key);
  void SeekBefore(std::optional<ByteView> key);

  bool valid() const { return depth_ > 0; }
  ByteView key() const;
  ByteView value() const;
  void Next();
  void Previous();

 private:
  struct Step {
    const Node* node;
    std::size_t position;
  };
  static constexpr std::size_t kMostLevels = 24;

  void Push(const Node* node, std::size_t position);
  void DescendToFirst();
  void DescendToLast();

  const Node* root_;
  std::size_t depth_ = 0;  // 0: nowhere
  std::array<Step, kMostLevels> path_;
};

}  // namespace talea
