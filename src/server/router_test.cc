#include "server/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/url.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using testing::HasSubstr;

HttpRoute Says(std::string method, std::string path, std::string text) {
  return {method, path, "", [text](const HttpRequest& request) {
            std::string body = text;
            for (const auto& [name, value] : request.parameters) body += " " + name + "=" + value;
            return HttpResponse{.body = body};
          }};
}

class RouterTest : public testing::Test {
 protected:
  Router::Answered Ask(const std::string& method, const std::string& target) {
    const Target parsed = ParseTarget(target).value();
    HttpRequest request;
    request.method = method;
    request.path = parsed.path;
    return router_.Answer(std::move(request), parsed.segments);
  }
  std::string AllowOf(const Router::Answered& answered) {
    for (const auto& [name, value] : answered.response.headers) {
      if (name == "Allow") return value;
    }
    return "";
  }

  Router router_ =
      Router::Make({Says("GET", "/", "root"), Says("GET", "/a", "get"), Says("POST", "/a", "post"),
                    Says("GET", "/a/{x}/b/{y}", "both"), Says("GET", "/a/{x}", "any"),
                    Says("GET", "/a/plain", "plain"), Says("DELETE", "/d", "delete")})
          .value();
};

TEST_F(RouterTest, FindsTheRouteOfPathAndMethod) {
  EXPECT_EQ(Ask("GET", "/").response.body, "root");
  EXPECT_EQ(Ask("GET", "/a").response.body, "get");
  EXPECT_EQ(Ask("POST", "/a").response.body, "post");
}

TEST_F(RouterTest, GivesTheHandlerItsParametersDecoded) {
  EXPECT_EQ(Ask("GET", "/a/1%2F2/b/%20").response.body, "both x=1/2 y= ");
  EXPECT_EQ(Ask("GET", "/a/1%2F2/b/%20").route, "/a/{x}/b/{y}");
}

TEST_F(RouterTest, PrefersPlainTextToAParameter) {
  EXPECT_EQ(Ask("GET", "/a/plain").response.body, "plain");
  EXPECT_EQ(Ask("GET", "/a/other").response.body, "any x=other");
}

TEST_F(RouterTest, TellsWhatThereIsWhereThereIsNothing) {
  for (const char* target : {"/b", "/a/", "//", "/A", "/a/1/b", "*"}) {
    const Router::Answered answered = Ask("GET", target);
    EXPECT_EQ(answered.response.status, 404) << target;
    EXPECT_EQ(answered.route, "");
    EXPECT_THAT(answered.response.body, HasSubstr("/a/{x}"));
    EXPECT_THAT(answered.response.body, HasSubstr("\"code\":\"not_found\""));
  }
}

TEST_F(RouterTest, TellsTheMethodsWhereAnotherIsAskedFor) {
  const Router::Answered answered = Ask("PUT", "/a");
  EXPECT_EQ(answered.response.status, 405);
  EXPECT_EQ(AllowOf(answered), "GET, HEAD, POST, OPTIONS");
  EXPECT_THAT(answered.response.body, HasSubstr("\"code\":\"method_not_allowed\""));
  EXPECT_EQ(AllowOf(Ask("HEAD", "/d")), "DELETE, OPTIONS");
}

TEST_F(RouterTest, AnswersHeadAsGetAndOptionsByItself) {
  EXPECT_EQ(Ask("HEAD", "/a").response.body, "get");
  EXPECT_EQ(Ask("OPTIONS", "/a").response.status, 204);
  EXPECT_EQ(AllowOf(Ask("OPTIONS", "/a")), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(Ask("OPTIONS", "*").response.status, 204);
  EXPECT_EQ(Ask("OPTIONS", "/b").response.status, 404);
}

TEST(RouterMake, RefusesTheSameRouteTwice) {
  EXPECT_ERROR(Router::Make({Says("GET", "/a", ""), Says("GET", "/a", "")}),
               ErrorCode::already_exists);
  EXPECT_ERROR(Router::Make({Says("GET", "/{a}", ""), Says("GET", "/{b}", "")}),
               ErrorCode::already_exists);
}

TEST(RouterMake, RefusesAPathThatIsNotPlain) {
  for (const char* path : {"", "a", "/a?b", "/a%20", "*"}) {
    EXPECT_ERROR(Router::Make({Says("GET", path, "")}), ErrorCode::invalid_argument) << path;
  }
}

}  // namespace
}  // namespace talea
