// talea scan: the rows of a keyspace, in order.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/bytes_argument.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "json/json.h"
#include "talea/tuple.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string keyspace;
  std::string prefix;
  std::uint64_t limit = 100;
  bool reverse = false;
  bool tuples = false;
};

// Writes rows as they come, so that a scan of any length needs no memory.
class RowWriter {
 public:
  RowWriter(Context& context, const Keyspace& keyspace, bool tuples)
      : context_(context), keyspace_(keyspace), tuples_(tuples) {}

  void Begin(Version version) {
    if (!context_.json) return;
    context_.out << fmt::format(R"({{"keyspace":{},"version":{},"rows":[)",
                                Json(keyspace_.name).text(), version.number);
  }

  Status Write(const Row& row) {
    if (context_.json) {
      const JsonObject json = TALEA_TRY(RowAsJson(keyspace_, row));
      context_.out << (count_++ == 0 ? "" : ",") << json.text();
    } else {
      const std::string value = TALEA_TRY(ValueForPeople(keyspace_, row));
      context_.out << KeyForPeople(row.key) << " = " << value << "\n";
      ++count_;
    }
    return {};
  }

  void End(bool more) {
    if (context_.json) {
      context_.out << fmt::format(R"(],"more":{}}})", more) << "\n";
    } else if (more && !context_.quiet) {
      context_.out.flush();
      context_.err << fmt::format("talea: these are the first {}; --limit shows more\n",
                                  Counted(count_, "row"));
    }
  }

  std::uint64_t count() const { return count_; }

 private:
  std::string KeyForPeople(ByteView key) const {
    if (tuples_) {
      if (const Result<Tuple> tuple = Unpack(key)) return ToString(*tuple);
    }
    return Quoted(key);
  }

  Context& context_;
  const Keyspace& keyspace_;
  const bool tuples_;
  std::uint64_t count_ = 0;
};

Result<ExitCode> Scan(Context& context, const Arguments& arguments) {
  const std::string prefix = TALEA_TRY(ParseBytes(arguments.prefix));
  const auto engine = TALEA_TRY(OpenExisting(context));
  const Keyspace& keyspace = *TALEA_TRY(FindKeyspace(*engine, arguments.keyspace));
  const auto snapshot = TALEA_TRY(engine->OpenSnapshot());
  Scanner rows(*snapshot, keyspace, KeyRange::Prefix(prefix), {.reverse = arguments.reverse});
  RowWriter writer(context, keyspace, arguments.tuples);
  writer.Begin(snapshot->version());
  bool more = false;
  while (const auto row = TALEA_TRY(rows.Next())) {
    more = arguments.limit != 0 && writer.count() == arguments.limit;
    if (more) break;
    TALEA_TRY(writer.Write(*row));
  }
  writer.End(more);
  return ExitCode::done;
}

std::vector<Parameter> Parameters(Arguments& arguments) {
  return {
      {.name = "KEYSPACE",
       .target = &arguments.keyspace,
       .help = "What to read; `talea stats` lists them",
       .required = true},
      {.name = "--prefix",
       .target = &arguments.prefix,
       .help = "Only keys that begin so: text, or 0x and hexadecimal digits",
       .value = "KEY"},
      {.name = "--limit",
       .target = &arguments.limit,
       .help = "At most so many rows (100 if not given); 0 for all",
       .value = "N"},
      {.name = "--reverse", .target = &arguments.reverse, .help = "From the last key to the first"},
      {.name = "--tuples",
       .target = &arguments.tuples,
       .help = "Show keys that are packed tuples as tuples"}};
}

}  // namespace

Command ScanCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "scan",
          .summary = "Shows the rows of a keyspace, in the order of their keys",
          .examples = {"talea scan visits --prefix /blog/ --limit 20", "talea scan talea --tuples",
                       "talea scan visits --limit 0 --json"},
          .parameters = Parameters(*arguments),
          .run = [arguments](Context& context) { return Scan(context, *arguments); }};
}

}  // namespace talea::cli
