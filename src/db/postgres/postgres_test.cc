#include "db/postgres/postgres.h"

#include <gtest/gtest.h>

#include "db/postgres/flavour.h"

namespace isolde::db {
namespace postgres_test {

std::string refusal(const char* url) {
  auto database = open_database(*parse_url(url));
  return database ? "" : database.error().message();
}

TEST(Postgres, OptionsThatLibpqKnowsAreTaken) {
  EXPECT_EQ(refusal("postgres://u@localhost/d?sslmode=disable&connect_timeout=3&application_name=x"), "");
}

TEST(Postgres, AnotherOptionIsRefusedWithAListOfThem) {
  const std::string text = refusal("postgres://localhost/d?timeout=3");
  EXPECT_NE(text.find("\"timeout\""), std::string::npos) << text;
  EXPECT_NE(text.find("connect_timeout"), std::string::npos) << text;
  // What the URL says elsewhere cannot be said twice.
  EXPECT_NE(refusal("postgres://localhost/d?port=3"), "");
}

TEST(Postgres, ItsLevelsAreFoundByTheirOwnNamesAndByOurs) {
  auto database = open_database(*parse_url("postgres://localhost/d"));
  ASSERT_TRUE(database);
  EXPECT_EQ((*level_named(**database, "repeatable-read"))->name, "repeatable read");
  EXPECT_EQ((*level_named(**database, "si"))->name, "repeatable read");
  EXPECT_EQ((*level_named(**database, "serializable"))->name, "serializable");
}

TEST(Postgres, NobodyThereIsAnErrorThatNamesTheUrlWithoutItsPassword) {
  auto database = open_database(*parse_url("postgres://u:secret@127.0.0.1:1/d"));
  ASSERT_TRUE(database);
  const auto connection = (*database)->connect((*database)->levels()[0]);
  ASSERT_FALSE(connection);
  EXPECT_NE(connection.error().message().find("postgres://u@127.0.0.1:1/d"), std::string::npos);
  EXPECT_EQ(connection.error().message().find("secret"), std::string::npos);
}

struct Meaning {
  const char* code;
  const char* means;
};

std::string meaning(std::string_view code) {
  const ErrorRow* const row = find_error(postgres_errors(), code);
  if (row == nullptr) return "not listed";
  return row->means == Fate::kLost ? "lost" : "ends";
}

TEST(Postgres, ErrorsMeanWhatTheTableSays) {
  for (const Meaning& m : {Meaning{"40001", "ends"},
                           {"40P01", "ends"},
                           {"23505", "ends"},
                           {"57014", "ends"},
                           {"57P01", "lost"},
                           {"08006", "lost"},
                           {"40003", "lost"},
                           // Faults of ours, and of the server.
                           {"42601", "not listed"},
                           {"08P01", "not listed"},
                           {"53200", "not listed"},
                           {"XX000", "not listed"}})
    EXPECT_EQ(meaning(m.code), m.means) << m.code;
}

}  // namespace postgres_test
}  // namespace isolde::db
