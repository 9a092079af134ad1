#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "anomaly/telling.h"
#include "base/printable.h"
#include "report/box_drawing.h"
#include "report/case_tree.h"
#include "report/explain_anomaly.h"
#include "report/explain_cases.h"
#include "report/faults_shown.h"
#include "report/shown_steps.h"
#include "report/words.h"

namespace isolde {
namespace {

constexpr std::size_t kStepsShown = 12;
constexpr std::size_t kCasesShown = 8;

class Paint {
 public:
  explicit Paint(Colour colour) : on_(colour == Colour::kAlways) {}
  [[nodiscard]] std::string bold(std::string_view text) const { return wrap("1", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return wrap("2", text); }
  [[nodiscard]] std::string verdict(Outcome outcome, std::string_view text) const {
    constexpr std::string_view kCodes[] = {"1;32", "1;31", "1;33"};
    return wrap(kCodes[static_cast<std::size_t>(outcome)], text);
  }

 private:
  [[nodiscard]] std::string wrap(std::string_view code, std::string_view text) const {
    return on_ ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  }
  bool on_;
};

std::string verdict_line(const Report& r, const Paint& paint) {
  constexpr std::string_view kSigns[] = {"✓", "✗", "?"};
  constexpr std::string_view kVerbs[] = {"satisfies", "violates", "undecided:"};
  const auto place = static_cast<std::size_t>(r.verdict.outcome);
  const std::string_view level = info(r.verdict.level).name;
  return paint.verdict(r.verdict.outcome,
                       fmt::format("{} {} {} {}", kSigns[place], printable_line(r.file), kVerbs[place], level)) +
         "\n";
}

std::string row(std::string_view label, std::string_view text) { return fmt::format("  {:<10}{}\n", label, text); }

std::string facts(const Report& r) {
  const WholeHistory h = whole_of(r);
  std::string text;
  if (!r.verdict.reason.empty()) text += row("reason", r.verdict.reason);
  text += row("method", r.why_method.empty() ? std::string(r.verdict.method)
                                             : fmt::format("{} ({})", r.verdict.method, r.why_method));
  if (r.verdict.search) text += row("order", search_text(*r.verdict.search));
  for (const MethodCase& m : r.methods) {
    text += row(&m == r.methods.data() ? "methods" : "", fmt::format("{:<9} {}: {}", m.name, name(m.fate), m.why));
  }
  text += row("evidence", fmt::format("{}", fmt::join(h.evidence, ", ")));
  text += row("history", fmt::format("{} ({})", size_text(h), r.format));
  const std::string search =
      r.strongest
          ? fmt::format(", {} at other levels {:.2f} s",
                        words::counted(static_cast<unsigned>(r.strongest->checks), "check"), r.stats.strongest_seconds)
          : std::string();
  text += row("cost", fmt::format("load {:.2f} s, check {:.2f} s{}, peak {:.0f} MiB", r.stats.load_seconds,
                                  r.stats.check_seconds, search, r.stats.peak_mib));
  if (r.proof == Proof::kHolds) text += row("proof", "the verdict was re-checked from the history alone, and holds");
  if (r.proof == Proof::kStepsHold)
    text += row("proof", "each step was re-checked from the history alone, and holds; what it breaks is the profile");
  if (r.proof == Proof::kFails) text += row("proof", "FAILS: " + r.proof_says);
  const std::string counts = counts_text(r.history, r.verdict);
  if (!counts.empty()) text += row("anomalies", counts);
  if (r.known) {
    const auto those = [](const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); };
    if (!r.known->known.empty()) text += row("known", fmt::format("{} ({})", those(r.known->known), r.known->baseline));
    if (!r.known->fresh.empty())
      text += row("new", fmt::format("{} (not in {})", those(r.known->fresh), r.known->baseline));
  }
  for (const std::string& note : r.notes) text += row("note", note);
  for (const std::string& note : r.verdict.notes) text += row("note", note);
  if (r.strongest) text += fmt::format("  strongest level that holds: {}\n", strongest_text(*r.strongest));
  return text;
}

constexpr std::string_view kIndent = "     ";

// With the name of the dependency, for those who know it.
std::string step_line(const Step& step, std::string_view says, const Paint& paint) {
  if (step.type == StepType::kProgram) return fmt::format("{}{}\n", kIndent, says);
  return fmt::format("{}{} {}\n", kIndent, says, paint.dim(fmt::format("[{}]", name(step.type))));
}

// Of one operation, or none: the lines above say it already.
bool is_said(const Anomaly& a, const Step& step) {
  return step.type == StepType::kProgram && step.to_op == kNoOp && (step.from_op == kNoOp || step.from_op == a.op);
}

// "T4 → T2 → T3 → T4".
std::string chain(const History& h, std::span<const Step> steps) {
  std::string text = steps.empty() ? std::string() : words::txn(h, steps[0].from);
  for (const Step& s : steps) text += " → " + words::txn(h, s.to);
  return text;
}

// The steps of a cycle; of a long one, some.
std::string cycle_text(const History& h, const std::vector<Step>& steps, const std::vector<std::string>& says,
                       std::string_view indent, const Paint& paint) {
  std::string text;
  std::size_t next = 0;
  for (const std::size_t i : shown_steps(steps, kStepsShown)) {
    if (i > next)
      text += fmt::format("{}{}\n", indent, paint.dim("… " + gap_text(h, std::span(steps).subspan(next, i - next))));
    text += fmt::format("{}{}", indent.substr(kIndent.size()), step_line(steps[i], says[i], paint));
    next = i + 1;
  }
  return text;
}

// A proof by cases, as far as it can be read; `named` gets those that it speaks of.
std::string cases_text(const History& h, const Anomaly& a, const Explanation& e, const Paint& paint,
                       std::set<TxnId>& named) {
  std::string text;
  std::set<std::uint32_t> told, left;
  for (const CaseLine& line : case_tree(h, choices_of(h, a))) {
    if (told.size() == kCasesShown) {
      if (line.cycle != kNone32 && !told.contains(line.cycle)) left.insert(line.cycle);
      continue;
    }
    const std::string indent = std::string(kIndent) + std::string(3 * line.depth, ' ');
    if (line.cycle == kNone32) {
      text += fmt::format("{}{}\n", indent, line.text);
      continue;
    }
    const std::vector<Step>& steps = a.cases[line.cycle].steps;
    for (const Step& s : steps) named.insert({s.from, s.to, s.source});
    if (told.insert(line.cycle).second) {
      text += cycle_text(h, steps, e.cases[line.cycle], indent, paint);
    } else {
      text += fmt::format("{}as above, {}\n", indent, chain(h, steps));
    }
  }
  if (!left.empty())
    text += fmt::format("{}{}\n", kIndent,
                        paint.dim(fmt::format("… {}; --json has them all", words::counted(left.size(), "more case"))));
  return text;
}

std::string anomaly_text(const History& h, const Anomaly& a, std::size_t number, const Paint& paint,
                         std::size_t width) {
  const Explanation e = explain(h, a);
  const std::vector<std::size_t> shown = shown_steps(a.steps, kStepsShown);
  std::set<TxnId> named;
  const std::string cases = a.cases.empty() ? std::string() : cases_text(h, a, e, paint, named);
  std::string text = fmt::format("\n  {}\n", paint.bold(fmt::format("{}. {}", number, e.title)));
  for (const std::string& line : e.lines) text += fmt::format("{}{}\n", kIndent, line);
  if (e.lines.empty()) {
    // Of a long cycle, those that the steps below speak of.
    for (const std::size_t i : shown) named.insert({a.steps[i].from, a.steps[i].to});
    std::size_t left = 0;
    for (std::size_t i = 0; i < a.transactions.size(); ++i) {
      if (a.transactions.size() > kStepsShown && !named.contains(a.transactions[i])) {
        ++left;
      } else {
        text += fmt::format("{}{}\n", kIndent, e.transactions[i]);
      }
    }
    if (left > 0) text += fmt::format("{}{}\n", kIndent, paint.dim("… " + words::counted(left, "more transaction")));
  }
  if (width > 0) {
    constexpr std::size_t kBoxes = 4, kLines = 6;
    if (const auto cycle = drawn_cycle(h, a, kBoxes, kLines)) {
      const std::string drawing = box_drawing(*cycle, kIndent.size(), width);
      if (!drawing.empty()) text += "\n" + drawing + "\n";
    }
  }
  std::size_t next = 0;
  bool hinted = false;
  for (const std::size_t i : shown) {
    if (i > next) {
      const std::string gap = gap_text(h, std::span(a.steps).subspan(next, i - next));
      text +=
          fmt::format("{}{}\n", kIndent, paint.dim(fmt::format("… {}{}", gap, hinted ? "" : "; --json has them all")));
      hinted = true;
    }
    if (!is_said(a, a.steps[i])) text += step_line(a.steps[i], e.steps[i], paint);
    next = i + 1;
  }
  if (const std::string faults = faults_during(h, a); !faults.empty())
    text += fmt::format("{}Faults while these transactions ran: {}\n", kIndent, printable_line(faults));
  text += fmt::format("{}{} {}", kIndent, paint.bold("Contradiction:"), e.contradiction);
  if (!cases.empty()) text.back() = ':';
  return text + "\n" + cases;
}

}  // namespace

std::string render_text(const Report& r, const TextStyle& style) {
  const Paint paint(style.colour);
  std::string text = verdict_line(r, paint);
  if (style.verdict_only) return text;
  text += facts(r);
  const std::size_t shown = std::min(style.shown, r.verdict.anomalies.size());
  for (std::size_t i = 0; i < shown; ++i)
    text += anomaly_text(r.history, r.verdict.anomalies[i], i + 1, paint, style.width);
  const std::uint64_t total = std::max<std::uint64_t>(r.verdict.total(), r.verdict.anomalies.size());
  if (total > 0) text += "\n";
  if (total > shown)
    text += paint.dim(fmt::format("  … {} more: --anomalies N explains N of them, --json has the rest",
                                  grouped(total - shown))) +
            "\n";
  if (!r.verdict.anomalies.empty()) {
    const AnomalyKind kind = telling_kind(r.history, r.verdict.anomalies[0]);
    text += paint.dim(fmt::format("  What it means: isolde explain {}", info(kind).name)) + "\n";
  }
  return text;
}

}  // namespace isolde
