// The exact search by its smallest cases: what no single rule sees, and what just is possible.
#include <gtest/gtest.h>

#include <string>

#include "check/mirror/mirror.h"
#include "check/mirror/mirror_testing.h"
#include "tests/support/native_history.h"

namespace isolde::mirror {
namespace exact_test {

struct Followed {
  Told told;
  OnlineCounts counts;

  // "no-order (2,1)": each violation with its transactions.
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const OnlineViolation& v : told.violations) {
      if (!all.empty()) all += ' ';
      all += full_name(v.kind, v.variant) + "(";
      for (std::size_t i = 0; i < v.transactions.size(); ++i) all += (i == 0 ? "" : ",") + v.transactions[i];
      all += ")";
    }
    return all;
  }
};

Profile named(std::string_view name) { return *profile_named(name); }
Profile cycles() {
  Profile p = named("snapshot-isolation");
  p.name = "cycles";
  p.first_updater_wins = false;
  p.certifier = Certifier::kCycles;
  return p;
}

// `restarts`: saved and loaded before every transaction. `missing`: a session is, until transaction `missing`.
Followed run(const Profile& profile, std::string_view lines, bool restarts = false, std::uint32_t missing = 0) {
  const auto chunk = std::make_shared<const Chunk>(native(lines));
  Followed result;
  auto engine = make_mirror({.profile = profile}, result.told);
  engine->begin(*chunk);
  for (std::uint32_t t = 0; t < chunk->history.txn_count(); ++t) {
    engine->advance({.now = 0, .watermark = chunk->history.begin(TxnId{t}), .complete = t >= missing});
    if (restarts) {
      StateWriter out;
      engine->save(out);
      engine = make_mirror({.profile = profile}, result.told);
      StateReader in(out.bytes());
      EXPECT_TRUE(engine->load(in));
    }
    engine->take({chunk, TxnId{t}, false});
  }
  engine->finish();
  result.counts = engine->counts();
  return result;
}

// Two writers that overlap, then one who saw each of them last.
constexpr std::string_view kBothLast =
    R"({"id":1,"session":1,"begin":0,"end":20,"ops":[["w","x",1,{"at":[5,10]}]]}
{"id":2,"session":2,"begin":0,"end":20,"ops":[["w","x",2,{"at":[5,10]}]]}
{"id":3,"session":3,"begin":30,"end":40,"ops":[["r","x",1,{"at":[31,32]}]]}
{"id":4,"session":4,"begin":50,"end":60,"ops":[["r","x",2,{"at":[51,52]}]]}
)";

TEST(MirrorExact, OfTwoWhoOverlapOneWasLastForEverybody) {
  Profile rows;
  rows.name = "rows";
  rows.reads = Reads::kCommitted;
  EXPECT_EQ(run(rows, kBothLast).text(), "no-order(4,3)");
}

// While a session is missing nothing is searched, and afterwards not from a known state: whatever that hides is
// counted. Reads without a moment are searched at the end, if they are still held.
TEST(MirrorExact, WhatCannotBeSearchedIsCounted) {
  Profile rows;
  rows.name = "rows";
  rows.reads = Reads::kCommitted;
  for (const std::uint32_t missing : {1U, 2U, 3U}) {
    const Followed result = run(rows, kBothLast, false, missing);
    EXPECT_TRUE(result.text() == "no-order(4,3)" || result.counts.unsearched > 0) << missing << result.text();
  }
  EXPECT_EQ(run(rows, kBothLast).counts.unsearched, 0U);
  const std::string cycle =
      R"({"id":1,"session":1,"begin":0,"end":20,"ops":[["w","x",1,{"at":[1,2]}],["w","y",1,{"at":[3,4]}]]}
{"id":2,"session":2,"begin":0,"end":20,"ops":[["w","x",2,{"at":[1,2]}],["w","y",2,{"at":[3,4]}]]}
{"id":3,"session":3,"begin":30,"end":40,"ops":[["r","x",1,{"at":[31,32]}],["r","y",2,{"at":[33,34]}]]}
)";
  std::string others;
  for (int i = 100; i < 160; ++i)
    others += R"({"id":)" + std::to_string(i) + R"(,"session":4,"begin":)" + std::to_string(i) + R"(,"end":)" +
              std::to_string(i) + R"(,"ops":[["w","z)" + std::to_string(i) + R"(",1]]})" + "\n";
  EXPECT_EQ(run(named("serializable"), cycle).counts.unsearched, 0U);
  EXPECT_GT(run(named("serializable"), cycle + others).counts.unsearched, 0U) << "it was let go";
}

TEST(MirrorExact, WhatIsOpenIsCarriedOverARestart) {
  Profile rows;
  rows.name = "rows";
  rows.reads = Reads::kCommitted;
  EXPECT_EQ(run(rows, kBothLast, true).text(), "no-order(4,3)");
}

TEST(MirrorExact, WhicheverOfTwoWritersComesFirstACycleCloses) {
  // Both wrote x and y; one reader has x of the first and y of the second, and neither's other key.
  const std::string lines =
      R"({"id":1,"session":1,"begin":0,"end":20,"ops":[["w","x",1,{"at":[1,2]}],["w","y",1,{"at":[3,4]}]]}
{"id":2,"session":2,"begin":0,"end":20,"ops":[["w","x",2,{"at":[1,2]}],["w","y",2,{"at":[3,4]}]]}
{"id":3,"session":3,"begin":30,"end":40,"ops":[["r","x",1,{"at":[31,32]}],["r","y",2,{"at":[33,34]}]]}
)";
  EXPECT_EQ(run(named("serializable"), lines).text(), "no-order(3,2,1)");
  EXPECT_EQ(run(named("strict-serializable"), lines).text(), "no-order(3,2,1)");
  EXPECT_EQ(run(named("read-committed"), lines).text(), "");
}

