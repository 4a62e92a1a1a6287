// talea index create: an index without entries.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/index_arguments.h"
#include "cli/open.h"
#include "json/json.h"
#include "talea/bytes.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string name;
  std::string histogram = "learned";
  std::uint64_t elements = 1;
  std::uint64_t peek_cap = IndexOptions{}.peek_cap;
};

// The library judges the number; here it only has to fit into what the library takes.
template <class Number>
Result<Number> Narrowed(std::string_view option, std::uint64_t given) {
  if (given <= std::numeric_limits<Number>::max()) return static_cast<Number>(given);
  return Fail(ErrorCode::invalid_argument, fmt::format("{}: expected at most {}, found {}", option,
                                                       std::numeric_limits<Number>::max(), given));
}

Result<ExitCode> Create(Context& context, const Arguments& arguments) {
  IndexOptions options;
  options.histogram = TALEA_TRY(ParseHistogram(arguments.histogram));
  options.elements = TALEA_TRY(Narrowed<std::uint8_t>("--elements", arguments.elements));
  options.peek_cap = TALEA_TRY(Narrowed<std::uint32_t>("--peek-cap", arguments.peek_cap));
  const auto database = TALEA_TRY(OpenToWrite(context));
  IndexStore indexes(database->engine());
  TALEA_TRY(indexes.Create(arguments.name, options));
  if (context.json) {
    context.out << JsonObject().Add("created", arguments.name).text() << "\n";
  } else if (!context.quiet) {
    context.out << fmt::format("Created index {}.\n", Quoted(arguments.name));
  }
  return ExitCode::done;
}

std::vector<Parameter> Parameters(Arguments& arguments) {
  return {{.name = "NAME",
           .target = &arguments.name,
           .help = "What it is to be called",
           .required = true},
          {.name = "--histogram",
           .target = &arguments.histogram,
           .help = "How its values are counted: learned (if not given), or fixed:1 to fixed:8",
           .value = "HISTOGRAM"},
          {.name = "--elements",
           .target = &arguments.elements,
           .help = "How many elements a value has (1 if not given)",
           .value = "N"},
          {.name = "--peek-cap",
           .target = &arguments.peek_cap,
           .help = "How many entries an estimate may read at an edge (1024 if not given)",
           .value = "N"}};
}

}  // namespace

Command IndexCreateCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "create",
          .summary = "Makes an index without entries",
          .examples = {"talea index create people-by-city",
                       "talea index create orders-by-day-and-price --elements 2",
                       "talea index create keys --histogram fixed:2 --peek-cap 256"},
          .parameters = Parameters(*arguments),
          .run = [arguments](Context& context) { return Create(context, *arguments); }};
}

}  // namespace talea::cli
