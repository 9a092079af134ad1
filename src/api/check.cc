// The public check(), over checking/ and report/.
#include "isolde/check.h"

#include <sys/resource.h>

#include <chrono>

#include "anomaly/telling.h"
#include "api/content.h"
#include "check/choose/engines.h"
#include "checking/checking.h"
#include "format/format.h"
#include "report/explain_anomaly.h"
#include "report/explain_cases.h"
#include "report/json.h"

namespace isolde::api {
namespace {

using Clock = std::chrono::steady_clock;

Verdict failed_verdict(std::string error) {
  Verdict verdict;
  verdict.error = std::move(error);
  return verdict;
}

Name name_of(const isolde::History& h, isolde::TxnId t) {
  if (t == isolde::kNoTxn) return std::string("initial state");
  const isolde::ValueId id = h.columns().id[raw(t)];
  if (h.values().type(id) == isolde::ValueType::kInteger) return h.values().integer(id);
  if (h.values().type(id) == isolde::ValueType::kString) return std::string(h.values().string(id));
  return h.values().json(id);
}

std::vector<Step> steps_of(const isolde::History& h, const std::vector<isolde::Step>& steps,
                           const std::vector<std::string>& words) {
  std::vector<Step> out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const isolde::Step& s = steps[i];
    out.push_back({name_of(h, s.from), name_of(h, s.to), std::string(isolde::name(s.type)), words[i]});
  }
  return out;
}

Anomaly anomaly_of(const isolde::History& h, const isolde::Anomaly& a) {
  const isolde::Explanation words = isolde::explain(h, a);
  Anomaly out;
  out.name = isolde::telling_name(h, a);
  out.kind = isolde::full_name(a);
  out.text = isolde::paragraph(words);
  for (const isolde::TxnId t : a.transactions) out.transactions.push_back(name_of(h, t));
  out.steps = steps_of(h, a.steps, words.steps);
  if (a.cases.empty()) return out;
  const isolde::proof::Choices choices = isolde::choices_of(h, a);
  for (std::size_t i = 0; i < a.cases.size(); ++i) {
    Case& one = out.cases.emplace_back();
    for (const isolde::proof::Literal& l : choices.of_case[i])
      one.assume.push_back(isolde::choice_text(h, choices, l, isolde::Mood::kFact));
    one.steps = steps_of(h, a.cases[i].steps, words.cases[i]);
  }
  return out;
}

Outcome outcome_of(isolde::Outcome outcome) {
  return outcome == isolde::Outcome::kSatisfied  ? Outcome::satisfied
         : outcome == isolde::Outcome::kViolated ? Outcome::violated
                                                 : Outcome::undecided;
}

Verdict verdict_of(std::shared_ptr<const Verdict::Content> content) {
  const isolde::Verdict& v = content->verdict;
  Verdict out;
  out.outcome = outcome_of(v.outcome);
  out.reason = v.reason;
  if (v.holds) out.holds = isolde::info(*v.holds).name;
  out.level = isolde::info(v.level).name;
  out.method = v.method;
  out.notes = v.notes;
  if (v.search)
    out.search = Search{v.search->pairs,    v.search->pruned, v.search->guessed,
                        v.search->searched, v.search->reads,  v.search->conflicts};
  for (const isolde::Anomaly& a : v.anomalies) out.anomalies.push_back(anomaly_of(content->history, a));
  for (std::size_t k = 0; k < v.counts.size(); ++k) {
    if (v.counts[k] > 0) out.counts[std::string(isolde::info(static_cast<isolde::AnomalyKind>(k)).name)] = v.counts[k];
  }
  if (content->strongest) {
    for (const isolde::Level level : content->strongest->holds) out.strongest.emplace_back(isolde::info(level).name);
    for (const isolde::LevelInfo& level : isolde::all_levels()) {
      const auto outcome = content->strongest->at(level.level);
      if (outcome) out.levels.emplace(level.name, outcome_of(*outcome));
      if (content->strongest->is_untested(level.level)) out.not_tested.emplace_back(level.name);
    }
  }
  out.content = std::move(content);
  return out;
}

class CalledBack : public isolde::Progress {
 public:
  explicit CalledBack(const CheckOptions& options) : options_(options) {}
  void advance(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
    options_.progress(stage, done, total);
  }

