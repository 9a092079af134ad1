// tests/audit/corpus_test.cc: small traces that state in their first lines what can go wrong in them, level by level.
//
//   -- about: what the transactions do
//   -- schema: shop.ddl                                              (beside it; may be left out)
//   -- at read-committed: lost update, write skew; targets orders.total
//   -- at snapshot-isolation: none
//   -- first five at read-committed: orders.total, stock.quantity    (each is a column of one of the first five
//   stories)
//   -- never: audit_log                                              (no story of any level is about these tables)
//   -- across transactions: acts events.seats_left                   (all pairs, in any order; may be left out)
//
// A file without `about` or without a level fails. The anomalies' names are all that are found, in any order; targets
// may be left out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "audit/audit.h"
#include "audit/render.h"

namespace isolde::audit {
namespace corpus_test {

namespace fs = std::filesystem;

const std::string kFolder = ISOLDE_SOURCE_DIR "/tests/corpus/audit";
using Names = std::set<std::string>;

struct Expected {
  WeakLevel level;
  Names anomalies;
  std::optional<Names> targets;
};

struct Stated {
  std::string about, schema;
  std::vector<Expected> at;
  std::map<WeakLevel, Names> first_five;
  Names never;
  std::optional<Names> across;
};

Names names_in(std::string_view text) {
  Names out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(", "), text.size());
    if (end > 0) out.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return out;
}

Stated stated_by(const std::string& path) {
  Stated out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line) && line.starts_with("-- ");) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) break;
    const std::string word = line.substr(3, colon - 3), value = line.substr(colon + 2);
    if (word == "about") out.about = value;
    if (word == "schema") out.schema = value;
    if (word == "across transactions") {
      out.across = names_in(value);
      out.across->erase("none");
    }
    if (word == "never") out.never = names_in(value);
    if (word.starts_with("first five at ")) {
      if (const auto level = weak_level_named(word.substr(14))) {
        out.first_five[*level] = names_in(value);
      } else {
        ADD_FAILURE() << path << ": no level " << word;
      }
    }
    if (!word.starts_with("at ")) continue;
    const auto level = weak_level_named(word.substr(3));
    if (!level) ADD_FAILURE() << path << ": no level " << word;
    Expected expected{level.value_or(WeakLevel::kReadCommitted), {}, std::nullopt};
    const std::size_t targets = value.find("; targets ");
    if (targets != std::string::npos) expected.targets = names_in(std::string_view(value).substr(targets + 10));
    expected.anomalies = names_in(std::string_view(value).substr(0, targets));
    expected.anomalies.erase("none");
    out.at.push_back(std::move(expected));
  }
  return out;
}

AuditOptions at(WeakLevel level, unsigned threads) {
  AuditOptions options;
  options.level = level;
  options.search.limits.threads = threads;
  return options;
}

class AuditCorpus : public ::testing::TestWithParam<std::string> {};

TEST_P(AuditCorpus, WhatItStatesIsFound) {
  const std::string path = kFolder + "/" + GetParam();
  const Stated stated = stated_by(path);
  ASSERT_FALSE(stated.about.empty()) << "no line -- about:";
  ASSERT_FALSE(stated.at.empty()) << "no line -- at LEVEL:";
  for (const Expected& expected : stated.at) {
    Schema schema;
    if (!stated.schema.empty()) {
      auto read = read_schema(kFolder + "/" + stated.schema);
      ASSERT_TRUE(read) << read.error().message();
      schema = *std::move(read);
    }
    const auto audit = audit_trace(path, std::move(schema), {}, at(expected.level, 1));
    ASSERT_TRUE(audit) << audit.error().message();
    Names found, targets;
    for (const Anomaly& anomaly : (*audit)->anomalies) found.emplace(name(anomaly.name));
    for (const TargetColumn& target : (*audit)->plan.targets)
      targets.insert((*audit)->classes.schema.full_name(target.column));
    const std::string text = audit_text(**audit, {.shown = 9});
    EXPECT_EQ(found, expected.anomalies) << name(expected.level) << "\n" << text;
    if (expected.targets) {
      EXPECT_EQ(targets, *expected.targets) << name(expected.level) << "\n" << text;
    }
    Names first;
    for (std::size_t i = 0; i < (*audit)->anomalies.size(); ++i) {
      for (const CycleEdge& edge : (*audit)->anomalies[i].cycle.edges) {
        if (i < 5) first.insert((*audit)->classes.schema.full_name(edge.conflict.column));
        const TableId table = (*audit)->classes.schema.column(edge.conflict.column).table;
        EXPECT_FALSE(stated.never.contains((*audit)->classes.schema.table(table).name)) << text;
      }
    }
    if (const auto wanted = stated.first_five.find(expected.level); wanted != stated.first_five.end()) {
      for (const std::string& column : wanted->second) EXPECT_TRUE(first.contains(column)) << column << "\n" << text;
    }
    if (stated.across) {
      Names across;
      for (const ScopeFinding& one : (*audit)->scope)
        across.insert(std::string(name(one.kind)) + " " + scope_column(one, (*audit)->classes.schema, (*audit)->log));
      EXPECT_EQ(across, *stated.across) << text;
    }
    EXPECT_EQ((*audit)->classes.not_understood_statements, 0u) << text;
    EXPECT_EQ((*audit)->finding(), expected.anomalies.empty() ? Finding::kNone : Finding::kAnomalies);
    // The same again with more threads.
    Schema again;
    if (!stated.schema.empty()) again = *read_schema(kFolder + "/" + stated.schema);
    const auto second = audit_trace(path, std::move(again), {}, at(expected.level, 2));
    ASSERT_TRUE(second);
    ASSERT_EQ((*second)->anomalies.size(), (*audit)->anomalies.size());
    for (std::size_t i = 0; i < (*audit)->anomalies.size(); ++i)
      EXPECT_EQ(fingerprint((*second)->anomalies[i].cycle), fingerprint((*audit)->anomalies[i].cycle));
  }
}

std::vector<std::string> files() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".ddl") out.push_back(entry.path().filename().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

INSTANTIATE_TEST_SUITE_P(Files, AuditCorpus, ::testing::ValuesIn(files()), [](const auto& param) {
  std::string name = param.param.substr(0, param.param.find('.'));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace corpus_test
}  // namespace isolde::audit
