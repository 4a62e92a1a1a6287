#include "database/location_options.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "coordination/keys.h"

namespace talea {
namespace {

using Scheme = Location::Scheme;

constexpr std::uint64_t kKibi = 1024, kMebi = kKibi * 1024, kGibi = kMebi * 1024;

struct Unit {
  char letter;
  std::uint64_t bytes;
};
constexpr std::array kUnits{Unit{'G', kGibi}, Unit{'M', kMebi}, Unit{'K', kKibi}};

std::optional<std::uint64_t> ReadNumber(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

// 512M; the unit is optional, and numbers are whole.
std::optional<std::uint64_t> ReadSize(std::string_view text) {
  std::uint64_t unit = 1;
  for (const Unit& known : kUnits) {
    if (text.ends_with(known.letter)) unit = known.bytes;
  }
  if (unit > 1) text.remove_suffix(1);
  const std::optional<std::uint64_t> number = ReadNumber(text);
  std::uint64_t bytes = 0;
  if (!number || __builtin_mul_overflow(*number, unit, &bytes)) return std::nullopt;
  return bytes;
}

std::string PrintSize(std::uint64_t bytes) {
  for (const Unit& unit : kUnits) {
    if (bytes > 0 && bytes % unit.bytes == 0)
      return fmt::format("{}{}", bytes / unit.bytes, unit.letter);
  }
  return fmt::format("{}", bytes);
}

// A number within bounds: of bytes, or of things.
class NumberRule final : public LocationRule {
 public:
  enum class Kind : std::uint8_t { bytes, things };
  using Field = std::optional<std::uint64_t> Location::*;

  NumberRule(std::string_view its_name, Field field, Kind kind, std::uint64_t least,
             std::uint64_t most, std::string_view its_meaning)
      : LocationRule(its_name, Scheme::rocksdb, its_meaning),
        field_(field),
        kind_(kind),
        least_(least),
        most_(most) {}

  bool Read(std::string_view value, Location& location) const override {
    const auto number = kind_ == Kind::bytes ? ReadSize(value) : ReadNumber(value);
    if (!number || *number < least_ || *number > most_) return false;
    location.*field_ = number;
    return true;
  }
  std::optional<std::string> Print(const Location& location) const override {
    if (!(location.*field_)) return std::nullopt;
    return Text(*(location.*field_));
  }
  std::string Values() const override { return fmt::format("{} to {}", Text(least_), Text(most_)); }

 private:
  std::string Text(std::uint64_t number) const {
    return kind_ == Kind::bytes ? PrintSize(number) : fmt::format("{}", number);
  }

  const Field field_;
  const Kind kind_;
  const std::uint64_t least_, most_;
};

// One of a few words.
template <class Value, std::size_t count>
class ChoiceRule final : public LocationRule {
 public:
  using Field = std::optional<Value> Location::*;
  using Choices = std::array<std::pair<std::string_view, Value>, count>;

  ChoiceRule(std::string_view its_name, Field field, Choices choices, std::string_view its_meaning)
      : LocationRule(its_name, Scheme::rocksdb, its_meaning), field_(field), choices_(choices) {}

  bool Read(std::string_view value, Location& location) const override {
    for (const auto& [word, meant] : choices_) {
      if (word != value) continue;
      location.*field_ = meant;
      return true;
    }
    return false;
  }
  std::optional<std::string> Print(const Location& location) const override {
    for (const auto& [word, meant] : choices_) {
      if (location.*field_ == meant) return std::string(word);
    }
    return std::nullopt;
  }
  std::string Values() const override {
    std::string values;
    for (const auto& [word, meant] : choices_)
      values += fmt::format("{}{}", values.empty() ? "" : ", ", word);
    return values;
  }

 private:
  const Field field_;
  const Choices choices_;
};

class TenantRule final : public LocationRule {
 public:
  TenantRule()
      : LocationRule("tenant", std::nullopt,
                     "the tenant whose part is opened; see talea/tenants.h") {}

  bool Read(std::string_view value, Location& location) const override {
    if (!CheckName(name, value)) return false;
    location.tenant = value;
    return true;
  }
  std::optional<std::string> Print(const Location& location) const override {
    return location.tenant;
  }
  std::string Values() const override { return "1 to 255 bytes of UTF-8"; }
};

}  // namespace

std::span<const LocationRule* const> LocationRules() {
  using Kind = NumberRule::Kind;
  static const TenantRule tenant;
  static const NumberRule cache("cache", &Location::cache_bytes, Kind::bytes, kMebi, 1024 * kGibi,
                                "memory for blocks that were read, their indexes and filters");
  static const NumberRule write_buffer("write-buffer", &Location::write_buffer_bytes, Kind::bytes,
                                       kMebi, 1024 * kGibi,
                                       "memory for writes on their way to a file");
  static const NumberRule log("log", &Location::log_bytes, Kind::bytes, kMebi, 1024 * kGibi,
                              "how far the write-ahead log may grow");
  static const NumberRule open_files(
      "open-files", &Location::open_files, Kind::things, 32, 1 << 20,
      "how many files may be open; if not given, half of what the process may");
  static const ChoiceRule<Compression, 3> compression(
      "compression", &Location::compression,
      {{{"none", Compression::none}, {"lz4", Compression::lz4}, {"zstd", Compression::zstd}}},
      "how files are compressed");
  static const NumberRule threads("threads", &Location::threads, Kind::things, 1, 256,
                                  "threads that write out and compact in the background");
  static const ChoiceRule<Durability, 2> durability(
      "durability", &Location::durability,
      {{{"buffered", Durability::buffered}, {"synced", Durability::synced}}},
      "what every commit survives at least: a crash of the process, or a power cut");
  static const ChoiceRule<bool, 2> create("create", &Location::create,
                                          {{{"yes", true}, {"no", false}}},
                                          "whether it is created where there is none");
  static const std::array<const LocationRule*, 9> rules{&tenant,  &cache,      &write_buffer,
                                                        &log,     &open_files, &compression,
                                                        &threads, &durability, &create};
  return rules;
}

std::string_view Name(Scheme scheme) { return scheme == Scheme::memory ? "memory" : "rocksdb"; }

}  // namespace talea
