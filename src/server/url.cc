#include "server/url.h"

#include <fmt/format.h>

#include <algorithm>

#include "talea/bytes.h"

namespace talea {
namespace {

// The digit's value, or -1.
int HexDigit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

bool IsUnreserved(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || std::string_view("-._~").contains(byte);
}

Result<std::string> DecodeFormText(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  return PercentDecode(spaced);
}

// The part of http://host/path from the path on; "/" if there is none.
Result<std::string_view> WithoutOrigin(std::string_view target) {
  if (target.starts_with('/')) return target;
  if (!target.starts_with("http://") && !target.starts_with("https://")) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("request target: expected a path, found {}", Quoted(target)));
  }
  const std::size_t path = target.find_first_of("/?", target.find("//") + 2);
  return path == std::string_view::npos ? "/" : target.substr(path);
}

Status ParsePath(std::string_view path, Target& target) {
  if (!path.starts_with('/')) path = "/";  // http://host?query
  for (path.remove_prefix(1);;) {
    const std::size_t slash = path.find('/');
    target.segments.push_back(TALEA_TRY(PercentDecode(path.substr(0, slash))));
    target.path += "/" + target.segments.back();
    if (slash == std::string_view::npos) return {};
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

Result<Target> ParseTarget(std::string_view text) {
  Target target;
  if (text == "*") {
    target.path = "*";
    return target;
  }
  std::string_view path = TALEA_TRY(WithoutOrigin(text));
  path = path.substr(0, path.find('#'));
  const std::size_t question = path.find('?');
  TALEA_TRY(ParsePath(path.substr(0, question), target));
  if (question != std::string_view::npos) {
    target.query = TALEA_TRY(ParseQuery(path.substr(question + 1)));
  }
  return target;
}

Result<HttpFields> ParseQuery(std::string_view query) {
  HttpFields fields;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view field = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (field.empty()) continue;
    if (fields.size() == kMaxQueryFields) {
      return Fail(ErrorCode::invalid_argument,
                  fmt::format("query: expected at most {} fields, found more", kMaxQueryFields));
    }
    const std::size_t equals = std::min(field.find('='), field.size());
    fields.emplace_back(
        TALEA_TRY(DecodeFormText(field.substr(0, equals))),
        TALEA_TRY(DecodeFormText(field.substr(std::min(equals + 1, field.size())))));
  }
  return fields;
}

Result<std::string> PercentDecode(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      bytes += text[at];
      continue;
    }
    const int high = at + 1 < text.size() ? HexDigit(text[at + 1]) : -1;
    const int low = at + 2 < text.size() ? HexDigit(text[at + 2]) : -1;
    if (high < 0 || low < 0) {
      return Fail(ErrorCode::invalid_argument,
                  fmt::format("percent encoding: expected two hexadecimal digits after the %, "
                              "found {}",
                              Quoted(text.substr(at, 3))));
    }
    bytes += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return bytes;
}

std::string PercentEncode(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    if (IsUnreserved(byte)) {
      text += byte;
    } else {
      text += fmt::format("%{:02X}", static_cast<unsigned char>(byte));
    }
  }
  return text;
}

}  // namespace talea
