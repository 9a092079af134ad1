// Traces that state what the mirror finds in them, in their first lines:
//
//   # about: what happens here
//   # profile: tidb:repeatable-read
//   # finds: dirty-update    without-commits: nothing
//
// The last part: what is found where the intervals of the commits are left out; the same, if it is not there. Every
// violation is proved. A file without `about`, `profile` and `finds` fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "check/engine.h"
#include "check/mirror/engine.h"
#include "check/mirror/profile.h"
#include "format/format.h"
#include "proof/prove.h"

namespace isolde {
namespace traces_test {

namespace fs = std::filesystem;

const std::string kTraces = ISOLDE_SOURCE_DIR "/tests/corpus/traces";

struct Stated {
  std::string about, profile, finds, without_commits;
};

Stated stated_by(const std::string& path) {
  Stated stated;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line) && line.starts_with('#');) {
    std::stringstream words(line.substr(1));
    std::string* section = nullptr;
    for (std::string word; words >> word;) {
      if (word == "about:") {
        section = &stated.about;
      } else if (word == "profile:") {
        section = &stated.profile;
      } else if (word == "finds:") {
        section = &stated.finds;
      } else if (word == "without-commits:") {
        section = &stated.without_commits;
      } else if (section != nullptr) {
        *section += word;
      }
    }
  }
  if (stated.without_commits.empty()) stated.without_commits = stated.finds;
  return stated;
}

// The names of what is found, or "nothing".
std::string found_in(const History& history, const mirror::Profile& profile) {
  const Verdict verdict = kMirrorEngine.check(history, level_of(profile), Limits{}, {.profile = &profile});
  if (verdict.anomalies.empty()) return "nothing";
  const auto proof = prove(history, verdict);
  EXPECT_TRUE(proof) << proof.error().message();
  std::string names;
  for (const Anomaly& a : verdict.anomalies) names += (names.empty() ? "" : "+") + full_name(a);
  return names;
}

class Traces : public ::testing::TestWithParam<std::string> {};

TEST_P(Traces, ShowWhatTheySay) {
  const std::string path = kTraces + "/" + GetParam();
  const Stated stated = stated_by(path);
  ASSERT_FALSE(stated.about.empty() || stated.profile.empty() || stated.finds.empty());
  const mirror::Profile* const profile = mirror::profile_named(stated.profile);
  ASSERT_NE(profile, nullptr) << stated.profile;
  const auto loaded = load(path, nullptr, {});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(found_in(loaded->history, *profile), stated.finds);
  HistoryColumns columns = loaded->history.columns();
  columns.commit_before = {};
  columns.commit_length = {};
  columns.wide_commits = {};
  const History without(columns, std::make_shared<History>(loaded->history));
  EXPECT_EQ(found_in(without, *profile), stated.without_commits) << "without commits";
}

std::vector<std::string> all_traces() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kTraces)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Traces, ::testing::ValuesIn(all_traces()), [](const auto& each) {
  std::string label = each.param.substr(0, each.param.find('.'));
  return label;
});

}  // namespace traces_test
}  // namespace isolde
