// tests/live/proxy_mariadb_twins.h: two databases of one MariaDB that are made alike: one is asked directly, the other
// one through a proxy. Both answer the same, as libmariadb tells it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mysql.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db/url.h"
#include "tests/cli/run_program.h"
#include "tests/live/shared_server.h"
#include "tests/support/running_proxy.h"

namespace isolde::test {

inline db::Server* mariadb() { return shared_server({"mariadb", "", {}}); }
// The folder of its socket, as a URL has it.
inline std::string mariadb_socket() {
  const std::string host = db::parse_url(mariadb()->superuser_url())->host;
  return host.ends_with(".sock") ? host : host + "/mariadb.sock";
}

// A connection by libmariadb; what it answers, as text.
class MariadbClient {
 public:
  // `port` 0: the server's own socket.
  MariadbClient(unsigned port, const std::string& database, unsigned long flags = 0) : handle_(mysql_init(nullptr)) {
    const unsigned local = 1;
    mysql_options(handle_, MYSQL_OPT_LOCAL_INFILE, &local);
    mysql_options(handle_, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    const std::string socket = mariadb_socket();
    const std::string user = db::parse_url(mariadb()->superuser_url())->user;
    connected_ =
        mysql_real_connect(handle_, port == 0 ? nullptr : "127.0.0.1", user.c_str(), "", database.c_str(), port,
                           port == 0 ? socket.c_str() : nullptr, flags | CLIENT_MULTI_STATEMENTS) != nullptr;
  }
  ~MariadbClient() { mysql_close(handle_); }
  MariadbClient(const MariadbClient&) = delete;
  MariadbClient& operator=(const MariadbClient&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] MYSQL* handle() { return handle_; }

  [[nodiscard]] std::string error() const {
    return fmt::format("error {} {} {}\n", mysql_errno(handle_), mysql_sqlstate(handle_), mysql_error(handle_));
  }

  std::string query(std::string_view sql) {
    std::string out;
    if (mysql_real_query(handle_, sql.data(), sql.size()) != 0) return error();
    while (true) {
      out += result();
      const int more = mysql_next_result(handle_);
      if (more < 0) return out;
      if (more > 0) return out + error();
    }
  }
  // Prepared, executed so many times, fetched; `cursor`: so many rows at a time.
  std::string execute(std::string_view sql, const std::vector<std::string>& parameters = {}, int times = 1,
                      unsigned long cursor = 0) {
    const std::unique_ptr<MYSQL_STMT, decltype(&mysql_stmt_close)> statement(mysql_stmt_init(handle_),
                                                                             mysql_stmt_close);
    MYSQL_STMT* const s = statement.get();
    if (cursor > 0) {
      const unsigned long type = CURSOR_TYPE_READ_ONLY;
      mysql_stmt_attr_set(s, STMT_ATTR_CURSOR_TYPE, &type);
      mysql_stmt_attr_set(s, STMT_ATTR_PREFETCH_ROWS, &cursor);
    }
    const auto failed = [&] { return fmt::format("error {} {}\n", mysql_stmt_errno(s), mysql_stmt_error(s)); };
    if (mysql_stmt_prepare(s, sql.data(), sql.size()) != 0) return failed();
    std::string out = fmt::format("{} parameters, {} columns\n", mysql_stmt_param_count(s), mysql_stmt_field_count(s));
    std::vector<MYSQL_BIND> binds(mysql_stmt_param_count(s));
    for (std::size_t i = 0; i < binds.size(); ++i) {
      const std::string& text = parameters[i % parameters.size()];
      binds[i].buffer_type = MYSQL_TYPE_STRING;
      binds[i].buffer = const_cast<char*>(text.data());
      binds[i].buffer_length = text.size();
    }
    for (int i = 0; i < times; ++i) {
      if (!binds.empty() && mysql_stmt_bind_param(s, binds.data())) return out + failed();
      if (mysql_stmt_execute(s) != 0) {
        out += failed();
        continue;
      }
      out += fmt::format("changed {}, id {}\n", static_cast<long long>(mysql_stmt_affected_rows(s)),
                         static_cast<unsigned long long>(mysql_stmt_insert_id(s)));
      if (mysql_stmt_field_count(s) > 0) out += rows(s);
    }
    return out;
  }

 private:
  std::string result() {
    MYSQL_RES* const stored = mysql_store_result(handle_);
    if (stored == nullptr) {
      if (mysql_errno(handle_) != 0) return error();
      const char* const info = mysql_info(handle_);
      return fmt::format("changed {}, id {}, warnings {}, status {:x}, {}\n",
                         static_cast<long long>(mysql_affected_rows(handle_)),
                         static_cast<unsigned long long>(mysql_insert_id(handle_)), mysql_warning_count(handle_),
                         status(), info == nullptr ? "" : info);
    }
    std::string out;
    const unsigned count = mysql_num_fields(stored);
    for (unsigned i = 0; i < count; ++i) {
      const MYSQL_FIELD* const f = mysql_fetch_field_direct(stored, i);
      out += fmt::format("[{} {}.{} {}.{} {} {:x} {} {}]", f->name, f->table, f->org_table, f->org_name,
                         static_cast<int>(f->type), f->length, f->flags, f->decimals, f->charsetnr);
    }
    out += "\n";
    while (const MYSQL_ROW row = mysql_fetch_row(stored)) {
      const unsigned long* const lengths = mysql_fetch_lengths(stored);
      for (unsigned i = 0; i < count; ++i) out += row[i] == nullptr ? "NULL|" : std::string(row[i], lengths[i]) + "|";
      out += "\n";
    }
    mysql_free_result(stored);
    return out + fmt::format("status {:x}, warnings {}\n", status(), mysql_warning_count(handle_));
  }
  unsigned status() {
    unsigned status = 0;
    mariadb_get_infov(handle_, MARIADB_CONNECTION_SERVER_STATUS, &status);
    return status;
  }
  static std::string rows(MYSQL_STMT* s) {
    std::string out;
    const unsigned count = mysql_stmt_field_count(s);
    std::vector<MYSQL_BIND> binds(count);
    std::vector<std::string> rooms(count, std::string(200, '\0'));
    std::vector<unsigned long> lengths(count);
    std::vector<my_bool> nulls(count);
    for (unsigned i = 0; i < count; ++i) {
      binds[i].buffer_type = MYSQL_TYPE_STRING;
      binds[i].buffer = rooms[i].data();
      binds[i].buffer_length = rooms[i].size();
      binds[i].length = &lengths[i];
      binds[i].is_null = &nulls[i];
    }
    if (mysql_stmt_bind_result(s, binds.data())) return "cannot bind\n";
    int fetched = 0;
    while ((fetched = mysql_stmt_fetch(s)) == 0 || fetched == MYSQL_DATA_TRUNCATED) {
      for (unsigned i = 0; i < count; ++i)
        out += nulls[i] ? "NULL|"
                        : fmt::format("{}:{}|", rooms[i].substr(0, std::min<std::size_t>(lengths[i], 200)), lengths[i]);
      out += "\n";
    }
    if (fetched == 1) out += fmt::format("error {} {}\n", mysql_stmt_errno(s), mysql_stmt_error(s));
    mysql_stmt_free_result(s);
    return out;
  }

  MYSQL* handle_;
  bool connected_ = false;
};

class MariadbTwins {
 public:
  explicit MariadbTwins(proxy::MakeConversation conversations = {}, unsigned long flags = 0) {
    MariadbClient admin(0, "");
    for (const char* const name : {"isolde_direct", "isolde_proxied"})
      EXPECT_TRUE(admin.query(fmt::format("create or replace database {}", name)).starts_with("changed"));
    proxy_ =
        std::make_unique<RunningProxy>(mariadb()->superuser_url(), proxy::ProxyOptions{}, std::move(conversations));
    direct_ = std::make_unique<MariadbClient>(0, "isolde_direct", flags);
    proxied_ = std::make_unique<MariadbClient>(port(), "isolde_proxied", flags);
    EXPECT_TRUE(direct_->connected()) << direct_->error();
    EXPECT_TRUE(proxied_->connected()) << proxied_->error();
  }
  ~MariadbTwins() {
    static_cast<void>(stop());
    MariadbClient admin(0, "");
    for (const char* const name : {"isolde_direct", "isolde_proxied"})
      admin.query(fmt::format("drop database {}", name));
  }
  MariadbTwins(const MariadbTwins&) = delete;
  MariadbTwins& operator=(const MariadbTwins&) = delete;

