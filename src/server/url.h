// The target of a request: taking it apart, and percent decoding. Pure, for untrusted bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "talea/http.h"
#include "talea/result.h"

namespace talea {

// A target such as /v1/a%20b?x=1, or http://host/v1/..., which a server must take too; all decoded.
struct Target {
  std::vector<std::string> segments;  // of the path: {"v1", "a b"}; an encoded / divides nothing
  std::string path;                   // for people and logs: "/v1/a b"
  HttpFields query;
};

inline constexpr std::size_t kMaxQueryFields = 256;

// Fails with invalid_argument, naming the place, if the target is no path, if something in it is
// not decodable, or if the query has more than kMaxQueryFields fields. "*", which only OPTIONS may
// ask for, has the path "*" and no segments.
Result<Target> ParseTarget(std::string_view target);

// Fields as a form sends them: a=1&b=2, where + stands for a space. Empty ones are passed over.
Result<HttpFields> ParseQuery(std::string_view query);

// Replaces each %41 by its byte. Fails on a % that two hexadecimal digits do not follow.
Result<std::string> PercentDecode(std::string_view text);

// Leaves letters, digits and -._~ as they are; PercentDecode restores every byte.
std::string PercentEncode(std::string_view bytes);

}  // namespace talea
