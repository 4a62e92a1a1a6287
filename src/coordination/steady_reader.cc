#include "coordination/steady_reader.h"

#include "coordination/attempts.h"

namespace talea {

Result<std::unique_ptr<SteadyReader>> SteadyReader::Open(Engine& engine) {
  std::unique_ptr<Snapshot> snapshot =
      TALEA_TRY(TryUntilDecided([&] { return engine.OpenSnapshot(); }));
  std::unique_ptr<SteadyReader> reader(new SteadyReader(engine, std::move(snapshot)));
  if (engine.limits().transaction_age) reader->snapshot_.reset();
  return reader;
}

Result<std::optional<std::string>> SteadyReader::Get(const Keyspace& keyspace, ByteView key) {
  return TryUntilDecided([&] { return reader().Get(keyspace, key); });
}

Result<std::vector<std::optional<std::string>>> SteadyReader::MultiGet(
    std::span<const KeyReference> keys) {
  return TryUntilDecided([&] { return reader().MultiGet(keys); });
}

Result<Page> SteadyReader::Range(const Keyspace& keyspace, const KeyRange& range,
                                 const PageOptions& options) {
  return TryUntilDecided([&] { return reader().Range(keyspace, range, options); });
}

}  // namespace talea
