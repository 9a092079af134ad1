#include "probe/probe.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "probe/sql_text.h"

namespace isolde::probe {
namespace {

std::vector<std::string> names_of(const Scenario& scenario) {
  std::vector<std::string> names;
  names.reserve(scenario.tables.size());
  for (const ScenarioTable& table : scenario.tables) names.push_back(table.name);
  return names;
}

// So that two probes of one database do not meet.
std::string fresh_prefix() {
  const auto now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
  return fmt::format("isolde_probe_{:x}_{:x}_", getpid(), now & 0xffffff);
}

std::string shown_code(std::string_view code) {
  constexpr std::string_view kSqlite = "SQLITE_";
  if (code.starts_with(kSqlite)) code.remove_prefix(kSqlite.size());
  return std::string(code);
}

class LevelProbe {
 public:
  LevelProbe(db::Database& database, const db::ServerLevel& level, const ProbeOptions& options)
      : database_(database), level_(level), options_(options), prefix_(fresh_prefix()) {}

  Result<void> connect(std::size_t transactions) {
    auto keeper = database_.connect(level_);
    if (!keeper) return std::move(keeper).error();
    keeper_ = *std::move(keeper);
    std::vector<std::unique_ptr<db::Connection>> connections;
    for (std::size_t i = 0; i < transactions; ++i) {
      auto connection = database_.connect(level_);
      if (!connection) return std::move(connection).error();
      connections.push_back(*std::move(connection));
    }
    crew_ = std::make_unique<Crew>(std::move(connections));
    return {};
  }

  Result<Finding> run(const Scenario& scenario) {
    for (std::size_t i = 0; i < crew_->size(); ++i) {
      if (crew_->usable(i)) continue;
      auto connection = database_.connect(level_);
      if (!connection) return std::move(connection).error();
      crew_->replace(i, *std::move(connection));
    }
    auto made = make_tables(scenario);
    if (!made) {
      drop_tables(scenario);
      return std::move(made).error();
    }
    auto finding = play(scenario);
    drop_tables(scenario);
    return finding;
  }

 private:
  Result<Finding> play(const Scenario& scenario) {
    Finding finding;
    std::vector<std::uint64_t> lines;
    finding.steps = steps_for(scenario, database_.dialect().name, &lines);
    const std::vector<std::string> names = names_of(scenario);
    ScheduleOptions options;
    options.patience = options_.patience;
    options.sql_of = [&](std::size_t step, const Transcript& so_far) -> Result<std::string> {
      const auto pieces = parse_sql(finding.steps[step].sql, names, scenario.file, lines[step], 1);
      if (!pieces) return pieces.error();
      return sql_text(*pieces, {prefix_, database_.dialect(), finding.steps, so_far});
    };
    finding.transcript = run_schedule(database_, *keeper_, *crew_, finding.steps, options);
    for (StepRecord& record : finding.transcript.steps) {
      use_scenario_names(record.sql);
      use_scenario_names(record.reply.failure.text);
    }
    if (finding.transcript.fault) {
      const std::uint64_t line = finding.transcript.fault_at == kNoStep ? 0 : lines[finding.transcript.fault_at];
      return Error{fmt::format("{} at {}: {}", scenario.name, level_.name, finding.transcript.fault->text),
                   scenario.file, line};
    }
    for (const ScenarioTable& table : scenario.tables) {
      auto rows = ask(scenario, fmt::format("select * from {}{}", prefix_, lower_name(table.name)));
      if (!rows) return std::move(rows).error();
      finding.tables[table.name] = *std::move(rows);
    }
    judge(scenario, finding);
    return finding;
  }

  void use_scenario_names(std::string& text) const {
    for (std::size_t at = text.find(prefix_); at != std::string::npos; at = text.find(prefix_, at))
      text.erase(at, prefix_.size());
  }

