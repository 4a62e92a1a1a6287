// What a verification has found, as it is shown.
#pragma once

#include <string>

#include "json/json.h"
#include "talea/verify.h"
#include "terminal/screen.h"

namespace talea::cli {

// A table of keyspaces, what is wrong with them, and whether all is well.
std::string ReportForPeople(const VerifyReport& report, const Screen& screen);

JsonObject ReportAsJson(const VerifyReport& report);

}  // namespace talea::cli
