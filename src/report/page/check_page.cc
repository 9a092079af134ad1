#include "report/page/check_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "anomaly/telling.h"
#include "report/case_tree.h"
#include "report/explain_anomaly.h"
#include "report/explain_cases.h"
#include "report/page/json_text.h"
#include "report/page/page.h"
#include "report/page/plots.h"
#include "report/page/shown_history.h"
#include "report/page/whole_timeline.h"
#include "report/shown_steps.h"
#include "report/words.h"

namespace isolde {
namespace {

// In letters. Longer texts are no longer read; the history has them.
constexpr std::size_t kLongestText = 4000, kLongestFact = 1000;
constexpr std::size_t kMostNotes = 100;
constexpr std::size_t kFewAnomalies = 8;  // that are worth more than all of each

std::string fact(std::string_view name, std::string_view value) {
  return PageObject().text("name", name).text("value", words::shortened(std::string(value), kLongestFact)).done();
}

std::string facts_json(const Report& r) {
  const History& h = r.history;
  std::vector<std::string> facts;
  facts.push_back(fact("level asked", info(r.verdict.level).name));
  if (!h.about().empty()) facts.push_back(fact("about", words::shortened(std::string(h.about()), kLongestName)));
  if (!r.verdict.reason.empty()) facts.push_back(fact("why undecided", r.verdict.reason));
  if (r.strongest) facts.push_back(fact("strongest level that holds", strongest_text(*r.strongest)));
  facts.push_back(fact("method", r.why_method.empty() ? std::string(r.verdict.method)
                                                      : fmt::format("{} ({})", r.verdict.method, r.why_method)));
  const std::string evidence = fmt::format("{}", fmt::join(evidence_of(h), ", "));
  facts.push_back(fact("evidence", evidence.empty() ? "values only" : evidence));
  facts.push_back(fact("history", fmt::format("{} ({})", size_text(whole_of(r)), r.format)));
  if (r.verdict.search) facts.push_back(fact("order", search_text(*r.verdict.search)));
  facts.push_back(fact("cost", fmt::format("load {:.2f} s, check {:.2f} s, peak {:.0f} MiB", r.stats.load_seconds,
                                           r.stats.check_seconds, r.stats.peak_mib)));
  if (r.proof == Proof::kHolds) facts.push_back(fact("proof", "re-checked from the history alone: it holds"));
  if (r.proof == Proof::kFails) facts.push_back(fact("proof", "FAILS: " + r.proof_says));
  return page_list(facts);
}

// What is known of a level: looked at, implied by one that holds, or ruled out by one that does not.
std::string_view state_of(const Report& r, Level level) {
  const auto known = [&](Level one) -> std::optional<Outcome> {
    if (one == r.verdict.level) return r.verdict.outcome;
    if (one == r.verdict.holds) return Outcome::kSatisfied;
    return r.strongest ? r.strongest->at(one) : std::nullopt;
  };
  const bool untested =
      level == r.verdict.level ? r.verdict.holds.has_value() : r.strongest && r.strongest->is_untested(level);
  if (untested) return kNotTested;
  if (const auto outcome = known(level)) return name(*outcome);
  for (const LevelInfo& other : all_levels()) {
    const auto outcome = known(other.level);
    if (outcome == Outcome::kSatisfied && implies(other.level, level)) return name(Outcome::kSatisfied);
    if (outcome == Outcome::kViolated && implies(level, other.level)) return name(Outcome::kViolated);
  }
  return "unknown";
}

std::string levels_json(const Report& r) {
  return page_list(all_levels(), [&](const LevelInfo& level) {
    return PageObject()
        .text("name", level.name)
        .text("state", state_of(r, level.level))
        .truth("asked", level.level == r.verdict.level)
        .text("meaning", level.summary)
        .done();
  });
}

std::string weaker_json() {
  std::vector<std::string> pairs;
  for (const LevelInfo& level : all_levels()) {
    for (const Level weaker : level.weaker)
      pairs.push_back(fmt::format("[{},{}]", static_cast<int>(level.level), static_cast<int>(weaker)));
  }
  return page_list(pairs);
}

std::string counts_by_rank(const Verdict& verdict) {
  std::vector<AnomalyKind> kinds;
  for (const AnomalyInfo& one : all_anomalies()) {
    if (verdict.counts[static_cast<std::size_t>(one.kind)] > 0) kinds.push_back(one.kind);
  }
  std::ranges::stable_sort(kinds, std::greater{},
                           [&](AnomalyKind kind) { return verdict.counts[static_cast<std::size_t>(kind)]; });
  return page_list(kinds, [&](AnomalyKind kind) {
    return PageObject()
        .text("name", info(kind).name)
        .number("count", verdict.counts[static_cast<std::size_t>(kind)])
        .text("meaning", info(kind).summary)
        .done();
  });
}

// The first of them, where there are more than a picture can show.
constexpr std::size_t kMostFaults = 2000;
std::string faults_json(const History& h) {
  const auto faults = h.faults().first(std::min(h.faults().size(), kMostFaults));
  return page_list(faults, [&](const FaultMark& fault) {
    PageObject out;
    out.text("name", words::shortened(std::string(h.values().string(fault.name)), kLongestName));
    if (fault.detail != kNullValue)
      out.text("detail", words::shortened(std::string(h.values().string(fault.detail)), kLongestName));
    out.raw("from", std::to_string(fault.begin));
    if (fault.end != kNoTime) out.raw("to", std::to_string(fault.end));
    return out.done();
  });
}

// The anomalies that the page carries. Two passes, because places of operations are known only when all are named.
class ShownAnomalies {
 public:
  ShownAnomalies(const Report& report, const PageOptions& options)
      : h_(report.history), verdict_(report.verdict), options_(options), history_(report.history, options) {
    count_ = std::min(verdict_.anomalies.size(), options.most_anomalies);
    for (std::size_t i = 0; i < count_; ++i) name_parts(verdict_.anomalies[i]);
    history_.add_around();
  }

