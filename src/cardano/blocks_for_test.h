// Makes blocks for tests, which are as the real ones but for what nobody reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cardano/cbor_for_test.h"
#include "talea/cardano.h"

namespace talea::cardano {

class BlockWriter {
 public:
  using Fields = std::vector<std::pair<std::uint64_t, std::string>>;

  explicit BlockWriter(CardanoEra era, CborLengths lengths = CborLengths::definite)
      : cbor(lengths), era_(era) {}

  // Of a transaction.
  std::string Input(char transaction, std::uint64_t index) const {
    return cbor.Array({cbor.Bytes(std::string(32, transaction)), cbor.Unsigned(index)});
  }
  std::string Output(const std::string& address, std::uint64_t coin) const {
    return OutputOf(address, cbor.Unsigned(coin));
  }
  std::string OutputOf(const std::string& address, const std::string& value) const {
    return cbor.Array({cbor.Bytes(address), value});
  }
  std::string Body(const Fields& fields) const {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto& [key, value] : fields) pairs.emplace_back(cbor.Unsigned(key), value);
    return cbor.Map(pairs);
  }
  std::string SimpleBody(const std::vector<std::string>& outputs) const {
    return Body(
        {{0, cbor.Array({Input('i', 0)})}, {1, cbor.Array(outputs)}, {2, cbor.Unsigned(7)}});
  }

  // Of a block since Shelley, in which everything but the bodies is small and the same.
  std::string Header() const {
    return cbor.Array({cbor.Array({cbor.Unsigned(kNumber), cbor.Unsigned(kSlot),
                                   cbor.Bytes(std::string(32, 'p')), cbor.Bytes("issuer")}),
                       cbor.Bytes("signature")});
  }
  std::string Block(const std::vector<std::string>& bodies,
                    const std::vector<std::uint64_t>& invalid = {}) const {
    std::vector<std::string> parts = {Header(), cbor.Array(bodies), Witnesses(), cbor.Map({})};
    std::vector<std::string> places;
    for (const std::uint64_t place : invalid) places.push_back(cbor.Unsigned(place));
    if (era_ >= CardanoEra::alonzo) parts.push_back(cbor.Array(places));
    return Wrap(cbor.Array(parts));
  }

  std::string Wrap(const std::string& block) const {
    return cbor.Array({cbor.Unsigned(static_cast<std::uint64_t>(era_)), block});
  }

  // Byron's.
  std::string ByronHeader(const std::string& place) const {
    return cbor.Array({cbor.Unsigned(764824073), cbor.Bytes(std::string(32, 'p')),
                       cbor.Bytes("proof"), place, cbor.Array({})});
  }
  std::string ByronBoundaryBlock(std::uint64_t epoch) const {
    const std::string place =
        cbor.Array({cbor.Unsigned(epoch), cbor.Array({cbor.Unsigned(kNumber)})});
    return Wrap(cbor.Array(
        {ByronHeader(place), cbor.Array({cbor.Bytes("stakeholder")}), cbor.Array({cbor.Map({})})}));
  }
  std::string ByronBlock(std::uint64_t epoch, std::uint64_t slot,
                         const std::vector<std::string>& transactions) const {
    const std::string place =
        cbor.Array({cbor.Array({cbor.Unsigned(epoch), cbor.Unsigned(slot)}), cbor.Bytes("issuer"),
                    cbor.Array({cbor.Unsigned(kNumber)}), cbor.Array({cbor.Bytes("signature")})});
    return Wrap(cbor.Array({ByronHeader(place),
                            cbor.Array({cbor.Array(transactions), cbor.Array({}), cbor.Array({}),
                                        cbor.Array({cbor.Array({}), cbor.Array({})})}),
                            cbor.Array({cbor.Map({})})}));
  }
  std::string ByronInput(char transaction, std::uint64_t index, std::uint64_t kind = 0) const {
    return cbor.Array(
        {cbor.Unsigned(kind), cbor.Tagged(24, cbor.Bytes(Input(transaction, index)))});
  }
  std::string ByronAddress(const std::string& inside) const {
    return cbor.Array({cbor.Tagged(24, cbor.Bytes(inside)), cbor.Unsigned(0xc0ffee)});
  }
  std::string ByronBody(const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs) const {
    return cbor.Array({cbor.Array(inputs), cbor.Array(outputs), cbor.Map({})});
  }
  std::string ByronTransaction(const std::string& body) const {
    return cbor.Array({body, cbor.Array({cbor.Array({cbor.Unsigned(0), cbor.Bytes("witness")})})});
  }

  static constexpr std::uint64_t kNumber = 4;
  static constexpr std::uint64_t kSlot = 70'000;

  const CborWriter cbor;

 private:
  // What is nested, tagged and of all kinds.
  std::string Witnesses() const {
    const std::string datum =
        cbor.Tagged(121, cbor.Array({"\x3a\xff\xff\xff\xff", cbor.Text("text"), cbor.Null()}));
    return cbor.Array({cbor.Map({{cbor.Unsigned(4), datum}, {cbor.Bytes("key"), "\xf5"}})});
  }

  CardanoEra era_;
};

// Addresses of kinds that have a payment credential of this letter, and a stake credential 's'.
inline std::string BaseAddress(char payment = 'p') {
  return "\x01" + std::string(28, payment) + std::string(28, 's');
}
inline std::string PointerAddress() { return "\x41" + std::string(28, 'p') + "\x81\x01\x02\x03"; }
inline std::string EnterpriseAddress() { return "\x61" + std::string(28, 'p'); }

}  // namespace talea::cardano
