#include "audit/confirm/confirm.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "audit/confirm/attempt.h"
#include "audit/confirm/patterns.h"
#include "audit/confirm/place.h"
#include "audit/confirm/play.h"
#include "audit/confirm/rows.h"
#include "audit/confirm/script.h"
#include "audit/confirm/stage.h"
#include "db/product.h"

namespace isolde::audit {
namespace {

const db::ServerLevel* named(const db::Database& database, std::string_view name) {
  for (const db::ServerLevel& level : database.levels()) {
    if (level.name == name) return &level;
  }
  return nullptr;
}

std::string_view shown(WeakLevel level) {
  switch (level) {
    case WeakLevel::kReadCommitted:
      return "read committed";
    case WeakLevel::kMysqlRepeatableRead:
      return "MySQL's repeatable read";
    case WeakLevel::kSnapshotIsolation:
      return "snapshot isolation";
  }
  return "";
}

std::string_view title_of(const db::Database& database) {
  const db::Product* const product = db::find_product(database.dialect().name);
  return product == nullptr ? database.dialect().name : product->title;
}

// An error: the server has no such level.
Result<StageLevel> level_of(const db::Database& database, WeakLevel weak) {
  const db::Family family = database.dialect().family;
  StageLevel level;
  level.of_members = true;
  const bool committed = weak == WeakLevel::kReadCommitted;
  level.level = named(database, committed ? "read committed" : "repeatable read");
  const bool other = family == db::Family::kPostgres && weak == WeakLevel::kMysqlRepeatableRead;
  if (level.level == nullptr || other)
    return Error{fmt::format("{} has no level that is {}", title_of(database), shown(weak))};
  level.name = std::string(level.level->name);
  if (family == db::Family::kMysql && !committed) {
    const std::string_view value = weak == WeakLevel::kSnapshotIsolation ? "ON" : "OFF";
    level.settings.push_back(fmt::format("set session innodb_snapshot_isolation = {}", value));
    level.name += fmt::format(", innodb_snapshot_isolation={}", value);
  }
  return level;
}

Result<StageLevel> serializable_of(const db::Database& database) {
  StageLevel level;
  level.level = named(database, "serializable");
  if (level.level == nullptr) return Error{"the server has no level that it calls serializable"};
  level.name = std::string(level.level->name);
  return level;
}

// The values are the story's in all of them; the rows that are there at first differ.
constexpr Variation kVariations[] = {
    {},
    {.before_write = true},
    {.absent = true},
    {.before_write = true, .absent = true},
    {.unborn = true},
    {.before_seen = true},
    {.shared = true},
};

constexpr std::uint64_t kMostOrdersForARun = 50;  // that are listed: many are the same run
constexpr std::size_t kMostKeyPatterns = 24;      // of which each is tried with every variation

bool same_rows(const std::vector<InitialRow>& a, const std::vector<InitialRow>& b) {
  return std::ranges::equal(
      a, b, [](const InitialRow& x, const InitialRow& y) { return x.table == y.table && x.cells == y.cells; });
}

// All tries of one story, in the order in which they are made.
class Story {
 public:
  Story(ScratchPlace& place, Stage& weak_stage, Stage& strong_stage, const StageLevel& weak, const StageLevel& strong,
        const Anomaly& anomaly, const ConfirmOptions& options, Confirmation& out)
      : place_(place),
        weak_stage_(weak_stage),
        strong_stage_(strong_stage),
        weak_(weak),
        strong_(strong),
        anomaly_(anomaly),
        options_(options),
        out_(out) {}

  void run(Play play) {
    play_ = std::move(play);
    std::vector<InitialRow> rows = make_rows(play_, kVariations[0], options_.rows);
    auto script = rehearse(place_, play_, rows);
    if (!script) {
      out_.at_level.why = out_.at_serializable.why = script.error().text;
      return;
    }
    script_ = *std::move(script);
    add_pattern({});
    if (!try_own_order()) {
      const Patterns keys = row_patterns(play_, kMostKeyPatterns);
      for (std::size_t i = 1; i < keys.listed.size(); ++i) add_pattern(keys.listed[i]);
      // Those that are not listed would have some variations each, too.
      out_.patterns = attempts_.size() + (keys.count - keys.listed.size());
      every_pattern_ = keys.count == keys.listed.size();
      if (!try_own_order()) try_all_orders();
    }
    if (best_) {
      out_.at_level = std::move(best_->run);
      out_.at_serializable = best_->attempt->run(strong_stage_, strong_, best_->cues);
    }
  }

