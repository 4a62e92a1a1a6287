#include "database/location.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "database/location_options.h"

namespace talea {
namespace {

using Scheme = Location::Scheme;

constexpr std::array kSchemes{Scheme::memory, Scheme::rocksdb};

// What has to be escaped so that it is not taken for a separator, and what no line should hold.
bool NeedsEscape(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte <= 0x20 || byte == 0x7f || std::string_view("%?&=#").contains(letter);
}

std::string Escape(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    if (NeedsEscape(letter)) {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    } else {
      escaped.push_back(letter);
    }
  }
  return escaped;
}

int HexDigit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

Result<std::string> Unescape(std::string_view what, std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      plain.push_back(text[at]);
      continue;
    }
    const int high = at + 2 < text.size() ? HexDigit(text[at + 1]) : -1;
    const int low = at + 2 < text.size() ? HexDigit(text[at + 2]) : -1;
    if (high < 0 || low < 0) {
      return Fail(ErrorCode::invalid_argument,
                  fmt::format("{}: expected two hexadecimal digits after %, found {}", what,
                              Quoted(text.substr(at, 3))));
    }
    plain.push_back(static_cast<char>(high * 16 + low));
    at += 2;
  }
  return plain;
}

// How many letters have to be put in, taken out or changed.
std::size_t Distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t column = 0; column <= to.size(); ++column) row[column] = column;
  for (std::size_t line = 1; line <= from.size(); ++line) {
    std::size_t diagonal = std::exchange(row[0], line);
    for (std::size_t column = 1; column <= to.size(); ++column) {
      const std::size_t changed = diagonal + (from[line - 1] == to[column - 1] ? 0 : 1);
      diagonal = row[column];
      row[column] = std::min({row[column] + 1, row[column - 1] + 1, changed});
    }
  }
  return row.back();
}

// "expected one of memory, rocksdb, found "rocksbd"; did you mean "rocksdb"?"
std::string ExpectedOneOf(const std::vector<std::string_view>& known, std::string_view found) {
  std::string message = "expected one of ";
  std::string_view nearest;
  for (const std::string_view name : known) {
    message += fmt::format("{}{}", name.data() == known[0].data() ? "" : ", ", name);
    const bool near =
        found.size() < 64 && Distance(found, name) <= std::min<std::size_t>(2, name.size() / 2);
    if (near && (nearest.empty() || Distance(found, name) < Distance(found, nearest)))
      nearest = name;
  }
  message += fmt::format(", found {}", Quoted(found));
  if (!nearest.empty()) message += fmt::format("; did you mean {}?", Quoted(nearest));
  return message;
}

bool Has(Scheme scheme, const LocationRule& rule) { return !rule.only || *rule.only == scheme; }

Result<const LocationRule*> FindRule(Scheme scheme, std::string_view name) {
  std::vector<std::string_view> known;
  for (const LocationRule* rule : LocationRules()) {
    if (!Has(scheme, *rule)) continue;
    if (rule->name == name) return rule;
    known.push_back(rule->name);
  }
  return Fail(ErrorCode::invalid_argument,
              fmt::format("{} option: {}", Name(scheme), ExpectedOneOf(known, name)));
}

Status ReadOption(std::string_view text, Location& location) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("expected OPTION=VALUE, found {}", Quoted(text)));
  }
  const LocationRule& rule = *TALEA_TRY(FindRule(location.scheme, text.substr(0, equals)));
  const std::string what = fmt::format("{} option {}", Name(location.scheme), Quoted(rule.name));
  if (rule.Print(location)) {
    return Fail(ErrorCode::invalid_argument, fmt::format("{}: expected once, found again", what));
  }
  const std::string value = TALEA_TRY(Unescape(what, text.substr(equals + 1)));
  if (rule.Read(value, location)) return {};
  return Fail(ErrorCode::invalid_argument,
              fmt::format("{}: expected {}, found {}", what, rule.Values(), Quoted(value)));
}

Result<Scheme> ReadScheme(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  std::vector<std::string_view> known;
  for (const Scheme scheme : kSchemes) {
    if (Name(scheme) == name && name.size() < text.size()) return scheme;
    known.push_back(Name(scheme));
  }
  if (name.size() == text.size()) {
    return Fail(ErrorCode::invalid_argument, "expected SCHEME:PATH, found no colon");
  }
  return Fail(ErrorCode::invalid_argument, "scheme: " + ExpectedOneOf(known, name));
}

Status CheckPath(const Location& location) {
  if (location.path.contains('\0')) {
    return Fail(ErrorCode::invalid_argument, "path: expected no zero byte in it");
  }
  if (!location.path.empty() || location.scheme == Scheme::memory) return {};
  return Fail(ErrorCode::invalid_argument,
              fmt::format("{}: expected a folder, found nothing", Name(location.scheme)));
}

Result<Location> Parse(std::string_view text) {
  Location location { .scheme = TALEA_TRY(ReadScheme(text)) };
  text.remove_prefix(text.find(':') + 1);
  const std::size_t question = text.find('?');
  location.path = TALEA_TRY(Unescape("path", text.substr(0, question)));
  TALEA_TRY(CheckPath(location));
  if (question == std::string_view::npos) return location;
  for (std::size_t at = question; at != std::string_view::npos;) {
    const std::size_t next = text.find('&', at + 1);
    TALEA_TRY(ReadOption(text.substr(at + 1, next == std::string_view::npos ? next : next - at - 1),
                         location));
    at = next;
  }
  return location;
}

// The defaults of the engine, as a location would say them.
Location Fallback() {
  const RocksDbEngineOptions options;
  return {.scheme = Scheme::rocksdb,
          .path = {},
          .tenant = {},
          .cache_bytes = options.cache_bytes,
          .write_buffer_bytes = options.write_buffer_bytes,
          .log_bytes = options.log_bytes,
          .open_files = {},
          .threads = static_cast<std::uint64_t>(options.background_threads),
          .compression = options.compression,
          .durability = options.least_durability,
          .create = options.create};
}

}  // namespace

Result<Location> ParseLocation(std::string_view text) {
  Result<Location> location = Parse(text);
  if (location) return location;
  return Fail(location.error().code(),
              fmt::format("location {}: {}", Quoted(text), location.error().message()));
}

std::string ToString(const Location& location) {
  std::string text = fmt::format("{}:{}", Name(location.scheme), Escape(location.path));
  char separator = '?';
  for (const LocationRule* rule : LocationRules()) {
    const std::optional<std::string> value = rule->Print(location);
    if (!value || !Has(location.scheme, *rule)) continue;
    text += fmt::format("{}{}={}", separator, rule->name, Escape(*value));
    separator = '&';
  }
  return text;
}

std::vector<LocationOption> LocationOptions() {
  const Location fallback = Fallback();
  std::vector<LocationOption> options;
  for (const LocationRule* rule : LocationRules()) {
    options.push_back({.name = std::string(rule->name),
                       .schemes = rule->only ? std::string(Name(*rule->only)) : "all",
                       .values = rule->Values(),
                       .fallback = rule->Print(fallback).value_or(""),
                       .meaning = std::string(rule->meaning)});
  }
  return options;
}

}  // namespace talea
