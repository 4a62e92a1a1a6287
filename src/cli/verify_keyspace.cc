#include "cli/verify_keyspace.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <memory>
#include <optional>

#include "cli/rows.h"
#include "talea/tuple.h"

namespace talea::cli {
namespace {

constexpr std::string_view kBookkeeping = "talea";  // the keyspace whose keys are all tuples

// A hash of rows in their order; lengths keep one division of the bytes from looking like another.
class Digest {
 public:
  Digest() : state_(XXH3_createState(), XXH3_freeState) { XXH3_128bits_reset(state_.get()); }

  void Add(const Row& row) {
    for (const ByteView bytes : {row.key, row.value}) {
      const std::uint64_t size = bytes.size();
      XXH3_128bits_update(state_.get(), &size, sizeof size);
      XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
    }
  }

  std::string ToString() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

class KeyspaceVerifier {
 public:
  explicit KeyspaceVerifier(const Keyspace& keyspace) { report_.keyspace = &keyspace; }

  void Check(const Row& row) {
    ++report_.rows;
    report_.bytes += row.key.size() + row.value.size();
    digest_.Add(row);
    CheckOrder(row);
    CheckContents(row);
  }

  void Note(const std::string& problem) {
    if (++report_.problem_count <= kMostProblems) report_.problems.push_back(problem);
  }

  KeyspaceReport Finish(bool read_all) {
    if (read_all) report_.digest = digest_.ToString();
    return std::move(report_);
  }

  std::string About(ByteView key, std::string_view complaint) const {
    return fmt::format("keyspace {}, key {}: {}", Quoted(report_.keyspace->name), Quoted(key),
                       complaint);
  }

 private:
  void CheckOrder(const Row& row) {
    if (before_ && row.key <= *before_) {
      Note(About(row.key, fmt::format("expected a key after {}", Quoted(*before_))));
    }
    before_ = row.key;
  }

  void CheckContents(const Row& row) {
    if (report_.keyspace->pattern == AccessPattern::counter) {
      const Result<std::int64_t> sum = CounterValue(*report_.keyspace, row);
      if (!sum) Note(sum.error().message());
      if (sum && *sum == 0) Note(About(row.key, "expected a sum of 0 to be absent, found it"));
    }
    if (report_.keyspace->name == kBookkeeping) {
      const Result<Tuple> tuple = Unpack(row.key);
      if (!tuple) Note(About(row.key, tuple.error().message()));
    }
  }

  KeyspaceReport report_;
  Digest digest_;
  std::optional<std::string> before_;
};

}  // namespace

KeyspaceReport VerifyKeyspace(Reader& reader, const Keyspace& keyspace,
                              const std::function<bool(std::uint64_t rows)>& advance) {
  KeyspaceVerifier verifier(keyspace);
  std::optional<KeyRange> rest = KeyRange::All();
  while (rest) {
    const Result<Page> page = reader.Range(keyspace, *rest);
    if (!page) {
      verifier.Note(fmt::format("keyspace {}, keys {}: {}", Quoted(keyspace.name), rest->ToString(),
                                page.error().message()));
      return verifier.Finish(false);
    }
    for (const Row row : *page) verifier.Check(row);
    rest = page->rest();
    if (!advance(page->size())) return verifier.Finish(false);
  }
  return verifier.Finish(true);
}

}  // namespace talea::cli
