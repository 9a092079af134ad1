#include "hunt/bug_report.h"

#include <gtest/gtest.h>

#include "hunt/finding/finding_file.h"
#include "hunt/session_script.h"
#include "tests/support/effort.h"
#include "tests/support/random_finding.h"

namespace isolde::hunt {
namespace bug_report_test {

TEST(BugReport, AFindingIsToldStepByStep) {
  const auto finding = read_finding(ISOLDE_SOURCE_DIR "/tests/corpus/hunt/postgres_15_3_merge_lost_update.finding");
  ASSERT_TRUE(finding) << finding.error().message();
  const std::string report = bug_report_text(*finding);
  const std::string_view begins =
      R"(**PostgreSQL 15.3**, repeatable read: the versions that were read and written break the level (lost-update).

Tables:

```sql
create table hunt_t0 (pkey bigint primary key, vkey bigint, c0 bigint);
insert into hunt_t0 (pkey, vkey, c0) values (1, 1, 10);
```

Sessions, one a transaction, step by step in this order:

```sql
-- session 2
begin isolation level repeatable read;
select * from hunt_t0;  -- to see what is there
select r0.c0 from hunt_t0 as r0;
-- session 1
begin isolation level repeatable read;
select * from hunt_t0;  -- to see what is there
merge into hunt_t0 as r0
    using (select 1 as k) as r1 on r0.pkey = r1.k
    when matched then update set vkey = 1001, c0 = r0.c0 + 1;
select * from hunt_t0;  -- to see what is there
commit;
-- session 2
select * from hunt_t0;  -- to see what is there
merge into hunt_t0 as r0
    using (select 1 as k) as r1 on r0.pkey = r1.k
    when matched then update set vkey = 1002, c0 = r0.c0 + 1;
select * from hunt_t0;  -- to see what is there
commit;
```

Expected:

```
T2 does not commit: it has not seen the version of the row that T1 wrote, and overwrites it
```

Actual:

```
T2 commits
```

The documentation says: "The Repeatable Read isolation level)";
  EXPECT_EQ(report.substr(0, begins.size()), begins);
  EXPECT_TRUE(report.ends_with("\nFound by isolde hunt (seed 0).\n")) << report;
}

// The script alone shows the steps, in their order, each in its session.
TEST(BugReport, AScriptPlaysTheSessions) {
  const auto finding = read_finding(ISOLDE_SOURCE_DIR "/tests/corpus/hunt/postgres_15_3_merge_lost_update.finding");
  ASSERT_TRUE(finding) << finding.error().message();
  const std::string script = session_script(*finding);
  EXPECT_NE(bug_report_text(*finding).find(script), std::string::npos);
  std::size_t at = 0;
  for (const std::string_view part :
       {"#!/usr/bin/env bash\n", "create table hunt_t0", "insert into hunt_t0", "say 2 <<'END_OF_SQL'\nbegin isolation",
        "select r0.c0", "say 1 <<'END_OF_SQL'\nbegin isolation", "vkey = 1001", "say 1 <<'END_OF_SQL'\ncommit;",
        "vkey = 1002", "say 2 <<'END_OF_SQL'\ncommit;"}) {
    const std::size_t found = script.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << " is not in\n" << script;
    at = found;
  }
  Finding shared = *finding;
  shared.dialect = "sqlite";
  shared.level = "shared-cache read_uncommitted deferred";
  EXPECT_EQ(session_script(shared), "");
}

TEST(BugReport, NoTextEndsItsFence) {
  auto finding = read_finding(ISOLDE_SOURCE_DIR "/tests/corpus/hunt/postgres_15_3_merge_lost_update.finding");
  ASSERT_TRUE(finding);
  finding->actual = "```\n````x";
  EXPECT_NE(bug_report_text(*finding).find("`````\n```\n````x\n`````\n"), std::string::npos);
}

TEST(BugReport, AnyFindingCanBeTold) {
  for (const std::uint64_t seed : effort::seeds(0, 500)) {
    Rng rng(seed);
    EXPECT_FALSE(bug_report_text(test::random_finding(rng)).empty());
  }
}

}  // namespace bug_report_test
}  // namespace isolde::hunt