  std::string json() {
    std::string out = "[";
    for (std::size_t i = 0; i < count_; ++i) {
      if (i > 0) out += ',';
      out += anomaly_json(verdict_.anomalies[i]);
    }
    return out + "]";
  }
  ShownHistory& history() { return history_; }
  [[nodiscard]] std::uint64_t left_out() const {
    return std::max<std::uint64_t>(verdict_.total(), verdict_.anomalies.size()) - count_;
  }

 private:
  void name_step(const Step& step) {
    for (const TxnId t : {step.from, step.to}) {
      if (t != kNoTxn) history_.transaction(t);
    }
    history_.want(step.from_op);
    history_.want(step.to_op);
    if (step.key != kNoKey) history_.key(step.key);
  }

  void name_parts(const Anomaly& a) {
    for (const std::size_t i : shown_steps(a.steps, options_.most_members)) name_step(a.steps[i]);
    for (std::size_t i = 0; i < std::min(a.transactions.size(), options_.most_members); ++i) {
      if (a.steps.size() <= options_.most_members) history_.transaction(a.transactions[i]);
    }
    for (const OpId op : named_operations(h_, a)) {
      if (op != kNoOp && a.steps.size() <= options_.most_members) history_.want(op);
    }
    history_.want(a.op);
    if (a.key != kNoKey) history_.key(a.key);
    for (std::size_t i = 0; i < std::min(a.cases.size(), options_.most_members); ++i) {
      const std::vector<Step>& steps = a.cases[i].steps;
      for (const std::size_t k : shown_steps(steps, options_.most_members)) name_step(steps[k]);
    }
  }

  std::string step_json(const Step& step, std::string_view says) {
    PageObject out;
    if (step.from == kNoTxn || step.to == kNoTxn) return {};
    out.number("from", history_.transaction(step.from)).number("to", history_.transaction(step.to));
    out.text("type", name(step.type));
    if (step.key != kNoKey) out.text("key", words::shortened(h_.key_text(step.key), kLongestName));
    if (step.from_op != kNoOp) out.number("from_op", history_.operation(step.from_op));
    if (step.to_op != kNoOp) out.number("to_op", history_.operation(step.to_op));
    return out.text("text", words::shortened(std::string(says), kLongestFact)).done();
  }

