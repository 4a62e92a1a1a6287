#include "engine/overlay_page.h"

#include <algorithm>

namespace talea {
namespace {

std::vector<ByteView> KeysWithin(const std::set<ByteView>& keys, const KeyRange& range,
                                 bool reverse) {
  std::vector<ByteView> within;
  for (auto key = keys.lower_bound(range.begin()); key != keys.end() && range.Contains(*key);
       ++key) {
    within.push_back(*key);
  }
  if (reverse) std::ranges::reverse(within);
  return within;
}

// How many rows of the page lie before the rest.
std::size_t CountBefore(const Page& page, const std::optional<KeyRange>& rest) {
  std::size_t count = page.size();
  while (rest && count > 0 && rest->Contains(page[count - 1].key)) --count;
  return count;
}

}  // namespace

KeyRange Covered(const KeyRange& range, const std::optional<KeyRange>& rest, bool reverse) {
  if (!rest) return range;
  if (!reverse) return range.EndingAt(rest->begin());
  const std::optional<std::string>& end = rest->end();
  return end ? range.StartingAt(*end) : range.EndingAt(range.begin());  // no end: nothing was read
}

Page LayOver(const KeyRange& range, const Page& stored, const std::optional<KeyRange>& rest,
             KeyspaceOverlay& overlay, const PageOptions& options) {
  const KeyRange covered = Covered(range, rest, options.reverse);
  const std::vector<ByteView> written = KeysWithin(overlay.ordered(), covered, options.reverse);
  const std::size_t rows = CountBefore(stored, rest);
  Page page;
  page.SetVersion(stored.version());
  std::size_t row = 0;
  std::size_t write = 0;
  while (row < rows || write < written.size()) {
    if (page.Full(options)) {
      page.SetRestAfterLastRow(range, options.reverse);
      return page;
    }
    const bool has_row = row < rows;
    const bool has_write = write < written.size();
    const bool same = has_row && has_write && stored[row].key == written[write];
    const bool row_first =
        has_row && (!has_write || same || (stored[row].key < written[write]) != options.reverse);
    const ByteView key = row_first ? stored[row].key : written[write];
    const std::optional<ByteView> base =
        row_first ? std::optional(stored[row].value) : std::nullopt;
    if (const std::optional<std::string> value = overlay.Resolve(key, base))
      page.Append(key, *value);
    if (row_first) ++row;
    if (same || !row_first) ++write;
  }
  page.SetRest(rest);
  return page;
}

}  // namespace talea
