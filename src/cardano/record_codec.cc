#include "cardano/record_codec.h"

#include <cbor.h>

#include <array>

namespace talea::cardano {
namespace {

constexpr std::size_t kLongestHead = 9;

// Appends what one of libcbor's functions encodes.
template <class Encode>
void Append(std::string& out, Encode encode) {
  std::array<unsigned char, kLongestHead> buffer;
  const std::size_t size = encode(buffer.data(), buffer.size());
  out.append(reinterpret_cast<const char*>(buffer.data()), size);
}

}  // namespace

void RecordWriter::Array(std::size_t size) {
  Append(out_,
         [&](auto* buffer, auto room) { return cbor_encode_array_start(size, buffer, room); });
}

void RecordWriter::Number(std::uint64_t number) {
  Append(out_, [&](auto* buffer, auto room) { return cbor_encode_uint(number, buffer, room); });
}

void RecordWriter::Hash(const Bytes32& hash) {
  const ByteView bytes = hash.view();
  Append(out_, [&](auto* buffer, auto room) {
    return cbor_encode_bytestring_start(bytes.size(), buffer, room);
  });
  out_.append(bytes);
}

void RecordWriter::Truth(bool truth) {
  Append(out_, [&](auto* buffer, auto room) { return cbor_encode_bool(truth, buffer, room); });
}

void RecordWriter::Null() {
  Append(out_, [](auto* buffer, auto room) { return cbor_encode_null(buffer, room); });
}

// What libcbor has told of one.
struct RecordReader::Element {
  std::optional<std::uint64_t> array;
  std::optional<std::uint64_t> number;
  std::optional<ByteView> bytes;
  std::optional<bool> truth;
  bool null = false;

  static const cbor_callbacks& Callbacks() {
    static const cbor_callbacks callbacks = [] {
      cbor_callbacks made = cbor_empty_callbacks;
      made.uint8 = [](void* to, std::uint8_t n) { Of(to).number = n; };
      made.uint16 = [](void* to, std::uint16_t n) { Of(to).number = n; };
      made.uint32 = [](void* to, std::uint32_t n) { Of(to).number = n; };
      made.uint64 = [](void* to, std::uint64_t n) { Of(to).number = n; };
      made.array_start = [](void* to, auto size) { Of(to).array = size; };
      made.byte_string = [](void* to, cbor_data data, auto size) {
        Of(to).bytes = ByteView(reinterpret_cast<const char*>(data), size);
      };
      made.boolean = [](void* to, bool truth) { Of(to).truth = truth; };
      made.null = [](void* to) { Of(to).null = true; };
      return made;
    }();
    return callbacks;
  }
  static Element& Of(void* to) { return *static_cast<Element*>(to); }
};

// `take` makes of the next element what is wanted of it, or nothing: then it stays.
template <class Take>
auto RecordReader::Next(Take take) {
  Element element;
  const ByteView rest = bytes_.substr(offset_);
  const cbor_decoder_result read = cbor_stream_decode(reinterpret_cast<cbor_data>(rest.data()),
                                                      rest.size(), &Element::Callbacks(), &element);
  if (read.status != CBOR_DECODER_FINISHED) element = {};
  auto taken = take(element);
  if (taken) offset_ += read.read;
  return taken;
}

std::optional<std::uint64_t> RecordReader::Array() {
  return Next([](const Element& element) { return element.array; });
}

std::optional<std::uint64_t> RecordReader::Number() {
  return Next([](const Element& element) { return element.number; });
}

std::optional<Bytes32> RecordReader::Hash() {
  return Next([](const Element& element) -> std::optional<Bytes32> {
    const Result<Bytes32> hash = Bytes32::From(element.bytes.value_or(ByteView()));
    return hash ? std::optional(*hash) : std::nullopt;
  });
}

std::optional<bool> RecordReader::Truth() {
  return Next([](const Element& element) { return element.truth; });
}

bool RecordReader::Null() {
  return Next([](const Element& element) { return element.null; });
}

}  // namespace talea::cardano
