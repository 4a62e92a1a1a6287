// The HTTP part by itself, over real sockets, with routes that need no database.
#include "server/http_listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <semaphore>
#include <stdexcept>
#include <thread>
#include <vector>

#include "server/http_client_testing.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using testing::HasSubstr;

// Answers /echo with the body, /wait once it is let go, /throw never, and all else with the target.
class HttpListenerTest : public testing::Test {
 protected:
  void Start() {
    options_.answer = [this](IncomingRequest incoming) { return Answer(std::move(incoming)); };
    options_.refuse = [](int status, std::string_view message) {
      return HttpResponse{.status = status, .body = std::string(message)};
    };
    listener_ = ASSERT_VALUE(HttpListener::Bind(options_));
    listener_->Start();
  }

  HttpResponse Answer(IncomingRequest incoming) {
    if (incoming.target == "/echo") return {.body = incoming.request.body};
    if (incoming.target == "/throw") throw std::runtime_error("thrown");
    if (incoming.target == "/wait") {
      waiting_.release();
      let_go_.acquire();
    }
    if (incoming.target.starts_with("/large")) return {.body = std::string(8 << 20, 'x')};
    return {.body = incoming.target};
  }

  std::uint16_t port() const { return listener_->port(); }

  ListenerOptions options_{.address = {"127.0.0.1", 0},
                           .threads = 2,
                           .header_bytes = 4096,
                           .body_bytes = 10'000,
                           .connections = 100,
                           .idle_timeout = 20s,
                           .request_timeout = 20s};
  std::counting_semaphore<> waiting_{0};
  std::counting_semaphore<> let_go_{0};
  std::unique_ptr<HttpListener> listener_;
};

TEST_F(HttpListenerTest, AnswersManyRequestsOnOneConnection) {
  Start();
  HttpClient client(port());
  for (int request = 0; request < 1000; ++request) {
    const auto response = client.Get("/" + std::to_string(request));
    ASSERT_TRUE(response.has_value()) << request;
    ASSERT_EQ(response->status, 200);
    ASSERT_EQ(response->body, "/" + std::to_string(request));
  }
  EXPECT_EQ(listener_->connections(), 1u);
}

TEST_F(HttpListenerTest, AnswersPipelinedRequestsInTheirOrder) {
  Start();
  HttpClient client(port());
  std::string requests;
  for (int request = 0; request < 200; ++request) {
    requests += "GET /" + std::to_string(request) + " HTTP/1.1\r\nHost: a\r\n\r\n";
    requests += "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n";
    requests += std::to_string(100 + request);
  }
  ASSERT_TRUE(client.Send(requests));
  for (int request = 0; request < 200; ++request) {
    ASSERT_EQ(client.Receive()->body, "/" + std::to_string(request));
    ASSERT_EQ(client.Receive()->body, std::to_string(100 + request));
  }
}

TEST_F(HttpListenerTest, AnswersSixtyFourClientsAtATime) {
  Start();
  std::atomic<int> answered = 0;
  {
    std::latch all_connected(64);
    std::vector<std::jthread> clients;
    for (int number = 0; number < 64; ++number) {
      clients.emplace_back([&, number] {
        HttpClient client(port());
        all_connected.arrive_and_wait();
        for (int request = 0; request < 20; ++request) {
          const std::string target = "/" + std::to_string(number) + "/" + std::to_string(request);
          const auto response = client.Get(target);
          if (response && response->body == target) ++answered;
        }
      });
    }
  }
  EXPECT_EQ(answered, 64 * 20);
}

