// `isolde check` as its users meet it: exit statuses, what goes where, and the JSON report.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <atomic>
#include <sstream>
#include <thread>

#include "tests/cli/run_program.h"

namespace isolde::test {
namespace check_test {

constexpr const char* kGood =
    R"({"isolde": 1}
{"id": 1, "session": 1, "ops": [["w","x",1]], "start_ts": 10, "commit_ts": 20}
{"id": 2, "session": 2, "ops": [["r","x",1],["w","y",2]], "start_ts": 30, "commit_ts": 40}
)";
// T3's snapshot holds x = 2; it reads the version before.
constexpr const char* kStale =
    R"({"id": 1, "session": 1, "ops": [["w","x",1]], "start_ts": 10, "commit_ts": 20}
{"id": 2, "session": 1, "ops": [["w","x",2]], "start_ts": 30, "commit_ts": 40}
{"id": "late", "session": "b", "ops": [["r","x",1]], "start_ts": 50, "commit_ts": 60}
)";
constexpr const char* kClocked =
    R"({"id": 1, "session": 1, "begin": 1, "end": 2, "ops": [["w","x",1]]}
{"id": 2, "session": 2, "begin": 3, "end": 4, "ops": [["r","x",1]]}
)";
constexpr const char* kBroken = "{\"id\": 1, \"session\": 1, \"ops\": [[\"w\",\"x\"]]}\n";

simdjson::dom::element parsed(simdjson::dom::parser& parser, const std::string& text) {
  simdjson::dom::element element;
  EXPECT_EQ(parser.parse(text).get(element), simdjson::SUCCESS) << text;
  return element;
}

TEST(Check, AValidHistoryExitsWithZero) {
  const Scratch scratch;
  const Answer a = isolde({"check", scratch.file("good.jsonl", kGood), "--level", "snapshot-isolation"});
  EXPECT_EQ(a.status, 0) << a.err;
  EXPECT_TRUE(a.out.starts_with("✓ ")) << a.out;
  EXPECT_NE(a.out.find("satisfies snapshot-isolation"), std::string::npos) << a.out;
  EXPECT_EQ(a.err, "");
}

TEST(Check, AViolationExitsWithOneAndIsExplained) {
  const Scratch scratch;
  const Answer a = isolde({"check", scratch.file("stale.jsonl", kStale), "--level", "si", "--prove"});
  EXPECT_EQ(a.status, 1) << a.err;
  EXPECT_TRUE(a.out.starts_with("✗ ")) << a.out;
  EXPECT_NE(a.out.find("GSIb"), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("read x = 1"), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("x = 2"), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("isolde explain"), std::string::npos) << a.out;
}

TEST(Check, WithoutALevelItSaysWhichItTook) {
  const Scratch scratch;
  const Answer a = isolde({"check", scratch.file("good.jsonl", kGood)});
  EXPECT_EQ(a.status, 0) << a.err;
  EXPECT_NE(a.out.find("no --level was given: checked snapshot-isolation"), std::string::npos) << a.out;
}

TEST(Check, ABadFileExitsWithTwoAndNamesThePlace) {
  const Scratch scratch;
  const std::string file = scratch.file("broken.jsonl", kBroken);
  const Answer a = isolde({"check", file, "--level", "si"});
  EXPECT_EQ(a.status, 2);
  EXPECT_TRUE(a.err.starts_with(file + ":1:")) << a.err;
  EXPECT_EQ(std::count(a.err.begin(), a.err.end(), '\n'), 1) << a.err;
  EXPECT_EQ(a.out, "");
}

TEST(Check, AMissingFileExitsWithTwo) {
  const Answer a = isolde({"check", "no-such-file.jsonl", "--level", "si"});
  EXPECT_EQ(a.status, 2);
  EXPECT_TRUE(a.err.starts_with("no-such-file.jsonl: ")) << a.err;
}

