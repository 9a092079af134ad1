// `isolde check` in CI: baselines, JUnit XML, GitHub Actions, and the options of isolde.toml.
#include <gtest/gtest.h>

#include "cli/ci_results.h"
#include "cli/config_file.h"
#include "tests/cli/run_program.h"

namespace isolde::test {
namespace ci_test {

constexpr const char* kLostUpdate =
    "{\"session\": 1, \"ops\": [[\"r\",\"x\",null],[\"w\",\"x\",1]]}\n"
    "{\"session\": 2, \"ops\": [[\"r\",\"x\",null],[\"w\",\"x\",2]]}\n";
constexpr const char* kGood = "{\"session\": 1, \"ops\": [[\"w\",\"x\",1]]}\n";

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Baseline, KnownFindingsDoNotFailAndNewOnesDo) {
  const Scratch scratch;
  const std::string bad = scratch.file("bad.jsonl", kLostUpdate), known = scratch.path("known.toml");
  const std::vector<std::string> check = {"check", bad, "--level", "serializable"};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> words = check;
    words.insert(words.end(), more);
    return isolde(words);
  };
  EXPECT_EQ(with({}).status, 1);
  const Answer written = with({"--write-baseline", known});
  EXPECT_EQ(written.status, 0) << written.err;
  const std::string text = content_of(known);
  EXPECT_TRUE(has(text, "[[known]]\nfile = \"" + bad + "\"\nlevel = \"serializable\"\nanomaly = \"")) << text;
  const Answer fine = with({"--baseline", known});
  EXPECT_EQ(fine.status, 0) << fine.err;
  EXPECT_TRUE(has(fine.out, "violates serializable")) << "the verdict stays what it is";
  EXPECT_TRUE(has(fine.out, "  known     ")) << fine.out;
  EXPECT_TRUE(has(with({"--baseline", known, "--json"}).out, "\"baseline\": {\"file\": ")) << fine.out;
  // Of another file, at another level, of another kind: new.
  const std::string other = scratch.file("other.jsonl", kLostUpdate);
  const Answer fresh = isolde({"check", other, "--level", "serializable", "--baseline", known});
  EXPECT_EQ(fresh.status, 1);
  EXPECT_TRUE(has(fresh.out, "  new       ")) << fresh.out;
  EXPECT_TRUE(has(fresh.err, "no longer found: ")) << fresh.err;
  EXPECT_EQ(isolde({"check", bad, "--level", "snapshot-isolation", "--baseline", known}).status, 1);
}

TEST(Baseline, MoreThanItAllowsIsNew) {
  const Scratch scratch;
  const std::string bad = scratch.file("bad.jsonl", kLostUpdate), known = scratch.path("known.toml");
  ASSERT_EQ(isolde({"check", bad, "--level", "serializable", "--write-baseline", known}).status, 0);
  std::string text = content_of(known);
  for (std::size_t at = 0; (at = text.find("most = 1", at)) != std::string::npos;) text.replace(at, 8, "most = 0");
  const std::string none = scratch.file("none.toml", text);
  EXPECT_EQ(isolde({"check", bad, "--level", "serializable", "--baseline", none}).status, 1);
}

TEST(Baseline, AWrongEntryIsNamedWithItsPlace) {
  const Scratch scratch;
  const std::string good = scratch.file("good.jsonl", kGood);
  const auto error_of = [&](const std::string& text) {
    const Answer a = isolde({"check", good, "--baseline", scratch.file("b.toml", text)});
    EXPECT_EQ(a.status, 2);
    return a.err;
  };
  EXPECT_TRUE(has(error_of("[[known]]\nanomaly = \"G-singel\"\n"),
                  "b.toml:2:11: \"G-singel\" is no anomaly; did you mean G-single"));
  EXPECT_TRUE(has(error_of("[[known]]\nlevel = \"*\"\n"), "b.toml:1:1: expected anomaly"));
  EXPECT_TRUE(has(error_of("[known]\nanomaly = \"G1a\"\n"), "expected [[known]]"));
  EXPECT_TRUE(has(error_of("[[known]]\nanomaly = \"G1a\"\nmost = \"2\"\n"), "b.toml:3:8: expected most = a number"));
}

