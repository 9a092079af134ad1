#include "cli/live_run.h"

#include <fmt/format.h>

#include <functional>

#include "cli/pages.h"
#include "report/page/json_text.h"
#include "report/report.h"
#include "report/words.h"

namespace isolde::cli {
namespace {

constexpr std::size_t kMostPoints = 240;

double as_double(std::uint64_t count) { return static_cast<double>(count); }

}  // namespace

std::string watch_metrics(const stream::WatchCounts& c, double resident_mib) {
  Metrics m;
  m.counter("isolde_watch_transactions_total", "Transactions taken from the stream.", as_double(c.arrived));
  m.counter("isolde_watch_checked_total", "Transactions that are judged for good.", as_double(c.engine.checked));
  m.gauge("isolde_watch_lag_seconds", "How long the oldest transaction not yet judged has waited.", c.lag);
  m.gauge("isolde_watch_behind_seconds", "How long input has been lying unread.", c.behind);
  for (const auto& [name, count] : c.by_name)
    m.counter("isolde_watch_violations_total", "Violations found, by anomaly.", as_double(count),
              metric_label("anomaly", name));
  if (c.by_name.empty())
    m.counter("isolde_watch_violations_total", "Violations found, by anomaly.", 0, metric_label("anomaly", "any"));
  m.counter("isolde_watch_suspicions_total", "Suspicions that a missing part of the stream may explain.",
            as_double(c.suspicions));
  m.counter("isolde_watch_late_total", "Transactions that came too late.", as_double(c.late));
  m.gauge("isolde_watch_missing_sessions", "Sessions that are waited for no longer.", as_double(c.missing.size()));
  constexpr double kMebi = 1024.0 * 1024.0;
  m.gauge("isolde_resident_bytes", "Memory of the process.", resident_mib * kMebi);
  return m.text();
}

void LiveRecord::show(const record::RunProgress& progress) {
  if (server_ == nullptr || (!samples_.empty() && progress.seconds - samples_.back().seconds < every_)) return;
  samples_.push_back(progress);
  if (samples_.size() >= kMostPoints) {  // every second one stays
    for (std::size_t i = 0; i < samples_.size() / 2; ++i) samples_[i] = samples_[2 * i + 1];
    samples_.resize(samples_.size() / 2);
    every_ *= 2;
  }
  Metrics m;
  const auto ended = [&](std::string_view how, std::uint64_t count) {
    m.counter("isolde_record_transactions_total", "Transactions that ended, by how.", as_double(count),
              metric_label("outcome", how));
  };
  ended("committed", progress.committed);
  ended("aborted", progress.aborted);
  ended("unknown", progress.unknown);
  server_->set_metrics("record", m.text());
  if (!watched_ && server_->is_followed()) server_->set_page(page());
}

std::string LiveRecord::page() const {
  const record::RunProgress& now = samples_.back();
  const auto fact = [](std::string_view name, std::string value) {
    return JsonObject().text("name", name).text("value", value).done();
  };
  const std::vector<std::string> facts = {fact("seconds", fmt::format("{:.0f}", now.seconds)),
                                          fact("committed", grouped(now.committed)),
                                          fact("aborted", grouped(now.aborted)), fact("unknown", grouped(now.unknown))};
  const auto rate = [&](std::string_view name, std::uint64_t record::RunProgress::* count) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const record::RunProgress before = i == 0 ? record::RunProgress() : samples_[i - 1];
      const double seconds = samples_[i].seconds - before.seconds;
      values.push_back(
          fmt::format("{:.6g}", seconds > 0 ? as_double(samples_[i].*count - before.*count) / seconds : 0.0));
    }
    return JsonObject()
        .text("name", name)
        .text("unit", "per second")
        .raw("values", json_list(values, std::identity{}))
        .done();
  };
  const std::vector<std::string> series = {rate("committed", &record::RunProgress::committed),
                                           rate("aborted", &record::RunProgress::aborted),
                                           rate("unknown", &record::RunProgress::unknown)};
  const std::string plot =
      JsonObject()
          .text("title", "Transactions")
          .text("unit", "s")
          .raw("at", json_list(samples_, [](const record::RunProgress& p) { return fmt::format("{:.6g}", p.seconds); }))
          .raw("series", json_list(series, std::identity{}))
          .done();
  JsonObject out;
  out.text("kind", "watch").raw("made", JsonObject().text("version", ISOLDE_VERSION).done());
  out.text("verdict", "undecided").text("summary", fmt::format("{}: recording", subject_));
  out.raw("facts", json_list(facts, std::identity{}))
      .raw("plots", fmt::format("[{}]", samples_.size() < 2 ? "" : plot));
  for (const std::string_view empty : {"counts", "violations", "transactions", "suspicions", "late", "notes"})
    out.raw(empty, "[]");
  for (const std::string_view none : {"violations_left_out", "suspicions_left_out", "late_left_out"})
    out.number(none, 0);
  return out.done();
}

void show_hunt(LiveServer* server, const hunt::HuntCounts& c, std::string_view title,
               std::span<const hunt::Finding> findings) {
  if (server == nullptr) return;
  Metrics m;
  m.counter("isolde_hunt_cases_total", "Cases that ran.", as_double(c.cases));
  m.counter("isolde_hunt_rounds_total", "Orders of a case's statements that ran on their own.", as_double(c.rounds));
  m.counter("isolde_hunt_statements_total", "Statements that were sent.", as_double(c.statements));
  m.counter("isolde_hunt_refused_total", "Statements that the server refused.", as_double(c.failed));
  m.counter("isolde_hunt_findings_total", "Findings.", as_double(c.findings));
  m.counter("isolde_hunt_restarts_total", "Times that the server was gone.", as_double(c.restarts));
  server->set_metrics("hunt", m.text());
  if (!server->is_followed()) return;
  server->set_page(hunt_page({},
                             fmt::format("{}: {}, {}, {:.0f} s", title, words::counted(c.cases, "case"),
                                         words::counted(c.rounds, "oracle round"), c.seconds),
                             findings));
}

}  // namespace isolde::cli
