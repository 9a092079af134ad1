#include "hunt/hunt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "base/hash.h"
#include "hunt/finding/causes.h"
#include "hunt/log_watch.h"
#include "hunt/reviving_arena.h"
#include "hunt/run/own_schema.h"

namespace isolde::hunt {
namespace {

// Streams of seeds: those of schemas, of cases, and of what is drawn while a case is tried.
enum class Stream : std::uint64_t { kSchema = 1, kCase = 2, kTrial = 3 };

std::uint64_t seed_of(std::uint64_t seed, Stream stream, std::uint64_t number) {
  return mix64(mix64(seed + 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(stream)) + number);
}

// What a person has to read: transactions, statements, then text.
std::array<std::size_t, 3> finding_size(const Finding& finding) {
  std::size_t text = 0;
  for (const Transaction& transaction : finding.test.transactions) {
    for (const Statement& statement : transaction.statements) text += statement.sql.size();
  }
  for (const Table& table : finding.test.schema.tables) text += table.create.size() + 20 * table.rows.size();
  return {finding.test.transactions.size(), statements_of(finding.test), text};
}

// Every table emptied, children first.
Case deletion_of_all(const Schema& schema) {
  constexpr std::int64_t kFirstOfDeletions = 1'000'000;
  Case test;
  test.schema = schema;
  Transaction& transaction = test.transactions.emplace_back();
  for (const Table& table : schema.tables | std::views::reverse) {
    Statement& statement = transaction.statements.emplace_back();
    statement.kind = StatementKind::kDelete;
    statement.sql = fmt::format("delete from {}", table.name);
    statement.before = fmt::format("select pkey from {}", table.name);
    statement.reads = statement.writes = {table.name};
    statement.version = kFirstOfDeletions + static_cast<std::int64_t>(transaction.statements.size());
  }
  test.order.assign(transaction.statements.size() + 1, 0);
  return test;
}

constexpr std::uint64_t kFaultsAtOnce = 25;  // one after the other: something is wrong with us, not with the cases
constexpr std::uint64_t kBadSchemasAtOnce = 5;

class Hunt {
 public:
  Hunt(std::unique_ptr<RevivingArena> arena, const HuntOptions& options, const HuntedServer& server,
       const HuntSink& sink, std::optional<NotApplicable> not_held)
      : arena_(std::move(arena)),
        options_(options),
        sink_(sink),
        log_(server.log_file),
        not_held_(std::move(not_held)),
        causes_(not_held_ ? not_held_->cause : std::string()) {}

  Result<HuntResult> go() {
    result_.server = arena_->server();
    result_.not_held = not_held_;
    const auto generator = make_generator(options_.generate);
    for (look_whether_over(); result_.ended.empty(); look_whether_over()) {
      const Schema schema = generator->schema(seed_of(options_.seed, Stream::kSchema, counts().schemas));
      ++counts().schemas;
      if (auto made = arena_->prepare(schema); !made) {
        fault(made.error());
        if (arena_->gone() || ++bad_schemas_ >= kBadSchemasAtOnce) return given_up(made.error());
        drawn_ += options_.cases_a_schema;  // so that a seed means the same cases whatever becomes of a schema
        continue;
      }
      bad_schemas_ = 0;
      for (std::uint32_t i = 0; i < options_.cases_a_schema; ++i) {
        look_whether_over();
        if (!result_.ended.empty()) break;
        if (auto gone_on = one(*generator); !gone_on) return given_up(gone_on.error());
      }
      second_opinions();
    }
    finish();
    return std::move(result_);
  }

 private:
  HuntCounts& counts() { return result_.counts; }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

  void look_whether_over() {
    if (options_.stop != nullptr && options_.stop->load()) {
      result_.ended = "it was stopped";
    } else if (seconds() >= static_cast<double>(options_.time.count())) {
      result_.ended = "the time is over";
    } else if (drawn_ >= options_.most_cases) {
      result_.ended = "all cases were tried";
    } else if (counts().causes >= options_.most_findings) {
      result_.ended =
          counts().causes == 1 ? "one cause was found" : fmt::format("{} causes were found", counts().causes);
    }
  }

  void finish() {
    counts().restarts = arena_->restarts();
    counts().seconds = seconds();
  }

  // What was found until then is told; if there is nothing to tell, the error is the answer.
  Result<HuntResult> given_up(const Error& error) {
    finish();
    if (counts().cases == counts().given_up && result_.findings.empty()) return error;
    result_.ended = error.text;
    result_.cut_short = true;
    return std::move(result_);
  }