TEST(JUnit, AViolationIsAFailureAndBadInputAnError) {
  const Scratch scratch;
  const std::string bad = scratch.file("bad.jsonl", kLostUpdate), good = scratch.file("good.jsonl", kGood),
                    broken = scratch.file("broken.jsonl", "{\"session\": 1, \"ops\": [[\"r\"");
  const std::string out = scratch.path("results.xml");
  EXPECT_EQ(isolde({"check", good, bad, broken, "--level", "serializable", "--quiet", "--junit", out}).status, 2);
  const std::string xml = content_of(out);
  EXPECT_TRUE(has(xml, "tests=\"3\" failures=\"1\" errors=\"1\"")) << xml;
  EXPECT_TRUE(has(xml, "<testcase classname=\"isolde check serializable\" name=\"" + good + "\"")) << xml;
  EXPECT_TRUE(has(xml, "<failure type=\"violated\" message=\"violates serializable: ")) << xml;
  EXPECT_TRUE(has(xml, "<error type=\"bad input\" message=\"")) << xml;
}

TEST(JUnit, WhatIsKnownPasses) {
  const Scratch scratch;
  const std::string bad = scratch.file("bad.jsonl", kLostUpdate), known = scratch.path("known.toml"),
                    out = scratch.path("results.xml");
  ASSERT_EQ(isolde({"check", bad, "--level", "serializable", "--write-baseline", known}).status, 0);
  EXPECT_EQ(isolde({"check", bad, "--level", "serializable", "--baseline", known, "--junit", out}).status, 0);
  EXPECT_TRUE(has(content_of(out), "failures=\"0\" errors=\"0\"")) << content_of(out);
  EXPECT_TRUE(has(content_of(out), "<system-out>violates serializable")) << content_of(out);
}

TEST(JUnit, NamesCannotEndAnElement) {
  const cli::CiCase hostile{.name = "</testcase>\"&\x01\n",
                            .level = "serializable",
                            .result = cli::CiCase::Result::kViolated,
                            .message = "a \"b\" <c>",
                            .details = "]]></failure>\n::error::x"};
  const std::string xml = cli::junit_xml("isolde check", std::span(&hostile, 1));
  EXPECT_TRUE(has(xml, "name=\"&lt;/testcase&gt;&quot;&amp;\\u0001")) << xml;
  EXPECT_TRUE(has(xml, "]]&gt;&lt;/failure&gt;\n")) << xml;
}

TEST(GitHub, AnnotationsAndASummaryOnlyThere) {
  const Scratch scratch;
  const std::string bad = scratch.file("bad.jsonl", kLostUpdate), summary = scratch.path("summary.md");
  const std::vector<std::string> words = {"check", bad, "--level", "serializable", "--json", "--github"};
  const Answer elsewhere = isolde(words, {"GITHUB_ACTIONS=", "GITHUB_STEP_SUMMARY=" + summary});
  EXPECT_EQ(elsewhere.err, "");
  const Answer there = isolde(words, {"GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=" + summary});
  EXPECT_EQ(there.status, 1);
  EXPECT_TRUE(there.out.starts_with("{\"file\"")) << there.out;
  EXPECT_TRUE(there.err.starts_with("::error title=isolde%3A ")) << there.err;
  EXPECT_TRUE(has(there.err, "::violates serializable: ")) << there.err;
  EXPECT_TRUE(content_of(summary).starts_with("### isolde check: 1 input, 1 violated\n")) << content_of(summary);
  EXPECT_TRUE(has(content_of(summary), "<details><summary>" + bad + " violates serializable")) << content_of(summary);
}

TEST(GitHub, ValuesCannotStartACommandOrLeaveTheirBlock) {
  const cli::CiCase hostile{.name = "a,b\n::error::x",
                            .level = {},
                            .result = cli::CiCase::Result::kBadInput,
                            .message = "m\n::warning::y %0A",
                            .details = "````\nout of it\n",
                            .place = {.text = "", .file = "f:1,2", .line = 3, .column = 4}};
  EXPECT_EQ(
      cli::github_annotations(std::span(&hostile, 1)),
      "::error title=isolde%3A a%2Cb%0A%3A%3Aerror%3A%3Ax bad input,file=f%3A1%2C2,line=3,col=4::m%0A::warning::y "
      "%250A\n");
  const std::string summary = cli::github_summary("isolde check", std::span(&hostile, 1));
  EXPECT_TRUE(has(summary, "\n`````text\n````\nout of it\n`````\n")) << summary;
}

