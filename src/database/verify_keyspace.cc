#include "database/verify_keyspace.h"

#include <fmt/format.h>

#include <optional>

#include "base/coding.h"
#include "coordination/row_digest.h"

namespace talea {
namespace {

class KeyspaceVerifier {
 public:
  KeyspaceVerifier(const Keyspace& keyspace, RowCheck& check)
      : check_(check), report_{.keyspace = keyspace} {}

  void Check(const Row& row) {
    ++report_.rows;
    report_.bytes += row.key.size() + row.value.size();
    digest_.Add(report_.keyspace, row);
    CheckOrder(row);
    if (report_.keyspace.pattern == AccessPattern::counter) CheckCounter(row);
    check_.Check(row, problems_);
  }

  // What lies in this range and behind it cannot be read.
  KeyspaceReport FailAt(const KeyRange& range, const Error& error) {
    problems_.Note(fmt::format("keyspace {}, keys {}: {}", Quoted(report_.keyspace.name),
                               range.ToString(), error.message()));
    return Report();
  }

  KeyspaceReport Finish() {
    check_.Finish(problems_);
    report_.digest = digest_.Hex();
    return Report();
  }

  KeyspaceReport Report() {
    report_.problem_count = problems_.count();
    report_.problems = problems_.first();
    return std::move(report_);
  }

 private:
  void CheckOrder(const Row& row) {
    if (before_ && row.key <= *before_) {
      Note("key", row.key, fmt::format("expected a key after {}", Quoted(*before_)));
    }
    before_ = row.key;
  }

  void CheckCounter(const Row& row) {
    const std::optional<std::int64_t> sum = DecodeCounter(row.value);
    if (!sum) {
      Note("counter", row.key, fmt::format("expected 8 bytes, found {}", row.value.size()));
    } else if (*sum == 0) {
      Note("counter", row.key, "expected a sum of 0 to be absent, found it");
    }
  }

  void Note(std::string_view what, ByteView key, std::string_view complaint) {
    problems_.Note(fmt::format("keyspace {}, {} {}: {}", Quoted(report_.keyspace.name), what,
                               Quoted(key), complaint));
  }

  RowCheck& check_;
  KeyspaceReport report_;
  Problems problems_{kMostProblems};
  RowDigest digest_;
  std::optional<std::string> before_;
};

}  // namespace

KeyspaceReport VerifyKeyspace(Reader& reader, const Keyspace& keyspace, RowCheck& check,
                              const std::function<bool(std::uint64_t rows)>& advance) {
  KeyspaceVerifier verifier(keyspace, check);
  std::optional<KeyRange> rest = KeyRange::All();
  while (rest) {
    const Result<Page> page = reader.Range(keyspace, *rest);
    if (!page) return verifier.FailAt(*rest, page.error());
    for (const Row row : *page) verifier.Check(row);
    rest = page->rest();
    if (!advance(page->size())) return verifier.Report();
  }
  return verifier.Finish();
}

}  // namespace talea
