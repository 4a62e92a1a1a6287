// From what a line or a row holds to an entry of an index.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "talea/engine.h"
#include "talea/histograms.h"
#include "talea/result.h"
#include "talea/tuple.h"

namespace talea::cli {

// What was found where an entry's parts should be.
struct FoundEntry {
  std::vector<std::optional<Element>> value;
  std::optional<Element> document;
};

// What happens to a line or a row that lacks a part of the value. Where nothing is said, a field
// that is not there is an error, and one that is empty where it cannot be is null.
enum class Missing : std::uint8_t {
  fail,  // it is in error
  null,  // the part is null
  skip,  // it has no entry
};

// As they are given on the command line.
struct EntryArguments {
  std::vector<std::string> value;  // what the elements of the value are made of
  std::string document;
  std::string types;  // of the elements, if they are to be converted
  std::string document_type;
  std::optional<std::string> missing;
};

// The parameters of load and build that say which entries they make: of a COLUMN or PART, and which
// forms that has.
std::vector<Parameter> EntryParameters(EntryArguments& arguments, const std::string& what,
                                       const std::string& forms);

// All of the arguments that decide which entries there are, as they are written on the command
// line. Other arguments give another text.
std::string FingerprintOf(const EntryArguments& arguments);

class EntryRules {
 public:
  // Fails with invalid_argument where the arguments do not fit together, or to the index.
  static Result<EntryRules> Make(const EntryArguments& arguments, const IndexInformation& index,
                                 const Limits& limits);

  // The entry, or nothing where there is none to be. Fails with invalid_argument, naming the part,
  // what was expected of it and what was found.
  Result<std::optional<IndexEntry>> Apply(FoundEntry found) const;

 private:
  Missing MissingOr(Missing usual) const { return missing_.value_or(usual); }
  bool IsEmpty(std::size_t part, const Element& element) const;
  Result<std::optional<Element>> ValuePart(std::size_t part, std::optional<Element> found) const;
  Result<Element> Document(std::optional<Element> found) const;
  Result<Element> Convert(std::size_t part, Element element) const;
  Status CheckSize(const IndexEntry& entry) const;

  std::vector<std::string> names_;  // of the value's parts, and of the document
  std::vector<std::optional<ElementType>> types_;
  std::optional<Missing> missing_;
  std::size_t most_bytes_ = 0;
};

}  // namespace talea::cli
