// Proofs by cases, made by hand: what the renderers say of them.
#include "report/case_tree.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>

#include "report/dot.h"
#include "report/explain_anomaly.h"
#include "report/explain_cases.h"
#include "report/json.h"
#include "report/text.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace case_tree_test {

constexpr TxnId T1{0}, T2{1}, T3{2}, T4{3}, T5{4};

class Refutation {
 public:
  explicit Refutation(std::string_view text) : history(hist(text)) {
    verdict.outcome = Outcome::kViolated;
    verdict.level = Level::kSerializable;
    verdict.method = "solver";
    verdict.anomalies.emplace_back();
    verdict.anomalies[0].kind = AnomalyKind::kNoOrder;
    for (std::uint32_t t = 0; t < history.txn_count(); ++t) verdict.anomalies[0].transactions.push_back(TxnId{t});
    verdict.count(AnomalyKind::kNoOrder);
  }
  void add(std::vector<Step> steps) { verdict.anomalies[0].cases.push_back({std::move(steps)}); }
  [[nodiscard]] Step ww(TxnId a, TxnId b, std::string_view k) const {
    return {StepType::kWw, a, b, key(k), op(a, k, false), op(b, k, false), Ground::kAssumed};
  }
  [[nodiscard]] Step wr(TxnId a, TxnId b, std::string_view k, Ground ground = Ground::kReads) const {
    return {StepType::kWr, a, b, key(k), op(a, k, false), op(b, k, true), ground};
  }
  [[nodiscard]] Step rw(TxnId a, TxnId b, std::string_view k, Ground ground = Ground::kReads,
                        TxnId source = kNoTxn) const {
    return {StepType::kRw, a, b, key(k), op(a, k, true), op(b, k, false), ground, source};
  }
  // The lines of the tree; a cycle as "(1)".
  [[nodiscard]] std::string tree() const {
    std::string text;
    for (const CaseLine& line : case_tree(history, choices_of(history, verdict.anomalies[0]))) {
      text += std::string(2 * line.depth, ' ');
      text += line.cycle == kNone32 ? line.text : "(" + std::to_string(line.cycle + 1) + ")";
      text += '\n';
    }
    return text;
  }
  [[nodiscard]] Report report() const {
    return {.file = "h.jsonl",
            .format = "native",
            .history = history,
            .verdict = verdict,
            .why_method = "why",
            .notes = {},
            .stats = {}};
  }

  History history;
  Verdict verdict;

 private:
  [[nodiscard]] KeyId key(std::string_view name) const {
    for (std::uint32_t k = 0; k < history.key_count(); ++k) {
      if (history.key_text(KeyId{k}) == name) return KeyId{k};
    }
    return kNoKey;
  }
  [[nodiscard]] OpId op(TxnId t, std::string_view name, bool read) const {
    for (std::uint32_t i = history.first_op(t); i < history.end_op(t); ++i) {
      if (history.op(i).key() == key(name) && (history.op(i).kind() == OpKind::kRead) == read) return OpId{i};
    }
    return kNoOp;
  }
};

Refutation table_example() {
  Refutation r("T1: r a_ w x1 | T2: r b_ w x2 | T3: w a1 w b1 | T4: r b1 r x1 | T5: r a1 r x2");
  r.add({r.rw(T4, T2, "x", Ground::kAssumed, T1), r.rw(T2, T3, "b"), r.wr(T3, T4, "b")});
  r.add({r.rw(T5, T1, "x", Ground::kAssumed, T2), r.rw(T1, T3, "a"), r.wr(T3, T5, "a")});
  return r;
}

TEST(CaseTree, OfTwoWritersEitherComesFirst) {
  EXPECT_EQ(table_example().tree(),
            "— if T1 comes before T2 (both wrote x):\n"
            "  (1)\n"
            "— if T2 comes before T1 (both wrote x):\n"
            "  (2)\n");
}

TEST(CaseTree, WhatMustHoldIsSaidFirst) {
  // T1 before T2 (else 1), T2 before T3 (else 2); T1 before T3, or not: 3 or 4.
  Refutation r("T1: w x1 | T2: w x2 | T3: w x3 | T4: w x4");
  r.add({r.ww(T2, T1, "x"), r.ww(T1, T2, "x")});
  r.verdict.anomalies[0].cases.clear();
  r.add({r.ww(T2, T1, "x")});
  r.add({r.ww(T1, T2, "x"), r.ww(T3, T2, "x")});
  r.add({r.ww(T2, T3, "x"), r.ww(T1, T3, "x")});
  r.add({r.ww(T3, T1, "x"), r.ww(T1, T2, "x")});
  EXPECT_EQ(r.tree(),
            "T1 must come before T2 (both wrote x), because otherwise:\n"
            "  (1)\n"
            "T2 must come before T3 (both wrote x), because otherwise:\n"
            "  (2)\n"
            "— if T1 comes before T3 (both wrote x):\n"
            "  (3)\n"
            "— if T3 comes before T1 (both wrote x):\n"
            "  (4)\n");
}

