// The corpus: histories that state their own expectation in their first lines.
//
//   # about: what happens here
//   # method: timeline
//   # holds: snapshot-isolation causal?          fails: serializable(write-skew)
//
// The method `check` is what `isolde check` does without --method. A name with `?` is judged undecided. A file without
// `about`, `method` and a level fails. What holds or fails must agree with the oracle, too, and every verdict is
// proved.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "anomaly/telling.h"
#include "check/choose/choose.h"
#include "check/choose/engines.h"
#include "check/choose/strongest.h"
#include "format/format.h"
#include "proof/prove.h"
#include "tests/oracle/oracle.h"
#include "tests/support/format_testing.h"

namespace isolde {
namespace corpus_test {

namespace fs = std::filesystem;

const std::string kCorpus = ISOLDE_SOURCE_DIR "/tests/corpus/verdicts";

struct Expectation {
  Level level;
  bool holds;
  bool undecided;
  std::string anomaly;  // of a failure; empty: any
};

struct Stated {
  std::string about, method;
  std::vector<Expectation> expectations;
  std::string fault;
};

// "snapshot-isolation?", "serializable(write-skew)".
std::optional<Expectation> expectation(std::string word, bool holds) {
  Expectation e{Level::kSerializable, holds, false, {}};
  if (word.ends_with('?')) {
    e.undecided = true;
    word.pop_back();
  }
  if (const std::size_t open = word.find('('); open != std::string::npos && word.ends_with(')')) {
    e.anomaly = word.substr(open + 1, word.size() - open - 2);
    word.resize(open);
  }
  const auto level = level_named(word);
  if (!level) return std::nullopt;
  e.level = *level;
  return e;
}

Stated stated_by(const std::string& path) {
  Stated stated;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line) && (line.starts_with('#') || line.starts_with(';'));) {
    std::stringstream words(line.substr(1));
    std::string section;
    for (std::string word; words >> word;) {
      if (word == "about:" || word == "method:" || word == "holds:" || word == "fails:") {
        section = word;
      } else if (section == "about:") {
        stated.about += word;
      } else if (section == "method:") {
        stated.method = word;
      } else if (const auto e = expectation(word, section == "holds:")) {
        stated.expectations.push_back(*e);
      } else {
        stated.fault = fmt::format("`{}` is no level", word);
      }
    }
  }
  if (stated.about.empty() || stated.method.empty() || stated.expectations.empty()) {
    stated.fault = "the first lines must say `# about:`, `# method:` and `# holds:` or `# fails:`";
  }
  return stated;
}

class Corpus : public ::testing::TestWithParam<std::string> {};

TEST_P(Corpus, IsJudgedAsItSays) {
  const std::string path = kCorpus + "/" + GetParam();
  const Stated stated = stated_by(path);
  ASSERT_EQ(stated.fault, "");
  const auto loaded = load(path, nullptr, {});
  ASSERT_TRUE(loaded) << loaded.error().message();
  const bool chosen = stated.method == "check";
  const Engine* const engine = chosen ? nullptr : engine_named(stated.method);
  ASSERT_TRUE(chosen || engine != nullptr) << stated.method;
  LevelChecks checks(loaded->history, {});
  for (const Expectation& e : stated.expectations) {
    SCOPED_TRACE(info(e.level).name);
    if (engine != nullptr) {
      ASSERT_EQ(engine->lacks(loaded->history, e.level), "");
    }
    const Verdict verdict = chosen ? checks.check(choose(loaded->history, e.level, {}), e.level, Limits{})
                                   : engine->check(loaded->history, e.level, Limits{});
    const Outcome expected = e.undecided ? Outcome::kUndecided : e.holds ? Outcome::kSatisfied : Outcome::kViolated;
    EXPECT_EQ(name(verdict.outcome), name(expected)) << verdict.reason;
    const auto proof = prove(loaded->history, verdict);
    EXPECT_TRUE(proof) << (proof ? "" : proof.error().message());
    if (!e.anomaly.empty()) {
      EXPECT_TRUE(std::any_of(verdict.anomalies.begin(), verdict.anomalies.end(), [&](const Anomaly& a) {
        return full_name(a) == e.anomaly || telling_name(loaded->history, a) == e.anomaly;
      })) << e.anomaly;
    }
    const auto evidence = stated.method == "timeline" ? OracleEvidence::kTimestamps : OracleEvidence::kNone;
    // The oracle does not judge whether predicates found all rows.
    if (!loaded->history.columns().predicates.empty()) continue;
    const OracleVerdict truth = oracle(loaded->history, e.level, evidence);
    if (truth != OracleVerdict::kNotApplicable) {
      EXPECT_EQ(truth, e.holds ? OracleVerdict::kSatisfied : OracleVerdict::kViolated) << "by the oracle";
    }
  }
}

// Whatever format it is written to, every verdict stays, or it is not written.
TEST_P(Corpus, IsJudgedTheSameWhenConverted) {
  const auto loaded = load(kCorpus + "/" + GetParam(), nullptr, {});
  ASSERT_TRUE(loaded) << loaded.error().message();
  const auto outcome = [](const History& h, Level level) {
    const Choice choice = choose(h, level, {});
    return choice.engine == nullptr ? Outcome::kUndecided : choice.engine->check(h, level, Limits{}).outcome;
  };
  for (const FormatInfo& format : formats()) {
    if (format.write == nullptr) continue;
    testing::MemoryOutput output;
    if (!write_history(loaded->history, format, output, Losses::kRefuse)) continue;
    const auto written = output.files();
    const auto back =
        format.read(format.is_folder ? testing::folder_of(written) : testing::source_of(written.at("")), {});
    ASSERT_TRUE(back) << format.name << ": " << back.error().message();
    for (const LevelInfo& level : all_levels()) {
      EXPECT_EQ(name(outcome(back->history, level.level)), name(outcome(loaded->history, level.level)))
          << format.name << " at " << level.name;
    }
  }
}

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kCorpus)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Verdicts, Corpus, ::testing::ValuesIn(files()), [](const auto& name) {
  std::string plain = name.param.substr(0, name.param.find('.'));
  std::replace(plain.begin(), plain.end(), '-', '_');
  return plain;
});

}  // namespace corpus_test
}  // namespace isolde