std::string used_of(const std::string& text, std::vector<std::string> words, cli::ConfigTrust trust) {
  const cli::VerbRow& verb = *cli::verb_named(words.front());
  auto args = cli::parse(verb, {words.begin() + 1, words.end()});
  const auto file = cli::read_toml_text(text, "isolde.toml");
  if (!file) return file.error().message();
  const auto used = cli::apply_config(*file, trust, verb, *args);
  return used ? *used : used.error().message();
}

TEST(ConfigFile, GivesWhatTheCommandLineLeavesOut) {
  const auto found = cli::ConfigTrust::kFound;
  const std::string text =
      "threads = 2\n[check]\nlevel = \"serializable\"\ngithub = true\nprove = false\n[record]\nclients = 4\n";
  EXPECT_EQ(used_of(text, {"check", "h"}, found), " --level serializable --github --threads 2");
  EXPECT_EQ(used_of(text, {"check", "h", "--level", "si", "--threads", "1"}, found), " --github");
  EXPECT_EQ(used_of(text, {"record"}, found), " --clients 4 --threads 2");
  EXPECT_EQ(used_of("[probe]\nonly = [\"P4\", \"G2-item\"]\n", {"probe"}, found), " --only P4,G2-item");
}

TEST(ConfigFile, AWrongNameIsAnErrorForEveryVerb) {
  const auto found = cli::ConfigTrust::kFound;
  EXPECT_EQ(used_of("[check]\nlevl = \"si\"\n", {"gen"}, found),
            "isolde.toml:2:8: `isolde check` has no option levl; did you mean level?");
  EXPECT_EQ(used_of("[chek]\n", {"gen"}, found), "isolde.toml:1:1: \"chek\" is no verb; did you mean check?");
  EXPECT_EQ(used_of("[check]\nprove = \"yes\"\n", {"check", "h"}, found),
            "isolde.toml:2:9: expected prove = true or false");
  EXPECT_EQ(used_of("[check]\nconfig = \"x\"\n", {"check", "h"}, found).substr(0, 42),
            "isolde.toml:2:10: `isolde check` has no op");
}

TEST(ConfigFile, OneThatNobodyNamedRunsNothingAndWritesNowhereElse) {
  const std::string program = "[record]\nserver-path = \"/tmp/bin\"\n", outside = "[check]\nhtml = \"../page.html\"\n",
                    elsewhere = "[audit]\nconfirm = \"postgres://there/x\"\n";
  for (const auto& [text, verb] :
       {std::pair(program, "record"), std::pair(outside, "check"), std::pair(elsewhere, "audit")}) {
    EXPECT_TRUE(used_of(text, {verb, "h"}, cli::ConfigTrust::kFound).starts_with("isolde.toml:2:")) << text;
    EXPECT_TRUE(used_of(text, {verb, "h"}, cli::ConfigTrust::kNamed).starts_with(" --")) << text;
  }
}

TEST(ConfigFile, IsFoundInTheWorkingFolderAndSaidToBeUsed) {
  const Scratch scratch;
  (void)scratch.file("isolde.toml", "[check]\nlevel = \"read-committed\"\n");
  (void)scratch.file("h.jsonl", kLostUpdate);
  const Answer used = isolde({"check", "h.jsonl"}, {}, scratch.path());
  EXPECT_EQ(used.status, 0) << used.out;
  EXPECT_EQ(used.err, "isolde: options from isolde.toml: --level read-committed\n");
  EXPECT_EQ(isolde({"check", "h.jsonl", "--no-config"}, {}, scratch.path()).status, 1);
  EXPECT_EQ(isolde({"check", "h.jsonl", "--config", "none.toml"}, {}, scratch.path()).status, 2);
}

constexpr const char* kBrokenPromise = R"(scenario mine
title a scenario of my own
breaks serializable
table test (id int primary key, value int)
  1, 10
run
  T1: select value from test
  T1: commit
happened if T1.1 is (10)
)";