TEST(CaseTree, WhereNothingMustHoldItBranches) {
  Refutation r("T1: w x1 | T2: w x2 | T3: w y1 | T4: w y2");
  r.add({r.ww(T1, T2, "x"), r.ww(T3, T4, "y")});
  r.add({r.ww(T1, T2, "x"), r.ww(T4, T3, "y")});
  r.add({r.ww(T2, T1, "x"), r.ww(T3, T4, "y")});
  r.add({r.ww(T2, T1, "x"), r.ww(T4, T3, "y")});
  EXPECT_EQ(r.tree(),
            "— if T1 comes before T2 (both wrote x):\n"
            "  — if T3 comes before T4 (both wrote y):\n"
            "    (1)\n"
            "  — if T4 comes before T3 (both wrote y):\n"
            "    (2)\n"
            "— if T2 comes before T1 (both wrote x):\n"
            "  — if T3 comes before T4 (both wrote y):\n"
            "    (3)\n"
            "  — if T4 comes before T3 (both wrote y):\n"
            "    (4)\n");
}

TEST(CaseTree, AReadComesFromOneOfItsPossibleWriters) {
  Refutation r("T1: w x1 w y1 | T2: w x1 w z1 | T3: r x1 r y_ r z_");
  r.add({r.wr(T1, T3, "x", Ground::kAssumed), r.rw(T3, T1, "y")});
  r.add({r.wr(T2, T3, "x", Ground::kAssumed), r.rw(T3, T2, "z")});
  EXPECT_EQ(r.tree(),
            "— if T3 read x = 1 from T1:\n"
            "  (1)\n"
            "— if T3 read x = 1 from T2:\n"
            "  (2)\n");
}

TEST(CaseTree, AReadFromTheInitialState) {
  Refutation r("init: x0 | T1: w x0 w y1 | T2: w x1 w z1 | T3: r x0 r y_ r z1");
  r.add({r.wr(T1, T3, "x", Ground::kAssumed), r.rw(T3, T1, "y")});
  r.add({r.rw(T3, T2, "x", Ground::kAssumed, kNoTxn), r.wr(T2, T3, "z")});
  EXPECT_EQ(r.tree(),
            "— if T3 read x = 0 from T1:\n"
            "  (1)\n"
            "— if T3 read x = 0 in its initial state:\n"
            "  (2)\n");
}

TEST(CaseTree, BranchesOverWritersWhereEachNeedsMore) {
  Refutation r("T1: w x1 | T2: w x1 | T3: r x1 | T4: w x2 | T5: w x3");
  for (const TxnId source : {T1, T2}) {
    r.add({r.rw(T3, T4, "x", Ground::kAssumed, source), r.ww(T4, T5, "x")});
    r.add({r.rw(T3, T4, "x", Ground::kAssumed, source), r.ww(T5, T4, "x")});
    r.add({r.wr(source, T3, "x", Ground::kAssumed), r.ww(T4, source, "x")});
  }
  const std::string tree = r.tree();
  for (const char* part :
       {"— if T3 read x = 1 from T1:\n", "— if T3 read x = 1 from T2:\n", "(1)", "(2)", "(3)", "(4)", "(5)", "(6)"}) {
    EXPECT_NE(tree.find(part), std::string::npos) << part << '\n' << tree;
  }
}

TEST(CaseTree, WhetherOneCommittedIsAChoice) {
  Refutation r("T1: w x1 w y1 | T2?: w x1 w a1 r b_ | T3: r x1 r y_ | T4: w b1 r a_");
  r.add({r.wr(T1, T3, "x", Ground::kAssumed), r.rw(T3, T1, "y")});
  r.add({r.rw(T2, T4, "b", Ground::kAssumed), r.rw(T4, T2, "a", Ground::kAssumed)});
  EXPECT_EQ(r.tree(),
            "T3 cannot have read x from T1, because otherwise:\n"
            "  (1)\n"
            "T2 cannot have committed, because otherwise:\n"
            "  (2)\n"
            "So T3 did not read x from T2.\n"
            "No transaction is left that T3 can have read x from.\n");
}

TEST(CaseTree, CasesThatLeaveAWayAreListed) {
  Refutation r = table_example();
  r.verdict.anomalies[0].cases.pop_back();
  EXPECT_EQ(r.tree(), "— if T1 comes before T2 (both wrote x):\n  (1)\n");
}

