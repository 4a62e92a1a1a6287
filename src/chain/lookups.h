// The reads of a step, in one wave.
#pragma once

#include <forward_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "talea/reader.h"
#include "talea/result.h"

namespace talea::chain {

// Keys are asked for first, each under a number; then all are read, and the values taken.
class Lookups {
 public:
  void Reserve(std::size_t count) { keys_.reserve(count); }

  // The key must stay where it is until Read.
  std::size_t Ask(const Keyspace& keyspace, ByteView key) {
    keys_.emplace_back(keyspace, key);
    return keys_.size() - 1;
  }
  // The same of a key that is kept here.
  std::size_t AskOwned(const Keyspace& keyspace, std::string key) {
    return Ask(keyspace, owned_.emplace_front(std::move(key)));
  }

  // In parts of this many, where all at once would take too long for a snapshot that expires.
  Status Read(Reader& reader, std::size_t at_once) {
    values_.reserve(keys_.size());
    for (std::size_t begin = 0; begin < keys_.size(); begin += at_once) {
      const std::size_t count = std::min(at_once, keys_.size() - begin);
      auto part = TALEA_TRY(reader.MultiGet(std::span(keys_).subspan(begin, count)));
      std::ranges::move(part, std::back_inserter(values_));
    }
    return {};
  }

  // The same where somebody else reads: what is asked for, and the answers in its order.
  std::span<const KeyReference> keys() const { return keys_; }
  void Answer(std::vector<std::optional<std::string>> values) { values_ = std::move(values); }

  const std::optional<std::string>& Found(std::size_t number) const { return values_[number]; }

 private:
  std::vector<KeyReference> keys_;
  std::forward_list<std::string> owned_;  // stay where they are
  std::vector<std::optional<std::string>> values_;
};

}  // namespace talea::chain
