#include "cli/watch_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "anomaly/anomaly.h"
#include "cli/verbs.h"
#include "cli/watch_view.h"
#include "report/page/json_text.h"
#include "report/page/page.h"
#include "report/report.h"
#include "report/words.h"

namespace isolde::cli {
namespace {

constexpr std::size_t kMostSamples = 240, kMostViolations = 200, kMostNotices = 50;
constexpr std::size_t kMostIds = 12;
constexpr std::size_t kLongestText = 2000, kLongestName = 200;

std::string as_it_is(const std::string& json) { return json; }
std::string number(double value) { return fmt::format("{:.6g}", value); }

std::string violation_json(const OnlineViolation& v) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < std::min(v.transactions.size(), kMostIds); ++i)
    ids.push_back(json_string(words::shortened(v.transactions[i], kLongestName)));
  return JsonObject()
      .text("name", full_name(v.kind, v.variant))
      .text("meaning", info(v.kind).summary)
      .text("rule", v.rule)
      .text("text", words::shortened(v.text, kLongestText))
      .text("key", words::shortened(v.key, kLongestName))
      .raw("transactions", json_list(ids, as_it_is))
      .done();
}

std::string facts_json(const Chosen& chosen, const stream::WatchSummary& s) {
  const stream::WatchCounts& c = s.counts;
  std::vector<std::string> facts;
  const auto fact = [&](std::string_view name, const std::string& value) {
    if (!value.empty())
      facts.push_back(JsonObject().text("name", name).text("value", words::shortened(value, kLongestText)).done());
  };
  fact("judged", chosen.judged);
  fact("why undecided", s.reason);
  fact("method", chosen.why.empty() ? chosen.method : fmt::format("{} ({})", chosen.method, chosen.why));
  fact("stream", fmt::format("{}, {}", words::counted(c.arrived, "transaction"),
                             words::counted(c.engine.operations, "operation")));
  fact("watched", fmt::format("{:.1f} s, {}", c.seconds, s.stopped ? "until it was stopped" : "to its end"));
  if (s.pending > 0) fact("not judged", fmt::format("{} before the stop", words::counted(s.pending, "transaction")));
  if (s.open > 0) fact("open", fmt::format("{} would be violations if nothing more came", grouped(s.open)));
  if (c.suspicions > 0) fact("suspected", grouped(c.suspicions));
  if (c.late > 0) fact("late", words::counted(c.late, "transaction"));
  if (!c.missing.empty()) fact("missing", words::counted(c.missing.size(), "session"));
  if (c.engine.unchecked > 0) fact("unchecked", words::counted(c.engine.unchecked, "read"));
  fact("cost", fmt::format("lag at most {:.1f} s, peak {:.0f} MiB", c.most_lag, peak_mib()));
  return json_list(facts, as_it_is);
}

std::string plot(std::string_view title, const std::string& at, const std::vector<std::string>& series) {
  return JsonObject()
      .text("title", title)
      .text("unit", "s")
      .raw("at", at)
      .raw("series", json_list(series, as_it_is))
      .done();
}

}  // namespace

void PageView::violated(const OnlineViolation& violation) {
  if (violations_.size() < kMostViolations) violations_.push_back(violation_json(violation));
  next_.violated(violation);
}

void PageView::notice(std::string_view text) {
  if (notices_.size() < kMostNotices)
    notices_.push_back(json_string(words::shortened(std::string(text), kLongestText)));
  next_.notice(text);
}

void PageView::progress(const stream::WatchCounts& counts) {
  if (samples_.empty() || counts.seconds - samples_.back().seconds >= every_) sample(counts);
  last_ = counts;
  next_.progress(counts);
}

void PageView::sample(const stream::WatchCounts& c) {
  samples_.push_back({c.seconds, c.in_per_second, c.checked_per_second, c.lag, resident_mib(), c.violations});
  if (samples_.size() < kMostSamples) return;
  // Two become one: the mean of rates, the worse of lags.
  for (std::size_t i = 0; i < samples_.size() / 2; ++i) {
    const Sample &a = samples_[2 * i], &b = samples_[2 * i + 1];
    samples_[i] = {
        b.seconds,   (a.in + b.in) / 2, (a.checked + b.checked) / 2, std::max(a.lag, b.lag), std::max(a.mib, b.mib),
        b.violations};
  }
  samples_.resize(samples_.size() / 2);
  every_ *= 2;
}

std::string PageView::plots() const {
  if (samples_.size() < 2) return "[]";
  const std::string at = json_list(samples_, [](const Sample& s) { return number(s.seconds); });
  const auto series = [&](std::string_view name, std::string_view unit, auto&& value) {
    return JsonObject()
        .text("name", name)
        .text("unit", unit)
        .raw("values", json_list(samples_, [&](const Sample& s) { return number(static_cast<double>(value(s))); }))
        .done();
  };
  const std::vector<std::string> all = {
      plot("Transactions", at,
           {series("came", "a second", [](const Sample& s) { return s.in; }),
            series("checked", "a second", [](const Sample& s) { return s.checked; })}),
      plot("Lag: how long the oldest that is not judged has waited", at,
           {series("lag", "s", [](const Sample& s) { return s.lag; })}),
      plot("Violations found so far", at,
           {series("violations", "in all", [](const Sample& s) { return s.violations; })}),
      plot("Memory", at, {series("resident", "MiB", [](const Sample& s) { return s.mib; })})};
  return json_list(all, as_it_is);
}

std::string PageView::json(const std::string& subject, const Chosen& chosen, const stream::WatchSummary& s) {
  // The rates of a summary are those of all the time: the last ones are what belongs at its end.
  stream::WatchCounts end = last_;
  end.seconds = s.counts.seconds;
  end.violations = s.counts.violations;
  end.lag = s.counts.lag;
  if (samples_.empty() || end.seconds > samples_.back().seconds) sample(end);

  const std::string verdict = verdict_text(words::shortened(subject, kLongestName), chosen, s.outcome);
  std::vector<std::string> counts;
  for (const auto& [name, count] : s.counts.by_name)
    counts.push_back(JsonObject().text("name", name).number("count", count).done());
  const auto whole = [&] {
    return JsonObject()
        .text("kind", "watch")
        .raw("made", JsonObject().text("version", ISOLDE_VERSION).done())
        .text("verdict", name(s.outcome))
        // Without its sign: the page has its own.
        .text("summary",
              verdict.substr(verdict.find(' ') + 1) + (s.stopped && s.outcome == Outcome::kSatisfied ? " so far" : ""))
        .raw("facts", facts_json(chosen, s))
        .raw("counts", json_list(counts, as_it_is))
        .raw("violations", json_list(violations_, as_it_is))
        .number("violations_left_out", s.counts.violations - std::min(s.counts.violations, violations_.size()))
        .raw("notes", json_list(notices_, as_it_is))
        .raw("plots", plots())
        .done();
  };
  std::string json = whole();
  while (html_page_size(json) > kLargestPage && violations_.size() > 1) {
    violations_.resize(violations_.size() / 2);
    json = whole();
  }
  return json;
}

}  // namespace isolde::cli