TEST(MirrorExact, AppendsThatOverlapStandInOneOrder) {
  const auto lines = [](std::string_view seen, std::string_view later) {
    return std::string(R"({"id":1,"session":1,"begin":0,"end":20,"ops":[["append","x",1,{"at":[5,10]}]]}
{"id":2,"session":2,"begin":0,"end":20,"ops":[["append","x",2,{"at":[5,10]}]]}
{"id":3,"session":3,"begin":30,"end":40,"ops":[["r","x",)") +
           std::string(seen) + R"(,{"at":[31,32]}]]}
{"id":4,"session":4,"begin":50,"end":60,"ops":[["r","x",)" +
           std::string(later) + R"(,{"at":[51,52]}]]})";
  };
  EXPECT_EQ(run(cycles(), lines("[1,2]", "[1,2]")).text(), "");
  EXPECT_EQ(run(cycles(), lines("[1,2]", "[2,1]")).text(), "no-order(4,3)");
  EXPECT_EQ(run(cycles(), lines("[1]", "[1]")).text(), "no-order(3,2)");
  // Without a lock or a certifier nothing says what each was made to; but whichever was last stays.
  Profile snapshots = cycles();
  snapshots.certifier = Certifier::kNone;
  EXPECT_EQ(run(snapshots, lines("[1]", "[1]")).text(), "");
  EXPECT_EQ(run(snapshots, lines("[1]", "[2]")).text(), "no-order(4,3)");
}

TEST(MirrorExact, AListThatIsReadBeforeItsAppendIsNotGarbageWhereReadsHaveNoMoment) {
  const std::string lines =
      R"({"id":1,"session":1,"begin":0,"end":20,"ops":[["r","x",[1],{"at":[5,10]}]]}
{"id":2,"session":2,"begin":30,"end":40,"ops":[["append","x",1,{"at":[35,36]}]]}
)";
  EXPECT_EQ(run(named("serializable"), lines).text(), "");
  EXPECT_EQ(run(named("read-committed"), lines).text(), "");
}

TEST(MirrorExact, ARuleThatFindsItFirstKeepsItsName) {
  const std::string lines =
      R"({"id":1,"session":1,"begin":0,"end":20,"ops":[["w","x",1,{"at":[5,10]}]]}
{"id":2,"session":2,"begin":21,"end":30,"ops":[["r","x",null,{"at":[22,25]}]]}
{"id":3,"session":3,"begin":31,"end":40,"ops":[["r","x",1,{"at":[32,35]}]]}
)";
  EXPECT_EQ(run(named("postgres:repeatable-read"), lines).text(), "GSIb(2,1)");
}

// Far more than is looked back at; then the same fault.
TEST(MirrorExact, ALongPastDoesNotHideIt) {
  Profile rows;
  rows.name = "rows";
  rows.reads = Reads::kCommitted;
  const auto shifted = [](std::string_view id, int begin, std::string_view op) {
    return "{\"id\":" + std::string(id) + ",\"session\":" + std::string(id) + ",\"begin\":" + std::to_string(begin) +
           ",\"end\":" + std::to_string(begin + 20) + ",\"ops\":[[" + std::string(op) + ",{\"at\":[" +
           std::to_string(begin + 5) + "," + std::to_string(begin + 10) + "]}]]}\n";
  };
  std::string lines;
  int at = 0;
  for (int i = 100; i < 300; ++i, at += 30) lines += shifted(std::to_string(i), at, R"("w","x",)" + std::to_string(i));
  lines += shifted("1", at, R"("w","x",1)");
  lines += shifted("2", at, R"("w","x",2)");
  lines += shifted("3", at + 30, R"("r","x",1)");
  EXPECT_EQ(run(rows, lines + shifted("4", at + 60, R"("r","x",1)")).text(), "");
  EXPECT_EQ(run(rows, lines + shifted("4", at + 60, R"("r","x",2)")).text(), "no-order(4,3)");
}

// Too many who overlap on one key: nothing is said, and that is counted.
TEST(MirrorExact, WhatIsTooLargeIsCountedAndNotTold) {
  Profile rows;
  rows.name = "rows";
  rows.reads = Reads::kCommitted;
  std::string lines;
  for (int i = 0; i < 30; ++i)
    lines += R"({"id":)" + std::to_string(i) + R"(,"session":)" + std::to_string(i) +
             R"(,"begin":0,"end":20,"ops":[["w","x",)" + std::to_string(i % 2) + R"(,{"at":[5,10]}]]})" + "\n";
  lines += R"({"id":100,"session":100,"begin":10,"end":40,"ops":[["r","x",1,{"at":[11,32]}]]})";
  const Followed result = run(rows, lines);
  EXPECT_EQ(result.text(), "");
  EXPECT_GT(result.counts.unsearched, 0U);
}

}  // namespace exact_test
}  // namespace isolde::mirror
