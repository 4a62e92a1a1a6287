// Reading a ledger while a batch of it is staged.
#pragma once

#include <memory>

#include "talea/reader.h"

namespace talea::chain {

// Lays the rows of chain-staging over those of the keyspaces that may be staged, as they are read;
// other keyspaces are read as they are. For use while the header says that the batch is in, over a
// reader whose answers all belong to one state: a snapshot or a transaction. As many threads may
// use it as may use that.
//
// Round trips: single keys take one, however many they are, as without it; pages take three.
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