 private:
  struct Tried {
    Attempt* attempt;
    std::vector<Cue> cues;
    Run run;
  };

  // With each variation. One whose statements and rows are those of one before it is none.
  void add_pattern(const std::vector<Renaming>& renaming) {
    Play play = play_;
    rename_keys(play, renaming);
    for (const Variation& variation : kVariations) {
      std::vector<InitialRow> rows = make_rows(play, variation, options_.rows);
      auto attempt = std::make_unique<Attempt>(place_, play, script_, std::move(rows), options_.level);
      const bool known = std::ranges::any_of(attempts_, [&](const auto& one) {
        return one->sql() == attempt->sql() && same_rows(one->rows(), attempt->rows());
      });
      if (!known) attempts_.push_back(std::move(attempt));
    }
  }

  // A run that shows more than those before it is kept.
  bool take(Attempt& attempt, std::vector<Cue> cues, Run run) {
    const auto worth = [](const Run& one) {
      return one.happened == Happened::kYes ? 3 : one.another ? 2 : one.happened == Happened::kNo ? 1 : 0;
    };
    const bool happened = run.happened == Happened::kYes;
    if (!best_ || worth(run) > worth(best_->run)) best_ = Tried{&attempt, std::move(cues), std::move(run)};
    return happened;
  }

  bool try_own_order() {
    const std::uint64_t most = std::max<std::uint64_t>(options_.most_runs / 4, std::size(kVariations));
    for (; own_runs_ < std::min<std::uint64_t>(most, attempts_.size()); ++own_runs_) {
      Attempt& attempt = *attempts_[own_runs_];
      std::vector<Cue> cues = attempt.cues(anomaly_);
      Run run = attempt.run(weak_stage_, weak_, cues);
      if (take(attempt, std::move(cues), std::move(run))) return true;
    }
    return false;
  }

  void try_all_orders() {
    if (options_.most_runs == 0) return;
    bool all = every_pattern_;
    for (const auto& attempt : attempts_) {
      if (out_.runs >= options_.most_runs) {
        all = false;
        break;
      }
      auto usable = attempt->usable(weak_stage_);
      if (!usable) {
        all = false;
        continue;
      }
      if (!usable->why.empty()) {
        if (why_immaterial_.empty() || usable->for_good) why_immaterial_ = std::move(usable->why);
        out_.patterns_excluded += usable->for_good ? 1 : 0;
        continue;
      }
      if (usable->only_with_others.empty()) {
        meet_ = true;
      } else {
        why_not_alone_ = std::move(usable->only_with_others);
      }
      ++out_.patterns_that_matter;
      // Which keys are equal decides what matters to what.
      const Orders orders = different_orders(attempt->steps().effects(), attempt->steps().needed_order(),
                                             options_.most_runs * kMostOrdersForARun);
      out_.orders = std::max(out_.orders, orders.count);
      all &= orders.count == orders.listed.size();
      for (const std::vector<std::uint32_t>& order : orders.listed) {
        std::vector<Cue> cues = attempt->steps().cues(order);
        if (attempt->was_run(cues)) {
          ++out_.same_runs;
          continue;
        }
        if (out_.runs >= options_.most_runs) {
          all = false;
          break;
        }
        Run run = attempt->run(weak_stage_, weak_, cues);
        ++out_.runs;
        if (run.happened == Happened::kYes) run.why += " (In another order than the story's.)";
        if (take(*attempt, std::move(cues), std::move(run))) return;
      }
      all &= attempt->every_run_says_something();
    }
    // Where two never met by themselves, other rows might show what these did not.
    const bool met = meet_ || out_.patterns_excluded > 0;
    if (all && !met && best_ && !why_not_alone_.empty()) best_->run.why += " But " + why_not_alone_ + ".";
    out_.all_tried = all && met;
    // The rows are ours to make: that they do not meet says nothing about the application.
    if (out_.patterns_that_matter == 0 && best_ && !why_immaterial_.empty()) {
      best_->run.happened = out_.patterns_excluded > 0 ? Happened::kNo : Happened::kNotRun;
      best_->run.why = why_immaterial_ + ".";
    }
  }

