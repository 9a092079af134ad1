// `isolde watch` as a person or a program uses it. tests/cli/watch_kill_test.cc has kills and restarts.
#include <gtest/gtest.h>
#include <signal.h>
#include <simdjson.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "stream/testing.h"
#include "tests/cli/run_program.h"
#include "tests/cli/watched_stream.h"
#include "tests/support/comes_true.h"

namespace isolde::test {
namespace watch_test {

std::string stream_text(int transactions = 300) {
  Rng rng(3);
  std::string all;
  for (const std::string& line : faulty_stream(transactions, rng)) all += line + "\n";
  return all;
}

// Two transactions without any clock.
constexpr const char* kBare = "{\"session\": 1, \"ops\": [[\"w\", \"x\", 1]]}\n{\"session\": 2, \"ops\": []}\n";
// Only the clients' clocks.
constexpr const char* kClocks =
    "{\"session\": 1, \"ops\": [[\"w\", \"x\", 1]], \"begin\": 1, \"end\": 5}\n"
    "{\"session\": 2, \"ops\": [[\"r\", \"x\", 1]], \"begin\": 6, \"end\": 9}\n";

TEST(Watch, ViolationsAreToldAndDecideTheExitStatus) {
  const Scratch scratch;
  const std::string file = scratch.file("h.jsonl", stream_text());
  const Answer a = isolde({"watch", file, "--level", "si", "--max-anomalies", "2"});
  EXPECT_EQ(a.status, 1) << a.out << a.err;
  EXPECT_NE(a.out.find("watching " + file + ": snapshot-isolation by timeline (the stream has database timestamps)"),
            std::string::npos)
      << a.out;
  EXPECT_NE(a.out.find("2. GSIb: missed effects"), std::string::npos) << a.out;
  EXPECT_EQ(a.out.find("3. GSIb"), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("violations are only counted"), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("✗ " + file + " violates snapshot-isolation"), std::string::npos) << a.out;
  EXPECT_EQ(a.err, "") << "nothing of the live line where there is no terminal";
}

TEST(Watch, ALevelWithAnOrderThatTheStreamHasNothingOfIsUndecided) {
  const Scratch scratch;
  const std::string first = R"({"session": 1, "ops": [["w","x",1]], "start_ts": 1, "commit_ts": 2)";
  const std::string second = R"(, "ops": [["r","x",1]], "start_ts": 3, "commit_ts": 3)";
  const std::string apart = scratch.file("a.jsonl", first + "}\n{\"session\": 2" + second + "}\n");
  const std::string session = scratch.file("s.jsonl", first + "}\n{\"session\": 1" + second + "}\n");
  const std::string clocks = scratch.file("c.jsonl", first + R"(, "begin": 1, "end": 2})" + "\n{\"session\": 2" +
                                                         second + R"(, "begin": 3, "end": 4})" + "\n");
  const auto status = [](const std::string& file, const char* level) {
    return isolde({"watch", file, "--level", level, "--quiet"}).status;
  };
  EXPECT_EQ(status(apart, "snapshot-isolation"), 0);
  EXPECT_EQ(status(apart, "strong-session-snapshot-isolation"), 3);
  EXPECT_EQ(status(apart, "strong-snapshot-isolation"), 3);
  EXPECT_EQ(status(session, "strong-session-snapshot-isolation"), 0);
  EXPECT_EQ(status(clocks, "strong-snapshot-isolation"), 0);
  const Answer a = isolde({"watch", session, "--level", "strong-snapshot-isolation"});
  EXPECT_EQ(a.status, 3);
  EXPECT_NE(a.out.find("no clocks: strong-session-snapshot-isolation holds"), std::string::npos) << a.out;
}

TEST(Watch, APageShowsHowItWent) {
  const Scratch scratch;
  const std::string file = scratch.file("h.jsonl", stream_text()), page = scratch.path("h.html");
  const Answer a = isolde({"watch", file, "--level", "si", "--quiet", "--html", page});
  EXPECT_EQ(a.status, 1) << a.out << a.err;
  const std::string html = content_of(page);
  EXPECT_NE(html.find(R"("kind":"watch")"), std::string::npos);
  EXPECT_NE(html.find(R"("verdict":"violated")"), std::string::npos);
  EXPECT_NE(html.find(R"("name":"GSIb)"), std::string::npos);
  EXPECT_LT(html.size(), 3'000'000U);
}

TEST(Watch, EveryEventIsOneJsonObjectALine) {
  const Scratch scratch;
  const std::string file = scratch.file("h.jsonl", stream_text());
  for (const char* method : {"timeline", "mirror"}) {
    const Answer a = isolde({"watch", file, "--level", "si", "--method", method, "--json"});
    EXPECT_EQ(a.status, 1) << a.out << a.err;
    std::istringstream in(a.out);
    std::map<std::string, int> events;
    std::string verdict;
    std::int64_t violations = 0;
    for (std::string line; std::getline(in, line);) {
      simdjson::dom::parser parser;
      simdjson::dom::element event;
      ASSERT_EQ(parser.parse(line).get(event), simdjson::SUCCESS) << line;
      ++events[std::string(std::string_view(event["event"]))];
      if (std::string_view(event["event"]) != "summary") continue;
      verdict = std::string_view(event["verdict"]);
      violations = event["violations"];
    }
    EXPECT_EQ(events["started"], 1);
    EXPECT_EQ(events["summary"], 1);
    EXPECT_EQ(events["violation"], violations);
    EXPECT_GT(violations, 0);
    EXPECT_EQ(verdict, "violated");
  }
}

TEST(Watch, TheMethodFollowsFromWhatTheStreamHas) {
  const Scratch scratch;
  const Answer mirror = isolde({"watch", scratch.file("clocks.jsonl", kClocks), "--level", "serializable"});
  EXPECT_EQ(mirror.status, 0) << mirror.out << mirror.err;
  EXPECT_NE(mirror.out.find("serializable by mirror (the stream has no database timestamps)"), std::string::npos)
      << mirror.out;
  const Answer none = isolde({"watch", scratch.file("bare.jsonl", kBare), "--level", "serializable"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("neither database timestamps"), std::string::npos) << none.err;
  const Answer asked = isolde({"watch", scratch.file("bare.jsonl", kBare), "--profile", "serializable"});
  EXPECT_EQ(asked.status, 2);
  EXPECT_NE(asked.err.find("none of the first transactions of the stream has begin and end"), std::string::npos)
      << asked.err;
}

std::string between(const std::string& text, const std::string& before, char end) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return {};
  const std::size_t from = at + before.size();
  const std::size_t stop = text.find(end, from);
  return stop == std::string::npos ? "" : text.substr(from, stop - from);
}

TEST(Watch, ATcpPortAsksForATokenThatIsShownOnce) {
  const Scratch scratch;
  const std::string log = scratch.path("log");
  const pid_t child = start_watch({"--listen", "tcp:0", "--profile", "postgres:serializable"}, log);
  ASSERT_TRUE(comes_true([&] { return !between(content_of(log), "listening on tcp:", '\n').empty(); }));
  const std::string address = "tcp:" + between(content_of(log), "listening on tcp:", '\n');
  const std::string token = between(content_of(log), "{\"token\": \"", '"');
  EXPECT_EQ(token.size(), 32U) << content_of(log);
  stream::testing::Peer stranger(address);
  stranger.send(kClocks);
  EXPECT_TRUE(comes_true([&] { return stranger.closed(); }));
  EXPECT_TRUE(stranger.heard("expected the token")) << stranger.heard();
  stream::testing::Peer sender(address);
  sender.send("{\"token\": \"" + token + "\"}\n" + kClocks);
  EXPECT_TRUE(comes_true([&] { return sender.heard("{\"ack\": 2}"); })) << sender.heard();
  sender.hang_up();
  kill(child, SIGTERM);
  EXPECT_EQ(ended(child), 0) << content_of(log);
  const std::string text = content_of(log);
  EXPECT_NE(text.find("refused       1 connection: 1 without the token\n"), std::string::npos) << text;
  EXPECT_EQ(text.find(token, text.find(token) + 1), std::string::npos) << "shown once";
}

TEST(Watch, WithACheckpointTheTokenStaysTheSameOverRestartsAndIsNotShown) {
  const Scratch scratch;
  std::string first;
  for (int round = 0; round < 2; ++round) {
    const std::string log = scratch.path("log-" + std::to_string(round));
    const pid_t child = start_watch(
        {"--listen", "tcp:0", "--profile", "postgres:serializable", "--checkpoint", scratch.path("c")}, log);
    EXPECT_TRUE(comes_true([&] { return content_of(log).find("listening on tcp:") != std::string::npos; }));
    kill(child, SIGTERM);
    EXPECT_EQ(ended(child), 0) << content_of(log);
    const std::string token = content_of(scratch.path("c/token"));
    EXPECT_EQ(token.size(), 33U);
    EXPECT_EQ(content_of(log).find(token.substr(0, 32)), std::string::npos);
    EXPECT_NE(content_of(log).find("each connection must start with the token in " + scratch.path("c/token")),
              std::string::npos);
    struct stat kept{};
    ASSERT_EQ(::stat(scratch.path("c/token").c_str(), &kept), 0);
    EXPECT_EQ(kept.st_mode & 0777, 0600U);
    if (round == 0) first = token;
    EXPECT_EQ(token, first);
  }
}

TEST(Watch, WhatCannotBeAskedIsSaidInOneLine) {
  const Scratch scratch;
  const std::string file = scratch.file("h.jsonl", kClocks);
  const std::vector<std::vector<std::string>> asked = {
      {"watch", file, "--method", "solver"},
      {"watch", file, "--profile", "postgres:serialisable"},
      {"watch", file, "--method", "timeline", "--profile", "postgres:serializable"},
      {"watch", file, "--method", "mirror"},
      {"watch", file, "--level", "causal"},
      {"watch", file, "--listen", "unix:/nowhere/socket"},
      {"watch", "--listen", "unix:/nowhere/socket", "--level", "si"},
      {"watch", file, "--token-file", file},
      {"watch", scratch.path("absent.jsonl"), "--level", "si"},
      {"watch", scratch.path(), "--level", "si"},
      {"watch", file, "--memory", "1"},
      {"watch", scratch.file("broken.jsonl", "{\"session\": 1, \"ops\": [[\"w\", 1]]}\n"), "--level", "si"},
  };
  for (const auto& args : asked) {
    const Answer a = isolde(args);
    EXPECT_EQ(a.status, 2) << a.out << a.err;
    EXPECT_EQ(std::count(a.err.begin(), a.err.end(), '\n'), 1) << a.err;
  }
}

TEST(Watch, ACheckpointGoesOnAndRefusesOtherSettings) {
  const Scratch scratch;
  const std::string all = stream_text();
  const std::string file = scratch.file("h.jsonl", all);
  const std::vector<std::string> args = {"watch", file, "--level", "si", "--checkpoint", scratch.path("c"), "--json"};
  const Answer first = isolde(args);
  EXPECT_EQ(first.status, 1) << first.out << first.err;
  const auto found = identities(scratch.path("c/violations.jsonl"));
  EXPECT_FALSE(found.empty());

  const Answer again = isolde(args);
  EXPECT_EQ(again.status, 1) << "what was found stays found: " << again.out << again.err;
  EXPECT_EQ(again.out.find("\"event\": \"violation\""), std::string::npos) << again.out;
  EXPECT_EQ(identities(scratch.path("c/violations.jsonl")), found);

  const Answer other = isolde({"watch", file, "--level", "serializable", "--checkpoint", scratch.path("c")});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("level: snapshot-isolation before, serializable now"), std::string::npos) << other.err;
  const Answer elsewhere =
      isolde({"watch", scratch.file("other.jsonl", all), "--level", "si", "--checkpoint", scratch.path("c")});
  EXPECT_EQ(elsewhere.status, 2);
  EXPECT_NE(elsewhere.err.find("input: file"), std::string::npos) << elsewhere.err;
}

TEST(Watch, KeysDealtOutToThreadsGiveTheSameViolations) {
  const Scratch scratch;
  const std::string file = scratch.file("h.jsonl", stream_text());
  const auto watch = [&](const std::string& threads, const std::string& folder) {
    return isolde({"watch", file, "--method", "mirror", "--level", "snapshot-isolation", "--threads", threads,
                   "--checkpoint", scratch.path(folder), "--quiet"});
  };
  const auto found = [&](const std::string& folder) {
    std::vector<std::string> all = identities(scratch.path(folder + "/violations.jsonl"));
    std::sort(all.begin(), all.end());
    return all;
  };
  EXPECT_EQ(watch("1", "one").status, 1);
  EXPECT_FALSE(found("one").empty());
  const Answer three = watch("3", "three");
  EXPECT_EQ(three.status, 1) << three.out << three.err;
  EXPECT_EQ(found("three"), found("one"));
  EXPECT_EQ(watch("3", "three").status, 1) << "it goes on";
  EXPECT_EQ(found("three"), found("one"));
  const Answer other = watch("2", "three");
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("threads: 3 before, 2 now"), std::string::npos) << other.err;
}

TEST(Watch, CtrlCAndSigtermGiveASummary) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Scratch scratch;
    const std::string log = scratch.path("log");
    const std::string file = scratch.file("h.jsonl", stream_text());
    const pid_t child = start_watch({file, "--follow", "--level", "si", "--deadline", "0.05"}, log);
    // Until its last violation is told, so that nothing is open.
    EXPECT_TRUE(comes_true([&] { return content_of(log).find("GSIb") != std::string::npos; }));
    kill(child, signal);
    EXPECT_EQ(ended(child), 1) << content_of(log);
    EXPECT_NE(content_of(log).find("; stopped"), std::string::npos) << content_of(log);
  }
}

