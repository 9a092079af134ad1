#include "cli/reference.h"

#include <gtest/gtest.h>

#include "tests/cli/run_program.h"

namespace isolde::cli {
namespace reference_test {

using test::run_program;
using test::Scratch;

bool on_this_machine(const std::string& program) {
  return run_program({"sh", "-c", "command -v " + program + " >/dev/null"}).status == 0;
}

TEST(ManPage, EveryVerbHasOneThatGroffReads) {
  const bool has_groff = on_this_machine("groff");
  const Scratch scratch;
  for (const VerbRow& verb : verbs()) {
    if (verb.planned) continue;
    const std::string page = man_page(&verb, "1.0.0");
    EXPECT_TRUE(page.starts_with(".TH ISOLDE\\-")) << page.substr(0, 60);
    EXPECT_NE(page.find(".SH OPTIONS"), std::string::npos) << verb.name;
    if (!has_groff) continue;
    const auto read = run_program({"groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-z", scratch.file("page.1", page)});
    EXPECT_EQ(read.status, 0) << verb.name;
    EXPECT_EQ(read.err, "") << verb.name;
  }
  EXPECT_NE(man_page(nullptr, "1.0.0").find(".BR isolde\\-check (1)"), std::string::npos);
}

TEST(Completion, EveryShellsScriptNamesEveryVerb) {
  for (const char* const shell : {"bash", "zsh", "fish"}) {
    const auto script = completion(shell);
    ASSERT_TRUE(script);
    for (const VerbRow& verb : verbs()) {
      if (verb.planned) continue;
      EXPECT_NE(script->find(verb.name), std::string::npos) << shell << ": " << verb.name;
    }
  }
  EXPECT_FALSE(completion("tcsh"));
}

// What bash offers for a command line, whose last word is begun.
std::string offered(const std::string& words) {
  const Scratch scratch;
  const std::string script = scratch.file("isolde", *completion("bash"));
  const auto answer = run_program({"bash", "-c",
                                   "source " + script + "; COMP_WORDS=(" + words +
                                       "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _isolde; echo \"${COMPREPLY[@]}\""});
  EXPECT_EQ(answer.err, "");
  return answer.out;
}

TEST(Completion, BashOffersVerbsOptionsAndTheirWords) {
  EXPECT_EQ(offered("isolde ch"), "check\n");
  EXPECT_EQ(offered("isolde check --expl"), "--explain-method\n");
  EXPECT_EQ(offered("isolde check --level snap"), "snapshot-isolation\n");
  EXPECT_EQ(offered("isolde record --spawn p"), "postgres\n");
  EXPECT_EQ(offered("isolde explain lost"), "lost-update\n");
  EXPECT_EQ(offered("isolde check --ver"), "--version\n") << "those that all verbs take";
}

TEST(Completion, OtherShellsReadTheirScripts) {
  const Scratch scratch;
  if (on_this_machine("zsh")) {
    EXPECT_EQ(run_program({"zsh", "-n", scratch.file("_isolde", *completion("zsh"))}).status, 0);
  }
  if (on_this_machine("fish")) {
    EXPECT_EQ(run_program({"fish", "--no-execute", scratch.file("isolde.fish", *completion("fish"))}).status, 0);
  }
}

}  // namespace reference_test
}  // namespace isolde::cli
