// Every row of the index of Elle's own tests: the verdict that Elle gives, and the anomalies that it names. Where ours
// differs, the row names the entry of docs/differences.md that says why; a row that is neither fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <regex>

#include "check/choose/choose.h"
#include "check/choose/engines.h"
#include "format/format.h"
#include "proof/prove.h"
#include "tests/support/index_table.h"
#include "tests/support/key_assumptions.h"

namespace isolde {
namespace elle_test {

struct Row {
  std::string file, options, expected, anomalies;
};

std::vector<Row> elle_rows() {
  std::vector<Row> rows;
  for (auto& cells : table_rows(kSharedHistories + "/elle/INDEX.tsv", 5)) {
    rows.push_back({cells[0], cells[2], cells[3], cells[4]});
  }
  return rows;
}

// The level that forbids what Elle is asked to look for. Asked for a level, we look for all that it forbids.
struct Asked {
  std::string_view option;
  Level level;
};
constexpr Asked kByAnomaly[] = {
    {"anomalies=G0", Level::kReadUncommitted},
    {"anomalies=G1", Level::kReadCommitted},
    {"anomalies=G-single", Level::kRepeatableRead},
    {"anomalies=G2", Level::kSerializable},
    {"anomalies=dirty-update", Level::kReadCommitted},
    {"anomalies=internal", Level::kReadAtomic},
    {"internal-cases", Level::kReadAtomic},
};

// What differs, and why. `options` empty: every row of the file.
struct Difference {
  std::string_view file, options;
  enum What : std::uint8_t { kVerdict, kNames } what;
  std::string_view entry;
};
constexpr std::string_view kByAnomalyEntry = "Searching by anomaly";
constexpr std::string_view kGarbage = "Values that nobody wrote";
constexpr std::string_view kOneCycle = "One cycle for each tangle";
constexpr std::string_view kFuture = "Reads of the future";
constexpr std::string_view kUnborn = "Keys that are not there yet";
constexpr std::string_view kNoOrder = "Lists that no order explains";
constexpr Difference kDifferences[] = {
    {"list_append/g0.edn", "anomalies=G2", Difference::kVerdict, kByAnomalyEntry},
    {"list_append/g1a.edn", "anomalies=G2", Difference::kVerdict, kByAnomalyEntry},
    {"list_append/g1c.edn", "anomalies=G2", Difference::kVerdict, kByAnomalyEntry},
    {"rw_register/g1c.edn", "anomalies=G2", Difference::kVerdict, kByAnomalyEntry},
    {"list_append/g1b.edn", "anomalies=G2", Difference::kNames, kByAnomalyEntry},
    {"list_append/g1b.edn", "strict-serializable", Difference::kNames, "An intermediate read is no version"},
    {"list_append/contradictory_read_orders.edn", "anomalies=G1", Difference::kNames, kNoOrder},
    {"list_append/duplicate_elements.edn", "read-committed", Difference::kNames, kNoOrder},
    {"list_append/unobserved_write.edn", "", Difference::kNames, kOneCycle},
    {"list_append/int_good.edn", "", Difference::kVerdict, kGarbage},
    {"list_append/future_read.edn", "", Difference::kNames, kFuture},
    {"list_append/future_read_external.edn", "", Difference::kNames, kFuture},
    {"list_append/future_read_internal.edn", "", Difference::kNames, kFuture},
    {"rw_register/read_of_unwritten_value.edn", "", Difference::kVerdict, kGarbage},
    {"rw_register/cyclic_versions_linearizable_keys.edn", "", Difference::kNames, kGarbage},
    {"rw_register/g2_item_linearizable_keys.edn", "read-committed; linearizable-keys", Difference::kVerdict, kGarbage},
    {"rw_register/g2_item_linearizable_keys.edn", "anomalies=G2; linearizable-keys", Difference::kNames, kGarbage},
    {"rw_register/wfr.edn", "serializable; wfr-keys=false", Difference::kVerdict, kGarbage},
    {"rw_register/wfr.edn", "serializable; wfr-keys=true", Difference::kNames, kGarbage},
    {"rw_register/lost_update.edn", "", Difference::kNames, kGarbage},
    {"rw_register/scc_sort_bug.edn", "", Difference::kNames, kOneCycle},
    {"histories/huge-scc.edn", "", Difference::kNames, kOneCycle},
    {"closed_predicate/ww_wr_rw_item.edn", "", Difference::kNames, kUnborn},
    {"closed_predicate/init_g_single_pred.edn", "", Difference::kNames, kUnborn},
};

// A row may ask for several levels; each is judged.
struct Question {
  std::vector<Level> levels;
  std::vector<std::string> assumptions;
};

Question question_of(const std::string& options) {
  Question q;
  std::stringstream cut(options);
  for (std::string part; std::getline(cut, part, ';');) {
    part.erase(0, part.find_first_not_of(' '));
    const auto asked =
        std::find_if(std::begin(kByAnomaly), std::end(kByAnomaly), [&](const Asked& a) { return a.option == part; });
    if (asked != std::end(kByAnomaly)) {
      q.levels.push_back(asked->level);
      continue;
    }
    bool is_level = false;
    std::stringstream several(part);
    for (std::string name; std::getline(several, name, '+');) {
      if (const auto level = level_named(name)) {
        q.levels.push_back(*level);
        is_level = true;
      }
    }
    if (!is_level) q.assumptions.push_back(part);
  }
  return q;
}

History with_assumption(const History& h, const std::string& assumption) {
  if (assumption == "linearizable-keys") return with_versions_ordered(h, in_real_time);
  if (assumption == "sequential-keys") return with_versions_ordered(h, in_session_order);
  EXPECT_TRUE(assumption.starts_with("transaction-order={")) << "what is " << assumption << "?";
  std::vector<int> place(h.txn_count(), 0);
  const std::regex pair("(\\d+) (\\d+)");
  for (std::sregex_iterator at(assumption.begin(), assumption.end(), pair), end; at != end; ++at) {
    place.at(std::stoul((*at)[1])) = std::stoi((*at)[2]);
  }
  return with_versions_by_place(h, place);
}

// Says how Elle's search went, and names nothing in the history.
bool is_about_the_search(const std::string& name) {
  return name == "empty-transaction-graph" || name == "cycle-search-timeout" || name.ends_with("-cycle-exists");
}

std::optional<AnomalyKind> kind_of(const std::string& name) {
  if (name == "predicate-read-miss") return AnomalyKind::kResultSetMismatch;
  if (name == "future-read") return std::nullopt;
  return anomaly_named(name);
}

struct Answer {
  Outcome outcome = Outcome::kSatisfied;
  std::array<std::uint64_t, kAnomalyCount> counts{};
  std::string text;
};

Answer ask(const Row& row) {
  Answer answer;
  const auto loaded = load(kSharedHistories + "/elle/" + row.file, nullptr, {});
  if (!loaded) {
    ADD_FAILURE() << loaded.error().message();
    return answer;
  }
  const Question q = question_of(row.options);
  EXPECT_FALSE(q.levels.empty()) << "no level";
  std::optional<History> assumed;
  for (const std::string& assumption : q.assumptions) {
    // That a transaction's write follows what it read of the key is what these levels say anyway.
    if (assumption.starts_with("wfr-keys")) continue;
    assumed.emplace(with_assumption(assumed ? *assumed : loaded->history, assumption));
  }
  const History& h = assumed ? *assumed : loaded->history;
  for (const Level level : q.levels) {
    const Choice choice = choose(h, level, {});
    const Verdict verdict = choice.engine->check(h, level, {});
    const auto proof = prove(h, verdict);
    EXPECT_TRUE(proof) << proof.error().message();
    answer.text += fmt::format(" {} {} {}", info(level).name, name(verdict.outcome), verdict.reason);
    for (const Anomaly& a : verdict.anomalies) answer.text += " " + full_name(a);
    for (std::size_t i = 0; i < answer.counts.size(); ++i) answer.counts[i] += verdict.counts[i];
    // Any level that is broken makes the row invalid.
    if (verdict.outcome == Outcome::kViolated || answer.outcome == Outcome::kSatisfied)
      answer.outcome = verdict.outcome;
  }
  return answer;
}

std::optional<std::string_view> difference(const Row& row, Difference::What what) {
  for (const Difference& d : kDifferences) {
    if (d.file == row.file && (d.options.empty() || d.options == row.options) && d.what == what) return d.entry;
  }
  return std::nullopt;
}

TEST(Elle, EveryRowOfItsTestsHasItsVerdictAndItsNamesOrAnEntryThatSaysWhyNot) {
  if (!has_shared_histories()) GTEST_SKIP() << kNoShared;
  std::size_t same = 0, different = 0;
  for (const Row& row : elle_rows()) {
    SCOPED_TRACE(row.file + " | " + row.options + " | " + row.expected + " | " + row.anomalies);
    const Answer answer = ask(row);
    SCOPED_TRACE(answer.text);
    // "unknown" is an empty graph: nothing contradicts the level.
    const Outcome expected = row.expected.starts_with("invalid") ? Outcome::kViolated : Outcome::kSatisfied;
    const bool verdict_differs = answer.outcome != expected;
    const auto verdict_entry = difference(row, Difference::kVerdict);
    EXPECT_EQ(verdict_differs, verdict_entry.has_value());
    EXPECT_NE(answer.outcome, Outcome::kUndecided);
    bool names_differ = false;
    std::stringstream names(row.anomalies);
    for (std::string name; expected == Outcome::kViolated && names >> name;) {
      if (is_about_the_search(name)) continue;
      const auto kind = kind_of(name);
      names_differ |= !kind || answer.counts[static_cast<std::size_t>(*kind)] == 0;
    }
    const auto names_entry = difference(row, Difference::kNames);
    EXPECT_EQ(names_differ, names_entry.has_value());
    for (const auto& entry : {verdict_entry, names_entry}) {
      if (entry) {
        EXPECT_TRUE(is_documented(*entry)) << *entry;
      }
    }
    (verdict_entry || names_entry ? different : same) += 1;
  }
  RecordProperty("same", static_cast<int>(same));
  RecordProperty("different", static_cast<int>(different));
  EXPECT_EQ(same + different, 106U);
}

TEST(Elle, EveryDifferenceIsOfARowThatIsThere) {
  if (!has_shared_histories()) GTEST_SKIP() << kNoShared;
  const std::vector<Row> rows = elle_rows();
  for (const Difference& d : kDifferences) {
    EXPECT_TRUE(std::any_of(
        rows.begin(), rows.end(),
        [&](const Row& row) { return row.file == d.file && (d.options.empty() || d.options == row.options); }))
        << d.file << " " << d.options;
  }
}

TEST(Elle, ItsTwoHardHistoriesAreJudgedAtOnce) {
  if (!has_shared_histories()) GTEST_SKIP() << kNoShared;
  const std::pair<const char*, Level> kHard[] = {
      {"elle/histories/huge-scc.edn", Level::kStrictSerializable},
      {"elle/list_append/unfindable_g_single.edn", Level::kSnapshotIsolation}};
  for (const auto& [file, level] : kHard) {
    SCOPED_TRACE(file);
    const auto loaded = load(kSharedHistories + "/" + file, nullptr, {});
    ASSERT_TRUE(loaded) << loaded.error().message();
    WorkBudget work;
    Limits limits;
    limits.work = &work;
    const Verdict verdict = engine_named("graph")->check(loaded->history, level, limits);
    EXPECT_LT(work.spent(), 200'000'000U);
    EXPECT_EQ(verdict.outcome, Outcome::kViolated);
    const auto proof = prove(loaded->history, verdict);
    EXPECT_TRUE(proof) << (proof ? "" : proof.error().message());
  }
}

}  // namespace elle_test
}  // namespace isolde
