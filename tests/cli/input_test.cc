// What a history says and how it is read: nothing that stands in a file may be swallowed or taken for something else,
// whichever verb and method reads it.
#include <gtest/gtest.h>

#include "tests/cli/run_program.h"

namespace isolde::test {
namespace input_test {

// The exit status of `check` at each of these levels, with every verdict proved.
std::string statuses(const std::string& file, std::vector<std::string> more = {}) {
  std::string out;
  for (const char* level : {"rc", "causal", "si", "ser"}) {
    std::vector<std::string> words = {"check", file, "--level", level, "--prove", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Answer a = isolde(words);
    out += std::to_string(a.status);
    EXPECT_EQ(a.out.find("please report this"), std::string::npos) << a.out;
  }
  return out;
}

TEST(Input, AnEmptyListThatNobodyAppendsToIsTheInitialState) {
  const Scratch scratch;
  const std::string file = scratch.file("h.jsonl", R"({"id":0,"session":0,"ops":[["r","x",[]]]})");
  EXPECT_EQ(statuses(file), "0000");
  EXPECT_EQ(statuses(file, {"--method", "solver"}).substr(2), "00");
  EXPECT_EQ(statuses(scratch.file("h.edn", "{:type :ok, :process 0, :f :txn, :value [[:r 1 []]]}\n")), "0000");
  const std::string timed = scratch.file(
      "t.jsonl",
      "{\"id\":0,\"session\":0,\"start_ts\":1,\"commit_ts\":2,\"ops\":[[\"r\",\"x\",[]]]}\n"
      "{\"id\":1,\"session\":0,\"start_ts\":3,\"commit_ts\":4,\"ops\":[[\"r\",\"x\",null],[\"r\",\"y\",[]]]}\n");
  EXPECT_EQ(statuses(timed), "0000");
  EXPECT_EQ(statuses(timed, {"--order", "commit_ts"}).substr(3), "0");
  EXPECT_EQ(isolde({"watch", timed, "--level", "si"}).status, 0);
  const std::string clocks = scratch.file("c.jsonl",
                                          "{\"session\":0,\"begin\":1,\"end\":2,\"ops\":[[\"r\",\"x\",[]]]}\n"
                                          "{\"session\":1,\"begin\":3,\"end\":4,\"ops\":[[\"r\",\"x\",[]]]}\n");
  EXPECT_EQ(isolde({"watch", clocks, "--profile", "postgres:serializable", "--quiet"}).status, 0);
  EXPECT_EQ(isolde({"check", clocks, "--profile", "postgres:serializable", "--quiet"}).status,
            isolde({"check",
                    scratch.file("n.jsonl",
                                 "{\"session\":0,\"begin\":1,\"end\":2,\"ops\":[[\"r\",\"x\",null]]}\n"
                                 "{\"session\":1,\"begin\":3,\"end\":4,\"ops\":[[\"r\",\"x\",null]]}\n"),
                    "--profile", "postgres:serializable", "--quiet"})
                .status);
}

TEST(Input, AnEmptyListAmongOtherValuesIsAValue) {
  const Scratch scratch;
  EXPECT_EQ(statuses(scratch.file("a.jsonl",
                                  "{\"session\":0,\"ops\":[[\"w\",\"x\",5]]}\n"
                                  "{\"session\":1,\"ops\":[[\"r\",\"x\",[]]]}\n")),
            "1111");
  EXPECT_EQ(statuses(scratch.file("b.jsonl",
                                  "{\"session\":0,\"ops\":[[\"w\",\"x\",[]]]}\n"
                                  "{\"session\":0,\"ops\":[[\"r\",\"x\",[]]]}\n"
                                  "{\"session\":1,\"ops\":[[\"r\",\"x\",null]]}\n")),
            "0000");
  EXPECT_EQ(
      statuses(scratch.file("c.jsonl", "{\"isolde\":1,\"initial\":0}\n{\"session\":1,\"ops\":[[\"r\",\"x\",[]]]}\n")),
      "1111");
}

TEST(Input, InitialValuesMayStandInPairs) {
  const Scratch scratch;
  EXPECT_EQ(statuses(scratch.file("h.jsonl",
                                  "{\"isolde\":1,\"initial\":[[\"x\",5]]}\n"
                                  "{\"session\":1,\"ops\":[[\"r\",\"x\",5],[\"r\",\"y\",null]]}\n")),
            "0000");
}

TEST(Input, TheInitialValueCanBeGiven) {
  const Scratch scratch;
  const std::string file = scratch.file(
      "h.json", R"([{"tid":1,"sid":1,"sts":{"p":1,"l":0},"cts":{"p":2,"l":0},"ops":[{"t":"r","k":5,"v":0}]}])");
  const Answer without = isolde({"check", file, "--level", "si"});
  EXPECT_EQ(without.status, 1);
  EXPECT_NE(without.out.find("if keys start at 0, use --initial 0"), std::string::npos) << without.out;
  const Answer with = isolde({"check", file, "--level", "si", "--initial", "0", "--prove"});
  EXPECT_EQ(with.status, 0) << with.out << with.err;
  EXPECT_NE(with.out.find("keys start as 0, as --initial says"), std::string::npos) << with.out;
  const std::string converted = scratch.path("h.jsonl");
  EXPECT_EQ(isolde({"convert", file, converted, "--initial", "0"}).status, 0);
  EXPECT_EQ(isolde({"check", converted, "--level", "si"}).status, 0);
  const Answer bad = isolde({"check", file, "--initial", "[1]"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("--initial takes one scalar"), std::string::npos) << bad.err;
}

TEST(Input, AMisspeltFieldIsRefusedByCheckAndWatchAndCountedIfAskedFor) {
  const Scratch scratch;
  const std::string file = scratch.file(
      "h.jsonl", "{\"session\":1,\"sttus\":\"aborted\",\"start_ts\":1,\"commit_ts\":2,\"ops\":[[\"w\",\"x\",1]]}\n");
  for (const char* verb : {"check", "watch"}) {
    const Answer a = isolde({verb, file, "--level", "si"});
    EXPECT_EQ(a.status, 2) << verb;
    EXPECT_NE(a.err.find(":1:14: unknown field \"sttus\" in a transaction; did you mean status?"), std::string::npos)
        << a.err;
  }
  const Answer watched = isolde({"watch", file, "--level", "si", "--lenient"});
  EXPECT_EQ(watched.status, 0) << watched.err;
  EXPECT_NE(watched.out.find("1 field that the format does not have"), std::string::npos) << watched.out;
  const Answer lenient = isolde({"check", file, "--level", "si", "--lenient"});
  EXPECT_EQ(lenient.status, 0) << lenient.err;
  EXPECT_NE(lenient.out.find("ignored 1 field that the format does not have: \"sttus\" (1)"), std::string::npos)
      << lenient.out;
}

TEST(Input, AnEmptyFileIsRefused) {
  const Scratch scratch;
  const Answer a = isolde({"check", scratch.file("h.jsonl", ""), "--level", "si"});
  EXPECT_EQ(a.status, 2);
  EXPECT_NE(a.err.find("the file is empty"), std::string::npos) << a.err;
}

}  // namespace input_test
}  // namespace isolde::test
