// The other verbs as their users meet them.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <sstream>

#include "cli/options.h"
#include "tests/cli/run_program.h"

namespace isolde::test {
namespace verbs_test {

TEST(Help, EveryVerbHasOneWithAnExample) {
  for (const cli::VerbRow& verb : cli::verbs()) {
    if (verb.planned) continue;
    const Answer a = isolde({std::string(verb.name), "--help"});
    EXPECT_EQ(a.status, 0) << verb.name;
    EXPECT_NE(a.out.find("Example:\n  isolde " + std::string(verb.name)), std::string::npos) << a.out;
    EXPECT_NE(a.out.find("--json"), std::string::npos) << a.out;
  }
  EXPECT_EQ(isolde({"--help"}).status, 0);
}

TEST(Help, EveryOptionOfTheTableIsParsed) {
  for (const cli::VerbRow& verb : cli::verbs()) {
    for (const cli::OptionRow& option : cli::options()) {
      if (verb.planned ||
          (" " + std::string(option.verbs) + " ").find(" " + std::string(verb.name) + " ") == std::string::npos)
        continue;
      std::vector<std::string> args(verb.least, "argument");
      args.push_back("--" + std::string(option.name));
      if (!option.value.empty()) args.emplace_back("7");
      const auto parsed = cli::parse(verb, args);
      ASSERT_TRUE(parsed) << parsed.error().text;
      EXPECT_TRUE(parsed->has(option.name));
    }
  }
}

TEST(Help, TheCommandsPageIsWhatTheProgramSays) {
  const std::string path = ISOLDE_SOURCE_DIR "/docs/commands.md";
  EXPECT_EQ(content_of(path), cli::reference_page()) << "write it anew: build/isolde help --page > docs/commands.md";
}

TEST(Usage, NoVerbOrAnUnknownOneExitsWithTwo) {
  EXPECT_EQ(isolde({}).status, 2);
  const Answer a = isolde({"chekc", "x"});
  EXPECT_EQ(a.status, 2);
  EXPECT_NE(a.err.find("did you mean check"), std::string::npos) << a.err;
}

TEST(Report, AHistoryAndWhatWasPrintedOfItBecomePages) {
  const Scratch scratch;
  const std::string history = scratch.file("h.jsonl", "{\"id\": 1, \"session\": 1, \"ops\": [[\"r\",\"x\",7]]}\n");
  EXPECT_EQ(isolde({"report", history, "--level", "serializable"}).status, 1);
  EXPECT_TRUE(content_of(scratch.path("h.html")).starts_with("<!doctype html>"));
  const std::string printed =
      scratch.file("h.json", isolde({"check", history, "--level", "serializable", "--json"}).out);
  EXPECT_EQ(isolde({"report", printed, "--out", scratch.path("printed.html")}).status, 0);
  EXPECT_NE(content_of(scratch.path("printed.html")).find("\"kind\":\"checked\""), std::string::npos);
}

TEST(Report, JsonIsWhatCheckPrints) {
  const Scratch scratch;
  const std::string history = scratch.file("h.jsonl", "{\"id\": 1, \"session\": 1, \"ops\": [[\"r\",\"x\",7]]}\n");
  const Answer a = isolde({"report", history, "--level", "serializable", "--json"});
  EXPECT_EQ(a.status, 1) << a.err;
  EXPECT_TRUE(a.out.starts_with("{")) << a.out;
  EXPECT_EQ(a.out.find("report written to"), std::string::npos) << a.out;
  const std::string printed = scratch.file("h.json", a.out);
  const Answer again = isolde({"report", printed, "--out", scratch.path("again.html"), "--json"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.out, "{\"page\": \"" + scratch.path("again.html") + "\"}\n");
}

TEST(Report, WhatIsReportedIsNeverOverwritten) {
  const Scratch scratch;
  const std::string file = scratch.file("h.html", "{}\n");
  const Answer a = isolde({"report", file});
  EXPECT_EQ(a.status, 2);
  EXPECT_EQ(content_of(file), "{}\n");
}

// Every kind of step has its name, rollbacks too.
TEST(Probe, JsonOfACaseThatRollsBack) {
  const Answer a = isolde({"probe", "--only", "G1a", "--json"});
  EXPECT_NE(a.out.find("\"kind\": \"rollback\""), std::string::npos) << a.err;
}

TEST(Usage, TheVersionIsPrinted) {
  EXPECT_TRUE(isolde({"--version"}).out.starts_with("isolde "));
  EXPECT_TRUE(isolde({"check", "--version"}).out.starts_with("isolde "));
}

TEST(Usage, NumbersThatAreNoneAreRefused) {
  for (const char* bad : {"", "x", "-1", "1.5", "1kk", "99999999999999999999", "18446744073709551615M"}) {
    const Answer a = isolde({"gen", "--out", "h.jsonl", std::string("--transactions=") + bad});
    EXPECT_EQ(a.status, 2) << bad;
    EXPECT_NE(a.err, "") << bad;
  }
}

TEST(Convert, ThereAndBackIsTheSameHistory) {
  const Scratch scratch;
  const std::string a = scratch.path("a.jsonl");
  ASSERT_EQ(isolde({"gen", "--out", a, "--transactions", "300", "--evidence", "timestamps,intervals,versions"}).status,
            0);
  const Answer there = isolde({"convert", a, scratch.path("b.isl")});
  ASSERT_EQ(there.status, 0) << there.err;
  EXPECT_NE(there.out.find("300 transactions"), std::string::npos) << there.out;
  ASSERT_EQ(isolde({"convert", scratch.path("b.isl"), scratch.path("c.jsonl"), "--quiet"}).status, 0);
  EXPECT_EQ(content_of(a), content_of(scratch.path("c.jsonl")));
}

TEST(Convert, AFolderThatHoldsSomethingIsLeftAlone) {
  const Scratch scratch;
  const std::string a = scratch.file("a.jsonl", "{\"session\": 1, \"ops\": []}\n");
  const Answer answer = isolde({"convert", a, scratch.path(), "--to", "isl"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_EQ(content_of(a), "{\"session\": 1, \"ops\": []}\n");
}

TEST(Convert, AnOutputWhoseFormIsNotKnownIsAnError) {
  const Scratch scratch;
  const std::string a = scratch.file("a.jsonl", "{\"session\": 1, \"ops\": []}\n");
  const Answer answer = isolde({"convert", a, scratch.path("b.what")});
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.err.find("--to"), std::string::npos) << answer.err;
}

TEST(Convert, WhatDecidesAVerdictIsRefusedUnlessLossyIsGiven) {
  const Scratch scratch;
  const std::string a = scratch.file("a.jsonl", R"~({"session":1,"ops":[["w","x",{"v":1}],["agg","max(v)","v > 0",1]]}
{"session":2,"ops":[["update","v = 1",[["x",{"v":2}]]]]}
{"session":3,"ops":[["r","x",{"v":2}]]}
)~");
  const std::string b = scratch.path("b.edn");
  const Answer refused = isolde({"convert", a, b});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err.find("format jepsen-edn cannot carry 1 aggregate, 1 predicate update"), std::string::npos)
      << refused.err;
  EXPECT_NE(refused.err.find("formats that can: isl, native; --lossy"), std::string::npos) << refused.err;
  EXPECT_EQ(content_of(b), "");
  const Answer lossy = isolde({"convert", a, b, "--lossy"});
  EXPECT_EQ(lossy.status, 0) << lossy.err;
  EXPECT_NE(lossy.out.find("3 transactions, 2 of 4 operations\n"), std::string::npos) << lossy.out;
  EXPECT_NE(lossy.out.find("note: a verdict on "), std::string::npos) << lossy.out;
  EXPECT_TRUE(content_of(b).starts_with("; lossy")) << content_of(b);
  const Answer json = isolde({"convert", a, b, "--lossy", "--json"});
  EXPECT_NE(json.out.find("\"transactions\": 3, \"operations\": 2, "), std::string::npos) << json.out;
  EXPECT_NE(json.out.find("\"1 aggregate\", \"1 predicate update\""), std::string::npos) << json.out;
  EXPECT_NE(json.out.find("\"lossy\": true"), std::string::npos) << json.out;
}

TEST(Convert, ValuesThatTwoWroteAreNotMadeAViolation) {
  const Scratch scratch;
  const std::string a = scratch.file("a.jsonl", R"({"session":1,"ops":[["w","x",1]]}
{"session":2,"ops":[["r","x",1],["w","x",2]]}
{"session":3,"ops":[["r","x",2],["w","x",1]]}
)");
  const Answer answer = isolde({"convert", a, scratch.path("logs"), "--to", "cobra"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.err.find("1 repeated value"), std::string::npos) << answer.err;
}

TEST(Gen, TheSameSeedGivesTheSameFile) {
  const Scratch scratch;
  for (const char* name : {"a.jsonl", "b.jsonl"}) {
    ASSERT_EQ(isolde({"gen", "--out", scratch.path(name), "--transactions", "500", "--seed", "7"}).status, 0);
  }
  ASSERT_EQ(isolde({"gen", "--out", scratch.path("c.jsonl"), "--transactions", "500", "--seed", "8"}).status, 0);
  EXPECT_EQ(content_of(scratch.path("a.jsonl")), content_of(scratch.path("b.jsonl")));
  EXPECT_NE(content_of(scratch.path("a.jsonl")), content_of(scratch.path("c.jsonl")));
}

TEST(Gen, WhatIsGeneratedIsValidAndWhatIsPlantedIsFound) {
  const Scratch scratch;
  const std::string good = scratch.path("good.isl");
  const std::string bad = scratch.path("bad.jsonl");
  ASSERT_EQ(isolde({"gen", "--out", good, "--transactions", "2k", "--level", "si"}).status, 0);
  EXPECT_EQ(isolde({"check", good, "--level", "si", "--prove"}).status, 0);
  const Answer gen = isolde({"gen", "--out", bad, "--transactions", "2k", "--level", "si", "--plant", "lost-update"});
  ASSERT_EQ(gen.status, 0) << gen.err;
  EXPECT_NE(gen.out.find("planted lost-update"), std::string::npos) << gen.out;
  EXPECT_EQ(isolde({"check", bad, "--level", "si", "--prove"}).status, 1);
}

TEST(Gen, SeveralPlantOptionsAddUp) {
  const Scratch scratch;
  const Answer gen = isolde({"gen", "--out", scratch.path("h.jsonl"), "--transactions", "2k", "--level", "si",
                             "--plant", "lost-update=2", "--plant", "G1a=1"});
  ASSERT_EQ(gen.status, 0) << gen.err;
  EXPECT_NE(gen.out.find("lost-update"), std::string::npos) << gen.out;
  EXPECT_NE(gen.out.find("G1a"), std::string::npos) << gen.out;
}

TEST(Gen, APhantomIsFoundByTimestampsOrderAndVersions) {
  const Scratch scratch;
  const std::string good = scratch.path("good.jsonl");
  const std::string bad = scratch.path("bad.isl");
  const std::vector<std::string> shape = {
      "--type", "row", "--transactions", "500",          "--keys",     "30",
      "--ops",  "5",   "--level",        "serializable", "--evidence", "timestamps,versions,order,vsets"};
  const auto make = [&](const std::string& file, std::vector<std::string> more) {
    std::vector<std::string> args = {"gen", "--out", file};
    args.insert(args.end(), shape.begin(), shape.end());
    args.insert(args.end(), more.begin(), more.end());
    return isolde(args);
  };
  ASSERT_EQ(make(good, {"--predicates", "0.5", "--selectivity", "0.2"}).status, 0);
  ASSERT_EQ(make(bad, {"--plant", "phantom"}).status, 0);
  for (const char* method : {"timeline", "replay", "graph"}) {
    EXPECT_EQ(isolde({"check", good, "--level", "serializable", "--method", method, "--prove"}).status, 0) << method;
    EXPECT_EQ(isolde({"check", bad, "--level", "serializable", "--method", method, "--prove"}).status, 1) << method;
  }
  EXPECT_EQ(isolde({"check", bad, "--level", "repeatable-read", "--method", "graph", "--prove"}).status, 0);
  EXPECT_EQ(isolde({"check", bad, "--level", "snapshot-isolation", "--method", "timeline", "--prove"}).status, 0);
}

TEST(Gen, ItNeedsAnOutputAndRefusesUnknownWords) {
  EXPECT_EQ(isolde({"gen"}).status, 2);
  const Scratch scratch;
  for (const std::vector<std::string>& bad : std::vector<std::vector<std::string>>{{"--distribution", "normal"},
                                                                                   {"--type", "queue"},
                                                                                   {"--evidence", "rumours"},
                                                                                   {"--plant", "sunflower"},
                                                                                   {"--level", "perfect"},
                                                                                   {"--reads", "1.5"},
                                                                                   {"--keys", "0"},
                                                                                   {"--predicates", "0.5"},
                                                                                   {"--plant", "phantom"}}) {
    std::vector<std::string> args = {"gen", "--out", scratch.path("h.jsonl")};
    args.insert(args.end(), bad.begin(), bad.end());
    const Answer a = isolde(args);
    EXPECT_EQ(a.status, 2) << bad[0];
    EXPECT_EQ(content_of(scratch.path("h.jsonl")), "") << bad[0];
  }
}

// What `explain` says to try gives the name that was explained.
TEST(Explain, EachAnomalysOwnExampleIsReportedByItsName) {
  const Scratch scratch;
  const Answer all = isolde({"explain", "--list", "--json"});
  std::istringstream lines(all.out);
  int tried = 0;
  simdjson::dom::parser parser;
  for (std::string line; std::getline(lines, line);) {
    simdjson::dom::element row;
    ASSERT_EQ(parser.parse(line).get(row), simdjson::SUCCESS) << line;
    if (std::string_view(row["kind"]) != "anomaly") continue;
    const std::string name{std::string_view(row["name"])};
    scratch.file("h.jsonl", std::string(std::string_view(row["example"])));
    const Answer said = isolde({"explain", name});
    constexpr std::string_view kTry = "run: isolde check h.jsonl --level ";
    const std::size_t at = said.out.find(kTry);
    ASSERT_NE(at, std::string::npos) << said.out;
    const std::size_t from = at + kTry.size();
    const std::string level = said.out.substr(from, said.out.find('\n', from) - from);
    const Answer text = isolde({"check", "h.jsonl", "--level", level}, {}, scratch.path());
    EXPECT_EQ(text.status, 1) << name << "\n" << text.out;
    EXPECT_NE(text.out.find(". " + name + (text.out.find(". " + name + " (") != std::string::npos ? " (" : ": ")),
              std::string::npos)
        << name << "\n"
        << text.out;
    const Answer json = isolde({"check", "h.jsonl", "--level", level, "--json"}, {}, scratch.path());
    simdjson::dom::parser other;
    simdjson::dom::element report;
    ASSERT_EQ(other.parse(json.out).get(report), simdjson::SUCCESS) << json.out;
    bool found = false;
    for (const simdjson::dom::element anomaly : simdjson::dom::array(report["anomalies"])) {
      found = found || std::string_view(anomaly["name"]) == name;
      EXPECT_FALSE(std::string_view(anomaly["kind"]).empty());
    }
    EXPECT_TRUE(found) << name << "\n" << json.out;
    ++tried;
  }
  EXPECT_GE(tried, 27);
}

TEST(Explain, LevelsShowTheirNeighboursAndAnExample) {
  const Answer a = isolde({"explain", "si"});
  EXPECT_EQ(a.status, 0) << a.err;
  EXPECT_NE(a.out.find("next stronger: "), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("│ operations"), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("{\"id\""), std::string::npos) << a.out;
}

TEST(Explain, EverythingInTheListCanBeExplained) {
  const Answer list = isolde({"explain", "--list", "--json"});
  EXPECT_EQ(list.status, 0);
  std::size_t at = 0, count = 0;
  simdjson::dom::parser parser;
  while (at < list.out.size()) {
    const std::size_t end = list.out.find('\n', at);
    simdjson::dom::element element;
    ASSERT_EQ(parser.parse(list.out.substr(at, end - at)).get(element), simdjson::SUCCESS);
    const std::string name{std::string_view(element["name"])};
    const Answer a = isolde({"explain", name});
    EXPECT_EQ(a.status, 0) << name;
    EXPECT_TRUE(a.out.starts_with(name + ": ")) << a.out;
    at = end + 1;
    ++count;
  }
  EXPECT_GE(count, 30U);
}

TEST(Explain, AnUnknownNameIsAnsweredWithTheNearest) {
  const Answer a = isolde({"explain", "write-screw"});
  EXPECT_EQ(a.status, 2);
  EXPECT_NE(a.err.find("did you mean write-skew"), std::string::npos) << a.err;
}

TEST(Demo, ItGoesTheWholeWay) {
  const Scratch scratch;
  const Answer a = isolde({"demo"}, {"TMPDIR=" + scratch.path()});
  EXPECT_EQ(a.status, 0) << a.out << a.err;
  EXPECT_NE(a.out.find("✓ "), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("✗ "), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("What next"), std::string::npos) << a.out;
}

}  // namespace verbs_test
}  // namespace isolde::test
