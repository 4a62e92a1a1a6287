#include "server/static_files.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace talea {
namespace {

// Nothing from elsewhere, no script or style within the HTML, and no frame around the page.
constexpr std::string_view kContentSecurityPolicy =
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'";
constexpr std::string_view kRoutesPlace = "<!-- routes -->";

std::string_view ContentType(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

// FNV-1a: enough to tell one build's file from another's.
std::string EntityTag(std::string_view content) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : content) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  }
  return fmt::format("\"{:016x}\"", hash);
}

// Whether an If-None-Match header has the tag, which it may also give as a weak one, or all.
bool Names(std::string_view header, std::string_view tag) {
  return header == "*" || header.contains(tag);
}

std::string RouteList(std::span<const HttpRoute> routes) {
  std::string list;
  for (const HttpRoute& route : routes) {
    if (!route.listed) continue;
    const std::string path = HtmlEscaped(route.path);
    const bool links = route.method == "GET" && !route.path.contains('{');
    const std::string shown =
        links ? fmt::format("<a href=\"{}\">{}</a>", path, path) : fmt::format("<b>{}</b>", path);
    list += fmt::format("<li><code>{} {}</code> <span>{}</span></li>\n", HtmlEscaped(route.method),
                        shown, HtmlEscaped(route.summary));
  }
  return list;
}

std::string WithRouteList(std::string html, std::span<const HttpRoute> routes) {
  const std::size_t place = html.find(kRoutesPlace);
  if (place != std::string::npos) html.replace(place, kRoutesPlace.size(), RouteList(routes));
  return html;
}

}  // namespace

HttpRoute StaticRoute(std::string path, std::string content_type, std::string content) {
  const std::string tag = EntityTag(content);
  HttpResponse whole{.content_type = std::move(content_type),
                     .body = std::move(content),
                     .headers = {{"ETag", tag},
                                 {"Cache-Control", "no-cache"},  // kept, and asked about each time
                                 {"Content-Security-Policy", std::string(kContentSecurityPolicy)},
                                 {"Referrer-Policy", "no-referrer"}}};
  return {.method = "GET",
          .path = std::move(path),
          .summary = "",
          .handler =
              [tag, whole = std::move(whole)](const HttpRequest& request) {
                if (!Names(request.Header("If-None-Match").value_or(""), tag)) return whole;
                return HttpResponse{.status = 304, .headers = whole.headers};
              },
          .listed = false};
}

std::vector<HttpRoute> PageRoutes(std::span<const HttpRoute> routes) {
  std::vector<HttpRoute> pages;
  for (const EmbeddedFile& file : EmbeddedPageFiles()) {
    const bool index = file.name == "index.html";
    std::string content(file.content);
    pages.push_back(StaticRoute(index ? "/" : fmt::format("/page/{}", file.name),
                                std::string(ContentType(file.name)),
                                index ? WithRouteList(std::move(content), routes) : content));
  }
  return pages;
}

std::string HtmlEscaped(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

}  // namespace talea