  void fault(const Error& error) {
    ++counts().faults;
    if (result_.first_fault.empty()) result_.first_fault = error.text;
  }

  Result<void> one(Generator& generator) {
    const Case test = generator.test(seed_of(options_.seed, Stream::kCase, drawn_));
    Rng rng(seed_of(options_.seed, Stream::kTrial, drawn_));
    ++drawn_;
    Trial trial = try_case(*arena_, test, options_.trial, rng, counts());
    const std::vector<std::string> faults = log_.new_faults();
    if (trial.lost || !faults.empty()) {
      if (auto gone_on = crashed(trial, faults); !gone_on) return gone_on;
    } else if (trial.fault) {
      fault(*trial.fault);
      if (++faults_at_once_ >= kFaultsAtOnce) return *trial.fault;
    }
    if (trial.fault || trial.lost) {
      ++counts().given_up;
    } else {
      faults_at_once_ = 0;
    }
    if (trial.once && sink_.once) sink_.once(*trial.once);
    if (trial.finding) found(*std::move(trial.finding));
    look_what_delete_left(test.schema);
    if (!trial.fault && !trial.lost && for_second_opinion_.size() < options_.second_opinions)
      for_second_opinion_.push_back(trial.refined);
    counts().restarts = arena_->restarts();
    counts().seconds = seconds();
    if (sink_.progress) sink_.progress(counts());
    return {};
  }

  // What a second plan and a second server say to some cases of the schema.
  void second_opinions() {
    const std::vector<Case> cases = std::exchange(for_second_opinion_, {});
    if (!result_.ended.empty() || cases.empty()) return;
    // Where settings make for other plans, tables need not be made anew each time.
    const bool has_settings = !plan_settings(arena_->dialect().name, Plan::kByScans).on.empty();
    constexpr std::uint64_t kMadeOneIn = 4;
    const auto fewer = has_settings && counts().schemas % kMadeOneIn != 0 ? FewerIndexes::kSkip : FewerIndexes::kAsk;
    Trial trial = try_second_opinion(*arena_, cases, options_.trial, fewer, counts());
    if (trial.fault) fault(*trial.fault);
    if (trial.finding) found(*std::move(trial.finding));
  }

  // Rows could not be put back because DELETE left some: the same statements are tried as a case of their own.
  void look_what_delete_left(const Schema& schema) {
    if (arena_->left_by_delete().empty()) return;
    Rng rng(options_.seed);
    Trial trial = try_case(*arena_, deletion_of_all(schema), options_.trial, rng, counts());
    if (trial.finding) return found(*std::move(trial.finding));
    if (!trial.fault) fault(Error{"a DELETE without a condition left rows, which the same DELETE in a case did not"});
  }

  // The log has the last word; without one, a connection that breaks again on the same case.
  Result<void> crashed(const Trial& trial, std::vector<std::string> faults) {
    Finding finding;
    finding.wrong = Wrong::kCrash;
    finding.test = trial.refined;
    finding.alone = trial.alone;
    finding.server = arena_->server();
    finding.level = arena_->level().name;
    finding.dialect = arena_->dialect().name;
    finding.expected = "the server goes on";
    const Result<void> back = arena_->reset();
    // Its parent writes down how a process ended after the connection has broken.
    for (std::string& line : log_.new_faults()) faults.push_back(std::move(line));
    bool again = false;
    if (back && trial.lost) {
      auto seen = try_again(*arena_, finding, options_.trial);
      again = seen && *seen;
      for (std::string& line : log_.new_faults()) faults.push_back(std::move(line));
    }
    if (faults.empty() && !again) {
      if (!back) return back;
      return {};  // a connection that broke once
    }
    finding.actual = faults.empty() ? "the connection broke, twice" : fmt::format("{}", fmt::join(faults, "\n"));
    if (again && back) {
      found(std::move(finding));
    } else {
      tell(std::move(finding));
    }
    return back;
  }

  void found(Finding finding) {
    if (!causes_.worth_reducing(finding)) {
      finding.cause = causes_.rough_cause(finding);
      ++counts().findings;
      if (sink_.found) sink_.found(finding, false);
      return;
    }
    ReduceOptions how = options_.reduce;
    if (causes_.met(finding) > 0) how.most_runs /= 4;
    if (how.stop == nullptr) how.stop = options_.stop;
    const std::string before = causes_.rough_cause(finding);
    const std::string crash = finding.wrong == Wrong::kCrash ? finding.actual : std::string();
    auto reduced = reduce(*arena_, finding, options_.trial, how);
    for (const std::string& line : log_.new_faults()) (void)line;  // of the crash that is being reduced
    causes_.reduced(before, reduced ? *reduced : finding);
    if (reduced && !crash.empty()) reduced->actual = crash;
    tell(reduced ? *std::move(reduced) : std::move(finding));
  }

