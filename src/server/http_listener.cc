#include "server/http_listener.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <condition_variable>
#include <ctime>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>

#include "server/response_text.h"

namespace talea {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;
using Parser = http::request_parser<http::string_body>;

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kReadBytes = 16 << 10;

// After a refusal the client may still be sending. To close at once would reset the connection, and
// the client would never see why; so what it sends is read and dropped, within these bounds.
constexpr milliseconds kLingerTime{500};
constexpr std::size_t kLingerBytes = 4 << 20;

// Connections beyond the limit that are told so; further ones are just closed.
constexpr std::size_t kMostRefusals = 64;

// How long to wait when there are no more file descriptors.
constexpr milliseconds kAcceptPause{50};

struct Refusal {
  int status;
  std::string message;
};

class BeastListener;

// One client's connection, from accept to close. All of it runs in the listener's I/O thread.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(BeastListener& listener, tcp::socket socket)
      : listener_(listener), socket_(std::move(socket)), deadline_(socket_.get_executor()) {}

  awaitable<void> Serve();
  awaitable<void> Refuse(Refusal refusal);  // tells why, and ends

  void CloseIfReceiving();
  void Drop();

 private:
  // A request that is with its handler. Shared with the pool, where it may outlive the connection.
  struct Pending {
    explicit Pending(const asio::any_io_executor& executor) : done(executor) {}
    asio::steady_timer done;  // expires at the timeout, and is cancelled by the answer
    std::optional<HttpResponse> response;
  };

  awaitable<bool> AwaitFirstByte();
  awaitable<std::optional<Refusal>> Receive(Parser& parser);
  awaitable<bool> Read();
  awaitable<bool> ContinueIfAsked(const Parser& parser);
  awaitable<std::optional<HttpResponse>> Answer(IncomingRequest request);
  awaitable<bool> Send(HttpResponse response, bool keep_alive, bool with_body);
  awaitable<bool> Write(std::array<asio::const_buffer, 2> buffers);
  awaitable<bool> ServeOne();

  std::optional<Refusal> Parse(Parser& parser);
  void SkipEmptyLines();
  void SetDeadline(milliseconds after);
  void Close();

  BeastListener& listener_;
  tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
  asio::steady_timer deadline_;
  std::uint64_t deadline_number_ = 0;  // tells the newest from one that fired as it was replaced
  bool expired_ = false;
  bool receiving_ = false;  // waits for a request, or for the rest of one
  bool writing_ = false;
  std::shared_ptr<Pending> pending_;
};

class BeastListener final : public HttpListener {
 public:
  explicit BeastListener(ListenerOptions options)
      : options_(std::move(options)), acceptor_(io_), accept_pause_(io_), pool_(options_.threads) {}
  ~BeastListener() override;

  Status Listen();
  void Start() override;

  std::uint16_t port() const override { return port_; }
  std::size_t connections() const override;
  Status Stop(milliseconds bound) override;

  const ListenerOptions& options() const { return options_; }
  bool stopping() const { return stopping_; }

  // Runs the handler in the pool, and hands its answer to `done` in the I/O thread. False, and
  // nothing else, if as many requests as there may be connections have their handlers already:
  // those that nobody waits for any more count too.
  bool RunHandler(IncomingRequest request, std::function<void(HttpResponse)> done);

 private:
  awaitable<void> Accept();
  void Welcome(tcp::socket socket);
  void Spawn(const std::shared_ptr<Connection>& connection, awaitable<void> work);
  void BeginStop();
  void DropAll();
  HttpResponse AnswerSafely(IncomingRequest request);

  const ListenerOptions options_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  tcp::acceptor acceptor_;
  asio::steady_timer accept_pause_;
  std::uint16_t port_ = 0;

  // Of the I/O thread.
  std::unordered_set<std::shared_ptr<Connection>> open_;
  bool stopping_ = false;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t connections_ = 0;  // the size of open_
  std::size_t handlers_ = 0;     // queued or running
  bool closed_ = false;          // whether no connection can come any more

  asio::thread_pool pool_;
  std::thread io_thread_;
};