  ScratchPlace& place_;
  Stage &weak_stage_, &strong_stage_;
  const StageLevel &weak_, &strong_;
  const Anomaly& anomaly_;
  const ConfirmOptions& options_;
  Confirmation& out_;
  Play play_;
  Script script_;
  std::vector<std::unique_ptr<Attempt>> attempts_;
  bool every_pattern_ = true;
  std::uint64_t own_runs_ = 0;  // attempts whose own order was run
  std::string why_immaterial_, why_not_alone_;
  bool meet_ = false;  // on some rows every dependency makes a difference by itself
  std::optional<Tried> best_;
};

class ServerConfirmer : public Confirmer {
 public:
  ServerConfirmer(db::Database& database, const Classes& classes, const TraceLog& log, const ConfirmOptions& options)
      : database_(database), classes_(classes), log_(log), options_(options) {}

  Result<void> open() {
    auto connection = database_.connect(database_.levels().front());
    if (!connection) return std::move(connection).error();
    auto about = database_.describe(**connection);
    if (!about) return std::move(about).error();
    server_ = *std::move(about);
    const db::Product* const product = db::find_product(database_.dialect().name);
    const db::Confirms confirms = product == nullptr ? db::Confirms::kNo : product->confirms;
    if (confirms == db::Confirms::kNothingWeaker) {
      why_not_ =
          fmt::format("{} runs every transaction as if it were alone (serializable): it has no weaker level to try",
                      product->title);
      return {};
    }
    if (confirms == db::Confirms::kNo) {
      why_not_ =
          fmt::format("anomalies are tried on {}, not on {}",
                      db::titles_where([](const db::Product& one) { return one.confirms == db::Confirms::kYes; }),
                      database_.dialect().name);
      return {};
    }
    auto weak = level_of(database_, options_.level);
    if (!weak) return why_not_ = weak.error().text, Result<void>();
    auto strong = serializable_of(database_);
    if (!strong) return why_not_ = strong.error().text, Result<void>();
    weak_ = *std::move(weak);
    strong_ = *std::move(strong);
    auto place = ScratchPlace::make(database_, log_.shapes.dialect());
    if (!place) return std::move(place).error();
    place_ = *std::move(place);
    return {};
  }

  Result<Confirmation> confirm(const Anomaly& anomaly) override {
    Confirmation out;
    out.server = server_;
    out.at_level.level = weak_.name.empty() ? std::string(shown(options_.level)) : weak_.name;
    out.at_serializable.level = "serializable";
    const auto not_run = [&](const std::string& why) {
      out.at_level.why = out.at_serializable.why = why;
      return out;
    };
    if (!why_not_.empty()) return not_run(why_not_);
    const std::size_t members = anomaly.cycle.members.size();
    if (members < 2) return not_run("the story has fewer than two transactions");
    if (!weak_stage_) {
      auto weak = Stage::open(*place_, weak_, members);
      if (!weak) return not_run(weak.error().text);
      auto strong = Stage::open(*place_, strong_, members);
      if (!strong) return not_run(strong.error().text);
      weak_stage_ = *std::move(weak);
      strong_stage_ = *std::move(strong);
    }
    auto play = make_play(anomaly, classes_, log_);
    if (!play) return not_run(play.error().text);
    Story(*place_, *weak_stage_, *strong_stage_, weak_, strong_, anomaly, options_, out).run(*std::move(play));
    return out;
  }

 private:
  db::Database& database_;
  const Classes& classes_;
  const TraceLog& log_;
  ConfirmOptions options_;
  std::string server_, why_not_;
  StageLevel weak_, strong_;
  std::unique_ptr<ScratchPlace> place_;
  std::unique_ptr<Stage> weak_stage_, strong_stage_;
};

}  // namespace

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kConfirmed:
      return "confirmed";
    case Outcome::kHappens:
      return "happens";
    case Outcome::kImpossible:
      return "impossible";
    case Outcome::kNotReproduced:
      return "not reproduced";
  }
  return "";
}

Result<std::unique_ptr<Confirmer>> Confirmer::open(db::Database& database, const Classes& classes, const TraceLog& log,
                                                   const ConfirmOptions& options) {
  auto confirmer = std::make_unique<ServerConfirmer>(database, classes, log, options);
  if (auto opened = confirmer->open(); !opened) return std::move(opened).error();
  return Result<std::unique_ptr<Confirmer>>(std::move(confirmer));
}

Result<Confirmation> confirm(const Anomaly& anomaly, const Classes& classes, const TraceLog& log,
                             db::Database& database, const ConfirmOptions& options) {
  auto confirmer = Confirmer::open(database, classes, log, options);
  if (!confirmer) return std::move(confirmer).error();
  return (*confirmer)->confirm(anomaly);
}

}  // namespace isolde::audit
