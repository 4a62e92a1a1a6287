#include "cli/index_arguments.h"

#include <fmt/format.h>

#include "cli/element_argument.h"

namespace talea::cli {
namespace {

std::unexpected<Error> Within(std::string_view name, const Error& error) {
  return Fail(error.code(), fmt::format("{}: {}", name, error.message()));
}

}  // namespace

Parameter IndexNameParameter(std::string& name, bool required) {
  return {.name = "NAME",
          .target = &name,
          .help = "The index; `talea index list` lists them",
          .required = required};
}

Parameter TypesParameter(std::string& types) {
  return {.name = "--types",
          .target = &types,
          .help = fmt::format("Taken for, one for each element: {}", fmt::join(TypeNames(), ", ")),
          .value = "TYPE,.."};
}

Parameter DocumentTypeParameter(std::string& type) {
  return {.name = "--document-type",
          .target = &type,
          .help = "Taken for",
          .value = "TYPE",
          .choices = TypeNames()};
}

Result<Histogram> ParseHistogram(std::string_view argument) {
  const Result<Histogram> histogram = Histogram::Parse(argument);
  if (histogram) return histogram;
  return Fail(ErrorCode::invalid_argument,
              fmt::format("histogram: expected learned, or fixed:1 to fixed:8, found {}",
                          Quoted(argument)));
}

std::string HistogramArgument(const Histogram& histogram) {
  return histogram.learned() ? "learned" : fmt::format("fixed:{}", histogram.fixed_bytes);
}

Result<IndexInformation> DescribeNow(Engine& engine, IndexStore& indexes, const std::string& name) {
  const auto snapshot = TALEA_TRY(engine.OpenSnapshot());
  return indexes.Describe(*snapshot, name);
}

std::vector<Parameter> EstimateParameters(EstimateArguments& arguments) {
  std::vector<Parameter> parameters = WhereParameters(arguments.where);
  parameters.insert(parameters.begin(), IndexNameParameter(arguments.name));
  parameters.push_back({.name = "--no-peek",
                        .target = &arguments.no_peek,
                        .help = "By the histogram alone, without reading entries"});
  return parameters;
}

std::vector<Parameter> WrittenEntryParameters(WrittenEntry& arguments) {
  return {IndexNameParameter(arguments.index),
          {.name = "VALUE",
           .target = &arguments.value,
           .help = "Such as London, 42, -1.5, true, null, 0xcafe, a UUID, \"text\", or (de, 42)",
           .required = true},
          {.name = "DOCUMENT",
           .target = &arguments.document,
           .help = "What has that value, written the same way",
           .required = true},
          TypesParameter(arguments.types),
          DocumentTypeParameter(arguments.document_type)};
}

Result<IndexEntry> ParseEntry(const WrittenEntry& arguments) {
  const auto types = TALEA_TRY(ParseTypes("--types", arguments.types));
  const auto document_type = TALEA_TRY(ParseTypes("--document-type", arguments.document_type));
  Result<Tuple> value = ParseTuple(arguments.value, types);
  if (!value) return Within("VALUE", value.error());
  Result<Element> document = document_type.empty()
                                 ? ParseElement(arguments.document)
                                 : ParseElementAs(document_type.front(), arguments.document);
  if (!document) return Within("DOCUMENT", document.error());
  return IndexEntry{*std::move(value), *std::move(document)};
}

}  // namespace talea::cli