Refusal Describe(const error_code& error, const ListenerOptions& options) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return {431, fmt::format("expected at most {} bytes of request line and headers, found more",
                             options.header_bytes)};
  }
  if (error == http::error::body_limit) {
    return {413,
            fmt::format("expected a body of at most {} bytes, found more", options.body_bytes)};
  }
  return {400, fmt::format("expected a request of HTTP/1.1, found {}", error.message())};
}

IncomingRequest TakeRequest(Parser& parser) {
  http::request<http::string_body> message = parser.release();
  IncomingRequest incoming{.target = std::string(message.target()),
                           .requires_host = message.version() >= 11,
                           .request = {}};
  HttpRequest& request = incoming.request;
  request.method = std::string(message.method_string());
  for (const auto& field : message) {
    request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  }
  request.body = std::move(message.body());
  request.arrived = std::chrono::steady_clock::now();
  return incoming;
}

// --- Connection ---

awaitable<void> Connection::Serve() {
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  while (co_await ServeOne()) {
  }
  Close();
}

awaitable<bool> Connection::ServeOne() {
  receiving_ = true;
  const bool begun = co_await AwaitFirstByte();
  if (!begun) co_return false;

  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(listener_.options().header_bytes));
  parser.body_limit(listener_.options().body_bytes);
  SetDeadline(listener_.options().request_timeout);
  std::optional<Refusal> refusal = co_await Receive(parser);
  receiving_ = false;
  if (refusal) {
    co_await Refuse(std::move(*refusal));
    co_return false;
  }
  const bool wants_more = parser.get().keep_alive();
  const bool with_body = parser.get().method() != http::verb::head;
  IncomingRequest request = TakeRequest(parser);
  std::optional<HttpResponse> response = co_await Answer(std::move(request));
  if (!response) co_return false;
  const bool keep_alive = wants_more && !listener_.stopping();
  const bool sent = co_await Send(std::move(*response), keep_alive, with_body);
  co_return sent&& keep_alive;
}

awaitable<bool> Connection::AwaitFirstByte() {
  SkipEmptyLines();
  while (buffer_.size() == 0) {
    if (listener_.stopping()) co_return false;
    SetDeadline(listener_.options().idle_timeout);
    const bool more = co_await Read();
    if (!more) co_return false;
    SkipEmptyLines();
  }
  co_return true;
}

// Some clients end a body with a line break that is not part of it.
void Connection::SkipEmptyLines() {
  const auto* bytes = static_cast<const char*>(buffer_.data().data());
  std::size_t skipped = 0;
  while (skipped < buffer_.size() && (bytes[skipped] == '\r' || bytes[skipped] == '\n')) ++skipped;
  buffer_.consume(skipped);
}

// Reads the rest of a request. An empty message in the refusal: there is nobody left to tell.
awaitable<std::optional<Refusal>> Connection::Receive(Parser& parser) {
  for (;;) {
    const bool had_header = parser.is_header_done();
    if (std::optional<Refusal> refusal = Parse(parser)) co_return refusal;
    if (parser.is_done()) co_return std::nullopt;
    if (!had_header && parser.is_header_done()) {
      const bool told = co_await ContinueIfAsked(parser);
      if (!told) co_return Refusal{0, ""};
    }
    const bool more = co_await Read();
    if (more) continue;
    if (!expired_) co_return Refusal{0, ""};
    co_return Refusal{
        408, fmt::format("expected the whole request within {} ms, found {}",
                         listener_.options().request_timeout.count(),
                         parser.is_header_done() ? "a part of its body" : "a part of its headers")};
  }
}

// Takes what is in the buffer as far as it goes.
std::optional<Refusal> Connection::Parse(Parser& parser) {
  while (buffer_.size() > 0 && !parser.is_done()) {
    error_code error;
    buffer_.consume(parser.put(buffer_.data(), error));
    if (error == http::error::need_more) return std::nullopt;
    if (error) return Describe(error, listener_.options());
  }
  return std::nullopt;
}

awaitable<bool> Connection::Read() {
  if (expired_ || !socket_.is_open()) co_return false;
  const auto space = buffer_.prepare(kReadBytes);
  const auto [error, bytes] = co_await socket_.async_read_some(space, kAsTuple);
  buffer_.commit(bytes);
  co_return !error;
}

awaitable<bool> Connection::ContinueIfAsked(const Parser& parser) {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  const auto expect = parser.get()[http::field::expect];
  if (!boost::beast::iequals(expect, "100-continue")) co_return true;
  co_return co_await Write({asio::buffer(kContinue), asio::const_buffer()});
}

