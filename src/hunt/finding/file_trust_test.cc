#include "hunt/finding/file_trust.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "base/mapped_file.h"
#include "hunt/finding/finding_file.h"
#include "hunt/generate/generate.h"
#include "tests/support/effort.h"

namespace isolde::hunt {
namespace file_trust_test {

std::string text_of_file(const std::string& path) { return std::string((*MappedFile::open(path))->text()); }

TEST(HuntFileTrust, FindingsOfHuntsPass) {
  int findings = 0;
  for (const char* const folder : {"/tests/corpus/hunt", "/tests/fuzz/seeds/finding"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::string(ISOLDE_SOURCE_DIR) + folder)) {
      const std::string path = entry.path().string();
      if (!path.ends_with(".finding") || path.ends_with("everything.finding")) continue;
      const auto finding = read_finding(path);
      ASSERT_TRUE(finding) << finding.error().message();
      const auto error = why_not_trusted(*finding, finding->dialect, text_of_file(path), path);
      EXPECT_FALSE(error) << error->message();
      ++findings;
    }
  }
  EXPECT_GE(findings, 4);
}

// Else a hunt could not replay what it found.
TEST(HuntFileTrust, WhateverAHuntDrawsPasses) {
  for (const char* const dialect : {"postgres", "mariadb", "mysql", "tidb", "sqlite"}) {
    GenerateOptions options;
    options.dialect = dialect;
    options.server_version = dialect == std::string_view("postgres") ? 150003 : 0;
    options.foreign_keys = options.generated_columns = options.views = options.triggers = options.partitions = true;
    const auto generator = make_generator(options);
    for (const std::uint64_t seed : effort::seeds(0, 40)) {
      const Schema schema = generator->schema(seed);
      for (std::uint64_t i = 0; i < effort::size(10); ++i) {
        Finding finding;
        finding.dialect = dialect;
        finding.test = generator->test(100 * seed + i);
        finding.test.schema = schema;
        const auto error = why_not_trusted(finding, dialect, "", "f.finding");
        ASSERT_FALSE(error) << dialect << ", seed " << seed << ": " << error->message();
      }
    }
  }
}

TEST(HuntFileTrust, OneThatReachesFurtherIsRefusedAtItsLine) {
  const std::string path =
      std::string(ISOLDE_SOURCE_DIR) + "/tests/corpus/hunt/postgres_15_3_merge_lost_update.finding";
  const std::string text = text_of_file(path);
  const auto changed = [&](const std::function<void(Finding&)>& change) {
    Finding finding = *read_finding(path);
    change(finding);
    const std::string hostile = finding_text(finding);
    const auto read = parse_finding(hostile, "f.finding");
    EXPECT_TRUE(read) << read.error().message();
    const auto error = read ? why_not_trusted(*read, "postgres", hostile, "f.finding") : std::nullopt;
    return error ? error->message() : "";
  };
  EXPECT_EQ(changed([](Finding&) {}), "");
  const std::string program =
      changed([](Finding& f) { f.test.transactions[0].statements[0].sql = "copy t from program 'id'"; });
  EXPECT_TRUE(program.starts_with("f.finding:")) << program;
  EXPECT_NE(program.find("copy t from program"), std::string::npos) << program;
  EXPECT_NE(changed([](Finding& f) { f.test.schema.drops.push_back("drop table users cascade"); }), "");
  EXPECT_NE(changed([](Finding& f) { f.test.schema.more.push_back("create extension dblink"); }), "");
  EXPECT_NE(changed([](Finding& f) { f.test.schema.tables[0].rows[0].back() = "pg_read_file('x')"; }), "");
  EXPECT_NE(changed([](Finding& f) { f.test.schema.tables[0].rows[0].back() = "1); drop table users; --"; }), "");
  EXPECT_NE(changed([](Finding& f) {
              if (f.test.transactions[0].statements[0].before.empty())
                f.test.transactions[0].statements[0].before = "select 1 from users";
            }),
            "");
}

}  // namespace file_trust_test
}  // namespace isolde::hunt