TEST(Check, EveryFileIsReportedAndTheWorstDecides) {
  const Scratch scratch;
  const std::string good = scratch.file("good.jsonl", kGood);
  const std::string stale = scratch.file("stale.jsonl", kStale);
  const std::string broken = scratch.file("broken.jsonl", kBroken);
  const Answer two = isolde({"check", good, stale, good, "--level", "si", "--quiet"});
  EXPECT_EQ(two.status, 1);
  EXPECT_EQ(std::count(two.out.begin(), two.out.end(), '\n'), 3) << two.out;
  const Answer three = isolde({"check", broken, stale, good, "--level", "si", "--quiet"});
  EXPECT_EQ(three.status, 2);
  EXPECT_EQ(std::count(three.out.begin(), three.out.end(), '\n'), 2) << three.out;
}

TEST(Check, TheJsonReportHasTheContractsFields) {
  const Scratch scratch;
  const std::string file = scratch.file("stale.jsonl", kStale);
  const Answer a = isolde({"check", file, "--level", "si", "--json"});
  EXPECT_EQ(a.status, 1);
  simdjson::dom::parser parser;
  const auto report = parsed(parser, a.out);
  EXPECT_EQ(std::string_view(report["file"]), file);
  EXPECT_EQ(std::string_view(report["level"]), "snapshot-isolation");
  EXPECT_EQ(std::string_view(report["verdict"]), "violated");
  EXPECT_EQ(std::string_view(report["method"]), "timeline");
  const simdjson::dom::array anomalies = report["anomalies"];
  ASSERT_GE(anomalies.size(), 1U);
  const auto first = anomalies.at(0);
  EXPECT_EQ(std::string_view(first["name"]), "GSIb");
  EXPECT_EQ(std::string_view(first["transactions"].at(0)), "late");
  EXPECT_TRUE(first["text"].is_string());
  EXPECT_TRUE(first["steps"].is_array());
  EXPECT_EQ(std::int64_t(first["read"]), 1);
  EXPECT_EQ(std::int64_t(first["expected"]), 2);
  EXPECT_EQ(std::int64_t(report["counts"]["GSIb"]), 1);
  EXPECT_EQ(std::int64_t(report["stats"]["transactions"]), 3);
  EXPECT_EQ(std::int64_t(report["stats"]["operations"]), 3);
  EXPECT_TRUE(report["stats"]["seconds"]["load"].is_double());
  EXPECT_TRUE(report["stats"]["seconds"]["check"].is_double());
  EXPECT_TRUE(report["stats"]["peak_mib"].is_number());
}

TEST(Check, JsonGivesOneObjectAFileEvenForABadOne) {
  const Scratch scratch;
  const Answer a = isolde(
      {"check", scratch.file("broken.jsonl", kBroken), scratch.file("good.jsonl", kGood), "--level", "si", "--json"});
  EXPECT_EQ(a.status, 2);
  simdjson::dom::parser parser;
  const std::size_t end = a.out.find('\n');
  EXPECT_TRUE(parsed(parser, a.out.substr(0, end))["error"].is_string());
  EXPECT_EQ(std::string_view(parsed(parser, a.out.substr(end + 1))["verdict"]), "satisfied");
}

TEST(Check, DotDrawsTheAnomaly) {
  const Scratch scratch;
  const std::string dot = scratch.path("out.dot");
  EXPECT_EQ(isolde({"check", scratch.file("stale.jsonl", kStale), "--level", "si", "--dot", dot}).status, 1);
  const std::string graph = content_of(dot);
  EXPECT_TRUE(graph.starts_with("digraph")) << graph;
  EXPECT_NE(graph.find("GSIb"), std::string::npos) << graph;
}

TEST(Check, ADotThatCannotBeWrittenIsAnError) {
  const Scratch scratch;
  const Answer a = isolde(
      {"check", scratch.file("stale.jsonl", kStale), "--level", "si", "--dot", scratch.path("no/such/folder.dot")});
  EXPECT_EQ(a.status, 2);
  EXPECT_NE(a.err.find("cannot write"), std::string::npos) << a.err;
}

