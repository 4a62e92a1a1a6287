// A blocking HTTP client for tests, which sends what it is told to the byte.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace talea {

struct ReceivedResponse {
  struct IgnoringCase {
    bool operator()(const std::string& left, const std::string& right) const {
      return strcasecmp(left.c_str(), right.c_str()) < 0;
    }
  };

  int status = 0;
  std::map<std::string, std::string, IgnoringCase> headers;
  std::string body;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

// One connection to a port of this computer. Every wait ends after 20 seconds.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient() { ::close(socket_); }

  bool connected() const { return connected_; }

  // False if the server no longer takes it.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // The next response, or nothing if the connection ends before it is whole. An answer to HEAD has
  // no body, whatever its length says.
  std::optional<ReceivedResponse> Receive(bool with_body = true) {
    while (!received_.contains("\r\n\r\n")) {
      if (!ReceiveSome()) return std::nullopt;
    }
    ReceivedResponse response = TakeHead();
    const std::string length = response.header("Content-Length");
    const std::size_t bytes = with_body ? std::strtoul(length.c_str(), nullptr, 10) : 0;
    while (received_.size() < bytes) {
      if (!ReceiveSome()) return std::nullopt;
    }
    response.body = received_.substr(0, bytes);
    received_.erase(0, bytes);
    return response;
  }

  std::optional<ReceivedResponse> Request(const std::string& method, const std::string& target,
                                          const std::string& headers = "",
                                          const std::string& body = "") {
    const std::string length =
        body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n";
    Send(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + length + "\r\n" +
         body);
    return Receive(method != "HEAD");
  }
  std::optional<ReceivedResponse> Get(const std::string& target, const std::string& headers = "") {
    return Request("GET", target, headers);
  }

  // Whether the server ends the connection, with nothing more to read.
  bool Ends() { return received_.empty() && !ReceiveSome() && !timed_out_; }

 private:
  bool ReceiveSome() {
    pollfd readable{.fd = socket_, .events = POLLIN, .revents = 0};
    timed_out_ = ::poll(&readable, 1, 20'000) == 0;
    if (timed_out_) return false;
    char bytes[16384];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    received_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  ReceivedResponse TakeHead() {
    ReceivedResponse response;
    const std::size_t end = received_.find("\r\n\r\n");
    std::string_view head = std::string_view(received_).substr(0, end + 2);
    response.status = std::atoi(std::string(head.substr(std::min<std::size_t>(9, end), 3)).c_str());
    head.remove_prefix(head.find("\r\n") + 2);
    while (!head.empty()) {
      const std::string_view line = head.substr(0, head.find("\r\n"));
      const std::size_t colon = line.find(": ");
      response.headers[std::string(line.substr(0, colon))] = std::string(line.substr(colon + 2));
      head.remove_prefix(line.size() + 2);
    }
    received_.erase(0, end + 4);
    return response;
  }

  int socket_;
  bool connected_ = false;
  bool timed_out_ = false;
  std::string received_;
};

}  // namespace talea
