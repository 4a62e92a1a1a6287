// Reading a ledger while a batch of it is staged.
#pragma once

#include <memory>

#include "talea/reader.h"

namespace talea::chain {

// Lays the rows of chain-staging over those of the other keyspaces, as they are read. Only while
// the header says that the batch is in. Single keys take one round trip, as without; pages two.
class StagedReader final : public Reader {
 public:
  explicit StagedReader(std::shared_ptr<Reader> base) : base_(std::move(base)) {}

  Result<std::optional<std::string>> Get(const Keyspace& keyspace, ByteView key) override;
  Result<std::vector<std::optional<std::string>>> MultiGet(
      std::span<const KeyReference> keys) override;
  Result<Page> Range(const Keyspace& keyspace, const KeyRange& range,
                     const PageOptions& options) override;

 private:
  std::shared_ptr<Reader> base_;
};

}  // namespace talea::chain
