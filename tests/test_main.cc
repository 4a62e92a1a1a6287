// The main of every test executable. It makes RapidCheck follow the rule of all our tests: the same
// seed every time, another one with TALEA_SEED, and with TALEA_LONG more cases and a new seed,
// which a failure prints.
#include <gmock/gmock.h>
#include <rapidcheck/detail/Configuration.h>

#include <cstdlib>
#include <string>

namespace {

std::string RapidCheckParameters() {
  const char* seed = std::getenv("TALEA_SEED");
  const bool longer = std::getenv("TALEA_LONG") != nullptr;
  std::string parameters;
  if (seed != nullptr || !longer)
    parameters = std::string("seed=") + (seed != nullptr ? seed : "1");
  if (longer) parameters += " max_success=1000";
  return parameters;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  // RapidCheck reads its parameters once, from the environment alone. Who has set them knows
  // better.
  if (std::getenv("RC_PARAMS") == nullptr && !testing::GTEST_FLAG(list_tests)) {
    setenv("RC_PARAMS", RapidCheckParameters().c_str(), 1);
    rc::detail::configuration();
    unsetenv("RC_PARAMS");
  }
  return RUN_ALL_TESTS();
}
