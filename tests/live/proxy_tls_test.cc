// tests/live/proxy_tls_test.cc: TLS that the proxy ends for its clients, and TLS to the server: here to another proxy.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/cli/run_program.h"
#include "tests/live/proxy_twins.h"

namespace isolde::test {
namespace proxy_tls_test {

// An authority, a server's certificate for localhost, and a client's.
class Certificates {
 public:
  Certificates() {
    openssl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
             at("ca.key"), "-out", at("ca.pem"), "-subj", "/CN=test authority", "-days", "2"});
    for (const char* const name : {"localhost", "client"}) {
      const std::string base = at(name);
      openssl({"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", base + ".key",
               "-out", base + ".csr", "-subj", fmt::format("/CN={}", name)});
      openssl({"x509", "-req", "-in", base + ".csr", "-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial",
               "-out", base + ".pem", "-days", "2"});
    }
  }
  [[nodiscard]] std::string at(const std::string& name) const { return scratch_.path(name); }
  [[nodiscard]] proxy::ProxyOptions serving(bool asks_clients) const {
    proxy::ProxyOptions options;
    options.certificate = at("localhost.pem");
    options.key = at("localhost.key");
    if (asks_clients) options.client_ca = at("ca.pem");
    return options;
  }

 private:
  static void openssl(std::vector<std::string> words) {
    words.insert(words.begin(), "openssl");
    const Answer answer = run_program(words);
    EXPECT_EQ(answer.status, 0) << answer.err;
  }
  Scratch scratch_;
};

// The answer to a query, or why there is none.
std::string ask_through(const RunningProxy& proxy, const std::string& more, const std::string& sql) {
  const auto url = *db::parse_url(shared_server({"postgres", "", {}})->url());
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(
      PQconnectdb(fmt::format("host=localhost hostaddr=127.0.0.1 port={} user={} dbname={} {}", proxy.port(), url.user,
                              url.database, more)
                      .c_str()),
      PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK) return PQerrorMessage(connection.get());
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()), PQclear);
  if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) return PQerrorMessage(connection.get());
  return std::string(PQsslInUse(connection.get()) != 0 ? "tls " : "plain ") + PQgetvalue(result.get(), 0, 0);
}

std::string long_answer() { return "select length(repeat('x', 3000000)) || left(repeat('y', 3000000), 0)"; }

TEST(ProxyTls, ClientsMayEncrypt) {
  const Certificates made;
  RunningProxy proxy(shared_server({"postgres", "", {}})->url(), made.serving(false));
  EXPECT_EQ(ask_through(proxy, "sslmode=disable", "select 1"), "plain 1");
  EXPECT_EQ(ask_through(proxy, "sslmode=require", long_answer()), "tls 3000000");
  EXPECT_EQ(ask_through(proxy, "sslmode=verify-full sslrootcert=" + made.at("ca.pem"), "select 1"), "tls 1");
  const std::string big = ask_through(proxy, "sslmode=require", "select repeat('z', 5000000)");
  EXPECT_EQ(big.size(), 5'000'004U);
  EXPECT_EQ(proxy.stop().unreadable, decltype(proxy::Counts::unreadable){});
}

TEST(ProxyTls, OnlyClientsWithACertificateAreTakenWhereThatIsAsked) {
  const Certificates made;
  RunningProxy proxy(shared_server({"postgres", "", {}})->url(), made.serving(true));
  EXPECT_NE(ask_through(proxy, "sslmode=disable", "select 1").find("only connections with TLS"), std::string::npos);
  EXPECT_NE(ask_through(proxy, "sslmode=require", "select 1"), "tls 1");
  const std::string own = fmt::format(" sslcert={} sslkey={}", made.at("client.pem"), made.at("client.key"));
  EXPECT_EQ(ask_through(proxy, "sslmode=require" + own, "select 7"), "tls 7");
}

TEST(ProxyTls, TheWayToTheServerMayBeEncrypted) {
  const Certificates made;
  const auto url = *db::parse_url(shared_server({"postgres", "", {}})->url());
  RunningProxy inner(shared_server({"postgres", "", {}})->url(), made.serving(false));
  const auto to_inner = [&](const std::string& options) {
    return fmt::format("postgres://{}@localhost:{}/{}?{}", url.user, inner.port(), url.database, options);
  };
  {
    RunningProxy outer(to_inner("sslmode=require"), {});
    EXPECT_EQ(ask_through(outer, "", long_answer()), "plain 3000000");
  }
  {
    RunningProxy outer(to_inner("sslmode=verify-full&sslrootcert=" + made.at("ca.pem")), made.serving(false));
    EXPECT_EQ(ask_through(outer, "sslmode=require", "select 5"), "tls 5");
  }
  {
    // Signed by somebody else.
    const Certificates others;
    RunningProxy outer(to_inner("sslmode=verify-ca&sslrootcert=" + others.at("ca.pem")), {});
    EXPECT_NE(ask_through(outer, "", "select 5").find("isolde proxy: TLS with"), std::string::npos);
  }
  // A server that takes none.
  RunningProxy plain(shared_server({"postgres", "", {}})->url(), {});
  RunningProxy outer(fmt::format("postgres://{}@localhost:{}/{}?sslmode=require", url.user, plain.port(), url.database),
                     {});
  EXPECT_NE(ask_through(outer, "", "select 5").find("takes no TLS"), std::string::npos);
}

TEST(ProxyTls, WhatOtherMachinesCanReachNeedsCertificates) {
  const auto url = *db::parse_url(shared_server({"postgres", "", {}})->url());
  proxy::ProxyOptions options{.listen = "0.0.0.0:0"};
  EXPECT_FALSE(proxy::Proxy::open(options, url));
  options.allow_remote = true;
  const auto refused = proxy::Proxy::open(options, url);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("--client-ca"), std::string::npos) << refused.error().message();
  const Certificates made;
  proxy::ProxyOptions asks = made.serving(true);
  asks.listen = "0.0.0.0:0";
  asks.allow_remote = true;
  EXPECT_TRUE(proxy::Proxy::open(asks, url));
  asks.key = made.at("client.key");
  EXPECT_FALSE(proxy::Proxy::open(asks, url));
}

}  // namespace proxy_tls_test
}  // namespace isolde::test