  std::string steps_json(const std::vector<Step>& steps, const std::vector<std::string>& says) {
    std::vector<std::string> out;
    std::size_t next = 0;
    for (const std::size_t i : shown_steps(steps, options_.most_members)) {
      if (i > next) {
        // A long cycle is cut: one arrow stands for those left out.
        const std::span<const Step> gap = std::span(steps).subspan(next, i - next);
        if (gap.front().from != kNoTxn && steps[i].from != kNoTxn) {
          out.push_back(PageObject()
                            .number("from", history_.transaction(gap.front().from))
                            .number("to", history_.transaction(steps[i].from))
                            .text("type", "…")
                            .text("text", gap_text(h_, gap))
                            .done());
        }
      }
      if (std::string one = step_json(steps[i], says[i]); !one.empty()) out.push_back(std::move(one));
      next = i + 1;
    }
    return page_list(out);
  }

  std::string cases_json(const Anomaly& a, const Explanation& e) {
    const std::size_t most = options_.most_members * kLinesOfACase;
    std::vector<std::string> lines;
    const auto tree = case_tree(h_, choices_of(h_, a));
    for (const CaseLine& line : tree) {
      const bool cycle = line.cycle != kNone32;
      if (lines.size() >= most || (cycle && line.cycle >= options_.most_members)) {
        lines.push_back(PageObject()
                            .number("depth", 0)
                            .text("text", fmt::format("… and {} of the proof that {} not on this page",
                                                      words::counted(tree.size() - lines.size(), "line"),
                                                      tree.size() - lines.size() == 1 ? "is" : "are"))
                            .done());
        break;
      }
      PageObject out;
      out.number("depth", line.depth);
      if (!cycle) {
        out.text("text", words::shortened(line.text, kLongestFact));
      } else {
        out.text("text", "a cycle closes:").raw("steps", steps_json(a.cases[line.cycle].steps, e.cases[line.cycle]));
      }
      lines.push_back(out.done());
    }
    return page_list(lines);
  }

  std::string anomaly_json(const Anomaly& a) {
    const Explanation e = explain(h_, a);
    std::vector<std::uint32_t> members, keys;
    const auto add = [](std::vector<std::uint32_t>& list, std::uint32_t place) {
      if (std::ranges::find(list, place) == list.end()) list.push_back(place);
    };
    // In the order of the cycle, so that it is drawn as one.
    for (const std::size_t i : shown_steps(a.steps, options_.most_members)) {
      for (const TxnId t : {a.steps[i].from, a.steps[i].to}) {
        if (t != kNoTxn) add(members, history_.transaction(t));
      }
      if (a.steps[i].key != kNoKey) add(keys, history_.key(a.steps[i].key));
    }
    if (a.steps.size() <= options_.most_members) {
      for (std::size_t i = 0; i < std::min(a.transactions.size(), options_.most_members); ++i)
        add(members, history_.transaction(a.transactions[i]));
    }
    if (a.key != kNoKey) add(keys, history_.key(a.key));
    PageObject out;
    out.text("name", both_names(h_, a)).text("meaning", info(telling_kind(h_, a)).summary);
    std::string lines;
    for (const std::string& line : e.lines) lines += (lines.empty() ? "" : "\n") + line;
    out.text("text", words::shortened(a.says.empty() ? lines : a.says, kLongestText));
    out.text("contradiction", words::shortened(e.contradiction, kLongestText));
    const auto number = [](std::uint32_t place) { return std::to_string(place); };
    out.raw("transactions", page_list(members, number)).raw("keys", page_list(keys, number));
    out.raw("steps", steps_json(a.steps, e.steps));
    if (!a.cases.empty()) out.raw("cases", cases_json(a, e));
    return out.done();
  }

  static constexpr std::size_t kLinesOfACase = 4;