TEST(Check, StandardInputIsAFile) {
  const Scratch scratch;
  const std::string file = scratch.file("good.jsonl", kGood);
  const Answer a =
      run_program({"sh", "-c", "cat '" + file + "' | '" ISOLDE_BINARY_DIR "/isolde' check - --level si --quiet"});
  EXPECT_EQ(a.status, 0) << a.err;
  EXPECT_EQ(a.out, "✓ standard input satisfies snapshot-isolation\n");
}

TEST(Check, UnknownNamesAreAnsweredWithTheNearest) {
  const Scratch scratch;
  const std::string good = scratch.file("good.jsonl", kGood);
  const Answer level = isolde({"check", good, "--level", "serializeable"});
  EXPECT_EQ(level.status, 2);
  EXPECT_NE(level.err.find("did you mean serializable"), std::string::npos) << level.err;
  const Answer method = isolde({"check", good, "--method", "timelime"});
  EXPECT_EQ(method.status, 2);
  EXPECT_NE(method.err.find("did you mean timeline"), std::string::npos) << method.err;
  const Answer option = isolde({"check", good, "--levle", "si"});
  EXPECT_EQ(option.status, 2);
  EXPECT_NE(option.err.find("did you mean --level"), std::string::npos) << option.err;
  const Answer format = isolde({"check", good, "--format", "nativ"});
  EXPECT_EQ(format.status, 2);
  EXPECT_NE(format.err.find("unknown format \"nativ\""), std::string::npos) << format.err;
}

TEST(Check, AMethodThatTheEvidenceDoesNotSupportIsRefused) {
  const Scratch scratch;
  const std::string file = scratch.file("h.jsonl", "{\"session\": 1, \"ops\": [[\"w\",\"x\",1]]}\n");
  const Answer a = isolde({"check", file, "--level", "si", "--method", "timeline"});
  EXPECT_EQ(a.status, 2);
  EXPECT_NE(a.err.find("method timeline cannot judge snapshot-isolation"), std::string::npos) << a.err;
}

TEST(Check, ColoursGoToTerminalsOnly) {
  const Scratch scratch;
  const std::string good = scratch.file("good.jsonl", kGood);
  EXPECT_EQ(isolde({"check", good, "--level", "si"}).out.find('\033'), std::string::npos);
  EXPECT_NE(isolde_on_terminal({"check", good, "--level", "si"}).out.find("\033[1;32m"), std::string::npos);
  EXPECT_EQ(isolde_on_terminal({"check", good, "--level", "si"}, {"NO_COLOR=1"}).out.find('\033'), std::string::npos);
}

TEST(Check, AFullDiskIsNotSuccess) {
  const Scratch scratch;
  const Answer a = run_program(
      {"sh", "-c",
       "'" ISOLDE_BINARY_DIR "/isolde' check '" + scratch.file("good.jsonl", kGood) + "' --level si > /dev/full"});
  EXPECT_EQ(a.status, 2);
}

constexpr const char* kSkew =
    R"({"id": 1, "session": 1, "ops": [["r","x",null],["w","y",1]]}
{"id": 2, "session": 2, "ops": [["r","y",null],["w","x",1]]}
)";

// In its session T3 comes after T2; without sessions it may come before.
constexpr const char* kSession =
    R"({"id": 1, "session": 1, "ops": [["w","x",1]]}
{"id": 2, "session": 1, "ops": [["w","x",2]]}
{"id": 3, "session": 1, "ops": [["r","x",1]]}
{"version_order": {"x": [1, 2]}}
)";

