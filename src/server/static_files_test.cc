#include "server/static_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talea {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

HttpResponse Ask(const HttpRoute& route, HttpFields headers = {}) {
  HttpRequest request;
  request.headers = std::move(headers);
  return route.handler(request);
}

std::string TagOf(const HttpResponse& response) {
  for (const auto& [name, value] : response.headers) {
    if (name == "ETag") return value;
  }
  return "";
}

TEST(StaticRoute, SendsNothingToWhoHasIt) {
  const HttpRoute route = StaticRoute("/a", "text/css", "a {}");
  const std::string tag = TagOf(Ask(route));
  for (const std::string& header : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
    const HttpResponse again = Ask(route, {{"If-None-Match", header}});
    EXPECT_EQ(again.status, 304) << header;
    EXPECT_EQ(again.body, "");
    EXPECT_EQ(TagOf(again), tag);
  }
  EXPECT_EQ(Ask(route, {{"If-None-Match", "\"x\""}}).body, "a {}");
}

TEST(StaticRoute, TellsFilesApartByTheirTags) {
  EXPECT_NE(TagOf(Ask(StaticRoute("/a", "", "a"))), TagOf(Ask(StaticRoute("/a", "", "b"))));
}

TEST(StaticRoute, LetsThePageLoadNothingFromElsewhere) {
  EXPECT_THAT(Ask(StaticRoute("/a", "text/html", "")).headers,
              Contains(Pair("Content-Security-Policy", HasSubstr("default-src 'self'"))));
}

TEST(PageRoutes, HaveTheIndexAndAllThatItLoads) {
  const std::vector<HttpRoute> pages = PageRoutes({});
  std::vector<std::string> paths;
  for (const HttpRoute& page : pages) paths.push_back(page.path);
  EXPECT_THAT(paths, testing::UnorderedElementsAre("/", "/page/icon.svg", "/page/overview.js",
                                                   "/page/style.css"));
  for (const HttpRoute& page : pages) {
    EXPECT_NE(Ask(page).body, "") << page.path;
    EXPECT_NE(Ask(page).content_type, "application/octet-stream") << page.path;
  }
}

TEST(PageRoutes, ListTheRoutesInTheIndex) {
  const std::vector<HttpRoute> routes = {{"GET", "/v1/<x>", "Tells & asks", nullptr},
                                         {"POST", "/v1/post", "", nullptr},
                                         {"GET", "/v1/secret", "", nullptr, false}};
  for (const HttpRoute& page : PageRoutes(routes)) {
    if (page.path != "/") continue;
    const std::string html = Ask(page).body;
    EXPECT_THAT(html, HasSubstr("<a href=\"/v1/&lt;x&gt;\">/v1/&lt;x&gt;</a>"));
    EXPECT_THAT(html, HasSubstr("Tells &amp; asks"));
    EXPECT_THAT(html, HasSubstr("POST <b>/v1/post</b>"));
    EXPECT_THAT(html, Not(HasSubstr("secret")));
    EXPECT_THAT(html, Not(HasSubstr("<!-- routes -->")));
  }
}

}  // namespace
}  // namespace talea
