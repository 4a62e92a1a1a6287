// What the commands of `talea index` have in common on the command line.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/where_arguments.h"
#include "talea/histograms.h"
#include "talea/result.h"

namespace talea::cli {

Parameter IndexNameParameter(std::string& name, bool required = true);

// What values, or a document, are taken for.
Parameter TypesParameter(std::string& types);
Parameter DocumentTypeParameter(std::string& type);

// learned, or fixed:2, where the number of bytes follows: shells take parentheses for their own.
Result<Histogram> ParseHistogram(std::string_view argument);
std::string HistogramArgument(const Histogram& histogram);

// What is known of an index now.
Result<IndexInformation> DescribeNow(Engine& engine, IndexStore& indexes, const std::string& name);

// Entries that match a condition, and how to estimate their number.
struct EstimateArguments {
  std::string name;
  WhereArguments where;
  bool no_peek = false;
};
std::vector<Parameter> EstimateParameters(EstimateArguments& arguments);

// An entry of an index, as it is written.
struct WrittenEntry {
  std::string index;
  std::string value;
  std::string document;
  std::string types;
  std::string document_type;
};
std::vector<Parameter> WrittenEntryParameters(WrittenEntry& arguments);
Result<IndexEntry> ParseEntry(const WrittenEntry& arguments);

}  // namespace talea::cli