TEST(CheckEvidence, SessionOrderOnAndOffNamesTheLevelThatIsJudged) {
  const Scratch scratch;
  const std::string file = scratch.file("session.jsonl", kSession);
  const Answer on = isolde({"check", file, "--level", "serializable", "--use", "session", "--prove"});
  EXPECT_EQ(on.status, 1) << on.out;
  EXPECT_NE(on.out.find("violates strong-session-serializable"), std::string::npos) << on.out;
  EXPECT_NE(on.out.find("--level serializable with --use session is strong-session-serializable"), std::string::npos)
      << on.out;
  const Answer off =
      isolde({"check", file, "--level", "strong-session-serializable", "--ignore", "session", "--prove", "--json"});
  EXPECT_EQ(off.status, 0) << off.out;
  simdjson::dom::parser parser;
  const auto report = parsed(parser, off.out);
  EXPECT_EQ(std::string_view(report["level"]), "serializable");
  EXPECT_TRUE(bool(report["proved"]));
}

TEST(CheckEvidence, VersionOrdersCanBeIgnored) {
  const Scratch scratch;
  const std::string file = scratch.file("session.jsonl", kSession);
  EXPECT_EQ(isolde({"check", file, "--level", "strong-session-serializable"}).status, 1);
  const Answer without =
      isolde({"check", file, "--level", "strong-session-serializable", "--ignore", "versions", "--prove"});
  EXPECT_NE(without.out.find("the version orders in the history are ignored"), std::string::npos) << without.out;
  EXPECT_EQ(without.out.find("evidence  version order"), std::string::npos) << without.out;
}

TEST(CheckEvidence, TimestampsThatAreIgnoredAreNotJudged) {
  const Scratch scratch;
  const std::string stale = scratch.file("stale.jsonl", kStale);
  EXPECT_EQ(isolde({"check", stale, "--level", "si"}).status, 1);
  EXPECT_EQ(isolde({"check", stale, "--level", "si", "--ignore", "timestamps", "--prove"}).status, 0);
  const Answer no_level = isolde({"check", stale, "--ignore", "timestamps"});
  EXPECT_NE(no_level.out.find("satisfies serializable"), std::string::npos) << no_level.out;
}

TEST(CheckEvidence, WhatCannotBeTurnedOffIsBadUsage) {
  const Scratch scratch;
  const std::string file = scratch.file("session.jsonl", kSession);
  const std::vector<std::vector<std::string>> bad = {
      {"--level", "causal", "--ignore", "session"},
      {"--level", "strict-serializable", "--ignore", "session"},
      {"--level", "repeatable-read", "--use", "session"},
      {"--use", "versions", "--ignore", "versions"},
      {"--use", "everything"},
      {"--ignore", "timestamps", "--order", "commit_ts"},
  };
  for (const auto& options : bad) {
    std::vector<std::string> args = {"check", file};
    args.insert(args.end(), options.begin(), options.end());
    const Answer a = isolde(args);
    EXPECT_EQ(a.status, 2) << options[1];
    EXPECT_EQ(std::count(a.err.begin(), a.err.end(), '\n'), 1) << a.err;
    EXPECT_EQ(a.out, "");
  }
}