TEST(Watch, ATerminalHasALiveLine) {
  const Scratch scratch;
  const std::string file = scratch.file("h.jsonl", stream_text());
  const Answer a = isolde_on_terminal({"watch", file, "--level", "si"});
  EXPECT_NE(a.out.find("/s in, "), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("lag "), std::string::npos) << a.out;
}

TEST(Watch, ATimeLimitStopsIt) {
  const Scratch scratch;
  const Answer a =
      isolde({"watch", scratch.file("h.jsonl", kClocks), "--follow", "--level", "serializable", "--timeout", "0.2"});
  EXPECT_EQ(a.status, 0) << a.out << a.err;
  EXPECT_NE(a.out.find("so far"), std::string::npos) << a.out;
}

TEST(Watch, ARunIsCheckedWhileItIsRecorded) {
  const Scratch scratch;
  const Answer a = isolde({"record", "sqlite:" + scratch.path("db"), "--workload", "rmw", "--transactions", "400",
                           "--watch", "--out", scratch.path("h.jsonl")});
  EXPECT_EQ(a.status, 0) << a.out << a.err;
  EXPECT_NE(a.out.find("shows nothing that breaks sqlite"), std::string::npos) << a.out;
  const Answer json = isolde(
      {"record", "sqlite:" + scratch.path("db2"), "--workload", "rmw", "--transactions", "400", "--watch", "--json"});
  EXPECT_EQ(json.status, 0) << json.out << json.err;
  simdjson::dom::parser parser;
  simdjson::dom::element summary;
  ASSERT_EQ(parser.parse(json.out).get(summary), simdjson::SUCCESS) << json.out;
  EXPECT_EQ(std::string_view(summary["watch"]["verdict"]), "satisfied");
}

