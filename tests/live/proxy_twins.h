// tests/live/proxy_twins.h: two databases that are made alike: one is asked directly, the other one through a proxy,
// which records what passes, or not. Both answer the same.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "proxy/capture/recorder.h"
#include "tests/cli/run_program.h"
#include "tests/live/shared_server.h"
#include "tests/support/running_proxy.h"
#include "tests/support/wire_client.h"

namespace isolde::test {

enum class Recording { kOff, kOn };

// The address of the server's socket.
inline std::string wire_address(const std::string& url) {
  return "unix:" + db::parse_url(url)->host + "/.s.PGSQL.5432";
}

inline std::string url_of_database(const std::string& url, const std::string& database) {
  return url.substr(0, url.rfind('/') + 1) + database;
}

class Twins {
 public:
  explicit Twins(Recording recording)
      : url_(shared_server({"postgres", "", {}})->superuser_url()), user_(db::parse_url(url_)->user) {
    for (const char* const sql : {"drop database if exists twin_direct with (force)", "create database twin_direct",
                                  "drop database if exists twin_proxied with (force)", "create database twin_proxied"})
      run(sql);
    if (recording == Recording::kOn) {
      auto begun = proxy::capture::Recorder::begin(*db::parse_url(url_of_database(url_, "twin_proxied")),
                                                   {.path = scratch_.path("run.jsonl")});
      EXPECT_TRUE(begun) << begun.error().message();
      if (begun) recorder_ = *std::move(begun);
    }
    proxy_ = std::make_unique<RunningProxy>(url_, proxy::ProxyOptions{},
                                            recorder_ ? recorder_->conversations() : proxy::MakeConversation{});
    log_in();
  }
  ~Twins() {
    direct_.reset();
    proxied_.reset();
    proxy_.reset();
    recorder_.reset();
    run("drop database twin_direct with (force)");
    run("drop database twin_proxied with (force)");
  }
  Twins(const Twins&) = delete;
  Twins& operator=(const Twins&) = delete;

  // The same bytes to both; the answers up to so many ReadyForQuery are the same.
  void both(const std::string& bytes, std::size_t times = 1, const std::string& what = {}) {
    direct_->send(bytes);
    proxied_->send(bytes);
    auto expected = direct_->until_ready(times);
    auto got = proxied_->until_ready(times);
    for (auto* all : {&expected, &got})
      for (WireMessage& message : *all) message = comparable(std::move(message));
    ASSERT_EQ(expected, got) << what << "\ndirect:\n" << shown(expected) << "proxied:\n" << shown(got);
  }
  void query(const std::string& sql) { both(wire_query(sql), 1, sql); }
  void query_extended(const std::string& sql, bool binary) {
    both(wire_parse("", sql) + wire_describe('S', "") + wire_bind("", "", {}, binary) + wire_describe('P', "") +
             wire_execute("") + std::string(kWireSync),
         1, sql);
  }
  proxy::Counts stop() {
    direct_.reset();
    proxied_.reset();
    return proxy_->stop();
  }
  // What was recorded. Requires: stop().
  [[nodiscard]] proxy::capture::Recorded recorded() {
    auto finished = recorder_->finish();
    EXPECT_TRUE(finished) << finished.error().message();
    return finished ? *std::move(finished) : proxy::capture::Recorded{};
  }
  [[nodiscard]] std::string history() const { return scratch_.path("run.jsonl"); }

  // Both as another user; none: as the first one.
  void log_in(const std::string& user = {}) {
    direct_ = std::make_unique<WireClient>(wire_address(url_));
    proxied_ = std::make_unique<WireClient>(proxy_->address());
    const auto a = direct_->log_in(user.empty() ? user_ : user, "twin_direct");
    const auto b = proxied_->log_in(user.empty() ? user_ : user, "twin_proxied");
    ASSERT_EQ(a.size(), b.size()) << shown(b);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(comparable(a[i]), comparable(b[i]));
  }
  // On neither of the two: for what all databases share.
  void run(const std::string& sql) {
    WireClient client(wire_address(url_));
    static_cast<void>(client.log_in(user_, db::parse_url(url_)->database));
    client.send(wire_query(sql));
    const auto answers = client.until_ready(1);
    ASSERT_TRUE(answers.front().type == 'C' || answers.front().type == 'N') << shown(answers);
  }

 private:
  std::string url_, user_;
  Scratch scratch_;
  std::unique_ptr<proxy::capture::Recorder> recorder_;
  std::unique_ptr<RunningProxy> proxy_;
  std::unique_ptr<WireClient> direct_, proxied_;
};

}  // namespace isolde::test
