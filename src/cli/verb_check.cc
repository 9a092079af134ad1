#include <fmt/format.h>

#include "checking/checking.h"
#include "cli/check_parts.h"
#include "cli/check_plan.h"
#include "cli/check_progress.h"
#include "cli/verbs.h"
#include "report/dot.h"
#include "report/json.h"
#include "report/page/check_page.h"
#include "report/page/page.h"
#include "report/report.h"
#include "report/svg.h"
#include "report/text.h"

namespace isolde::cli {
namespace {

// What looking for the strongest level may take, in steps (base/limits.h) and in times of the check itself, where
// nobody asked for it, and where no level was given: about one second, and ten.
constexpr std::uint64_t kUnaskedSteps = 100'000'000, kUnaskedTimes = 2;
constexpr std::uint64_t kNoLevelSteps = 1'000'000'000, kNoLevelTimes = 3;

Exit report_bad_input(const CheckPlan& plan, const std::string& file, const Error& error) {
  print_error(error);
  if (plan.outcomes != nullptr) plan.outcomes->add_bad_input(file, error);
  if (plan.json)
    print((error.out_of_time ? render_json_undecided(file, error.text) : render_json_error(file, error.message())) +
          "\n");
  return exit_of(error);
}

// Once a check takes long.
std::string why_it_takes_long(const std::string& file, const Checking& checking) {
  const std::string faster = faster_evidence(checking.history(), checking.level());
  return fmt::format("{}: this takes a while: {}{}; --timeout S ends it, undecided (docs/evidence.md)", file,
                     checking.method(), faster.empty() ? std::string() : fmt::format(". Faster with {}", faster));
}

Limits limits_of(const CheckPlan& plan, Progress& progress, WorkBudget& work,
                 std::chrono::steady_clock::time_point deadline) {
  Limits limits;
  limits.work = &work;
  limits.threads = plan.threads;
  limits.max_anomalies = plan.kept;
  limits.progress = &progress;
  limits.deadline = deadline;
  return limits;
}

// Of a violated history, and where no level was given, everybody wants to know it; but then it may not take much longer
// than what was asked for.
void add_strongest(const CheckPlan& plan, Checking& checking, Limits limits, Report& report) {
  if (plan.profile) return;  // what is broken is no level
  const bool violated = report.verdict.outcome == Outcome::kViolated;
  // A page shows what is known of every level.
  if (!plan.strongest && plan.html.empty() && (plan.quiet || (!violated && plan.level))) return;
  const std::uint64_t check = limits.work->spent();
  const std::uint64_t most =
      plan.level ? std::max(kUnaskedSteps, kUnaskedTimes * check) : std::max(kNoLevelSteps, kNoLevelTimes * check);
  WorkBudget budget(plan.strongest ? WorkBudget::kUnlimited : most, "the search for the strongest level",
                    "--strongest lifts it");
  limits.work = &budget;
  const Stopwatch searching;
  if (std::string other = checking.other_order(report.verdict, limits); !other.empty()) {
    report.notes.push_back(std::move(other));
  }
  report.strongest = checking.strongest(report.verdict, limits);
  report.stats.strongest_seconds = searching.seconds();
  report.stats.peak_mib = peak_mib();
}

// The pictures that were asked for, beside the answer.
Exit write_pictures(const CheckPlan& plan, const Report& report) {
  Exit exit = Exit::kFine;
  if (!plan.dot.empty()) exit = worse(exit, write_whole_file(plan.dot, render_dot(report, plan.style.shown)));
  if (!plan.svg.empty()) exit = worse(exit, write_whole_file(plan.svg, render_svg(report, plan.style.shown)));
  if (!plan.html.empty())
    exit = worse(exit, write_whole_file(plan.html, html_page(check_page_json(report, {.version = ISOLDE_VERSION,
                                                                                      .subject = plan.subject,
                                                                                      .watched = plan.watched}))));
  return exit;
}

}  // namespace

Exit check_file(const CheckPlan& plan, const std::string& argument, std::optional<Judged>* judged) {
  const std::string path = input_path(argument), given = input_shown(argument);
  TerminalProgress progress(given, plan.quiet);
  const Stopwatch loading;
  InputLimits input;
  if (plan.timeout) input.deadline = seconds_from_now(*plan.timeout);  // of reading and checking together
  auto loaded = load(path, plan.format,
                     {.lenient = plan.lenient, .progress = &progress, .initial = plan.initial, .limits = input});
  progress.clear();
  if (!loaded) return report_bad_input(plan, given, loaded.error());
  std::vector<std::string> notes = std::move(loaded->notes);
  const double load_seconds = loading.seconds();
  const double load_cpu = loading.cpu_seconds();
  const EvidenceUse& evidence = plan.choose.evidence;
  const Level asked =
      level_for(plan, evidence.empty() ? loaded->history : judged_history(loaded->history, evidence), notes);
  EngineOptions engine = plan.engine;
  engine.profile = plan.profile ? &*plan.profile : nullptr;
  const auto started = Checking::of(loaded->history, asked, {.choose = plan.choose, .engine = engine});
  if (!started) return report_bad_input(plan, given, started.error());
  Checking& checking = **started;
  if (std::string refusal = checking.refusal(); !refusal.empty())
    return report_bad_input(plan, given, Error{std::move(refusal), given});
  notes.insert(notes.end(), checking.notes().begin(), checking.notes().end());
  WorkBudget work;  // counted, not limited: the search for the strongest level is measured by it
  std::optional<CheckProgress> shown(
      std::in_place, given, fmt::format("method {}", checking.method()),
      [&] { return why_it_takes_long(given, checking); }, plan.quiet);
  const Limits limits = limits_of(plan, *shown, work, input.deadline);
  const Stopwatch watch;
  Verdict verdict = checking.check(limits);
  Report report{.file = plan.subject.empty() ? given : plan.subject,
                .format = loaded->format->name,
                .history = checking.history(),
                .verdict = verdict,
                .why_method = checking.why(verdict),
                .notes = std::move(notes),
                .stats = {.load_seconds = load_seconds,
                          .check_seconds = watch.seconds(),
                          .load_cpu_seconds = load_cpu,
                          .check_cpu_seconds = watch.cpu_seconds(),
                          .peak_mib = peak_mib()}};
  if (plan.prove) {
    Checking::Proved proved = checking.prove(verdict);
    report.proof = proved.proof;
    report.proof_says = std::move(proved.says);
  }
  if (plan.explain_method) report.methods = checking.methods();
  add_strongest(plan, checking, limits, report);
  shown.reset();
  // As of `isolde watch`: nothing was found that breaks the profile, though that certifies no level.
  const bool found_nothing = plan.profile && verdict.why_open == WhyOpen::kFindsOnly;
  Exit exit = found_nothing ? Exit::kFine : exit_of(verdict.outcome);
  if (plan.outcomes != nullptr) {
    exit = plan.outcomes->compare(report, exit);
    plan.outcomes->add_answer(report, exit);
  }
  if (judged != nullptr) *judged = Judged{checking.level(), verdict.outcome, std::string(verdict.method)};
  print(plan.json ? render_json(report) + "\n" : fitted(render_text(report, plan.style)));
  return worse(exit, write_pictures(plan, report));
}

Exit run_check(const Arguments& args) {
  auto plan = check_plan(args);
  if (!plan) return print_error(plan.error()), Exit::kBadInput;
  auto outcomes = CheckOutcomes::from("check", args);
  if (!outcomes) return print_error(outcomes.error()), Exit::kBadInput;
  plan->outcomes = &*outcomes;
  if (args.has("memory")) return run_check_in_passes(args);
  Exit exit = Exit::kFine;
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    if (i > 0 && !plan->json && !plan->quiet) print("\n");
    exit = worse(exit, check_file(*plan, args.positional[i]));
    // Each answer is out before the next, maybe long, check begins.
    if (!flush_output()) break;
  }
  return worse(exit, outcomes->finish(plan->quiet));
}

}  // namespace isolde::cli
