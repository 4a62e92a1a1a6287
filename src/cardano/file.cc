#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/hex.h"
#include "cardano/block_parser.h"
#include "talea/cardano.h"

namespace talea {
namespace {

// What is read from a file at once.
constexpr std::uint64_t kWindowBytes = std::uint64_t{256} << 10;

// Networks allow 2 MB at most; a damaged length may say anything.
constexpr std::uint64_t kMostBlockBytes = std::uint64_t{16} << 20;

// Tools leave white space behind the digits.
std::string_view WithoutEnd(std::string_view digits) {
  return digits.substr(0, digits.find_last_not_of(" \t\r\n") + 1);
}

std::string WhyNotDigits(std::string_view text) {
  const auto wrong = std::ranges::find_if(text, [](char c) { return HexDigit(c) < 0; });
  if (wrong == text.end())
    return fmt::format("expected two hexadecimal digits for each byte, found {}", text.size());
  return fmt::format("character {}: expected a hexadecimal digit, found {}", wrong - text.begin(),
                     Quoted(ByteView(&*wrong, 1)));
}

}  // namespace

struct CardanoFile::State {
  FileReader reader;
  bool is_hex = false;
  // Bytes of the file, or what its digits stand for. Blocks that were taken share it, so it never
  // changes; there is a new one instead.
  std::shared_ptr<const std::string> window = std::make_shared<const std::string>();
  std::size_t begin = 0;         // in the window, of the next block
  std::uint64_t window_end = 0;  // in the file
  std::uint64_t blocks = 0;      // that were taken
  std::optional<CardanoBlock> block = {};

  // In the file, of the next block.
  std::uint64_t offset() const {
    if (is_hex) return blocks == 0 ? 0 : reader.size();
    return window_end - (window->size() - begin);
  }
  bool at_end() const { return begin == window->size() && window_end == reader.size(); }

  Status ReadMore(std::uint64_t needed);
  Status ParseDigits();
  Result<CardanoBlock> Take();
  std::unexpected<Error> Wrong(std::string_view what) const;
};

std::unexpected<Error> CardanoFile::State::Wrong(std::string_view what) const {
  return Fail(ErrorCode::invalid_argument,
              fmt::format("file {}, block {} at byte {}: {}", Quoted(reader.path().string()),
                          blocks, offset(), what));
}

// Makes the window begin with the next block, and hold so many bytes or all there are.
Status CardanoFile::State::ReadMore(std::uint64_t needed) {
  const ByteView left = ByteView(*window).substr(begin);
  const std::uint64_t wanted = std::max<std::uint64_t>({needed, 2 * left.size(), kWindowBytes});
  const std::uint64_t count = std::min(wanted - left.size(), reader.size() - window_end);
  std::string more = TALEA_TRY(reader.Read(window_end, count));
  more.insert(0, left);
  window = std::make_shared<const std::string>(std::move(more));
  begin = 0;
  window_end += count;
  return {};
}

// Has read the first bytes of a file of digits, and puts the bytes they stand for in their place.
Status CardanoFile::State::ParseDigits() {
  is_hex = true;
  if (reader.size() > 2 * kMostBlockBytes)
    return Wrong(fmt::format("expected a block of at most {} bytes, found {} digits",
                             kMostBlockBytes, reader.size()));
  TALEA_TRY(ReadMore(reader.size()));
  const std::string_view digits = WithoutEnd(*window);
  std::string bytes(digits.size() / 2, '\0');
  if (!ParseHex(digits, {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()}))
    return Wrong(WhyNotDigits(digits));
  window = std::make_shared<const std::string>(std::move(bytes));
  return {};
}

// The block at `begin`. Whether the window holds all of it shows when it is read; a block that
// begins near its end is read again, which is rare where windows hold many.
Result<CardanoBlock> CardanoFile::State::Take() {
  for (;;) {
    // However long the window is: a block that is too long has no end in what it may have.
    CardanoBlockParser parser(ByteView(*window).substr(begin, kMostBlockBytes));
    Result<CardanoBlock> taken = parser.Take();
    if (taken && is_hex) {
      const Status end = parser.CheckEnd();
      if (!end) return Wrong(end.error().message());
    }
    if (taken) return taken;
    if (parser.needed() == 0) return Wrong(taken.error().message());
    if (parser.needed() > kMostBlockBytes)
      return Wrong(fmt::format("expected a block of at most {} bytes, found one of at least {}: {}",
                               kMostBlockBytes, parser.needed(), taken.error().message()));
    if (window_end == reader.size())
      return Wrong(fmt::format("the file ends within it: {}", taken.error().message()));
    TALEA_TRY(ReadMore(parser.needed()));
  }
}

Result<CardanoFile> CardanoFile::Open(const std::filesystem::path& path) {
  auto state = std::make_unique<State>(State { .reader = TALEA_TRY(FileReader::Open(path)) });
  TALEA_TRY(state->ReadMore(0));
  // No block begins with a byte that is a digit: that would be an integer or a string.
  if (!state->window->empty() && HexDigit(state->window->front()) >= 0)
    TALEA_TRY(state->ParseDigits());
  return CardanoFile(std::move(state));
}

CardanoFile::CardanoFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
CardanoFile::~CardanoFile() = default;
CardanoFile::CardanoFile(CardanoFile&&) noexcept = default;
CardanoFile& CardanoFile::operator=(CardanoFile&&) noexcept = default;

Result<std::optional<CardanoBlock>> CardanoFile::Take() {
  if (state_->at_end()) return std::nullopt;
  CardanoBlock block = TALEA_TRY(state_->Take());
  block.kept_ = state_->window;
  state_->begin += block.bytes().size();
  ++state_->blocks;
  return block;
}

Result<const CardanoBlock*> CardanoFile::Next() {
  state_->block.reset();
  state_->block = TALEA_TRY(Take());
  return state_->block ? &*state_->block : nullptr;
}

std::uint64_t CardanoFile::bytes_read() const { return state_->offset(); }
std::uint64_t CardanoFile::size() const { return state_->reader.size(); }

}  // namespace talea
