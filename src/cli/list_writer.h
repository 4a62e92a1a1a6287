// A list that is written as it is read, so that one of any length needs no memory.
#pragma once

#include <cstdint>
#include <string>

#include "cli/command.h"
#include "json/json.h"

namespace talea::cli {

// For people a line, or a few, for each; with --json one document, {..,
// "outputs":[..],"more":false}.
class ListWriter {
 public:
  // What one and several are called; the latter is also the list's name in the document. Of more
  // than `limit`, unless that is 0, only as many are written.
  ListWriter(Context& context, std::string one, std::string several, std::uint64_t limit)
      : context_(context), one_(std::move(one)), several_(std::move(several)), limit_(limit) {}

  // What stands before the list in the document.
  void Begin(JsonObject head);

  // Whether there is no room for another one, which is noted.
  bool Full();

  // Writes the one or the other, as is asked for.
  void Write(const auto& json, const auto& text) {
    if (context_.json) {
      WriteJson(json());
    } else {
      WriteText(text());
    }
  }

  void WriteJson(const Json& json);
  void WriteText(const std::string& text);

  void End();

 private:
  Context& context_;
  const std::string one_;
  const std::string several_;
  const std::uint64_t limit_;
  std::uint64_t count_ = 0;
  bool more_ = false;
};

}  // namespace talea::cli
