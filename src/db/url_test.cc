#include "db/url.h"

#include <gtest/gtest.h>

namespace isolde::db {
namespace url_test {

Url parsed(std::string_view text) {
  auto url = parse_url(text);
  EXPECT_TRUE(url.has_value()) << text << ": " << url.error().message();
  return url ? *std::move(url) : Url{};
}

std::string refused(std::string_view text) {
  const auto url = parse_url(text);
  EXPECT_FALSE(url.has_value()) << text;
  return url ? "" : url.error().text;
}

TEST(Url, HasUserPasswordHostPortDatabaseAndOptions) {
  const Url url = parsed("postgres://anna:p%40ss%2Fw:rd@db.example:5433/shop?sslmode=disable&x=a%26b");
  EXPECT_EQ(url.scheme, "postgres");
  EXPECT_EQ(url.user, "anna");
  EXPECT_EQ(url.password, "p@ss/w:rd");
  EXPECT_EQ(url.host, "db.example");
  EXPECT_EQ(url.port, 5433);
  EXPECT_EQ(url.database, "shop");
  ASSERT_EQ(url.options.size(), 2U);
  EXPECT_EQ(url.options[0], (std::pair<std::string, std::string>("sslmode", "disable")));
  EXPECT_EQ(url.options[1], (std::pair<std::string, std::string>("x", "a&b")));
}

TEST(Url, HostAndUserMayBeOptionsWhereNothingElseNamesThem) {
  const Url url = parsed("postgres:///shop?host=/run/postgresql&sslmode=disable&user=anna");
  EXPECT_EQ(url.host, "/run/postgresql");
  EXPECT_EQ(url.user, "anna");
  EXPECT_EQ(url.database, "shop");
  EXPECT_EQ(url.options.size(), 1U);
  EXPECT_EQ(parsed("postgres://h/d?host=other").options.size(), 1U);
}

TEST(Url, LeavesOutWhatIsNotGiven) {
  const Url url = parsed("mariadb://");
  EXPECT_EQ(url.user + url.password + url.host + url.database, "");
  EXPECT_EQ(url.port, 0);
  EXPECT_EQ(parsed("postgres://localhost").host, "localhost");
  EXPECT_EQ(parsed("postgres:///shop").database, "shop");
  EXPECT_EQ(parsed("postgres://h/").database, "");
  EXPECT_EQ(parsed("postgres://h:/d").port, 0);
  EXPECT_TRUE(parsed("postgres://h/d?").options.empty());
  EXPECT_EQ(parsed("postgres://h/d?flag").options.at(0).second, "");
}

TEST(Url, ResolvesOtherNamesOfASchemeAndRefusesUnknownOnes) {
  EXPECT_EQ(parsed("mysql://h").scheme, "mariadb");
  EXPECT_EQ(parsed("postgresql://h").scheme, "postgres");
  EXPECT_EQ(parsed("cockroach://h").scheme, "cockroachdb");
  EXPECT_EQ(parsed("yugabyte://h").scheme, "yugabytedb");
  EXPECT_EQ(parsed("tidb://h").scheme, "tidb");
  EXPECT_NE(refused("oracle://h").find("mariadb://"), std::string::npos) << "the error lists what there is";
  EXPECT_NE(refused("").find("sqlite:FILE"), std::string::npos);
  EXPECT_NE(refused("shop.db").find("sqlite:FILE"), std::string::npos);
}

TEST(Url, ASqliteUrlIsAFile) {
  EXPECT_EQ(parsed("sqlite:").database, "");
  EXPECT_EQ(parsed("sqlite:shop.db").database, "shop.db");
  EXPECT_EQ(parsed("sqlite:/var/a%3Fb.db?timeout=5").database, "/var/a?b.db");
  EXPECT_EQ(parsed("sqlite:/x?timeout=5").options.at(0).second, "5");
}

TEST(Url, TakesAddressesAndSocketFolders) {
  EXPECT_EQ(parsed("postgres://[::1]:5433/d").host, "::1");
  EXPECT_EQ(parsed("postgres://[::1]:5433/d").port, 5433);
  EXPECT_EQ(parsed("postgres://u@[fe80::1]").host, "fe80::1");
  EXPECT_EQ(parsed("postgres://%2Fvar%2Frun/d").host, "/var/run");
}

TEST(Url, RefusesWhatItCannotMean) {
  EXPECT_NE(refused("postgres:h/d").find("postgres://user@host"), std::string::npos);
  EXPECT_NE(refused("postgres://h:0/d").find("port"), std::string::npos);
  EXPECT_NE(refused("postgres://h:65536/d").find("65536"), std::string::npos);
  EXPECT_NE(refused("postgres://h:54x/d").find("54x"), std::string::npos);
  EXPECT_NE(refused("postgres://[::1/d").find(']'), std::string::npos);
  EXPECT_NE(refused("postgres://[::1]5/d").find(']'), std::string::npos);
  EXPECT_NE(refused("postgres://a%2/d").find("hexadecimal"), std::string::npos);
  EXPECT_NE(refused("postgres://a%zz/d").find("hexadecimal"), std::string::npos);
  EXPECT_NE(refused("sqlite:a%").find("hexadecimal"), std::string::npos);
  EXPECT_NE(refused("sqlite:a%00b").find("%00"), std::string::npos);
  EXPECT_NE(refused("postgres://h/d?a=%q1").find("hexadecimal"), std::string::npos);
}

TEST(Url, NoErrorShowsAPassword) {
  for (const std::string_view text :
       {"postgre://anna:secret@db/shop", "postgres://anna:secret@db:99999/shop", "postgres://anna:sec%ret@db/shop",
        "postgres://anna:secret/x@db/shop", "postgres://anna:se?secret@db/shop", "postgres://anna:secret@[::1/d",
        "postgres://anna:a@secret@db:x/d", "tidb://u:secret@h/d?a=%q1",
        "postgres://anna@db/shop?sslpassword=sec%ret"}) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().message().find("secret"), std::string::npos) << url.error().message();
    EXPECT_EQ(url.error().message().find("sec%ret"), std::string::npos) << url.error().message();
  }
  EXPECT_EQ(refused("postgres://anna:secret/x@db/shop"),
            "the password in the URL cannot be read: write @ as %40, / as %2F, ? as %3F and % as %25, or use "
            "--password-file");
}