// Nothing if the connection was dropped meanwhile.
awaitable<std::optional<HttpResponse>> Connection::Answer(IncomingRequest request) {
  SetDeadline(milliseconds::max());
  pending_ = std::make_shared<Pending>(socket_.get_executor());
  const std::shared_ptr<Pending> pending = pending_;
  const milliseconds bound = listener_.options().request_timeout;
  pending->done.expires_after(bound);
  const bool runs = listener_.RunHandler(std::move(request), [pending](HttpResponse response) {
    pending->response = std::move(response);
    pending->done.cancel();
  });
  if (!runs) {
    pending_ = nullptr;
    co_return listener_.options().refuse(503, "too many requests wait to be answered");
  }
  co_await pending->done.async_wait(kAsTuple);
  pending_ = nullptr;
  if (!socket_.is_open()) co_return std::nullopt;
  if (!pending->response) {
    co_return listener_.options().refuse(
        503, fmt::format("expected an answer within {} ms, found none; what was asked for may "
                         "still be carried out",
                         bound.count()));
  }
  co_return std::move(pending->response);
}

awaitable<bool> Connection::Send(HttpResponse response, bool keep_alive, bool with_body) {
  const std::string head =
      ResponseHead(response, {.keep_alive = keep_alive, .now = std::time(nullptr)});
  const bool has_body = with_body && MayHaveBody(response.status);
  SetDeadline(listener_.options().request_timeout);
  co_return co_await Write(
      {asio::buffer(head), has_body ? asio::buffer(response.body) : asio::const_buffer()});
}

awaitable<bool> Connection::Write(std::array<asio::const_buffer, 2> buffers) {
  writing_ = true;
  const auto [error, bytes] = co_await asio::async_write(socket_, buffers, kAsTuple);
  writing_ = false;
  co_return !error;
}

awaitable<void> Connection::Refuse(Refusal refusal) {
  if (refusal.status == 0) co_return;
  HttpResponse response = listener_.options().refuse(refusal.status, refusal.message);
  const bool sent = co_await Send(std::move(response), false, true);
  if (!sent) co_return;
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  SetDeadline(kLingerTime);
  for (std::size_t dropped = 0; dropped < kLingerBytes; dropped += buffer_.size()) {
    buffer_.clear();
    const bool more = co_await Read();
    if (!more) break;
  }
  Close();
}

void Connection::SetDeadline(milliseconds after) {
  expired_ = false;
  const std::uint64_t number = ++deadline_number_;
  if (after == milliseconds::max()) {
    deadline_.cancel();
    return;
  }
  deadline_.expires_after(after);
  deadline_.async_wait([self = shared_from_this(), number](const error_code& error) {
    if (error || number != self->deadline_number_) return;
    self->expired_ = true;
    error_code ignored;
    // A read that is cancelled leaves a connection on which the client can be told; Read looks at
    // expired_ before it starts another. A write is many operations, and closing ends them all.
    if (self->writing_) {
      self->socket_.close(ignored);
    } else {
      self->socket_.cancel(ignored);
    }
  });
}

void Connection::Close() {
  ++deadline_number_;
  deadline_.cancel();
  error_code ignored;
  socket_.close(ignored);
}

void Connection::CloseIfReceiving() {
  if (receiving_) Close();
}

void Connection::Drop() {
  Close();
  if (pending_) pending_->done.cancel();
}

// --- BeastListener ---

Status BeastListener::Listen() {
  const auto fail = [&](const error_code& error) {
    const bool used = error == asio::error::address_in_use;
    return Fail(used ? ErrorCode::already_exists : ErrorCode::io_error,
                fmt::format("listening on {}: {}", options_.address.ToString(), error.message()));
  };
  error_code error;
  const tcp::endpoint endpoint(asio::ip::make_address(options_.address.host, error),
                               options_.address.port);
  if (error) return fail(error);
  if (acceptor_.open(endpoint.protocol(), error)) return fail(error);
  if (acceptor_.set_option(tcp::acceptor::reuse_address(true), error)) return fail(error);
  if (acceptor_.bind(endpoint, error)) return fail(error);
  if (acceptor_.listen(asio::socket_base::max_listen_connections, error)) return fail(error);
  port_ = acceptor_.local_endpoint(error).port();
  if (error) return fail(error);
  return {};
}

