#include "cardano/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "cardano/address.h"

namespace talea::cardano {
namespace {

constexpr std::size_t kPolicyBytes = 28;
constexpr std::size_t kMostNameBytes = 32;

Status ReadAddress(CborCursor& cursor, Output& output) {
  const std::size_t begin = cursor.offset();
  const ByteView address = TALEA_TRY(cursor.Bytes("the address"));
  const Result<Credentials> credentials = CredentialsOf(address);
  if (!credentials) return cursor.Wrong(begin, credentials.error().message());
  output.tags.reserve(3);
  output.tags.push_back({TagKind::address, address});
  if (!credentials->payment.empty())
    output.tags.push_back({TagKind::payment, credentials->payment});
  if (!credentials->stake.empty()) output.tags.push_back({TagKind::stake, credentials->stake});
  return {};
}

Result<ByteView> ReadAssetName(CborCursor& cursor) {
  const std::size_t begin = cursor.offset();
  const ByteView name = TALEA_TRY(cursor.Bytes("the name of an asset"));
  if (name.size() <= kMostNameBytes) return name;
  return cursor.Wrong(begin, fmt::format("expected the name of an asset of at most {} bytes, found "
                                         "{}",
                                         kMostNameBytes, name.size()));
}

// Up to Babbage a quantity may be 0, which is the same as if the asset were not there.
Status ReadAssetsOfPolicy(CborCursor& cursor, Output& output, SteadyBytes& joined) {
  const ByteView policy = TALEA_TRY(cursor.Bytes("the policy", kPolicyBytes));
  const std::size_t tags = output.tags.size();
  CborItems assets = TALEA_TRY(cursor.Map("the assets of a policy"));
  while (TALEA_TRY(cursor.More(assets))) {
    const ByteView name = TALEA_TRY(ReadAssetName(cursor));
    if (TALEA_TRY(cursor.Unsigned("the quantity of an asset")) != 0)
      output.tags.push_back({TagKind::asset, joined.Join({policy, name})});
  }
  if (output.tags.size() != tags) output.tags.push_back({TagKind::policy, policy});
  return {};
}

Status ReadValue(CborCursor& cursor, Output& output, SteadyBytes& joined) {
  if (cursor.Peek() == CborKind::unsigned_integer) {
    output.coin = TALEA_TRY(cursor.Unsigned("the coin"));
    return {};
  }
  if (cursor.Peek() != CborKind::array)
    return cursor.Expected("the value, an unsigned integer or an array of 2");
  const CborItems value = TALEA_TRY(cursor.Record("the value", 2));
  output.coin = TALEA_TRY(cursor.Unsigned("the coin"));
  CborItems policies = TALEA_TRY(cursor.Map("the assets"));
  while (TALEA_TRY(cursor.More(policies))) TALEA_TRY(ReadAssetsOfPolicy(cursor, output, joined));
  return cursor.Close(value);
}

// A map may name a policy twice, and have the value before the address.
void SortTags(std::vector<Tag>& tags) {
  if (std::ranges::adjacent_find(tags, std::greater_equal<>()) == tags.end()) return;
  std::ranges::sort(tags);
  const auto twice = std::ranges::unique(tags);
  tags.erase(twice.begin(), twice.end());
}

Status ReadArray(CborCursor& cursor, Output& output, SteadyBytes& joined) {
  const CborItems fields = TALEA_TRY(cursor.LongRecord("the output", 2));
  TALEA_TRY(ReadAddress(cursor, output));
  TALEA_TRY(ReadValue(cursor, output, joined));
  return cursor.Close(fields);
}

Status ReadMap(CborCursor& cursor, Output& output, SteadyBytes& joined) {
  const std::size_t begin = cursor.offset();
  unsigned addresses = 0;
  unsigned values = 0;
  CborItems fields = TALEA_TRY(cursor.Map("the output"));
  while (TALEA_TRY(cursor.More(fields))) {
    switch (TALEA_TRY(cursor.Unsigned("the key of a field of the output"))) {
      case 0:
        ++addresses;
        TALEA_TRY(ReadAddress(cursor, output));
        break;
      case 1:
        ++values;
        TALEA_TRY(ReadValue(cursor, output, joined));
        break;
      default:
        TALEA_TRY(cursor.Skip());
    }
  }
  if (addresses == 1 && values == 1) return {};
  return cursor.Wrong(begin, fmt::format("expected an output with an address and a value, found "
                                         "{} addresses and {} values",
                                         addresses, values));
}

}  // namespace

Result<Output> ReadOutput(CborCursor& cursor, CardanoEra era, SteadyBytes& joined) {
  const std::size_t begin = cursor.offset();
  Output output{.reference = {}, .era = static_cast<std::uint16_t>(era), .cbor = {}};
  const bool is_map = era >= CardanoEra::babbage && cursor.Peek() == CborKind::map;
  TALEA_TRY(is_map ? ReadMap(cursor, output, joined) : ReadArray(cursor, output, joined));
  output.cbor = cursor.Since(begin);
  SortTags(output.tags);
  return output;
}

}  // namespace talea::cardano
