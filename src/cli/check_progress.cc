#include "cli/check_progress.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "check/graph/graph.h"
#include "cli/terminal.h"
#include "report/report.h"

namespace isolde::cli {
namespace {

using std::chrono::steady_clock;

constexpr auto kShowEvery = std::chrono::milliseconds(500), kShowFrom = std::chrono::milliseconds(1000);
constexpr auto kTakesLong = std::chrono::seconds(5);

}  // namespace

std::string faster_evidence(const History& history, Level level) {
  const HistoryColumns& c = history.columns();
  const bool serializable = info(level).family == LevelFamily::kSerializable;
  std::vector<std::string_view> ways;
  if (info(level).family == LevelFamily::kSnapshot && (c.start_ts.empty() || c.commit_ts.empty()))
    ways.emplace_back("database timestamps (start_ts, commit_ts)");
  if (serializable && c.order.empty()) {
    ways.emplace_back(c.commit_ts.empty() ? "the expected serialization order (order)"
                                          : "--order commit_ts, if commits have the order of serialization");
  }
  if (!version_orders_are_told(history))
    ways.emplace_back("version orders (version_order lines, or lists that are appended to)");
  std::string text;
  for (std::size_t i = 0; i < ways.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == ways.size() ? " or " : ", ", ways[i]);
  return text;
}

CheckProgress::CheckProgress(std::string subject, std::string stage, std::function<std::string()> advice, bool quiet)
    : subject_(std::move(subject)),
      advice_(std::move(advice)),
      stage_(std::move(stage)),
      started_(steady_clock::now()) {
  if (quiet || !errors_on_terminal()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { show_until_stopped(stop); });
}

CheckProgress::~CheckProgress() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  if (shown_) clear_live_line();
}

void CheckProgress::advance(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  if (!thread_.joinable()) return;
  std::string far = total == 0
                        ? grouped(done)
                        : fmt::format("{:.0f} %", 100.0 * static_cast<double>(done) / static_cast<double>(total));
  const std::lock_guard lock(mutex_);
  stage_ = fmt::format("{} {}", stage, far);
}

void CheckProgress::show_until_stopped(const std::stop_token& stop) {
  bool advised = false;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, stop, kShowEvery, [&] { return stop.stop_requested(); })) {
    const auto taken = steady_clock::now() - started_;
    if (taken < kShowFrom) continue;
    if (!advised && taken >= kTakesLong) {
      advised = true;
      lock.unlock();
      const std::string advice = advice_();
      if (shown_) clear_live_line();
      if (!advice.empty()) print_error(advice);
      lock.lock();
    }
    shown_ = true;
    show_live_line(
        fmt::format("{}: {}, {} s", subject_, stage_, std::chrono::duration_cast<std::chrono::seconds>(taken).count()));
  }
}

}  // namespace isolde::cli