TEST(Watch, ARunThatIsWatchedHasAPage) {
  const Scratch scratch;
  const std::string page = scratch.path("run.html");
  const Answer a = isolde(
      {"record", "--workload", "rmw", "--transactions", "400", "--rate", "800", "--watch", "--quiet", "--html", page});
  EXPECT_EQ(a.status, 0) << a.out << a.err;
  const std::string html = content_of(page);
  EXPECT_NE(html.find(R"("kind":"watch")"), std::string::npos);
  EXPECT_NE(html.find("rmw on SQLite"), std::string::npos);
  EXPECT_NE(html.find("How long a committed transaction took"), std::string::npos) << "the recording's own plots";
  EXPECT_NE(html.find("Transactions watched"), std::string::npos);
  EXPECT_EQ(html.find("isolde-record-"), std::string::npos) << "the scratch folder is nobody's business";
  EXPECT_LT(html.size(), 3'000'000U);
}

TEST(Watch, ARunThatIsWatchedAndCheckedHasOnePageOfBoth) {
  const Scratch scratch;
  const std::string page = scratch.path("run.html");
  const Answer a = isolde({"record", "--workload", "rmw", "--transactions", "400", "--watch", "--check", "serializable",
                           "--out", scratch.path("run.isl"), "--quiet", "--html", page});
  EXPECT_EQ(a.status, 0) << a.out << a.err;
  const std::string html = content_of(page);
  EXPECT_NE(html.find(R"("kind":"check")"), std::string::npos);
  EXPECT_NE(html.find(R"("watch":{"kind":"watch")"), std::string::npos);
  const std::string plot = "How long a committed transaction took";
  EXPECT_EQ(html.find(plot, html.find(plot) + 1), std::string::npos) << "once is enough";
  const Answer none = isolde({"record", "--transactions", "10", "--out", scratch.path("h.isl"), "--html", page});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("--check LEVEL or --watch"), std::string::npos) << none.err;
}