TEST_F(HttpListenerTest, TakesARequestByteByByte) {
  Start();
  HttpClient client(port());
  for (const char byte :
       std::string("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab")) {
    ASSERT_TRUE(client.Send({&byte, 1}));
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(client.Receive()->body, "ab");
}

TEST_F(HttpListenerTest, TakesABodyInChunks) {
  Start();
  HttpClient client(port());
  client.Send(
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(client.Receive()->body, "abcde");
  EXPECT_EQ(client.Get("/next")->body, "/next");
}

TEST_F(HttpListenerTest, SendsTheLengthButNoBodyToHead) {
  Start();
  HttpClient client(port());
  const auto head = client.Request("HEAD", "/four");
  EXPECT_EQ(head->header("Content-Length"), "5");
  EXPECT_EQ(client.Get("/next")->body, "/next");
}

TEST_F(HttpListenerTest, AsksForABodyThatTheClientHoldsBack) {
  Start();
  HttpClient client(port());
  client.Send(
      "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.Receive()->status, 100);
  client.Send("ab");
  EXPECT_EQ(client.Receive()->body, "ab");
}

TEST_F(HttpListenerTest, ClosesWhenTheClientAsksForIt) {
  Start();
  HttpClient client(port());
  EXPECT_EQ(client.Get("/a", "Connection: close\r\n")->header("Connection"), "close");
  EXPECT_TRUE(client.Ends());

  HttpClient old(port());
  old.Send("GET /a HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.Receive()->status, 200);
  EXPECT_TRUE(old.Ends());
}

TEST_F(HttpListenerTest, RefusesWhatIsNoRequest) {
  Start();
  for (const std::string bytes :
       {"\x16\x03\x01\x02 TLS hello\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nA : b\r\n\r\n",
        "GET /\x01 HTTP/1.1\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n"}) {
    HttpClient client(port());
    client.Send(bytes);
    const auto response = client.Receive();
    ASSERT_TRUE(response.has_value()) << bytes;
    EXPECT_EQ(response->status, 400) << bytes;
    EXPECT_EQ(response->header("Connection"), "close");
    EXPECT_TRUE(client.Ends()) << bytes;
  }
}

TEST_F(HttpListenerTest, RefusesHeadersBeyondTheLimit) {
  Start();
  HttpClient client(port());
  EXPECT_EQ(client.Get("/a", "X: " + std::string(3000, 'x') + "\r\n")->status, 200);
  EXPECT_EQ(client.Get("/a", "X: " + std::string(5000, 'x') + "\r\n")->status, 431);
  EXPECT_TRUE(client.Ends());
  HttpClient endless(port());
  endless.Send("GET /" + std::string(100'000, 'x'));
  const auto response = endless.Receive();
  EXPECT_EQ(response->status, 431);
  EXPECT_THAT(response->body, HasSubstr("4096"));
}

TEST_F(HttpListenerTest, RefusesBodiesBeyondTheLimit) {
  Start();
  HttpClient fits(port());
  EXPECT_EQ(fits.Request("POST", "/echo", "", std::string(10'000, 'b'))->body.size(), 10'000u);
  const auto refused = fits.Request("POST", "/echo", "", std::string(300'000, 'b'));
  ASSERT_TRUE(refused.has_value()) << "the answer must get through while the body is being sent";
  EXPECT_EQ(refused->status, 413);

  HttpClient chunked(port());
  chunked.Send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4000\r\n" +
               std::string(0x4000, 'c') + "\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.Receive()->status, 413);
}

TEST_F(HttpListenerTest, GivesUpOnARequestThatDoesNotArriveInTime) {
  options_.request_timeout = 100ms;
  Start();
  for (const char* half : {"GET / HT", "GET / HTTP/1.1\r\nHost: a\r\n",
                           "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab"}) {
    HttpClient client(port());
    client.Send(half);
    const auto response = client.Receive();
    ASSERT_TRUE(response.has_value()) << half;
    EXPECT_EQ(response->status, 408) << half;
    EXPECT_TRUE(client.Ends());
  }
}

TEST_F(HttpListenerTest, GivesUpOnARequestThatDripsIn) {
  options_.request_timeout = 150ms;
  Start();
  HttpClient client(port());
  client.Send("GET / HTTP/1.1\r\n");
  const auto start = steady_clock::now();
  while (steady_clock::now() - start < 2s && client.Send("A: b\r\n")) {
    std::this_thread::sleep_for(10ms);
  }
  const auto response = client.Receive();
  EXPECT_TRUE(!response || response->status == 408);
  EXPECT_LT(steady_clock::now() - start, 2s) << "the server went on reading";
}

TEST_F(HttpListenerTest, ClosesAConnectionThatIsSilentForTooLong) {
  options_.idle_timeout = 100ms;
  Start();
  HttpClient silent(port());
  EXPECT_TRUE(silent.Ends());
  HttpClient client(port());
  EXPECT_EQ(client.Get("/a")->status, 200);
  EXPECT_TRUE(client.Ends());
}

TEST_F(HttpListenerTest, DropsAClientThatDoesNotTakeItsAnswer) {
  options_.request_timeout = 200ms;
  Start();
  HttpClient client(port());
  client.Send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto start = steady_clock::now();
  while (steady_clock::now() - start < 10s && listener_->connections() != 1) {
    std::this_thread::sleep_for(1ms);
  }
  while (steady_clock::now() - start < 10s && listener_->connections() != 0) {
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_EQ(listener_->connections(), 0u);
}

TEST_F(HttpListenerTest, SendsALargeAnswerWhole) {
  Start();
  HttpClient client(port());
  EXPECT_EQ(client.Get("/large")->body, std::string(8 << 20, 'x'));
}

TEST_F(HttpListenerTest, AnswersOthersWhileHandlersAreBusy) {
  options_.threads = 3;
  Start();
  HttpClient first(port()), second(port());
  first.Send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
  second.Send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
  waiting_.acquire();
  waiting_.acquire();
  HttpClient third(port());
  EXPECT_EQ(third.Get("/quick")->body, "/quick");
  let_go_.release(2);
  EXPECT_EQ(first.Receive()->body, "/wait");
  EXPECT_EQ(second.Receive()->body, "/wait");
}

TEST_F(HttpListenerTest, TellsAClientWhoseHandlerTakesTooLong) {
  options_.request_timeout = 100ms;
  Start();
  HttpClient client(port());
  EXPECT_EQ(client.Get("/wait")->status, 503);
  EXPECT_EQ(client.Get("/next")->body, "/next") << "the other thread is free";
  let_go_.release();
}

TEST_F(HttpListenerTest, RefusesRequestsOnceTooManyHandlersAreBusy) {
  options_.connections = 2;
  options_.request_timeout = 300ms;
  Start();
  HttpClient first(port()), second(port());
  first.Send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(second.Get("/wait")->status, 503);
  EXPECT_EQ(first.Receive()->status, 503);
  EXPECT_THAT(second.Get("/next")->body, HasSubstr("too many requests"));
  let_go_.release(2);
}

TEST_F(HttpListenerTest, AnswersFiveHundredWhenAHandlerThrows) {
  Start();
  HttpClient client(port());
  const auto response = client.Get("/throw");
  EXPECT_EQ(response->status, 500);
  EXPECT_THAT(response->body, HasSubstr("thrown"));
  EXPECT_EQ(client.Get("/next")->body, "/next");
}

TEST_F(HttpListenerTest, RefusesConnectionsBeyondTheLimit) {
  options_.connections = 2;
  Start();
  {
    HttpClient first(port()), second(port());
    EXPECT_EQ(first.Get("/a")->status, 200);
    EXPECT_EQ(second.Get("/a")->status, 200);
    HttpClient third(port());
    const auto refused = third.Get("/a");
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->status, 503);
    EXPECT_TRUE(third.Ends());
    EXPECT_EQ(first.Get("/a")->status, 200);
  }
  while (listener_->connections() > 0) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(HttpClient(port()).Get("/a")->status, 200);
}

TEST_F(HttpListenerTest, StopsAtOnceWhenAllIsIdle) {
  Start();
  HttpClient idle(port()), silent(port());
  EXPECT_EQ(idle.Get("/a")->status, 200);
  const std::uint16_t at = port();
  EXPECT_OK(listener_->Stop(10s));
  EXPECT_TRUE(idle.Ends());
  EXPECT_TRUE(silent.Ends());
  EXPECT_FALSE(HttpClient(at).connected());
  EXPECT_OK(listener_->Stop(10s)) << "a second time";
}

// A client that had sent half a request, and nothing more, kept the server from stopping until its
// bound, and made that a failure.
TEST_F(HttpListenerTest, DropsRequestsThatHaveNotArrivedWhenItStops) {
  Start();
  HttpClient headers(port()), body(port());
  headers.Send("GET /a HTTP/1.1\r\nHost: a\r\n");
  body.Send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
  std::this_thread::sleep_for(50ms);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_OK(listener_->Stop(10s));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
  EXPECT_TRUE(headers.Ends());
  EXPECT_TRUE(body.Ends());
}

// With no connection open it returned before the port was closed, and whoever connected then had a
// handler run after the stop.
TEST_F(HttpListenerTest, TakesNobodyOnceItHasStopped) {
  for (int round = 0; round < 100; ++round) {
    Start();
    const std::uint16_t at = port();
    ASSERT_OK(listener_->Stop(10s));
    ASSERT_FALSE(HttpClient(at).connected()) << round;
    listener_.reset();
  }
}

TEST_F(HttpListenerTest, LetsRequestsFinishWhenItStops) {
  Start();
  HttpClient client(port());
  client.Send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
  waiting_.acquire();
  std::jthread letting_go([&] {
    std::this_thread::sleep_for(50ms);
    let_go_.release();
  });
  EXPECT_OK(listener_->Stop(10s));
  const auto response = client.Receive();
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->body, "/wait");
  EXPECT_EQ(response->header("Connection"), "close");
}

TEST_F(HttpListenerTest, DropsWhatIsNotFinishedWithinTheBound) {
  Start();
  HttpClient client(port());
  client.Send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
  waiting_.acquire();
  const Status stopped = listener_->Stop(50ms);
  ASSERT_ERROR(stopped, ErrorCode::timed_out);
  EXPECT_THAT(stopped.error().message(), HasSubstr("1 connections and 1 handlers"));
  EXPECT_TRUE(client.Ends());
  let_go_.release();
  EXPECT_OK(listener_->Stop(10s));
}

TEST_F(HttpListenerTest, StopsWhileManyClientsAsk) {
  Start();
  std::atomic<bool> wrong = false;
  {
    std::vector<std::jthread> clients;
    for (int number = 0; number < 8; ++number) {
      clients.emplace_back([&] {
        for (HttpClient client(port());;) {
          const auto response = client.Get("/a");
          if (!response) return;  // stopped
          if (response->status != 200 || response->body != "/a") wrong = true;
          if (response->header("Connection") == "close") return;
        }
      });
    }
    std::this_thread::sleep_for(50ms);
    EXPECT_OK(listener_->Stop(10s));
  }
  EXPECT_FALSE(wrong);
}

TEST_F(HttpListenerTest, CanBeStartedAgainOnTheSamePort) {
  Start();
  options_.address.port = port();
  for (int round = 0; round < 5; ++round) {
    HttpClient client(port());
    ASSERT_EQ(client.Get("/a")->status, 200);
    EXPECT_ERROR(HttpListener::Bind(options_), ErrorCode::already_exists);
    listener_.reset();
    Start();
  }
}

TEST_F(HttpListenerTest, MayBeDroppedBeforeItIsStarted) {
  Start();
  options_.address.port = 0;
  ASSERT_OK(HttpListener::Bind(options_));
}

}  // namespace
}  // namespace talea
