#include <fmt/format.h>

#include "cardano/cbor_cursor.h"
#include "talea/cardano.h"

namespace talea {

using namespace cardano;

namespace {

constexpr std::size_t kPolicyBytes = 28;
constexpr std::uint64_t kValueKey = 1;

Status ReadAssetsOfPolicy(CborCursor& cursor, std::vector<CardanoAsset>& assets) {
  const std::string policy(TALEA_TRY(cursor.Bytes("the policy", kPolicyBytes)));
  CborItems names = TALEA_TRY(cursor.Map("the assets of a policy"));
  while (TALEA_TRY(cursor.More(names))) {
    std::string name(TALEA_TRY(cursor.Bytes("the name of an asset")));
    const std::uint64_t quantity = TALEA_TRY(cursor.Unsigned("the quantity of an asset"));
    if (quantity != 0) assets.push_back({policy, std::move(name), quantity});
  }
  return {};
}

// The coin alone, or [coin, {policy: {name: quantity}}].
Status ReadValue(CborCursor& cursor, std::vector<CardanoAsset>& assets) {
  if (cursor.Peek() != CborKind::array) {
    TALEA_TRY(cursor.Unsigned("the coin"));
    return {};
  }
  TALEA_TRY(cursor.Record("the value", 2));
  TALEA_TRY(cursor.Unsigned("the coin"));
  CborItems policies = TALEA_TRY(cursor.Map("the assets"));
  while (TALEA_TRY(cursor.More(policies))) TALEA_TRY(ReadAssetsOfPolicy(cursor, assets));
  return {};
}

// [address, value, ..], or {0: address, 1: value, ..}; what comes behind the value is of no
// interest.
Status ReadOutput(CborCursor& cursor, std::vector<CardanoAsset>& assets) {
  if (cursor.Peek() != CborKind::map) {
    TALEA_TRY(cursor.LongRecord("the output", 2));
    TALEA_TRY(cursor.Skip());
    return ReadValue(cursor, assets);
  }
  CborItems fields = TALEA_TRY(cursor.Map("the output"));
  while (TALEA_TRY(cursor.More(fields))) {
    const std::uint64_t key = TALEA_TRY(cursor.Unsigned("the key of a field of the output"));
    if (key == kValueKey) return ReadValue(cursor, assets);
    TALEA_TRY(cursor.Skip());
  }
  return cursor.Expected("the value");
}

}  // namespace

Result<std::vector<CardanoAsset>> ReadCardanoAssets(const OutputValue& output) {
  SteadyBytes joined;
  CborCursor cursor(output.cbor(), joined);
  std::vector<CardanoAsset> assets;
  const Status read = ReadOutput(cursor, assets);
  if (read) return assets;
  return Fail(ErrorCode::corruption,
              fmt::format("output of era {}: {}", output.era(), read.error().message()));
}

}  // namespace talea