TEST(CheckMethod, EachMethodSaysWhyItIsTakenOrNot) {
  const Scratch scratch;
  const std::string file = scratch.file("good.jsonl", kGood);
  const Answer text = isolde({"check", file, "--level", "si", "--explain-method"});
  EXPECT_NE(text.out.find("methods   replay    cannot: "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("timeline  taken: the history has database timestamps"), std::string::npos) << text.out;
  const Answer json = isolde({"check", file, "--level", "si", "--explain-method", "--json"});
  simdjson::dom::parser parser;
  const auto report = parsed(parser, json.out);
  int taken = 0;
  for (const auto method : report["methods"].get_array()) {
    taken += std::string_view(method["fate"]) == "taken" ? 1 : 0;
    EXPECT_FALSE(std::string_view(method["why"]).empty());
  }
  EXPECT_EQ(taken, 1);
}

constexpr std::string_view kStaleByClocks =
    R"({"isolde":1,"initial":0})"
    "\n"
    R"({"id":1,"session":1,"begin":10,"end":20,"ops":[["w","x",1,{"at":[11,12]}]]})"
    "\n"
    R"({"id":2,"session":2,"begin":30,"end":40,"ops":[["r","x",0,{"at":[31,32]}]]})"
    "\n";

TEST(CheckMethod, MirrorFindsWhatAProfileForbids) {
  const Scratch scratch;
  const std::string file = scratch.file("stale.jsonl", std::string(kStaleByClocks));
  const Answer a = isolde({"check", file, "--profile", "postgres:repeatable-read", "--json"});
  EXPECT_EQ(a.status, 1) << a.out << a.err;
  simdjson::dom::parser parser;
  const auto report = parsed(parser, a.out);
  EXPECT_EQ(std::string_view(report["method"]), "mirror");
  EXPECT_EQ(std::string_view(report["level"]), "snapshot-isolation");
  EXPECT_EQ(std::string_view(report["anomalies"].at(0)["name"]), "GSIb");
  EXPECT_NE(std::string_view(report["anomalies"].at(0)["text"]).find("consistent read"), std::string_view::npos);
  EXPECT_EQ(std::int64_t(report["anomalies"].at(0)["transactions"].at(0)), 2);
  EXPECT_EQ(isolde({"check", file, "--level", "serializable"}).status, 0) << "of itself no level breaks";
}

TEST(CheckMethod, MirrorDoesNotCertifyAndEndsAsWatchDoes) {
  const Scratch scratch;
  const std::string file = scratch.file("stale.jsonl", std::string(kStaleByClocks));
  const Answer a = isolde({"check", file, "--method", "mirror", "--profile", "serializable"});
  EXPECT_EQ(a.status, 0) << a.out << a.err;
  EXPECT_NE(a.out.find("undecided"), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("does not certify"), std::string::npos) << a.out;
  for (const char* profile : {"serializable", "snapshot-isolation", "strict-serializable", "read-committed"}) {
    const Answer check = isolde({"check", file, "--method", "mirror", "--profile", profile});
    const Answer watch = isolde({"watch", file, "--method", "mirror", "--profile", profile});
    EXPECT_EQ(check.status, watch.status) << profile << "\n" << check.out << watch.out;
  }
}

TEST(CheckMethod, TheStepsOfMirrorAreReChecked) {
  const Scratch scratch;
  const std::string file = scratch.file("stale.jsonl", std::string(kStaleByClocks));
  const Answer a = isolde({"check", file, "--profile", "snapshot-isolation", "--prove", "--json"});
  EXPECT_EQ(a.status, 1) << a.out << a.err;
  EXPECT_NE(a.out.find("\"steps_proved\": true"), std::string::npos) << a.out;
  simdjson::dom::parser parser;
  const auto report = parsed(parser, a.out);
  EXPECT_GT(report["anomalies"].at(0)["steps"].get_array().value().size(), 0U) << a.out;
  const Answer watch = isolde({"watch", file, "--profile", "snapshot-isolation", "--json"});
  EXPECT_NE(watch.out.find("\"steps\": [{\"from\": "), std::string::npos) << watch.out;
}

// What a predicate operation misses, returns or counts that cannot be: the same by watch and by check, and proved.
TEST(CheckMethod, MirrorJudgesPredicates) {
  const Scratch scratch;
  const std::string row = R"j({"id":1,"session":1,"begin":0,"end":10,"ops":[["w","x",{"a":5},{"at":[1,2]}]]})j"
                          "\n";
  const auto reader = [&](const std::string& op) {
    return row + R"j({"id":2,"session":2,"begin":20,"end":30,"ops":[)j" + op + "]}\n";
  };
  const auto phantom = [](int id, const char* key) {
    return fmt::format(
        R"j({{"id":{},"session":{},"begin":0,"end":20,"ops":[["scan","a > 3",[],{{"at":[1,2]}}],["w","{}",{{"a":5}},{{"at":[5,6]}}]]}})j"
        "\n",
        id, id, key);
  };
  struct Case {
    const char* name;
    std::string lines;
    const char* profile;
    const char* kind;
  };
  const Case cases[] = {
      {"missed", reader(R"j(["scan","a > 3",[],{"at":[21,22]}])j"), "postgres:read-committed", "result-set-mismatch"},
      {"extra", reader(R"j(["scan","a > 7",[["x",{"a":5}]],{"at":[21,22]}])j"), "mariadb:repeatable-read",
       "result-set-mismatch"},
      {"count", reader(R"j(["agg","count(*)","a > 3",2,{"at":[21,22]}])j"), "postgres:repeatable-read",
       "result-set-mismatch"},
      {"update", reader(R"j(["update","a > 3",[],{"at":[21,22]}])j"), "mariadb:read-committed", "result-set-mismatch"},
      {"changed", reader(R"j(["update","a > 7",[["x",{"a":9}]],{"at":[21,22]}])j"), "postgres:read-committed",
       "result-set-mismatch"},
      {"phantoms", phantom(1, "x") + phantom(2, "y"), "postgres:serializable", "write-skew"},
      {"locks", phantom(1, "x") + phantom(2, "y"), "mariadb:serializable", "write-skew"},
  };
  for (const Case& one : cases) {
    const std::string file = scratch.file(std::string(one.name) + ".jsonl", one.lines);
    const Answer check = isolde({"check", file, "--method", "mirror", "--profile", one.profile, "--prove", "--json"});
    EXPECT_EQ(check.status, 1) << one.name << check.out << check.err;
    simdjson::dom::parser parser;
    const auto report = parsed(parser, check.out);
    EXPECT_EQ(std::string_view(report["anomalies"].at(0)["name"]), one.kind) << one.name;
    EXPECT_NE(check.out.find("\"steps_proved\": true"), std::string::npos) << check.out;
    const Answer watch = isolde({"watch", file, "--method", "mirror", "--profile", one.profile, "--json"});
    EXPECT_EQ(watch.status, 1) << one.name << watch.out << watch.err;
    EXPECT_NE(watch.out.find(fmt::format("\"name\": \"{}\"", one.kind)), std::string::npos) << watch.out;
  }
  // What is not judged is counted, not passed over.
  const std::string open = scratch.file("open.jsonl", reader(R"j(["scan","a > 3",[],{"at":[21,22]}])j"));
  const Answer watch = isolde({"watch", open, "--method", "mirror", "--profile", "serializable", "--json"});
  EXPECT_NE(watch.out.find("\"unchecked\": 1"), std::string::npos) << watch.out;
}

// With partitions a condition on values cannot be judged. The verdict that nothing was found has the count in its own
// line, and the summary says why.
TEST(CheckMethod, PartitionsSayThatPredicatesWereNotJudged) {
  const Scratch scratch;
  const std::string file =
      scratch.file("scan.jsonl", R"j({"id":1,"session":1,"begin":0,"end":10,"ops":[["scan","a > 3",[],{"at":[1,2]}]]})j"
                                 "\n");
  const auto watch = [&](const std::string& threads, bool quiet) {
    std::vector<std::string> args = {"watch",     file,   "--method", "mirror", "--profile", "postgres:read-committed",
                                     "--threads", threads};
    if (quiet) args.emplace_back("--quiet");
    return isolde(args).out;
  };
  constexpr std::string_view kCount = "(not judged: 1 read or predicate operation)";
  EXPECT_NE(watch("3", true).find(kCount), std::string::npos) << watch("3", true);
  EXPECT_EQ(watch("2", true).find("not judged"), std::string::npos)
      << watch("2", true) << "two threads do not partition the keys";
  EXPECT_EQ(watch("1", true).find("not judged"), std::string::npos) << watch("1", true);
  EXPECT_NE(watch("3", false).find("3 threads judge no predicates but ranges of keys"), std::string::npos)
      << watch("3", false);
  const Answer check =
      isolde({"check", file, "--method", "mirror", "--profile", "postgres:read-committed", "--threads", "3"});
  EXPECT_EQ(check.status, 0) << check.out << check.err;
  EXPECT_NE(check.out.find("1 reads and predicate operations could not be judged"), std::string::npos) << check.out;
}

TEST(CheckMethod, MirrorAndItsProfileNeedEachOther) {
  const Scratch scratch;
  const std::string file = scratch.file("stale.jsonl", std::string(kStaleByClocks));
  const auto error = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"check", file});
    const Answer a = isolde(more);
    EXPECT_EQ(a.status, 2) << a.out;
    return a.err;
  };
  EXPECT_NE(error({"--method", "mirror"}).find("--profile NAME"), std::string::npos);
  EXPECT_NE(error({"--method", "graph", "--profile", "serializable"}).find("not for graph"), std::string::npos);
  EXPECT_NE(error({"--profile", "postgress:serializable"}).find("postgres:serializable"), std::string::npos);
  EXPECT_NE(error({"--profiles", "p"}).find("choose one of them with --profile"), std::string::npos);
  const std::string bad = scratch.file("p", "[x]\nreads = some");
  EXPECT_NE(error({"--profile", "x", "--profiles", bad}).find(":2:9: expected"), std::string::npos);
}