TEST(Watch, APageShowsWhatWasSuspectedAndWhatCameLate) {
  const Scratch scratch;
  const std::string file =
      scratch.file("h.jsonl",
                   "{\"id\":1,\"session\":1,\"begin\":0,\"end\":10,\"ops\":[[\"w\",\"x\",1]]}\n"
                   "{\"id\":2,\"session\":2,\"begin\":1,\"end\":11,\"ops\":[[\"r\",\"y\",null]]}\n");
  const auto send = [&](const char* line) { std::ofstream(file, std::ios::app) << line << "\n"; };
  const auto told = [&](const char* text) {
    EXPECT_TRUE(comes_true([&] { return content_of(scratch.path("log")).find(text) != std::string::npos; })) << text;
  };
  const pid_t child = start_watch({file, "--follow", "--profile", "snapshot-isolation", "--silence", "0.2", "--hold",
                                   "0.05", "--json", "--html", scratch.path("h.html")},
                                  scratch.path("log"));
  told(R"("event": "started")");
  send(R"({"id":3,"session":3,"begin":100,"end":110,"ops":[["r","x",null]]})");
  told("session 2 sent nothing");
  told(R"("taken": 3,)");  // it is handed on
  send(R"({"id":4,"session":2,"begin":50,"end":60,"ops":[["r","x",1]]})");
  told(R"("event": "late")");
  send(R"({"id":5,"session":3,"begin":120,"end":130,"ops":[]})");
  told(R"("event": "suspicion")");
  kill(child, SIGINT);
  EXPECT_EQ(ended(child), 3) << content_of(scratch.path("log"));
  const std::string html = content_of(scratch.path("h.html"));
  EXPECT_NE(html.find(R"("suspicions":[{"found":)"), std::string::npos) << content_of(scratch.path("log"));
  EXPECT_NE(html.find(R"("id":"4","session":"2")"), std::string::npos) << content_of(scratch.path("log"));
  EXPECT_NE(html.find("Suspected and late so far"), std::string::npos);
}

TEST(Watch, OptionsOfWatchingNeedIt) {
  const Scratch scratch;
  const Answer refused = isolde(
      {"record", "--workload", "rmw", "--transactions", "10", "--profile", "x", "--out", scratch.path("h.jsonl")});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("--memory require --watch"), std::string::npos) << refused.err;
}

}  // namespace watch_test
}  // namespace isolde::test
