// Checks of the steps by which a ledger came to where it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/standing.h"
#include "coordination/row_check.h"

namespace talea::chain {

// Is shown the rows of steps, and then those of points, each in ascending order.
//
// Of the steps that can be taken back it expects that there is each up to the newest; that each
// begins where the one before it led, and the newest led to the cursor; and that each has its undo
// record, and the row of the point it led to. Points must not tell of steps that led elsewhere, or
// are still to come; steps that were forgotten are not asked for.
class StepChecks {
 public:
  explicit StepChecks(const CheckedDatabase& database);

  Status TakeStep(const Row& row, Problems& problems);
  Status TakePoint(const Row& row, Problems& problems);

  // After the last step, before the first point; more calls do nothing.
  void EndSteps(Problems& problems);
  void EndPoints(Problems& problems) { CheckPoints(problems); }

 private:
  struct Step {
    std::uint64_t number;
    std::optional<StepRow> row;  // nothing: it cannot be read
  };
  struct Point {
    Cursor cursor;
    std::uint64_t step;
  };

  Status CheckSequence(const Step& step) const;
  void CheckSteps(Problems& problems);
  Status CheckNewest(const Step& newest) const;
  Status CheckForgotten() const;
  Status CheckUndo(const Step& step, const std::optional<std::string>& undo) const;
  Status CheckPointRow(const Step& step, const std::optional<std::string>& point) const;
  void CheckPoints(Problems& problems);
  Status CheckPoint(const Point& point, const std::optional<std::string>& step) const;
  void Note(ByteView key, const Status& status, Problems& problems) const;

  const CheckedDatabase database_;
  std::optional<Standing> standing_;  // nothing where rows are not judged by it
  std::optional<Step> last_;
  bool ended_ = false;         // there are no more steps
  std::vector<Step> steps_;    // that are still to be compared with other rows
  std::vector<Point> points_;  // likewise
};

}  // namespace talea::chain