TEST(Check, ALevelWithRealTimeIsUndecidedWithoutClocks) {
  const Scratch scratch;
  const std::string good = scratch.file("good.jsonl", kGood);
  const Answer a = isolde({"check", good, "--level", "strict-serializable", "--prove"});
  EXPECT_EQ(a.status, 3) << a.out;
  EXPECT_NE(a.out.find("undecided: strict-serializable\n  reason    no clocks: serializable holds, "),
            std::string::npos)
      << a.out;
  EXPECT_NE(a.out.find("re-checked from the history alone, and holds"), std::string::npos) << a.out;
  simdjson::dom::parser parser;
  const std::string json = isolde({"check", good, "--level", "strict-serializable", "--json"}).out;
  const auto report = parsed(parser, json);
  EXPECT_EQ(std::string_view(report["verdict"]), "undecided");
  EXPECT_EQ(std::string_view(report["holds"]), "serializable");
  EXPECT_EQ(isolde({"check", good, "--level", "strong-session-serializable"}).status, 3);
  EXPECT_EQ(isolde({"check", scratch.file("clocked.jsonl", kClocked), "--level", "strict-serializable"}).status, 0);
  EXPECT_EQ(isolde({"check", scratch.file("skew.jsonl", kSkew), "--level", "strict-serializable"}).status, 1);
}

