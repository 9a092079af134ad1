#include "cli/watch_view.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "base/text.h"
#include "check/mirror/engine.h"
#include "report/json.h"
#include "report/report.h"
#include "report/words.h"
#include "stream/violation_record.h"

namespace isolde::cli {

std::string_view meaning_of(const OnlineViolation& v) {
  if (v.rule == "mutual exclusion")
    return "two transactions held the lock of one row at once: one overwrote what the other had not committed";
  return info(v.kind).summary;
}
namespace {

constexpr std::uint64_t kNoticesShown = 100;
constexpr std::uint64_t kLateShown = 3;
constexpr std::string_view kIndent = "     ";

std::string painted(Colour colour, std::string_view code, std::string_view text) {
  return colour == Colour::kAlways ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

std::string row(std::string_view label, std::string_view text) { return fmt::format("  {:<14}{}\n", label, text); }

std::string rate(double per_second) { return grouped(static_cast<std::uint64_t>(per_second)); }

// What is known of each kind of which there are some.
template <typename Tell>
void refusals(const stream::InputCounts& c, Tell&& tell) {
  for (std::size_t i = 0; i < stream::kRefusals; ++i) {
    if (c.refused_as[i] > 0) tell(static_cast<stream::Refusal>(i), c.refused_as[i]);
  }
}

std::string refusals_json(const stream::InputCounts& c) {
  JsonObject out;
  refusals(c, [&](stream::Refusal why, std::uint64_t count) { out.number(name(why), count); });
  return out.done();
}

std::string refusals_text(const stream::InputCounts& c) {
  std::vector<std::string> all;
  refusals(c, [&](stream::Refusal why, std::uint64_t count) {
    all.push_back(fmt::format("{} {}", grouped(count), meaning(why)));
  });
  return fmt::format("{}: {}", words::counted(c.refused, "connection"), fmt::join(all, ", "));
}

void add_counts(const stream::WatchCounts& c, JsonObject& out) {
  const OnlineCounts& e = c.engine;
  out.decimal("seconds", c.seconds, 3)
      .number("arrived", c.arrived)
      .number("taken", e.taken)
      .number("checked", e.checked)
      .number("pending", e.pending)
      .number("held", c.held)
      .number("operations", e.operations)
      .decimal("in_per_second", c.in_per_second, 0)
      .decimal("checked_per_second", c.checked_per_second, 0)
      .decimal("lag_seconds", c.lag, 3)
      .decimal("behind_seconds", c.behind, 3)
      .decimal("memory_mib", resident_mib(), 1)
      .number("engine_bytes", e.bytes)
      .number("spilled_bytes", e.spilled)
      .number("violations", c.violations)
      .number("suspicions", c.suspicions)
      .number("late", c.late)
      .number("duplicates", c.duplicates)
      .number("unchecked", e.unchecked)
      .number("unsearched", e.unsearched)
      .number("flips", e.flips)
      .number("flipped_transactions", e.flipped_txns)
      .number("dependencies", e.dependencies)
      .number("overlapping", e.overlapping)
      .number("deduced", e.deduced)
      .raw("missing", json_list(c.missing))
      .number("input_bytes", c.input.bytes)
      .number("connections", c.input.connections)
      .number("open_connections", c.input.open_connections)
      .number("refused", c.input.refused)
      .raw("refused_as", refusals_json(c.input))
      .number("ignored_fields", c.input.ignored_fields)
      .number("checkpoints", c.checkpoints);
}

}  // namespace

std::string by_name_text(const stream::WatchCounts& c) {
  return joined(c.by_name, [](const auto& one) { return fmt::format("{} {}", one.first, grouped(one.second)); });
}

std::string by_name_json(const stream::WatchCounts& c) {
  JsonObject out;
  for (const auto& [name, count] : c.by_name) out.number(name, count);
  return out.done();
}

std::string violation_text(const OnlineViolation& v, std::uint64_t number, Colour colour) {
  const std::string title = fmt::format("{}. {}: {}", number, full_name(v.kind, v.variant), meaning_of(v));
  return fmt::format("\n  {}\n{}{}\n", painted(colour, "1", title), kIndent, v.text);
}

std::string not_judged_text(const OnlineCounts& counts) {
  std::string out;
  if (counts.unchecked > 0) {
    out = counts.unchecked == 1 ? "1 read or predicate operation"
                                : fmt::format("{} reads or predicate operations", grouped(counts.unchecked));
  }
  if (counts.unsearched > 0) {
    out += fmt::format("{}{} as a whole", out.empty() ? "" : ", ", words::counted(counts.unsearched, "transaction"));
  }
  return out;
}

std::string verdict_text(const std::string& subject, const Chosen& chosen, const stream::WatchSummary& summary) {
  constexpr std::string_view kSigns[] = {"✓", "✗", "?"};
  constexpr std::string_view kByMirror[] = {"shows nothing that breaks", "breaks", "undecided:"};
  constexpr std::string_view kByLevel[] = {"satisfies", "violates", "undecided:"};
  const auto place = static_cast<std::size_t>(summary.outcome);
  if (chosen.method.empty()) return fmt::format("{} {} has no transactions", kSigns[place], subject);
  std::string out = fmt::format("{} {} {} {}", kSigns[place], subject,
                                chosen.mirror ? kByMirror[place] : kByLevel[place], chosen.judged);
  if (summary.stopped && summary.outcome == Outcome::kSatisfied) out += " so far";
  const std::string left = not_judged_text(summary.counts.engine);
  if (chosen.mirror && summary.outcome == Outcome::kSatisfied && !left.empty())
    out += fmt::format(" (not judged: {})", left);
  return out;
}

std::string confirm_text(const std::string& file, const mirror::Profile& profile) {
  return fmt::format("isolde check {} --level {}", file, info(mirror::level_of(profile)).name);
}

double resident_mib() {
  std::ifstream in("/proc/self/statm");
  double all = 0, resident = 0;
  in >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

std::string live_text(const stream::WatchCounts& c) {
  std::string out =
      fmt::format("{}/s in, {}/s checked, lag {:.1f} s, {:.0f} MiB, {}", rate(c.in_per_second),
                  rate(c.checked_per_second), c.lag, resident_mib(), words::counted(c.violations, "violation"));
  if (c.suspicions > 0) out += fmt::format(", {} suspected", grouped(c.suspicions));
  if (!c.missing.empty()) out += fmt::format(", {} missing", words::counted(c.missing.size(), "session"));
  if (c.late > 0) out += fmt::format(", {} late", grouped(c.late));
  if (c.input.open_connections > 0) out += fmt::format(", {}", words::counted(c.input.open_connections, "connection"));
  return out;
}

void TerminalView::clear() {
  if (live_) clear_live_line();
  live_ = false;
}

void TerminalView::line(std::string_view text) {
  clear();
  print(text);
  (void)flush_output();  // somebody may wait for it at the other end of a pipe
}

void TerminalView::started(const stream::Checker&) {
  if (style_.quiet) return;
  if (style_.json) {
    line(JsonObject()
             .text("event", "started")
             .text("method", chosen_.method)
             .text("why", chosen_.why)
             .text("judged", chosen_.judged)
             .done() +
         "\n");
  } else {
    line(fmt::format("watching {}: {} by {}{}\n", style_.subject, chosen_.judged, chosen_.method,
                     chosen_.why.empty() ? "" : fmt::format(" ({})", chosen_.why)));
  }
}

void TerminalView::violated(const OnlineViolation& v) {
  ++violations_;
  if (style_.quiet) return;
  if (style_.json) return line(stream::violation_json(v, "violation") + "\n");
  if (violations_ <= style_.shown) {
    line(violation_text(v, violations_, style_.colour));
  } else if (violations_ == style_.shown + 1) {
    line(painted(style_.colour, "2",
                 fmt::format("\n  … from here on violations are only counted (--max-anomalies N shows N{})",
                             style_.record.empty() ? "" : "; all are in " + style_.record)) +
         "\n");
  }
}

void TerminalView::suspected(const OnlineViolation& v, std::string_view why) {
  ++suspicions_;
  if (style_.quiet) return;
  if (style_.json) return line(stream::violation_json(v, "suspicion", why) + "\n");
  if (suspicions_ > style_.shown) return;
  line(fmt::format("\n  ? suspected {}: {}\n{}{}\n", full_name(v.kind, v.variant), v.text, kIndent, why));
}

void TerminalView::late(const Arrival& arrival) {
  ++late_;
  if (style_.quiet) return;
  const Chunk& chunk = *arrival.chunk;
  const std::string id = chunk.history.values().json(chunk.history.columns().id[raw(arrival.txn)]);
  const std::string session = chunk.history.session_text(chunk.history.session(arrival.txn));
  if (style_.json) {
    return line(JsonObject().text("event", "late").raw("transaction", id).text("session", session).done() + "\n");
  }
  if (late_ > kLateShown) return;
  line(fmt::format("  late: transaction {} of session {} arrived after others that began later had been judged{}\n", id,
                   session, late_ == kLateShown ? "; further ones are counted" : ""));
}

void TerminalView::notice(std::string_view text) {
  if (style_.json) {
    if (!style_.quiet) line(JsonObject().text("event", "notice").text("text", text).done() + "\n");
    return;
  }
  if (++notices_ > kNoticesShown || style_.quiet) return;
  clear();
  print_error(text);
  if (notices_ == kNoticesShown) print_error("further notices are not shown");
}

void TerminalView::progress(const stream::WatchCounts& counts) {
  if (style_.json && !style_.quiet && counts.seconds - progress_shown_ >= 1) {
    progress_shown_ = counts.seconds;
    JsonObject out;
    out.text("event", "progress");
    add_counts(counts, out);
    line(out.done() + "\n");
  }
  if (style_.quiet || !style_.live_line || !errors_on_terminal()) return;
  show_live_line(live_text(counts));
  live_ = true;
}

void TerminalView::summary(const stream::WatchSummary& summary) {
  clear();
  if (style_.json) {
    json_summary(summary);
  } else {
    text_summary(summary);
  }
}

void TerminalView::json_summary(const stream::WatchSummary& s) {
  JsonObject out;
  out.text("event", "summary")
      .text("file", style_.subject)
      .text("verdict", name(s.outcome))
      .truth("certifies", !chosen_.mirror)
      .text("method", chosen_.method)
      .text("why", chosen_.why)
      .text(chosen_.mirror ? "profile" : "level", chosen_.judged);
  if (!s.reason.empty()) out.text("reason", s.reason);
  if (s.holds) out.text("holds", info(*s.holds).name);
  out.truth("stopped", s.stopped)
      .number("not_judged", s.pending)
      .number("open", s.open)
      .number("repeated", s.counts.repeated)
      .raw("counts", by_name_json(s.counts))
      .decimal("most_lag_seconds", s.counts.most_lag, 3)
      .decimal("peak_mib", peak_mib(), 1);
  add_counts(s.counts, out);
  print(out.done() + "\n");
}

void TerminalView::text_summary(const stream::WatchSummary& s) {
  constexpr std::string_view kCodes[] = {"1;32", "1;31", "1;33"};
  const auto place = static_cast<std::size_t>(s.outcome);
  const stream::WatchCounts& c = s.counts;
  const OnlineCounts& e = c.engine;
  const bool after_others = !style_.quiet && (c.violations > 0 || c.suspicions > 0);
  std::string out = after_others ? "\n" : "";
  out += painted(style_.colour, kCodes[place], verdict_text(style_.subject, chosen_, s)) + "\n";
  if (style_.quiet) return print(out);
  if (!s.reason.empty()) out += row("reason", s.reason);
  if (!chosen_.method.empty()) {
    out += row("method", chosen_.why.empty() ? chosen_.method : fmt::format("{} ({})", chosen_.method, chosen_.why));
  }
  out += row("stream", fmt::format("{}, {}, {:.1f} s{}", words::counted(c.arrived, "transaction"),
                                   words::counted(e.operations, "operation"), c.seconds, s.stopped ? "; stopped" : ""));
  if (s.pending > 0) {
    out += row(
        "not judged",
        fmt::format("{} that came shortly before the stop{}", words::counted(s.pending, "transaction"),
                    s.open == 0 ? "" : fmt::format("; {} would be violations if nothing more came", grouped(s.open))));
  }
  if (c.violations > 0) out += row("violations", by_name_text(c));
  if (c.suspicions > 0) out += row("suspected", grouped(c.suspicions));
  if (c.late > 0) out += row("late", words::counted(c.late, "transaction"));
  if (c.duplicates > 0) out += row("duplicates", words::counted(c.duplicates, "transaction") + " that came before");
  if (!c.missing.empty()) {
    out += row("missing", fmt::format("sessions {}", fmt::join(c.missing, ", ")));
  }
  if (const std::string left = not_judged_text(e); !left.empty()) {
    const std::string threads = fmt::format("; {} threads judge no predicates but ranges of keys", chosen_.partitions);
    out += row("unchecked", left + (chosen_.partitions > 1 ? threads : ""));
  }
  if (e.flips > 0) {
    out += row("flips", fmt::format("{} of a tentative verdict, in {}", words::counted(e.flips, "change"),
                                    words::counted(e.flipped_txns, "transaction")));
  }
  if (e.dependencies > 0) {
    out += row("dependencies", fmt::format("{}; intervals of {} overlap, {} of these were deduced",
                                           grouped(e.dependencies), grouped(e.overlapping), grouped(e.deduced)));
  }
  if (c.input.ignored_fields > 0) {
    out += row("ignored", words::counted(c.input.ignored_fields, "field") + " that the format does not have");
  }
  if (c.input.refused > 0) out += row("refused", refusals_text(c.input));
  out += row("cost", fmt::format("lag at most {:.1f} s, peak {:.0f} MiB", c.most_lag, peak_mib()));
  if (!style_.record.empty() && c.violations > 0) out += row("recorded", style_.record);
  if (chosen_.profile && s.outcome == Outcome::kViolated && !style_.confirm.empty())
    out += row("to confirm", confirm_text(style_.confirm, *chosen_.profile) +
                                 " (another engine on the same transactions; not run yet)");
  if (!c.by_name.empty()) {
    out +=
        painted(style_.colour, "2", fmt::format("  What it means: isolde explain {}", c.by_name.begin()->first)) + "\n";
  }
  print(out);
}

}  // namespace isolde::cli