TEST(Url, PasswordsAreTakenOutOfAnyText) {
  EXPECT_EQ(without_passwords("cannot open: postgres://anna:secret@db/shop: no such file"),
            "cannot open: postgres://anna:***@db/shop: no such file");
  EXPECT_EQ(without_passwords("\"mysql://a:b@c\" and postgres://h/d?sslpassword=x&a=b"),
            "\"mysql://a:***@c\" and postgres://h/d?sslpassword=***&a=b");
  for (const std::string_view text :
       {"", "plain", "postgres://anna@db:5433/shop", "postgres://u@[::1]:5433/d", "://"}) {
    EXPECT_EQ(without_passwords(text), text);
  }
}

TEST(Url, IsShownWithoutPasswordsAndReadsTheSame) {
  for (const std::string_view text :
       {"postgres://anna@db:5433/shop?sslmode=disable", "mariadb://%2Frun%2Fmysqld/shop", "postgres://[::1]:5433/d",
        "sqlite:/tmp/a%3Fb.db?timeout=5", "sqlite:", "tidb://u@h:4000/a%2Fb"}) {
    const Url url = parsed(text);
    EXPECT_EQ(url.shown(), text);
    EXPECT_EQ(parsed(url.shown()).shown(), text);
  }
  const std::string shown = parsed("postgres://anna:secret@db/shop?sslpassword=secret&a=b").shown();
  EXPECT_EQ(shown, "postgres://anna@db/shop?a=b");
}

}  // namespace url_test
}  // namespace isolde::db