TEST(CheckStrongest, WithoutALevelItIsLookedFor) {
  const Scratch scratch;
  const std::string good = scratch.file("good.jsonl", kGood);
  const Answer a = isolde({"check", good});
  EXPECT_EQ(a.status, 0);
  EXPECT_NE(a.out.find("strongest level that holds: serializable (also: prefix); not tested: strict-serializable\n"),
            std::string::npos)
      << a.out;
  EXPECT_EQ(isolde({"check", good, "--level", "si"}).out.find("strongest level"), std::string::npos);
}

TEST(CheckStrongest, AViolationSaysWhatHoldsAllTheSame) {
  const Scratch scratch;
  const std::string skew = scratch.file("skew.jsonl", kSkew);
  const Answer a = isolde({"check", skew, "--level", "serializable"});
  EXPECT_EQ(a.status, 1);
  EXPECT_NE(a.out.find("\n  strongest level that holds: snapshot-isolation (also: prefix); not tested: "
                       "strong-snapshot-isolation\n"),
            std::string::npos)
      << a.out;
  EXPECT_NE(a.out.find("Contradiction: T1 comes before T2, and T2 before T1.\n"), std::string::npos) << a.out;
  const Answer quiet = isolde({"check", skew, "--level", "serializable", "--quiet"});
  EXPECT_EQ(std::count(quiet.out.begin(), quiet.out.end(), '\n'), 1) << quiet.out;
}

