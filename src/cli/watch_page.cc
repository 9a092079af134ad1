#include "cli/watch_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "anomaly/anomaly.h"
#include "cli/live_run.h"
#include "cli/verbs.h"
#include "cli/watch_picture.h"
#include "cli/watch_view.h"
#include "report/page/json_text.h"
#include "report/page/plots.h"
#include "report/report.h"
#include "report/words.h"

namespace isolde::cli {
namespace {

constexpr std::size_t kMostSamples = 240, kMostViolations = 200, kMostOthers = 50;
constexpr std::size_t kMostIds = 12, kMostStepsShown = 24;
constexpr std::size_t kLongestWatchText = 2000;

std::string json_number(double value) { return fmt::format("{:.6g}", value); }

// What a page shows of it, which may be kept for a day.
OnlineViolation shortened(const OnlineViolation& v) {
  const auto name = [](const std::string& text) { return words::shortened(text, kLongestName); };
  OnlineViolation out{};
  out.kind = v.kind;
  out.variant = v.variant;
  out.rule = v.rule;
  out.text = words::shortened(v.text, kLongestWatchText);
  out.key = name(v.key);
  out.read = name(v.read);
  out.expected = name(v.expected);
  for (std::size_t i = 0; i < std::min(v.transactions.size(), kMostIds); ++i)
    out.transactions.push_back(name(v.transactions[i]));
  // Of longer ones no picture is drawn.
  if (v.transactions.size() > kMostIds || v.steps.size() > kMostStepsShown) return out;
  for (const OnlineStep& step : v.steps) out.steps.push_back({step.from, step.to, step.type, name(step.key)});
  return out;
}

PageObject violation_object(const OnlineViolation& v, double found) {
  PageObject out;
  out.raw("found", json_number(found))
      .text("name", full_name(v.kind, v.variant))
      .text("meaning", meaning_of(v))
      .text("rule", v.rule)
      .text("text", v.text)
      .text("key", v.key)
      .raw("ids", page_list(v.transactions, [](const std::string& id) { return json_string(id); }));
  return out;
}

std::string facts_json(const WatchedSubject& subject, const Chosen& chosen, const stream::WatchSummary& s) {
  const stream::WatchCounts& c = s.counts;
  std::vector<std::string> facts;
  const auto fact = [&](std::string_view name, const std::string& value) {
    if (!value.empty())
      facts.push_back(PageObject().text("name", name).text("value", words::shortened(value, kLongestWatchText)).done());
  };
  for (const auto& [name, value] : subject.facts) fact(name, value);
  fact("judged", chosen.judged);
  fact("why undecided", s.reason);
  fact("method", chosen.why.empty() ? chosen.method : fmt::format("{} ({})", chosen.method, chosen.why));
  fact("stream", fmt::format("{}, {}", words::counted(c.arrived, "transaction"),
                             words::counted(c.engine.operations, "operation")));
  fact("watched", fmt::format("{:.1f} s, {}", c.seconds,
                              subject.live ? "so far"
                              : s.stopped  ? "until it was stopped"
                                           : "to its end"));
  if (s.pending > 0) fact("not judged", fmt::format("{} before the stop", words::counted(s.pending, "transaction")));
  if (s.open > 0) fact("open", fmt::format("{} would be violations if nothing more came", grouped(s.open)));
  if (c.suspicions > 0) fact("suspected", grouped(c.suspicions));
  if (c.late > 0) fact("late", words::counted(c.late, "transaction"));
  if (!c.missing.empty()) fact("missing", words::counted(c.missing.size(), "session"));
  fact("unchecked", not_judged_text(c.engine));
  fact("cost", fmt::format("lag at most {:.1f} s, peak {:.0f} MiB", c.most_lag, peak_mib()));
  return page_list(facts);
}

std::string plot(std::string_view title, const std::string& at, const std::vector<std::string>& series) {
  return PageObject().text("title", title).text("unit", "s").raw("at", at).raw("series", page_list(series)).done();
}

}  // namespace

void PageView::violated(const OnlineViolation& violation) {
  if (violations_.size() < kMostViolations) {
    violations_.push_back(shortened(violation));
    violations_found_.push_back(since_.seconds());
  }
  next_.violated(violation);
}

void PageView::suspected(const OnlineViolation& violation, std::string_view why) {
  if (suspicions_.size() < kMostOthers) {
    suspicions_.push_back(shortened(violation));
    suspicions_found_.push_back(since_.seconds());
    why_.push_back(words::shortened(std::string(why), kLongestWatchText));
  }
  next_.suspected(violation, why);
}

void PageView::late(const Arrival& arrival) {
  if (late_.size() < kMostOthers) {
    const History& h = arrival.chunk->history;
    late_.push_back({since_.seconds(), words::shortened(h.txn_text(arrival.txn), kLongestName),
                     words::shortened(h.session_text(h.session(arrival.txn)), kLongestName)});
  }
  next_.late(arrival);
}

void PageView::notice(std::string_view text) {
  if (notices_.size() < kMostOthers) notices_.push_back(words::shortened(std::string(text), kLongestWatchText));
  next_.notice(text);
}

void PageView::progress(const stream::WatchCounts& counts) {
  if (samples_.empty() || counts.seconds - samples_.back().seconds >= every_) sample(counts);
  show_live(counts);
  next_.progress(counts);
}

void PageView::serve(LiveServer& server, WatchedSubject subject, const Chosen& chosen) {
  server_ = &server;
  served_ = std::move(subject);
  served_.live = true;
  chosen_ = &chosen;
}

void PageView::show_live(const stream::WatchCounts& counts) {
  if (server_ == nullptr || counts.seconds - shown_live_ < 1) return;
  shown_live_ = counts.seconds;
  server_->set_metrics("watch", watch_metrics(counts, resident_mib()));
  if (!server_->is_followed()) return;
  stream::WatchSummary so_far;
  so_far.counts = counts;
  so_far.stopped = true;  // it says "so far"
  so_far.outcome = counts.violations > 0 ? Outcome::kViolated : Outcome::kSatisfied;
  server_->set_page(page_json(served_, *chosen_, so_far));
}

void PageView::sample(const stream::WatchCounts& c) {
  samples_.push_back({c.seconds, c.lag, resident_mib(), c.arrived - std::min(c.arrived, c.arrived_before),
                      c.engine.checked - std::min(c.engine.checked, c.checked_before), c.violations, c.suspicions,
                      c.late});
  if (samples_.size() < kMostSamples) return;
  // Two become one: the later, with the worse of lags.
  for (std::size_t i = 0; i < samples_.size() / 2; ++i) {
    const Sample a = samples_[2 * i];
    samples_[i] = samples_[2 * i + 1];
    samples_[i].lag = std::max(samples_[i].lag, a.lag);
    samples_[i].mib = std::max(samples_[i].mib, a.mib);
  }
  samples_.resize(samples_.size() / 2);
  // As far apart as those before, though they may have come more slowly than was asked for.
  every_ = std::max(2 * every_, samples_.back().seconds / static_cast<double>(samples_.size()));
}

std::vector<std::string> PageView::plots() const {
  if (samples_.size() < 2) return {};
  const std::string at = page_list(samples_, [](const Sample& s) { return json_number(s.seconds); });
  const auto series = [&](std::string_view name, std::string_view unit, auto&& value) {
    return PageObject()
        .text("name", name)
        .text("unit", unit)
        .raw("values", page_list(samples_, [&](const Sample& s) { return json_number(static_cast<double>(value(s))); }))
        .done();
  };
  // Since the point before, or the start.
  const auto rate = [&](std::uint64_t Sample::* count) {
    return [&, count](const Sample& s) {
      const bool first = &s == samples_.data();
      const double seconds = s.seconds - (first ? 0 : (&s - 1)->seconds);
      const std::uint64_t before = first ? 0 : (&s - 1)->*count;
      return seconds > 0 ? static_cast<double>(s.*count - std::min(before, s.*count)) / seconds : 0;
    };
  };
  std::vector<std::string> all = {
      plot(
          "Transactions watched", at,
          {series("came", "per second", rate(&Sample::came)), series("checked", "per second", rate(&Sample::checked))}),
      plot("Lag: how long the oldest transaction not yet judged has waited", at,
           {series("lag", "s", [](const Sample& s) { return s.lag; })}),
      plot("Violations found so far", at,
           {series("violations", "total", [](const Sample& s) { return s.violations; })}),
      plot("Memory", at, {series("resident", "MiB", [](const Sample& s) { return s.mib; })})};
  std::vector<std::string> doubts;
  if (samples_.back().suspicions > 0)
    doubts.push_back(series("suspected", "total", [](const Sample& s) { return s.suspicions; }));
  if (samples_.back().late > 0) doubts.push_back(series("late", "total", [](const Sample& s) { return s.late; }));
  if (!doubts.empty()) all.insert(all.begin() + 3, plot("Suspected and late so far", at, doubts));
  return all;
}

std::string PageView::violations_json(const History* recorded, std::string& transactions) const {
  WatchPictures pictures(violations_, recorded);
  transactions = pictures.transactions_json();
  std::vector<std::string> out;
  for (std::size_t i = 0; i < violations_.size(); ++i) {
    const WatchPictures::Picture& picture = pictures.of(i);
    out.push_back(violation_object(violations_[i], violations_found_[i])
                      .raw("transactions",
                           page_list(picture.transactions, [](std::uint32_t place) { return std::to_string(place); }))
                      .raw("steps", picture.steps)
                      .done());
  }
  return page_list(out);
}

// False: less is not possible.
bool PageView::halve() {
  const std::size_t most = std::max({violations_.size(), suspicions_.size(), late_.size(), notices_.size()});
  if (most <= 1) return false;
  const auto cut = [&](auto& list) { list.resize(std::min(list.size(), std::max<std::size_t>(1, list.size() / 2))); };
  cut(violations_);
  cut(suspicions_);
  cut(late_);
  cut(notices_);
  return true;
}

std::string PageView::json(const WatchedSubject& subject, const Chosen& chosen, const stream::WatchSummary& s) {
  // A moment after the last point, what came in it says nothing of a rate: it belongs to that point.
  constexpr double kMoment = 0.05;
  if (!samples_.empty() && s.counts.seconds < samples_.back().seconds + kMoment) {
    const double lag = samples_.back().lag;
    samples_.pop_back();
    sample(s.counts);
    samples_.back().lag = std::max(samples_.back().lag, lag);
  } else {
    sample(s.counts);
  }
  return page_json(subject, chosen, s);
}

std::string PageView::page_json(const WatchedSubject& subject, const Chosen& chosen, const stream::WatchSummary& s) {
  const std::string verdict = verdict_text(words::shortened(subject.name, kLongestName), chosen, s);
  std::vector<std::string> counts;
  for (const auto& [name, count] : s.counts.by_name)
    counts.push_back(PageObject().text("name", name).number("count", count).done());
  std::string plots_list = page_list(plots());
  if (subject.recorded != nullptr && subject.plots) {
    const std::string of_run = plots_json(*subject.recorded, true);
    if (of_run != "[]")
      plots_list = of_run.substr(0, of_run.size() - 1) + (plots_list == "[]" ? "" : ",") + plots_list.substr(1);
  }
  const auto left = [](std::uint64_t all, std::size_t shown) { return all - std::min<std::uint64_t>(all, shown); };
  const auto whole = [&] {
    std::string transactions;
    const std::string violations = violations_json(subject.recorded, transactions);
    std::vector<std::string> suspicions, notes;
    for (std::size_t i = 0; i < suspicions_.size(); ++i)
      suspicions.push_back(violation_object(suspicions_[i], suspicions_found_[i]).text("why", why_[i]).done());
    for (const std::vector<std::string>* list : {&subject.notes, &std::as_const(notices_)}) {
      for (const std::string& note : *list) notes.push_back(json_string(note));
    }
    return PageObject()
        .text("kind", "watch")
        .raw("made", PageObject().text("version", ISOLDE_VERSION).done())
        .text("verdict", name(s.outcome))
        // Without its sign: the page has its own.
        .text("summary",
              verdict.substr(verdict.find(' ') + 1) + (s.stopped && s.outcome == Outcome::kSatisfied ? " so far" : ""))
        .raw("facts", facts_json(subject, chosen, s))
        .raw("counts", page_list(counts))
        .raw("violations", violations)
        .number("violations_left_out", left(s.counts.violations, violations_.size()))
        .raw("transactions", transactions)
        .raw("suspicions", page_list(suspicions))
        .number("suspicions_left_out", left(s.counts.suspicions, suspicions_.size()))
        .raw("late", page_list(late_,
                               [](const Late& one) {
                                 return PageObject()
                                     .raw("found", json_number(one.found))
                                     .text("id", one.id)
                                     .text("session", one.session)
                                     .done();
                               }))
        .number("late_left_out", left(s.counts.late, late_.size()))
        .raw("notes", page_list(notes))
        .raw("plots", plots_list)
        .done();
  };
  std::string json = whole();
  while (html_page_size(json) > subject.room && halve()) json = whole();
  return json;
}

}  // namespace isolde::cli