void BeastListener::Start() {
  asio::co_spawn(io_, Accept(), asio::detached);
  io_thread_ = std::thread([this] { io_.run(); });
}

BeastListener::~BeastListener() {
  if (!io_thread_.joinable()) return;
  std::ignore = Stop(milliseconds(0));
  pool_.join();
  asio::post(io_, [this] {
    DropAll();
    work_.reset();
  });
  io_thread_.join();
}

awaitable<void> BeastListener::Accept() {
  while (!stopping_) {
    auto [error, socket] = co_await acceptor_.async_accept(kAsTuple);
    if (stopping_) co_return;
    if (!error) {
      Welcome(std::move(socket));
    } else {
      accept_pause_.expires_after(kAcceptPause);
      co_await accept_pause_.async_wait(kAsTuple);
    }
  }
}

void BeastListener::Welcome(tcp::socket socket) {
  if (open_.size() >= options_.connections + kMostRefusals) return;
  const bool full = open_.size() >= options_.connections;
  const auto connection = std::make_shared<Connection>(*this, std::move(socket));
  if (!full) return Spawn(connection, connection->Serve());
  Spawn(connection,
        connection->Refuse({503, fmt::format("expected at most {} connections at a time, found "
                                             "one more",
                                             options_.connections)}));
}

void BeastListener::Spawn(const std::shared_ptr<Connection>& connection, awaitable<void> work) {
  open_.insert(connection);
  {
    std::lock_guard lock(mutex_);
    connections_ = open_.size();
  }
  asio::co_spawn(io_, std::move(work), [this, connection](const std::exception_ptr&) {
    connection->Drop();
    open_.erase(connection);
    std::lock_guard lock(mutex_);
    connections_ = open_.size();
    changed_.notify_all();
  });
}

bool BeastListener::RunHandler(IncomingRequest request, std::function<void(HttpResponse)> done) {
  {
    std::lock_guard lock(mutex_);
    if (handlers_ >= options_.connections) return false;
    ++handlers_;
  }
  asio::post(pool_, [this, request = std::move(request), done = std::move(done)]() mutable {
    asio::post(io_,
               [done = std::move(done), response = AnswerSafely(std::move(request))]() mutable {
                 done(std::move(response));
               });
    std::lock_guard lock(mutex_);
    --handlers_;
    changed_.notify_all();
  });
  return true;
}

HttpResponse BeastListener::AnswerSafely(IncomingRequest request) {
  try {
    return options_.answer(std::move(request));
  } catch (const std::exception& exception) {
    return options_.refuse(500, fmt::format("the handler failed: {}", exception.what()));
  } catch (...) {
    return options_.refuse(500, "the handler failed");
  }
}

std::size_t BeastListener::connections() const {
  std::lock_guard lock(mutex_);
  return connections_;
}

Status BeastListener::Stop(milliseconds bound) {
  const auto deadline = std::chrono::steady_clock::now() + bound;
  asio::post(io_, [this] { BeginStop(); });
  std::unique_lock lock(mutex_);
  const auto finished = [&] { return closed_ && connections_ == 0 && handlers_ == 0; };
  if (changed_.wait_until(lock, deadline, finished)) return {};
  const std::string left = fmt::format("{} connections and {} handlers", connections_, handlers_);
  lock.unlock();
  asio::post(io_, [this] { DropAll(); });
  return Fail(ErrorCode::timed_out, fmt::format("stopping the server: expected all requests to be "
                                                "answered within {} ms, found {} left",
                                                bound.count(), left));
}

void BeastListener::BeginStop() {
  stopping_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  accept_pause_.cancel();
  for (const std::shared_ptr<Connection>& connection : open_) connection->CloseIfReceiving();
  std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void BeastListener::DropAll() {
  for (const std::shared_ptr<Connection>& connection : open_) connection->Drop();
}

}  // namespace

Result<std::unique_ptr<HttpListener>> HttpListener::Bind(ListenerOptions options) {
  auto listener = std::make_unique<BeastListener>(std::move(options));
  TALEA_TRY(listener->Listen());
  return std::unique_ptr<HttpListener>(std::move(listener));
}

}  // namespace talea