TEST(CheckStrongest, OfASatisfiedHistoryItIsSaidIfAsked) {
  const Scratch scratch;
  const std::string good = scratch.file("good.jsonl", kGood);
  EXPECT_EQ(isolde({"check", good, "--level", "rc"}).out.find("strongest level"), std::string::npos);
  const Answer a = isolde({"check", good, "--strongest"});
  EXPECT_EQ(a.status, 0) << a.err;
  EXPECT_NE(
      a.out.find("\n  strongest level that holds: serializable (also: prefix); not tested: strict-serializable\n"),
      std::string::npos)
      << a.out;
  const std::string clocked = scratch.file("clocked.jsonl", kClocked);
  EXPECT_NE(isolde({"check", clocked, "--strongest"}).out.find("\n  strongest level that holds: strict-serializable\n"),
            std::string::npos);
}

TEST(CheckStrongest, TheJsonReportHasEveryLevel) {
  const Scratch scratch;
  const Answer a = isolde({"check", scratch.file("skew.jsonl", kSkew), "--level", "serializable", "--json"});
  simdjson::dom::parser parser;
  const auto report = parsed(parser, a.out);
  EXPECT_EQ(std::string_view(report["strongest"].at(0)), "snapshot-isolation");
  EXPECT_EQ(std::string_view(report["levels"]["strong-snapshot-isolation"]), "not-tested");
  EXPECT_EQ(std::string_view(report["levels"]["strict-serializable"]), "violated");
  EXPECT_EQ(report["levels"].get_object().size(), 15U);
  EXPECT_EQ(std::string_view(report["levels"]["repeatable-read"]), "violated");
  EXPECT_EQ(std::string_view(report["levels"]["read-committed"]), "satisfied");
  EXPECT_GE(double(report["stats"]["seconds"]["strongest"]), 0);
}

std::string without_cost(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("  cost ")) out += line + "\n";
  }
  return out;
}

// Nothing but what it cost differs, however busy the machine is and however many threads there are.
TEST(Check, TheSameHistoryGivesTheSameText) {
  const Scratch scratch;
  const std::string made = scratch.path("made.jsonl");
  ASSERT_EQ(isolde({"gen", "--out", made, "--transactions", "400", "--keys", "20", "--plant", "lost-update"}).status,
            0);
  for (const std::string& file : {scratch.file("skew.jsonl", kSkew), scratch.file("stale.jsonl", kStale), made}) {
    const Answer first = isolde({"check", file, "--prove", "--threads", "1"});
    ASSERT_NE(first.out.find("  cost "), std::string::npos) << first.out << first.err;
    std::atomic<bool> done = false;
    std::vector<std::thread> others;  // that keep the machine busy
    for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
      others.emplace_back([&] {
        while (!done) {
        }
      });
    }
    for (int time = 0; time < 3; ++time) {
      const Answer again = isolde({"check", file, "--prove", "--threads", std::to_string(1 + time)});
      EXPECT_EQ(again.status, first.status);
      EXPECT_EQ(without_cost(again.out), without_cost(first.out));
    }
    done = true;
    for (std::thread& other : others) other.join();
  }
}

TEST(CheckStrongest, TheTimeoutIsForAllOfIt) {
  const Scratch scratch;
  const Answer a = isolde({"check", scratch.file("good.jsonl", kGood), "--strongest", "--timeout", "0"});
  EXPECT_NE(a.out.find("out of time"), std::string::npos) << a.out;
}

}  // namespace check_test
}  // namespace isolde::test
