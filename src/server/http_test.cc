#include "talea/http.h"

#include <gtest/gtest.h>

#include "server/response_text.h"

namespace talea {
namespace {

TEST(HttpRequest, FindsHeadersWithoutRegardToCase) {
  HttpRequest request;
  request.headers = {{"Accept", "a"}, {"accept", "b"}};
  EXPECT_EQ(request.Header("ACCEPT"), "a");
  EXPECT_EQ(request.Header("Accep"), std::nullopt);
}

TEST(HttpRequest, FindsTheFirstFieldOfTheQuery) {
  HttpRequest request;
  request.query = {{"a", "1"}, {"a", "2"}};
  EXPECT_EQ(request.Query("a"), "1");
  EXPECT_EQ(request.Query("A"), std::nullopt);
}

TEST(HttpStatus, TellsWhoHasToActOnAnError) {
  EXPECT_EQ(HttpStatus(ErrorCode::invalid_argument), 400);
  EXPECT_EQ(HttpStatus(ErrorCode::not_found), 404);
  EXPECT_EQ(HttpStatus(ErrorCode::already_exists), 409);
  EXPECT_EQ(HttpStatus(ErrorCode::conflict), 409);
  EXPECT_EQ(HttpStatus(ErrorCode::precondition_failed), 412);
  EXPECT_EQ(HttpStatus(ErrorCode::too_large), 413);
  EXPECT_EQ(HttpStatus(ErrorCode::outcome_unknown), 500);
  EXPECT_EQ(HttpStatus(ErrorCode::corruption), 500);
  EXPECT_EQ(HttpStatus(ErrorCode::io_error), 500);
  EXPECT_EQ(HttpStatus(ErrorCode::unsupported), 501);
  EXPECT_EQ(HttpStatus(ErrorCode::snapshot_expired), 503);
  EXPECT_EQ(HttpStatus(ErrorCode::timed_out), 503);
  EXPECT_EQ(HttpStatus(ErrorCode::unavailable), 503);
  EXPECT_EQ(HttpStatus(ErrorCode::closed), 503);
}

TEST(HttpError, NamesTheCodeAndTheMessage) {
  const HttpResponse response = HttpError({ErrorCode::not_found, "keyspace \"x\""});
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.body,
            "{\"error\":{\"code\":\"not_found\",\"message\":\"keyspace \\\"x\\\"\"}}\n");
}

TEST(ResponseHead, IsThatOfHttp) {
  const HttpResponse response{.body = "four", .headers = {{"X-A", "b"}}};
  EXPECT_EQ(ResponseHead(response, {.keep_alive = false, .now = 784111777}),
            "HTTP/1.1 200 OK\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Server: talea\r\n"
            "Content-Type: application/json\r\n"
            "Content-Length: 4\r\n"
            "X-A: b\r\n"
            "Connection: close\r\n\r\n");
}

TEST(ResponseHead, TellsNoLengthWhereThereIsNoBody) {
  EXPECT_FALSE(ResponseHead({.status = 204}, {}).contains("Content-"));
  EXPECT_FALSE(ResponseHead({.status = 304}, {}).contains("Content-"));
}

TEST(ResponseHead, LetsNoHeaderBeginAnother) {
  const HttpResponse response{.headers = {{"X-A", "b\r\nX-Evil: 1"}}};
  EXPECT_TRUE(ResponseHead(response, {}).contains("X-A: b  X-Evil: 1\r\n"));
}

}  // namespace
}  // namespace talea
