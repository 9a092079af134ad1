#include "check/mirror/windows.h"

#include <gtest/gtest.h>

#include "check/mirror/moments.h"
#include "tests/support/native_history.h"

namespace isolde::mirror {
namespace windows_test {

struct Measured {
  TxnWindows of;
  std::vector<Window> ops;
};

// One transaction with a write answered at 20.
Measured measured(std::string_view fields) {
  const History h = native(R"({"session":1,"begin":1,)" + std::string(fields) +
                           R"(,"ops":[["w","x",1,{"at":[10,20]}],["w","y",1]]})" + "\n");
  Measured m;
  m.of = measure(h, TxnId{0}, m.ops);
  return m;
}
std::pair<std::int64_t, std::int64_t> commit(std::string_view fields) {
  const TxnWindows of = measured(fields).of;
  return {of.commit_lo, of.commit_hi};
}
using Pair = std::pair<std::int64_t, std::int64_t>;

TEST(MirrorWindows, TheCommitLiesWithinItsIntervalElseAfterTheLastAnswer) {
  EXPECT_EQ(commit(R"("end":90)"), Pair(20, 90));
  EXPECT_EQ(commit(R"("end":90,"commit":[40,50])"), Pair(40, 50));
  EXPECT_EQ(commit(R"("end":90,"commit":[40,null])"), Pair(40, 90));
  EXPECT_EQ(commit(R"("commit":[40,50])"), Pair(40, 50));
  EXPECT_EQ(commit(R"("end":20,"commit":[10,20])"), Pair(10, 20)) << "by itself, or pipelined";
}

TEST(MirrorWindows, AnUnknownCommitMayComeAtAnyTimeAfterItWasSent) {
  EXPECT_EQ(commit(R"("status":"unknown","end":90)"), Pair(20, kNever));
  EXPECT_EQ(commit(R"("status":"unknown","end":90,"commit":[40,50])"), Pair(40, kNever));
  EXPECT_EQ(commit(R"("status":"unknown","commit":[40,null])"), Pair(40, kNever));
}

TEST(MirrorWindows, AnAbortedTransactionMayLetGoBeforeItsClientAsks) {
  EXPECT_EQ(commit(R"("status":"aborted","end":90)"), Pair(20, 90));
  EXPECT_EQ(commit(R"("status":"aborted","end":90,"commit":[40,50])"), Pair(20, 50));
}

TEST(MirrorWindows, AnOperationWithoutAnIntervalComesNoLaterThanTheCommit) {
  EXPECT_EQ(measured(R"("end":90)").ops[1].hi, 90);
  EXPECT_EQ(measured(R"("end":90,"commit":[40,50])").ops[1].hi, 50);
  EXPECT_EQ(measured(R"("status":"unknown","end":90,"commit":[40,50])").ops[1].hi, kNever);
}

}  // namespace windows_test
}  // namespace isolde::mirror
