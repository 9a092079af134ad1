// tests/support/running_proxy.h: a proxy that serves on a thread of this process as long as the object lives.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "db/url.h"
#include "proxy/proxy.h"

namespace isolde::test {

class RunningProxy {
 public:
  RunningProxy(const std::string& url, proxy::ProxyOptions options, proxy::MakeConversation conversations = {}) {
    if (options.listen.empty()) options.listen = "127.0.0.1:0";
    auto opened = proxy::Proxy::open(options, *db::parse_url(url), std::move(conversations));
    EXPECT_TRUE(opened) << opened.error().message();
    if (!opened) return;
    proxy_ = *std::move(opened);
    thread_ = std::thread([this] { EXPECT_TRUE(proxy_->run([this] { return over_.load(); })); });
  }
  ~RunningProxy() { static_cast<void>(stop()); }
  RunningProxy(const RunningProxy&) = delete;
  RunningProxy& operator=(const RunningProxy&) = delete;

  [[nodiscard]] std::string address() const { return proxy_ ? proxy_->listens_at() : std::string(); }
  [[nodiscard]] std::string port() const { return address().substr(address().rfind(':') + 1); }
  proxy::Counts stop() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
    return proxy_ ? proxy_->stop() : proxy::Counts{};
  }

 private:
  std::unique_ptr<proxy::Proxy> proxy_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace isolde::test
