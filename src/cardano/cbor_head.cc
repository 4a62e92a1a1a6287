#include "cardano/cbor_head.h"

#include <cbor.h>
#include <fmt/format.h>

#include <array>
#include <limits>

namespace talea::cardano {
namespace {

constexpr std::array<std::string_view, 12> kKindNames = {
    "an unsigned integer",
    "a negative integer",
    "a byte string",
    "a text",
    "an array",
    "a map",
    "a tag",
    "null",
    "a simple value or floating-point number",
    "a stop",
    "the end of the bytes",
    "a malformed item",
};

template <CborKind kind, class Value>
void Set(void* head, Value value) {
  static_cast<CborHead*>(head)->kind = kind;
  static_cast<CborHead*>(head)->value = value;
}

template <CborKind kind>
void SetString(void* head, cbor_data, std::size_t size) {
  Set<kind>(head, size);
}

template <CborKind kind>
void SetIndefinite(void* head) {
  static_cast<CborHead*>(head)->kind = kind;
  static_cast<CborHead*>(head)->indefinite = true;
}

template <CborKind kind>
void SetKind(void* head) {
  static_cast<CborHead*>(head)->kind = kind;
}

template <class Value>
void SetOther(void* head, Value) {
  SetKind<CborKind::other>(head);
}

constexpr cbor_callbacks kCallbacks = {
    .uint8 = Set<CborKind::unsigned_integer, std::uint8_t>,
    .uint16 = Set<CborKind::unsigned_integer, std::uint16_t>,
    .uint32 = Set<CborKind::unsigned_integer, std::uint32_t>,
    .uint64 = Set<CborKind::unsigned_integer, std::uint64_t>,
    .negint64 = Set<CborKind::negative_integer, std::uint64_t>,
    .negint32 = Set<CborKind::negative_integer, std::uint32_t>,
    .negint16 = Set<CborKind::negative_integer, std::uint16_t>,
    .negint8 = Set<CborKind::negative_integer, std::uint8_t>,
    .byte_string_start = SetIndefinite<CborKind::bytes>,
    .byte_string = SetString<CborKind::bytes>,
    .string = SetString<CborKind::text>,
    .string_start = SetIndefinite<CborKind::text>,
    .indef_array_start = SetIndefinite<CborKind::array>,
    .array_start = Set<CborKind::array, std::size_t>,
    .indef_map_start = SetIndefinite<CborKind::map>,
    .map_start = Set<CborKind::map, std::size_t>,
    .tag = Set<CborKind::tag, std::uint64_t>,
    .float2 = SetOther<float>,
    .float4 = SetOther<float>,
    .float8 = SetOther<double>,
    .undefined = SetKind<CborKind::other>,
    .null = SetKind<CborKind::null>,
    .boolean = SetOther<bool>,
    .indef_break = SetKind<CborKind::stop>,
};

// The end of bytes that would have to be so many more than `size`.
CborHead End(std::uint64_t size, std::uint64_t more) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  return {.kind = CborKind::end, .value = more > kMax - size ? kMax : size + more};
}

// Each item takes a byte at least, so that a count can be trusted as far as there are bytes.
CborHead CheckedCount(const CborHead& head, std::size_t rest) {
  if (head.kind == CborKind::array && head.value > rest) return End(head.size, head.value);
  if (head.kind == CborKind::map && head.value > rest / 2) {
    const bool huge = head.value > std::numeric_limits<std::uint64_t>::max() / 2;
    return End(head.size, huge ? head.value : 2 * head.value);
  }
  return head;
}

}  // namespace

CborHead DecodeHead(ByteView bytes) {
  CborHead head;
  const auto* const data = reinterpret_cast<cbor_data>(bytes.data());
  const cbor_decoder_result result = cbor_stream_decode(data, bytes.size(), &kCallbacks, &head);
  if (result.status == CBOR_DECODER_FINISHED) {
    head.size = result.read;
    return CheckedCount(head, bytes.size() - result.read);
  }
  if (result.status == CBOR_DECODER_NEDATA) {
    // What a damaged length adds up to may have wrapped around.
    const bool wrapped = result.required <= bytes.size();
    return {.kind = CborKind::end,
            .value = wrapped ? std::numeric_limits<std::uint64_t>::max() : result.required};
  }
  return {.kind = CborKind::malformed, .value = static_cast<unsigned char>(bytes.front())};
}

std::string_view Name(CborKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::string Describe(const CborHead& head) {
  switch (head.kind) {
    case CborKind::unsigned_integer:
      return fmt::format("the integer {}", head.value);
    case CborKind::tag:
      return fmt::format("tag {}", head.value);
    case CborKind::malformed:
      return fmt::format("the byte 0x{:02x}, which begins no item that blocks have", head.value);
    case CborKind::bytes:
    case CborKind::text:
      if (head.indefinite) return fmt::format("{} in chunks", Name(head.kind));
      return fmt::format("{} of {} bytes", Name(head.kind), head.value);
    case CborKind::array:
    case CborKind::map:
      if (head.indefinite) return fmt::format("{} without a length", Name(head.kind));
      return fmt::format("{} of {}", Name(head.kind), head.value);
    default:
      return std::string(Name(head.kind));
  }
}

}  // namespace talea::cardano
