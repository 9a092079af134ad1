#include "cli/check_progress.h"

#include <gtest/gtest.h>

#include "tests/support/history_text.h"

namespace isolde::cli {
namespace {

TEST(CheckProgress, SaysWhichEvidenceWouldMakeACheckFaster) {
  const History values = hist("T1: w x1 | T2: r x1 w x2");
  EXPECT_EQ(faster_evidence(values, Level::kSerializable),
            "the expected serialization order (order) or version orders (version_order lines, or lists that are "
            "appended to)");
  EXPECT_EQ(faster_evidence(values, Level::kSnapshotIsolation).substr(0, 41),
            "database timestamps (start_ts, commit_ts)");
  EXPECT_EQ(faster_evidence(hist("T1: a x1 | T2: r x[1]"), Level::kReadCommitted), "") << "nothing is searched for";
}

}  // namespace
}  // namespace isolde::cli