TEST(CaseTree, AHardProofIsListedCaseByCase) {
  // Every way to order 7 pairs is a case of its own.
  std::string text;
  for (int i = 0; i < 14; ++i)
    text += (i > 0 ? " | T" : "T") + std::to_string(i + 1) + ": w " + std::string(1, char('a' + i / 2)) +
            std::to_string(i % 2 + 1);
  Refutation r(text);
  for (std::uint32_t bits = 0; bits < 128; ++bits) {
    std::vector<Step> steps;
    for (std::uint32_t i = 0; i < 7; ++i) {
      const std::string key(1, static_cast<char>('a' + i));
      const TxnId a{2 * i}, b{2 * i + 1};
      steps.push_back((bits >> i & 1U) != 0 ? r.ww(a, b, key) : r.ww(b, a, key));
    }
    r.add(std::move(steps));
  }
  const std::string tree = r.tree();
  EXPECT_EQ(std::count(tree.begin(), tree.end(), '\n'), 256);
  const std::string shown = render_text(r.report(), {});
  EXPECT_NE(shown.find("… 120 more cases; --json has them all"), std::string::npos) << shown;
  EXPECT_LT(shown.size(), 10'000U);
}

TEST(CaseReport, TheTextTellsEachCase) {
  Refutation r = table_example();
  r.verdict.search =
      SearchStats{.pairs = 12'345, .pruned = 300, .guessed = 12'000, .searched = 45, .reads = 1, .conflicts = 3};
  const std::string text = render_text(r.report(), {});
  for (const char* part :
       {"  order     12,345 pairs of writers were unordered: 12,000 ordered by hints, 300 by pruning, 45 by search (3 "
        "dead ends); 1 "
        "read has several possible writers\n",
        "  1. no-order: whichever of two writers comes first, there is a cycle\n",
        "     Contradiction: no order of these 5 transactions explains what was read:\n"
        "     — if T1 comes before T2 (both wrote x):\n"
        "        T4 before T2, because T4 read x = 1 from T1 and T2 wrote x = 2, later than T1, as assumed [rw]\n"
        "        T2 before T3, because T2 found b absent and T3 wrote a later version, b = 1 [rw]\n"
        "        T3 before T4, because T3 wrote b = 1 and T4 read that [wr]\n"
        "     — if T2 comes before T1 (both wrote x):\n"
        "        T5 before T1, because T5 read x = 2 from T2 and T1 wrote x = 1, later than T2, as assumed [rw]\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  }
}

TEST(CaseReport, JsonHasTheChoicesOfEachCase) {
  Refutation r = table_example();
  r.verdict.search = SearchStats{.pairs = 1, .conflicts = 2};
  simdjson::dom::parser parser;
  const std::string text = render_json(r.report());
  const auto json = parser.parse(text);
  const auto cases = json["anomalies"].at(0)["cases"];
  ASSERT_EQ(cases.get_array().size(), 2U) << text;
  EXPECT_EQ(std::string_view(cases.at(0)["assume"].at(0)["before"]), "T1");
  EXPECT_EQ(std::string_view(cases.at(0)["assume"].at(0)["after"]), "T2");
  EXPECT_EQ(std::string_view(cases.at(0)["assume"].at(0)["key"]), "x");
  EXPECT_EQ(std::string_view(cases.at(1)["assume"].at(0)["before"]), "T2");
  EXPECT_EQ(std::string_view(cases.at(0)["steps"].at(0)["because"]), "assumed");
  EXPECT_EQ(std::string_view(cases.at(0)["steps"].at(0)["source"]), "T1");
  EXPECT_EQ(json["anomalies"].at(0)["steps"].get_array().size(), 0U);
  EXPECT_EQ(std::uint64_t(json["search"]["pairs"]), 1U);
  EXPECT_EQ(std::uint64_t(json["search"]["conflicts"]), 2U);
}

TEST(CaseReport, JsonHasTheReadsThatWereChosen) {
  Refutation r("init: x0 | T1: w x0 w y1 | T2: w x1 w z1 | T3: r x0 r y_ r z1");
  r.add({r.wr(T1, T3, "x", Ground::kAssumed), r.rw(T3, T1, "y")});
  r.add({r.rw(T3, T2, "x", Ground::kAssumed, kNoTxn), r.wr(T2, T3, "z")});
  const std::string text = render_json(r.report());
  EXPECT_NE(text.find(R"("assume": [{"reader": "T3", "key": "x", "from": "T1"}])"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("assume": [{"reader": "T3", "key": "x", "from": null}])"), std::string::npos) << text;
  EXPECT_EQ(text.find("\"search\""), std::string::npos);
}

TEST(CaseReport, DotHasAClusterACase) {
  const std::string dot = render_dot(table_example().report(), 3);
  for (const char* part :
       {"subgraph cluster_0 {", "subgraph cluster_0_0 {\n    label=\"if T1 comes before T2 (both wrote x)\";",
        "subgraph cluster_0_1 {", "a0_c0_t3 -> a0_c0_t1", "a0_c1_t4 -> a0_c1_t0"}) {
    EXPECT_NE(dot.find(part), std::string::npos) << part << "\nin\n" << dot;
  }
  EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
}

TEST(SearchText, SaysOnlyWhatThereWas) {
  EXPECT_EQ(search_text({}), "0 pairs of writers were unordered");
  EXPECT_EQ(search_text({.pairs = 1, .guessed = 1}), "1 pair of writers was unordered: 1 ordered by hints");
  EXPECT_EQ(search_text({.reads = 2, .conflicts = 1}),
            "0 pairs of writers were unordered (1 dead end); 2 reads have several possible writers");
}

}  // namespace case_tree_test
}  // namespace isolde
