// The options that a location may have, one rule for each: how a value is read and written.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "database/location.h"

namespace talea {

class LocationRule {
 public:
  virtual ~LocationRule() = default;

  const std::string_view name;
  const std::optional<Location::Scheme> only;  // the one scheme that has it, if not all do
  const std::string_view meaning;

  // Sets it; false, and nothing is set, where the value is none of Values().
  virtual bool Read(std::string_view value, Location& location) const = 0;
  virtual std::optional<std::string> Print(const Location& location) const = 0;
  virtual std::string Values() const = 0;

 protected:
  LocationRule(std::string_view its_name, std::optional<Location::Scheme> scheme,
               std::string_view its_meaning)
      : name(its_name), only(scheme), meaning(its_meaning) {}
};

// All of them, in the order in which a location is written.
std::span<const LocationRule* const> LocationRules();

std::string_view Name(Location::Scheme scheme);

}  // namespace talea
