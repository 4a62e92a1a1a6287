// Data to look at, for a database that has none yet.
#pragma once

#include <vector>

#include "talea/database.h"
#include "talea/keyspace.h"
#include "talea/result.h"

namespace talea::cli {

// What the sample is in: a database that it is to be written to has to be opened with them.
std::vector<Keyspace> SampleKeyspaces();

// Writes a made-up web site's pages, how often each was visited on each of the last days, indexes
// of the pages by section and by visits, and a ledger; the same each time. It goes in several
// commits, and moves Progress("sample") on the way: called again it goes on where it was
// interrupted, and once it is done it does nothing. Fails with precondition_failed, changing
// nothing, if it has not begun and the database is not empty.
Status WriteSample(Database& database);

}  // namespace talea::cli