  void tell(Finding finding) {
    ++counts().findings;
    const bool is_new = causes_.name_it(finding);
    if (is_new) ++counts().causes;
    counts().seconds = seconds();
    if (sink_.found) sink_.found(finding, is_new);
    if (is_new) {
      result_.findings.push_back(std::move(finding));
      return;
    }
    for (Finding& known : result_.findings) {
      if (known.cause != finding.cause || finding_size(finding) >= finding_size(known)) continue;
      known = std::move(finding);
      if (sink_.smaller) sink_.smaller(known);
      return;
    }
  }

  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::unique_ptr<RevivingArena> arena_;
  const HuntOptions options_;
  const HuntSink& sink_;
  LogWatch log_;
  std::optional<NotApplicable> not_held_;
  Causes causes_;
  HuntResult result_;
  std::vector<Case> for_second_opinion_;  // of the schema at hand
  std::uint64_t drawn_ = 0;               // cases
  std::uint64_t faults_at_once_ = 0, bad_schemas_ = 0;
};

// Tables and views that schemas may have.
std::vector<std::string> all_names() {
  constexpr int kMostOfAKind = 10;
  std::vector<std::string> names;
  for (int i = 0; i < kMostOfAKind; ++i) {
    names.push_back(fmt::format("hunt_t{}", i));
    names.push_back(fmt::format("hunt_v{}", i));
  }
  return names;
}

// Nobody's tables are in the way, and nothing is left of a hunt before.
Result<void> ready_to_hunt(db::Database& database, const db::ServerLevel& level) {
  auto connection = database.connect(level);
  if (!connection) return std::move(connection).error();
  if (auto free = refuse_taken_names(**connection, database.dialect().name, all_names()); !free) return free;
  return clear_own_schema(database, level);
}

// The second server, with a schema of its own there.
struct OtherServer {
  decltype(hold_own_schema(std::declval<db::Database&>(), std::declval<const db::ServerLevel&>())) held;
  std::unique_ptr<Arena> arena;

  static Result<OtherServer> open(const HuntOptions& options, std::string_view dialect) {
    if (options.against->dialect().name != dialect)
      return Error{fmt::format("--against: it speaks {}, and the cases are written for {}",
                               options.against->dialect().name, dialect)};
    auto held = hold_own_schema(*options.against, *options.against_level);
    if (!held) return held.error();
    auto arena = open_arena(*options.against, *options.against_level, options.arena);
    if (!arena) return std::move(arena).error();
    if (auto ready = ready_to_hunt(*options.against, *options.against_level); !ready) return std::move(ready).error();
    return OtherServer{std::move(held), *std::move(arena)};
  }
};

HuntOptions completed(HuntOptions options, const Arena& arena) {
  options.trial.level = arena.level().claims;
  options.generate.dialect = arena.dialect().name;
  options.generate.server_version = version_number(arena.server());
  options.generate.most_transactions = std::min(options.generate.most_transactions, options.arena.most_transactions);
  return options;
}

}  // namespace

Result<HuntResult> hunt(db::Database& database, const db::ServerLevel& level, const HuntOptions& options,
                        const HuntedServer& server, const HuntSink& sink) {
  const auto held = hold_own_schema(database, level);
  if (!held) return held.error();
  auto arena = RevivingArena::open(database, level, options.arena, server.restart);
  if (!arena) return std::move(arena).error();
  auto not_held = why_not((*arena)->dialect().name, level.name, (*arena)->server());
  if (not_held && !not_held->recognisable) {
    (void)drop_own_schema(database, level);
    return Error{fmt::format("nothing can be judged at {}: {}; take another --level", level.name, not_held->reason)};
  }
  HuntOptions complete = completed(options, **arena);
  if (auto ready = ready_to_hunt(database, level); !ready) return std::move(ready).error();
  std::optional<OtherServer> other;
  if (options.against != nullptr) {
    auto opened = OtherServer::open(options, database.dialect().name);
    if (!opened) return std::move(opened).error();
    complete.trial.against = opened->arena.get();
    other = *std::move(opened);
  }
  auto result = Hunt(*std::move(arena), complete, server, sink, std::move(not_held)).go();
  (void)drop_own_schema(database, level);  // the next hunt tries again
  if (other) {
    other->arena.reset();
    (void)drop_own_schema(*options.against, *options.against_level);
  }
  return result;
}

}  // namespace isolde::hunt