TEST(OutcomesOfVerbs, AProbeHasACaseForEachLevelAndKnownBrokenPromises) {
  const Scratch scratch;
  const std::string mine = scratch.file("mine.scenario", kBrokenPromise), known = scratch.path("known.toml"),
                    out = scratch.path("results.xml");
  const auto probe = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"probe", "--scenario", mine, "--level", "wal deferred,wal immediate"};
    words.insert(words.end(), more.begin(), more.end());
    return isolde(words);
  };
  EXPECT_EQ(probe({"--junit", out}).status, 1);
  EXPECT_TRUE(has(content_of(out), "tests=\"2\" failures=\"2\" errors=\"0\"")) << content_of(out);
  EXPECT_TRUE(has(content_of(out), "<testcase classname=\"isolde probe wal deferred\" name=\"sqlite:\""))
      << content_of(out);
  EXPECT_EQ(probe({"--write-baseline", known}).status, 0);
  EXPECT_TRUE(
      has(content_of(known), "verb = \"probe\"\nfile = \"sqlite:\"\nlevel = \"wal deferred\"\nanomaly = \"mine\"\n"))
      << content_of(known);
  const Answer fine = probe({"--baseline", known});
  EXPECT_EQ(fine.status, 0) << fine.err;
  EXPECT_TRUE(has(fine.out, "known: mine 1 (" + known + ")")) << fine.out;
  // An entry of another verb is not this one's, and not missed by it either.
  const std::string other = scratch.file("other.toml", "[[known]]\nverb = \"hunt\"\nanomaly = \"mine\"\n");
  const Answer fresh = probe({"--baseline", other});
  EXPECT_EQ(fresh.status, 1);
  EXPECT_TRUE(has(fresh.out, "new: mine 1 (not in " + other + ")")) << fresh.out;
  EXPECT_FALSE(has(fresh.err, "no longer found")) << fresh.err;
}

TEST(OutcomesOfVerbs, AnAuditsFindingsAreNamedByTheirTables) {
  const Scratch scratch;
  const std::string known = scratch.path("known.toml"), out = scratch.path("results.xml");
  const std::vector<std::string> audit = {"audit", ISOLDE_SOURCE_DIR "/examples/audit/purchase.sql", "--schema",
                                          ISOLDE_SOURCE_DIR "/examples/audit/shop.ddl"};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> words = audit;
    words.insert(words.end(), more);
    return isolde(words);
  };
  EXPECT_EQ(with({"--junit", out, "--quiet"}).status, 1);
  EXPECT_TRUE(has(content_of(out), "<testcase classname=\"isolde audit read-committed\"")) << content_of(out);
  EXPECT_TRUE(has(content_of(out), "<failure type=\"violated\"")) << content_of(out);
  EXPECT_EQ(with({"--write-baseline", known, "--quiet"}).status, 0);
  EXPECT_TRUE(has(content_of(known), "anomaly = \"lost update on orders\"")) << content_of(known);
  const Answer fine = with({"--baseline", known});
  EXPECT_EQ(fine.status, 0) << fine.out << fine.err;
  EXPECT_TRUE(has(fine.out, "\nknown: ")) << fine.out;
}

TEST(OutcomesOfVerbs, AHuntThatFindsNothingPassesAndOneThatCannotRunIsAnError) {
  const Scratch scratch;
  const std::string out = scratch.path("results.xml");
  EXPECT_EQ(isolde({"hunt", "--cases", "5", "--junit", out, "--quiet"}, {}, scratch.path()).status, 0);
  EXPECT_TRUE(has(content_of(out), "tests=\"1\" failures=\"0\" errors=\"0\"")) << content_of(out);
  EXPECT_EQ(isolde({"hunt", "sqlite:/no/such/folder/x.db", "--cases", "5", "--junit", out}, {}, scratch.path()).status,
            2);
  EXPECT_TRUE(has(content_of(out), "<error type=\"bad input\"")) << content_of(out);
}

TEST(OutcomesOfVerbs, ARecordedRunIsACaseOfItsCheck) {
  const Scratch scratch;
  const std::string out = scratch.path("results.xml");
  const std::vector<std::string> record = {"record",    "--workload", "rmw",     "--transactions", "50",
                                           "--clients", "2",          "--quiet", "--junit",        out};
  EXPECT_EQ(isolde(record).status, 2) << "a result of what?";
  std::vector<std::string> checked = record;
  checked.insert(checked.end(), {"--check", "serializable"});
  const Answer a = isolde(checked);
  EXPECT_EQ(a.status, 0) << a.err;
  EXPECT_TRUE(has(content_of(out), "<testcase classname=\"isolde record serializable\" name=\"rmw on SQLite"))
      << content_of(out);
  checked.insert(checked.begin() + 1, "sqlite:/no/such/folder/x.db");
  EXPECT_EQ(isolde(checked).status, 2);
  EXPECT_TRUE(has(content_of(out), "<error type=\"bad input\"")) << content_of(out);
}

}  // namespace ci_test
}  // namespace isolde::test
