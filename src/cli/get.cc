// talea get: one value.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/bytes_argument.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "json/json.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string keyspace;
  std::string key;
  bool raw = false;
};

Result<ExitCode> Get(Context& context, const Arguments& arguments) {
  const std::string key = TALEA_TRY(ParseBytes(arguments.key));
  const auto engine = TALEA_TRY(OpenExisting(context));
  const Keyspace& keyspace = *TALEA_TRY(FindKeyspace(*engine, arguments.keyspace));
  if (key.size() > engine->limits().key_bytes) {
    return Fail(ErrorCode::invalid_argument, fmt::format("KEY: expected at most {} bytes, found {}",
                                                         engine->limits().key_bytes, key.size()));
  }
  const auto snapshot = TALEA_TRY(engine->OpenSnapshot());
  const auto value = TALEA_TRY(snapshot->Get(keyspace, key));
  if (!value) {
    return Fail(ErrorCode::not_found,
                fmt::format("keyspace {}: there is no key {}", Quoted(keyspace.name), Quoted(key)));
  }
  if (context.json) {
    context.out << TALEA_TRY(RowAsJson(keyspace, {key, *value}))
    .text() << "\n";
  } else if (arguments.raw) {
    context.out << *value;
  } else {
    context.out << TALEA_TRY(ValueForPeople(keyspace, {key, *value}))
    << "\n";
  }
  return ExitCode::done;
}

}  // namespace

Command GetCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "get",
          .summary = "Shows the value of one key",
          .examples = {"talea get visits /home", "talea get talea 0x1501",
                       "talea get pages /home --raw > home.bin"},
          .parameters = {{.name = "KEYSPACE",
                          .target = &arguments->keyspace,
                          .help = "Where it is; `talea stats` lists them",
                          .required = true},
                         {.name = "KEY",
                          .target = &arguments->key,
                          .help = "Text, or 0x and hexadecimal digits",
                          .required = true},
                         {.name = "--raw",
                          .target = &arguments->raw,
                          .help = "The stored bytes as they are, whole and without a line's end"}},
          .run = [arguments](Context& context) { return Get(context, *arguments); }};
}

}  // namespace talea::cli
