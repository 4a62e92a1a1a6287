// Any bytes are either refused as the target of a request, or give a path and a query that encode
// and decode to the same again; and the router finds an answer to each.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "json/json.h"
#include "json/valid_utf8.h"
#include "server/address.h"
#include "server/router.h"
#include "server/url.h"

namespace talea {
namespace {

const Router& TestRouter() {
  static const Router router = [] {
    const HttpHandler handler = [](const HttpRequest& request) {
      return HttpResponse{.body = request.path};
    };
    return Router::Make({{"GET", "/", "", handler},
                         {"GET", "/v1/{name}", "", handler},
                         {"POST", "/v1/{name}/x", "", handler}})
        .value();
  }();
  return router;
}

void CheckQuery(const HttpFields& query) {
  TALEA_CHECK(query.size() <= kMaxQueryFields);
  std::string encoded;
  for (const auto& [name, value] : query) {
    encoded += "&" + PercentEncode(name) + "=" + PercentEncode(value);
  }
  TALEA_CHECK(ParseQuery(encoded).value() == query);
}

void CheckTarget(std::string_view bytes) {
  const Result<Target> target = ParseTarget(bytes);
  if (!target) return;
  std::string encoded;
  for (const std::string& segment : target->segments) encoded += "/" + PercentEncode(segment);
  if (bytes != "*") TALEA_CHECK(ParseTarget(encoded)->segments == target->segments);
  CheckQuery(target->query);

  HttpRequest request;
  request.method = bytes.size() % 2 == 0 ? "GET" : "POST";
  request.path = target->path;
  const Router::Answered answered = TestRouter().Answer(std::move(request), target->segments);
  TALEA_CHECK(answered.route.empty() == (answered.response.status == 404));
}

void CheckText(std::string_view bytes) {
  const std::string valid = ValidUtf8(bytes);
  TALEA_CHECK(ValidUtf8(valid) == valid);
  const JsonObject json = ErrorJson("code", bytes);
  for (const char byte : json.text()) {
    TALEA_CHECK(static_cast<unsigned char>(byte) >= 0x20);
  }
  TALEA_CHECK(PercentDecode(PercentEncode(bytes)).value() == bytes);
}

void CheckAddress(std::string_view bytes) {
  (void)IsLoopbackHostHeader(bytes);
  const Result<ListenAddress> address = ParseListenAddress(bytes);
  if (address) TALEA_CHECK(ParseListenAddress(address->ToString()).value() == *address);
}

}  // namespace
}  // namespace talea

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  talea::CheckTarget(bytes);
  talea::CheckText(bytes);
  talea::CheckAddress(bytes);
  return 0;
}