  static void judge(const Scenario& scenario, Finding& finding) {
    const Observed observed = {finding.steps, finding.transcript, finding.tables, scenario.tables.front().name};
    if (holds(scenario.happened, observed).value_or(false)) {
      finding.outcome = Outcome::kHappened;
      return;
    }
    finding.outcome = finding.transcript.unanswered() ? Outcome::kUndecided : Outcome::kPrevented;
    if (const db::Failure* failure = finding.transcript.failure()) {
      finding.by = shown_code(failure->code);
      finding.by_text = failure->text;
    } else if (finding.transcript.waited()) {
      finding.by = "blk";
    }
  }

  static std::string lower_name(std::string_view name) {
    std::string out(name);
    for (char& c : out) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
  }

  Result<db::Reply> ask(const Scenario& scenario, const std::string& sql) {
    auto reply = keeper_->run(sql);
    if (!reply)
      return Error{fmt::format("{} at {}: {}", scenario.name, level_.name, reply.error().text), scenario.file};
    if (reply->done()) return reply;
    return Error{
        fmt::format("{} at {}: {}: {} ({})", scenario.name, level_.name, reply->failure.code, reply->failure.text, sql),
        scenario.file};
  }

  Result<void> make_tables(const Scenario& scenario) {
    for (const ScenarioTable& table : scenario.tables) {
      const std::string name = prefix_ + lower_name(table.name);
      auto made =
          ask(scenario, fmt::format("create table {} {}{}", name, table.columns, database_.dialect().table_options));
      if (!made) return std::move(made).error();
      if (table.rows.empty()) continue;
      auto put = ask(scenario, fmt::format("insert into {} values ({})", name, fmt::join(table.rows, "), (")));
      if (!put) return std::move(put).error();
    }
    return {};
  }

  void drop_tables(const Scenario& scenario) {
    for (const ScenarioTable& table : scenario.tables)
      static_cast<void>(keeper_->run(fmt::format("drop table if exists {}{}", prefix_, lower_name(table.name))));
  }

  db::Database& database_;
  const db::ServerLevel& level_;
  const ProbeOptions& options_;
  std::string prefix_;
  std::unique_ptr<db::Connection> keeper_;  // makes the tables, and watches who waits
  std::unique_ptr<Crew> crew_;
};

Result<std::string> description_of(db::Database& database) {
  auto connection = database.connect(database.levels().front());
  if (!connection) return std::move(connection).error();
  return database.describe(**connection);
}

// Those that were asked for, as the database has them now: a setting of the server may change what they claim.
std::vector<const db::ServerLevel*> levels_of(const db::Database& database, const ProbeOptions& options) {
  std::vector<const db::ServerLevel*> levels;
  for (const db::ServerLevel& level : database.levels()) {
    const bool asked = std::any_of(options.levels.begin(), options.levels.end(),
                                   [&](const db::ServerLevel* l) { return l->name == level.name; });
    if (options.levels.empty() || asked) levels.push_back(&level);
  }
  return levels;
}

std::size_t transactions_of(std::span<const Scenario> scenarios) {
  std::size_t most = 1;
  for (const Scenario& scenario : scenarios) {
    for (const ScriptLine& line : scenario.script) most = std::max(most, line.step.transaction + 1);
  }
  return most;
}

}  // namespace

Result<Findings> probe(db::Database& database, std::span<const Scenario> scenarios, const ProbeOptions& options) {
  Findings all;
  if (auto described = description_of(database); !described) {
    return std::move(described).error();
  } else {
    all.database = *std::move(described);
  }
  const std::vector<const db::ServerLevel*> levels = levels_of(database, options);
  std::uint64_t done = 0;
  for (const db::ServerLevel* level : levels) {
    // One level at a time: SQLite changes its journal mode only while nobody else has the file open.
    LevelProbe at(database, *level, options);
    if (auto connected = at.connect(transactions_of(scenarios)); !connected) return std::move(connected).error();
    LevelFindings findings = {level, {}};
    for (const Scenario& scenario : scenarios) {
      if (options.progress != nullptr) options.progress->advance(level->name, done, levels.size() * scenarios.size());
      auto finding = at.run(scenario);
      if (!finding) return std::move(finding).error();
      findings.findings.push_back(*std::move(finding));
      ++done;
    }
    all.levels.push_back(std::move(findings));
  }
  return all;
}

}  // namespace isolde::probe
