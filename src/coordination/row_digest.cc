#include "coordination/row_digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "base/check.h"
#include "base/coding.h"

namespace talea {

struct RowDigest::State {
  State() { TALEA_CHECK(hash != nullptr); }
  ~State() { XXH3_freeState(hash); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  XXH3_state_t* const hash = XXH3_createState();
};

RowDigest::RowDigest() : state_(std::make_unique<State>()) {
  TALEA_CHECK(XXH3_128bits_reset(state_->hash) == XXH_OK);
}
RowDigest::~RowDigest() = default;

void RowDigest::Add(const Keyspace& keyspace, const Row& row) {
  buffer_.clear();
  AppendSized(buffer_, keyspace.name);
  AppendSized(buffer_, row.key);
  AppendSized(buffer_, row.value);
  TALEA_CHECK(XXH3_128bits_update(state_->hash, buffer_.data(), buffer_.size()) == XXH_OK);
}

std::string RowDigest::Hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->hash);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace talea
