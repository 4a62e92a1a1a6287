// An always-on assertion for what only a programmer's error can break.
#pragma once

namespace talea {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace talea

#define TALEA_CHECK(condition) \
  ((condition) ? void() : ::talea::CheckFailed(#condition, __FILE__, __LINE__))