  const History& h_;
  const Verdict& verdict_;
  const PageOptions& options_;
  ShownHistory history_;
  std::size_t count_ = 0;
};

std::string notes_json(const Report& r, std::string_view cut) {
  std::vector<std::string> notes;
  if (!cut.empty()) notes.emplace_back(cut);
  const std::size_t all = r.notes.size() + r.verdict.notes.size(), shown = std::min(all, kMostNotes);
  for (std::size_t i = 0; i < shown; ++i)
    notes.push_back(
        words::shortened(i < r.notes.size() ? r.notes[i] : r.verdict.notes[i - r.notes.size()], kLongestFact));
  if (shown < all) notes.push_back(fmt::format("… and {}", words::counted(all - shown, "more note")));
  return page_list(notes, [](const std::string& note) { return json_string(note); });
}

// `cut`: what to say of what is not shown for the page's size; empty: nothing.
std::string page_json(const Report& r, const PageOptions& options, std::string_view cut) {
  constexpr std::string_view kVerbs[] = {"satisfies", "violates", "is undecided at"};
  const std::string_view level = info(r.verdict.level).name;
  ShownAnomalies anomalies(r, options);
  PageObject made;
  made.text("version", options.version);
  if (!options.command.empty()) made.text("command", words::shortened(std::string(options.command), kLongestFact));
  PageObject out;
  out.text("kind", "check").raw("made", made.done());
  // Of a recording that was not kept, its place says nothing.
  const bool kept = options.subject.empty();
  const std::string subject = kept ? r.file.substr(r.file.rfind('/') + 1) : std::string(options.subject);
  out.text("file", kept ? words::shortened(r.file, kLongestFact) : std::string()).text("level", level);
  out.text("verdict", name(r.verdict.outcome));
  out.text("summary", fmt::format("{} {} {}", words::shortened(subject, kLongestName),
                                  kVerbs[static_cast<std::size_t>(r.verdict.outcome)], level));
  out.raw("facts", facts_json(r));
  out.raw("notes", notes_json(r, cut));
  out.raw("levels", levels_json(r)).raw("weaker", weaker_json()).raw("counts", counts_by_rank(r.verdict));
  out.raw("anomalies", anomalies.json()).number("anomalies_left_out", anomalies.left_out());
  out.raw("transactions", anomalies.history().transactions_json()).raw("keys", anomalies.history().keys_json());
  const bool nanoseconds = has_nanoseconds(r.history, r.format);
  out.text("clock", nanoseconds ? "ns" : "").raw("plots", plots_json(r.history, nanoseconds));
  if (!r.history.faults().empty()) out.raw("faults", faults_json(r.history));
  if (!options.watched.empty()) out.raw("watch", options.watched);
  return out.done();
}

// Fewer anomalies first; then less of each.
PageOptions smaller(PageOptions options) {
  if (options.most_anomalies > kFewAnomalies) {
    options.most_anomalies = std::max(options.most_anomalies / 2, kFewAnomalies);
    options.most_around /= 2;
    return options;
  }
  options.most_anomalies = std::max<std::size_t>(1, options.most_anomalies / 2);
  options.most_members = std::max<std::size_t>(4, options.most_members / 2);
  options.most_operations = std::max<std::size_t>(2, options.most_operations / 2);
  options.most_around /= 2;
  options.most_versions = std::max<std::size_t>(2, options.most_versions / 2);
  return options;
}

}  // namespace

std::string check_page_json(const Report& r, const PageOptions& options) {
  std::string json = page_json(r, options, {});
  PageOptions less = options;
  less.most_anomalies = std::min(less.most_anomalies, std::max<std::size_t>(1, r.verdict.anomalies.size()));
  constexpr int kHalvings = 16;  // then every limit is at its least
  for (int i = 0; i < kHalvings && html_page_size(json) > kLargestPage; ++i) {
    less = smaller(less);
    json = page_json(r, less,
                     fmt::format("the whole report would exceed 3 MB: this page shows at most {} anomalies, with at "
                                 "most {} transactions and cases each",
                                 less.most_anomalies, less.most_members));
  }
  // What room is left is for all the rest.
  for (std::size_t most = options.most_drawn; most > 0; most /= 2) {
    const std::string whole = whole_timeline_json(r.history, r.verdict, has_nanoseconds(r.history, r.format), most);
    if (whole.empty() || r.whole) break;
    // Names of transactions and sessions may have letters that a page escapes: only the page itself says its size.
    std::string with = json.substr(0, json.size() - 1) + fmt::format(", \"whole\": {}}}", whole);
    if (html_page_size(with) > kLargestPage) continue;
    json = std::move(with);
    break;
  }
  return json;
}

}  // namespace isolde