  [[nodiscard]] unsigned port() const { return static_cast<unsigned>(std::stoul(proxy_->port())); }
  void query(std::string_view sql) {
    const std::string expected = comparable(direct_->query(sql)), got = comparable(proxied_->query(sql));
    ASSERT_EQ(expected, got) << sql.substr(0, 500);
  }
  void execute(std::string_view sql, const std::vector<std::string>& parameters = {}, int times = 1,
               unsigned long cursor = 0) {
    const std::string expected = comparable(direct_->execute(sql, parameters, times, cursor));
    ASSERT_EQ(expected, comparable(proxied_->execute(sql, parameters, times, cursor))) << sql;
  }
  MariadbClient& direct() { return *direct_; }
  MariadbClient& proxied() { return *proxied_; }
  proxy::Counts stop() {
    direct_.reset();
    proxied_.reset();
    return proxy_->stop();
  }

 private:
  // Their names are all that differs.
  static std::string comparable(std::string text) {
    for (std::size_t at = 0; (at = text.find("isolde_proxied", at)) != std::string::npos;)
      text.replace(at, 14, "isolde_direct");
    return text;
  }
  std::unique_ptr<RunningProxy> proxy_;
  std::unique_ptr<MariadbClient> direct_, proxied_;
};

}  // namespace isolde::test
