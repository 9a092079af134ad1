// tests/support/small_story.h: an anomaly written by hand as SQL, for tests of what runs it.
//
//   SmallStory story = small_story({.schema = "create table cart (id int primary key, total int)",
//                                   .transactions = {{"select total from cart where id = 1",
//                                                     "update cart set total = 5 where id = 1"}},
//                                   .members = {0, 0},
//                                   .order = "T1.1 T2.1 T1.2 C1 T2.2 C2",
//                                   .edges = {"T1.1 T2.2 cart.total", "T2.1 T1.2 cart.total"}});
#pragma once

#include <string>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/story/story.h"
#include "audit/trace/log.h"

namespace isolde::audit::testing {

struct StoryText {
  SqlDialect dialect = SqlDialect::kMysql;
  std::string schema;  // DDL
  std::vector<std::vector<std::string>> transactions = {};
  std::vector<std::uint32_t> members = {};  // T1, T2 …: which transaction each of them runs
  std::string order;                        // T1.2: the second statement of T1; C1: its commit
  std::vector<std::string> edges = {};      // from, to, column; rw, wr or ww as the two statements are SELECTs or not
};

struct SmallStory {
  TraceLog log;
  Classes classes;
  Anomaly anomaly;
};

// A mistake in the text fails the test. Classes know no variables.
[[nodiscard]] SmallStory small_story(const StoryText& text);

}  // namespace isolde::audit::testing
