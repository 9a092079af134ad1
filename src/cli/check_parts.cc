#include "cli/check_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "batch/check.h"
#include "batch/local_ranks.h"
#include "cli/check_plan.h"
#include "cli/verbs.h"
#include "report/json.h"
#include "report/report.h"
#include "report/text.h"

namespace isolde::cli {
namespace {

constexpr std::uint64_t kGatherMib = 2048;
constexpr std::uint64_t kMostMib = std::uint64_t{1} << 40;

// Those that need the whole history at hand, or its text.
constexpr std::string_view kNotInParts[] = {
    "html",    "dot",    "svg",     "prove",    "strongest",      "use",      "ignore",         "timeout", "lenient",
    "initial", "format", "profile", "profiles", "explain-method", "baseline", "write-baseline", "junit",   "github"};

struct RankCost {
  double cpu_seconds, peak_mib;
  std::uint64_t bytes, rounds;
};

Result<batch::BatchOptions> batch_options(const Arguments& args, const CheckPlan& plan) {
  for (const std::string_view option : kNotInParts) {
    if (args.has(option)) return Error{fmt::format("--{} does not go with a check in parts", option)};
  }
  if (args.positional.size() != 1) return Error{"a check in parts takes one folder"};
  batch::BatchOptions options;
  options.level = plan.level;
  options.choose = plan.choose;
  options.engine = plan.engine;
  auto memory = args.count("memory", 0, 0, kMostMib);
  if (!memory) return std::move(memory).error();
  options.memory = *memory << 20;
  auto gather = args.count("gather", kGatherMib, 0, kMostMib);
  if (!gather) return std::move(gather).error();
  options.most_at_first = *gather << 20;
  return options;
}

// What each rank cost, on standard error.
void print_costs(const std::vector<RankCost>& costs, const batch::BatchAnswer& answer) {
  for (std::size_t r = 0; r < costs.size(); ++r) {
    print_error(fmt::format("rank {}: {:.2f} s CPU, peak {:.0f} MiB, {:.1f} MiB sent, {} rounds", r,
                            costs[r].cpu_seconds, costs[r].peak_mib,
                            static_cast<double>(costs[r].bytes) / (1024.0 * 1024.0), costs[r].rounds));
  }
  if (answer.passes > 1) print_error(fmt::format("{} passes over the parts", answer.passes));
}

Exit report_parts(const Arguments& args, const CheckPlan& plan, const batch::BatchAnswer& answer,
                  const std::vector<RankCost>& costs, const Stopwatch& watch) {
  const std::string& folder = args.positional[0];
  std::vector<std::string> notes;
  if (!plan.level) {
    const History& columns = answer.stand_in ? *answer.stand_in : *answer.history;
    static_cast<void>(level_for(plan, columns, notes));
  }
  if (!answer.brought_together.empty() && !plan.quiet)
    print_error(fmt::format("brought together at one rank, because {}", answer.brought_together));
  RunStats stats;
  stats.check_seconds = watch.seconds();
  for (const RankCost& cost : costs) {
    stats.check_cpu_seconds += cost.cpu_seconds;
    stats.peak_mib = std::max(stats.peak_mib, cost.peak_mib);
  }
  Report report{.file = folder,
                .format = kSegmentsFormat.name,
                .history = *answer.history,
                .verdict = answer.verdict,
                .why_method = answer.why_method,
                .notes = std::move(notes),
                .stats = stats};
  if (answer.is_part) {
    report.whole = WholeHistory{answer.transactions, answer.operations, answer.keys, answer.sessions,
                                evidence_of(*answer.stand_in)};
  }
  if (costs.size() > 1 && !plan.quiet) print_costs(costs, answer);
  print(plan.json ? render_json(report) + "\n" : render_text(report, plan.style));
  return exit_of(answer.outcome);
}

Exit bad_parts(const Arguments& args, const batch::Ranks& ranks, const Error& error) {
  if (!ranks.is_first()) return exit_of(error);
  print_error(error);
  if (args.has("json") && !args.positional.empty())
    print(render_json_error(args.positional[0], error.message()) + "\n");
  return exit_of(error);
}

Exit check_by_ranks(const Arguments& args, batch::Ranks& ranks) {
  const Stopwatch watch;
  auto plan = check_plan(args);
  if (!plan) return bad_parts(args, ranks, plan.error());
  const auto options = batch_options(args, *plan);
  if (!options) return bad_parts(args, ranks, options.error());
  // From here on ranks may differ: one of them may not see the folder.
  auto list = read_segment_list(args.positional[0]);
  const auto seen = ranks.agree(list ? Result<void>() : Result<void>(list.error()));
  if (!seen) return bad_parts(args, ranks, seen.error());
  batch::FolderParts parts(*std::move(list), ranks.rank(), ranks.size());
  WorkBudget work;
  Limits limits;
  limits.work = &work;
  limits.max_anomalies = plan->kept;
  limits.threads = plan->threads;
  auto answer = batch::check_parts(ranks, parts, *options, limits);
  if (!answer) return bad_parts(args, ranks, answer.error());
  const RankCost own{watch.cpu_seconds(), peak_mib(), ranks.traffic().bytes, ranks.traffic().rounds};
  const auto costs = batch::gathered(ranks, std::vector{own});
  return ranks.is_first() ? report_parts(args, *plan, *answer, costs, watch) : exit_of(answer->outcome);
}

}  // namespace

Exit run_ranks(std::vector<std::string> args, batch::Ranks& ranks) {
  const auto bad_usage = [&](std::string_view text) {
    if (ranks.is_first()) print_error(text);
    return Exit::kBadInput;
  };
  const VerbRow* const check = verb_named("check");
  if (!args.empty() && args.front() == "--version") {
    if (ranks.is_first()) print("isolde-mpi " ISOLDE_VERSION "\n");
    return Exit::kFine;
  }
  if (args.empty() || args.front() != "check")
    return bad_usage("mpirun -n N isolde-mpi check FOLDER [options of `isolde check`] (docs/batch.md)");
  args.erase(args.begin());
  const auto parsed = parse(*check, std::move(args));
  if (!parsed) return bad_usage(parsed.error().text);
  if (parsed->has("help")) {
    if (ranks.is_first()) print(help_text(*check));
    return Exit::kFine;
  }
  const Exit exit = check_by_ranks(*parsed, ranks);
  // That of rank 0 is the job's. Of the others mpirun would only say that they failed.
  if (!ranks.is_first()) return Exit::kFine;
  return flush_output() ? exit : Exit::kBadInput;
}

Exit run_check_in_passes(const Arguments& args) {
  Exit exit = Exit::kBadInput;
  batch::run_local_ranks(1, [&](batch::Ranks& ranks) { exit = check_by_ranks(args, ranks); });
  return exit;
}

}  // namespace isolde::cli
