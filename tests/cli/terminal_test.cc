// What terminals and pipes get: standard output by its name -, widths, locales, topics of help.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/letters.h"
#include "cli/options.h"
#include "tests/cli/run_program.h"

namespace isolde::test {
namespace terminal_test {

constexpr const char* kTwo =
    "{\"session\": 1, \"ops\": [[\"r\",\"x\",null],[\"w\",\"x\",1]]}\n"
    "{\"session\": 2, \"ops\": [[\"r\",\"x\",null],[\"w\",\"x\",2]]}\n";

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(StandardOutput, GetsAHistoryAndStandardErrorTheSummary) {
  const Answer made = isolde({"gen", "--out", "-", "--transactions", "20"});
  EXPECT_EQ(made.status, 0);
  EXPECT_TRUE(made.out.starts_with("{\"isolde\"") || made.out.starts_with("{\"id\"")) << made.out.substr(0, 80);
  EXPECT_TRUE(made.err.starts_with("standard output (native): 20 transactions")) << made.err;
  const Scratch scratch;
  const std::string history = scratch.file("h.jsonl", made.out);
  const Answer converted = isolde({"convert", history, "-", "--to", "text", "--quiet", "--lossy"});
  EXPECT_EQ(converted.status, 0) << converted.err;
  EXPECT_TRUE(has(converted.out, "w(")) << converted.out;
  EXPECT_EQ(converted.err, "");
  EXPECT_EQ(isolde({"convert", history, "-"}).out, made.out) << "the native format, if none is named";
  const Answer binary = isolde({"convert", history, "-", "--to", "isl"});
  EXPECT_TRUE(binary.out.starts_with("ISOLDE\x1a\n"));
  EXPECT_TRUE(has(isolde_on_terminal({"convert", history, "-", "--to", "isl"}).out, "is not written to a terminal"));
  EXPECT_EQ(isolde({"convert", history, "-", "--to", "cobra", "--lossy"}).status, 2) << "a folder";
}

TEST(StandardInput, HasOneName) {
  const Scratch scratch;
  (void)scratch.file("h.jsonl", kTwo);
  (void)scratch.file("bad.jsonl", "{\"session\": 1, \"opps\": []}\n");
  const auto piped = [&](const std::string& file, const std::string& rest) {
    return run_program({"sh", "-c", "'" ISOLDE_BINARY_DIR "/isolde' " + rest + " <" + file}, {}, scratch.path());
  };
  EXPECT_TRUE(piped("h.jsonl", "check - --level si").out.starts_with("✗ standard input violates"));
  EXPECT_TRUE(has(piped("h.jsonl", "check - --level si --json").out, "{\"file\": \"standard input\""));
  EXPECT_TRUE(piped("bad.jsonl", "check -").err.starts_with("standard input:1:"));
  EXPECT_TRUE(has(piped("h.jsonl", "convert - out.isl").out, "standard input (native) -> out.isl"));
}

TEST(Help, AnUnknownTopicIsAnError) {
  const Answer a = isolde({"help", "chekc"});
  EXPECT_EQ(a.status, 2);
  EXPECT_TRUE(has(a.err, "no help on \"chekc\"; did you mean check?")) << a.err;
  EXPECT_TRUE(has(isolde({"help", "G1a"}).err, "isolde explain G1a"));
  EXPECT_EQ(isolde({"help", "check"}).out, isolde({"check", "--help"}).out);
  EXPECT_EQ(isolde({"check", "-h"}).status, 0);
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) {
    while (line.ends_with('\r')) line.pop_back();
    widest = std::max(widest, cli::columns_of(line));
  }
  return widest;
}

TEST(Terminal, ItsWidthIsKept) {
  const Scratch scratch;
  const std::string file = scratch.file("h.jsonl", kTwo);
  for (const char* const columns : {"40", "60", "80"}) {
    const std::vector<std::string> narrow = {std::string("COLUMNS=") + columns};
    const std::size_t width = std::stoul(columns);
    EXPECT_LE(widest_line(isolde_on_terminal({"explain", "lost-update"}, narrow).out), std::max<std::size_t>(width, 60))
        << "a line of JSON is no sentence";
    EXPECT_LE(widest_line(isolde_on_terminal({"gen", "--help"}, narrow).out), std::max<std::size_t>(width, 62));
  }
  const Answer report = isolde_on_terminal({"check", file, "--level", "si"}, {"COLUMNS=60"});
  EXPECT_TRUE(has(report.out, "Contradiction:")) << report.out;
  EXPECT_TRUE(has(report.out, "strongest level that holds")) << report.out;
  const std::string piped = isolde({"check", file, "--level", "si"}, {"COLUMNS=40"}).out;
  EXPECT_GT(widest_line(piped), 60U) << "what is piped is left as it is";
}

TEST(Locale, WithoutUtf8AllIsAsciiButData) {
  const Scratch scratch;
  std::string text(kTwo);
  for (std::size_t at = 0; (at = text.find("\"x\"", at)) != std::string::npos;) text.replace(at, 3, "\"é\"");
  const std::string file = scratch.file("h.jsonl", text);
  const auto is_ascii = [](const std::string& t) {
    return std::ranges::all_of(t, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  };
  const Answer plain = isolde({"check", file, "--level", "si"}, {"LC_ALL=C"});
  EXPECT_TRUE(plain.out.starts_with("x " + file + " violates")) << plain.out;
  EXPECT_TRUE(is_ascii(plain.out)) << plain.out;
  EXPECT_TRUE(has(plain.out, "\\u00e9")) << plain.out;
  EXPECT_TRUE(is_ascii(isolde_on_terminal({"check", file, "--level", "si"}, {"LC_ALL=POSIX"}).out));
  EXPECT_TRUE(is_ascii(isolde({"check", "--help"}, {"LC_ALL=C"}).out));
  EXPECT_TRUE(has(isolde({"check", file, "--level", "si", "--json"}, {"LC_ALL=C"}).out, "é")) << "JSON is UTF-8";
  EXPECT_TRUE(isolde({"check", file, "--level", "si"}, {"LC_ALL=", "LC_CTYPE=", "LANG="}).out.starts_with("✗ "));
}

}  // namespace terminal_test
}  // namespace isolde::test
