#include "cli/list_writer.h"

#include <fmt/format.h>

#include <ostream>

#include "terminal/numbers.h"

namespace talea::cli {

void ListWriter::Begin(JsonObject head) {
  if (!context_.json) return;
  std::string text = head.Add(several_, JsonArray()).text();
  text.resize(text.size() - std::string_view("]}").size());  // what comes is written in between
  context_.out << text;
}

bool ListWriter::Full() {
  more_ = limit_ != 0 && count_ == limit_;
  return more_;
}

void ListWriter::WriteJson(const Json& json) {
  context_.out << (count_++ == 0 ? "" : ",") << json.text();
}

void ListWriter::WriteText(const std::string& text) {
  ++count_;
  context_.out << text << "\n";
}

void ListWriter::End() {
  if (context_.json) {
    context_.out << fmt::format(R"(],"more":{}}})", more_) << "\n";
  } else if (more_ && !context_.quiet) {
    context_.out.flush();
    context_.err << fmt::format("talea: these are the first {} {}; --limit shows more\n",
                                FullNumber(count_), count_ == 1 ? one_ : several_);
  }
}

}  // namespace talea::cli
