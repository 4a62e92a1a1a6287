// From a request as it came to the answer of its route, counted; and the answers to what is none.
#pragma once

#include <string_view>

#include "server/http_listener.h"
#include "server/request_metrics.h"
#include "server/router.h"
#include "talea/http.h"

namespace talea {

// All calls from any thread.
class Dispatcher {
 public:
  // With allow_remote a request may name any host; see ServerOptions.
  Dispatcher(Router router, bool allow_remote, RequestMetrics& metrics)
      : router_(std::move(router)), allow_remote_(allow_remote), metrics_(metrics) {}

  HttpResponse Answer(IncomingRequest incoming) const;
  HttpResponse Refuse(int status, std::string_view message) const;

 private:
  Router::Answered Dispatch(IncomingRequest incoming) const;
  Status CheckHost(const IncomingRequest& incoming) const;

  const Router router_;
  const bool allow_remote_;
  RequestMetrics& metrics_;
};

}  // namespace talea