 private:
  const CheckOptions& options_;
};

isolde::Limits limits_of(const CheckOptions& options, CalledBack& progress) {
  isolde::Limits limits;
  if (options.progress) limits.progress = &progress;
  limits.threads = options.threads == 0 ? 1 : options.threads;
  limits.max_anomalies = options.max_anomalies;
  limits.cancelled = options.cancelled;
  if (options.timeout_seconds > 0) {
    limits.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(options.timeout_seconds));
  }
  return limits;
}

}  // namespace

Verdict check(const History& history, const std::string& level_name, const CheckOptions& options) {
  const auto asked = isolde::level_named(level_name);
  if (!asked) return failed_verdict("unknown level \"" + level_name + "\"");
  const auto evidence = isolde::parse_evidence_use(options.use, options.ignore);
  if (!evidence) return failed_verdict(evidence.error().message());
  isolde::Checking::Options wanted;
  wanted.choose.evidence = *evidence;
  wanted.choose.method = options.method;
  wanted.choose.order_by_commit = options.order_by_commit_ts;
  wanted.engine.guess = options.guess;
  const auto checking = isolde::Checking::of(history.content().history, *asked, wanted);
  if (!checking) return failed_verdict(checking.error().message());
  isolde::Checking& one = **checking;
  if (std::string refusal = one.refusal(); !refusal.empty()) return failed_verdict(std::move(refusal));
  auto content =
      std::make_shared<Verdict::Content>(Verdict::Content{one.history(), history.content().format, {}, {}, {}, {}});
  CalledBack progress(options);
  const isolde::Limits limits = limits_of(options, progress);
  const auto started = Clock::now();
  isolde::Verdict& verdict = content->verdict;
  verdict = one.check(limits);
  content->why = one.why(verdict);
  verdict.notes.insert(verdict.notes.end(), one.notes().begin(), one.notes().end());
  content->stats.check_seconds = std::chrono::duration<double>(Clock::now() - started).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  content->stats.peak_mib = static_cast<double>(usage.ru_maxrss) / 1024.0;
  if (options.prove) {
    const auto proved = one.prove(verdict);
    if (proved.proof == isolde::Proof::kFails) verdict.reason = "the verdict could not be proved: " + proved.says;
  }
  if (options.strongest) {
    const auto searching = Clock::now();
    if (std::string other = one.other_order(verdict, limits); !other.empty()) verdict.notes.push_back(std::move(other));
    content->strongest = one.strongest(verdict, limits);
    content->stats.strongest_seconds = std::chrono::duration<double>(Clock::now() - searching).count();
  }
  return verdict_of(std::move(content));
}

Witness witness(const Verdict& verdict) {
  Witness out;
  if (verdict.content == nullptr) return out;
  const isolde::Witness& given = verdict.content->verdict.witness;
  if (given.kind == isolde::Witness::Kind::kNone) return out;
  const bool points = given.kind == isolde::Witness::Kind::kPoints;
  out.kind = points ? Witness::Kind::points : Witness::Kind::serial_order;
  for (const std::uint32_t event : given.events) {
    out.order.push_back(name_of(verdict.content->history, isolde::TxnId{points ? event / 2 : event}));
    if (points) out.commit.push_back(event % 2 == 1);
  }
  return out;
}

std::vector<std::string> level_names() {
  std::vector<std::string> names;
  for (const isolde::LevelInfo& level : isolde::all_levels()) names.emplace_back(level.name);
  return names;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const isolde::Engine& engine : isolde::engines()) names.emplace_back(engine.name);
  return names;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const isolde::FormatInfo& format : isolde::formats()) names.emplace_back(format.name);
  return names;
}

std::string version() { return ISOLDE_VERSION; }

std::string to_json(const Verdict& verdict, const std::string& file) {
  if (verdict.content == nullptr) return isolde::render_json_error(file, verdict.error);
  const Verdict::Content& c = *verdict.content;
  return isolde::render_json({.file = file,
                              .format = c.format,
                              .history = c.history,
                              .verdict = c.verdict,
                              .why_method = c.why,
                              .notes = {},
                              .stats = c.stats,
                              .strongest = c.strongest});
}

}  // namespace isolde::api
