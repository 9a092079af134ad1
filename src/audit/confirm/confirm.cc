#include "audit/confirm/confirm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "audit/confirm/observed.h"
#include "audit/confirm/place.h"
#include "audit/confirm/play.h"
#include "audit/confirm/reach.h"
#include "audit/confirm/rows.h"
#include "audit/confirm/stage.h"
#include "audit/confirm/wording.h"

namespace isolde::audit {
namespace {

using SerialOrder = std::vector<std::uint32_t>;
using RowOrder = ScratchPlace::RowOrder;

constexpr std::size_t kMostPermuted = 5;        // whose orders are all tried: 120
constexpr std::size_t kMostClauses = 3;         // of an order that the report shows
constexpr std::size_t kMostMembersTwice = 3;    // each order with its rows put in both ways
constexpr std::uint64_t kMostOrders = 100'000;  // that are counted

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

// An error: the server has no such level.
Result<StageLevel> level_of(const db::Database& database, WeakLevel weak) {
  const std::string_view dialect = database.dialect().name;
  StageLevel level;
  level.of_members = true;
  const bool committed = weak == WeakLevel::kReadCommitted;
  level.level = named(database, committed ? "read committed" : "repeatable read");
  const bool other = dialect == "postgres" && weak == WeakLevel::kMysqlRepeatableRead;
  if (level.level == nullptr || other)
    return Error{
        fmt::format("{} has no level that is {}", dialect == "postgres" ? "PostgreSQL" : dialect, shown(weak))};
  level.name = std::string(level.level->name);
  if (dialect == "mariadb" && !committed) {
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

std::string transactions_in_order(const SerialOrder& order, std::string_view between) {
  std::string text;
  for (const std::uint32_t m : order) text += fmt::format("{}T{}", text.empty() ? "" : between, m + 1);
  return text;
}

// What the server said, of a message that also says what we do about it.
std::string server_words(std::string_view text) {
  constexpr std::string_view kOurs = "is not listed: ", kStatement = " (statement: ";
  if (const std::size_t at = text.find(kOurs); at != std::string_view::npos) text.remove_prefix(at + kOurs.size());
  text = text.substr(0, text.find(kStatement));
  return std::string(text.substr(0, text.find('\n')));
}

// One choice of values and rows, ready to be run at any level.
class Attempt {
 public:
  Attempt(ScratchPlace& place, Play play, std::vector<InitialRow> rows, const Anomaly& anomaly)
      : place_(place), play_(std::move(play)), rows_(std::move(rows)), anomaly_(anomaly) {}

  // Every statement once, one after the other, all of it undone: those that the server does not understand are said in
  // other words, or left out if they are reads that the cycle does not need.
  [[nodiscard]] Result<void> rehearse() {
    if (auto made = place_.make_tables(play_); !made) return made;
    if (auto filled = place_.fill(play_, rows_, RowOrder::kForward); !filled) return filled;
    db::Connection& keeper = place_.keeper();
    if (auto begun = keeper.begin(); !begun) return std::move(begun).error();
    if (const std::string set = place_.after_begin(0); !set.empty()) static_cast<void>(keeper.run(set));
    Result<void> result;
    for (std::uint32_t m = 0; m < play_.members.size() && result; ++m) {
      sql_.emplace_back();
      for (const Line& line : play_.members[m].lines) {
        auto sql = rehearse(keeper, m, line);
        if (!sql) {
          result = std::move(sql).error();
          break;
        }
        sql_.back().push_back(*std::move(sql));
      }
    }
    static_cast<void>(keeper.roll_back());
    return result;
  }

  [[nodiscard]] Run run(Stage& stage, const StageLevel& level) {
    return run(stage, level, cues_of(anomaly_, play_, sql_));
  }

  // Every order of the statements that matter, until it happens in one: the run, and its order in `cues`.
  [[nodiscard]] std::optional<Run> try_orders(Stage& stage, const StageLevel& level, std::uint64_t most,
                                              Confirmation& counts, std::vector<Cue>& cues) {
    std::vector<std::vector<std::vector<Cue>>> parts;  // by member: what is sent together
    std::vector<std::uint32_t> order;
    for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
      parts.push_back(parts_of(m));
      order.insert(order.end(), parts[m].size(), m);
    }
    counts.orders = counts.orders_tried = 0;
    std::optional<Run> found;
    do {
      ++counts.orders;
      if (found || counts.orders_tried >= most) continue;
      cues.clear();
      std::vector<std::size_t> next(parts.size());
      for (const std::uint32_t m : order) {
        const std::vector<Cue>& part = parts[m][next[m]++];
        cues.insert(cues.end(), part.begin(), part.end());
      }
      Run one = run(stage, level, cues);
      if (one.happened == Happened::kNotRun) return std::nullopt;
      ++counts.orders_tried;
      if (one.happened == Happened::kYes) found = std::move(one);
    } while (counts.orders < kMostOrders && std::next_permutation(order.begin(), order.end()));
    return found;
  }

  [[nodiscard]] Run run(Stage& stage, const StageLevel& level, const std::vector<Cue>& cues) {
    Run run;
    run.level = level.name;
    const auto sets_level = [](const Member& member) { return !member.level.empty(); };
    if (level.of_members && std::any_of(play_.members.begin(), play_.members.end(), sets_level))
      run.level += ", or the level that a transaction sets itself";
    auto ran = stage.run(play_, sql_, rows_, RowOrder::kForward, cues);
    if (!ran) {
      run.why = server_words(ran.error().text);
      return run;
    }
    run.steps = std::move(ran->steps);
    run.steps.insert(run.steps.end(), left_out_.begin(), left_out_.end());
    if (ran->unanswered) {
      run.why = "a statement was not answered in time, and the server did not say that it waits";
      return run;
    }
    judge(stage, *ran, run);
    return run;
  }

 private:
  // A member's statements, cut behind each that matters.
  [[nodiscard]] std::vector<std::vector<Cue>> parts_of(std::uint32_t m) const {
    std::vector<std::vector<Cue>> parts;
    std::vector<Cue> now = {{m, Event::Kind::kStart}};
    for (std::uint32_t l = 0; l < play_.members[m].lines.size(); ++l) {
      if (sql_[m][l].empty()) continue;
      now.push_back({m, Event::Kind::kStatement, l});
      const Line& line = play_.members[m].lines[l];
      const bool matters = line.in_cycle || line.clues.locks || line.kind != StatementKind::kSelect || parts.empty();
      if (matters) parts.push_back(std::exchange(now, {}));
    }
    now.push_back({m, Event::Kind::kCommit});
    parts.push_back(std::move(now));
    return parts;
  }

  // The text that the server takes.
  [[nodiscard]] Result<std::string> rehearse(db::Connection& keeper, std::uint32_t member, const Line& line) {
    std::string words;
    if (names_another_place(play_, line))
      return Error{fmt::format("T{} may mean a table outside of the scratch place: {}", member + 1,
                               sql_text(play_, line, {place_.dialect(), false}))};
    words = why_not_sent(play_, line);
    const bool is_sent = words.empty();
    for (const bool quotes_numbers : {false, true}) {
      if (!is_sent) break;
      std::string sql = sql_text(play_, line, {place_.dialect(), quotes_numbers});
      static_cast<void>(keeper.run("savepoint isolde_line"));
      const auto reply = keeper.run(sql);
      if (reply && reply->fate == db::Fate::kLost) return Error{"the connection was lost: " + reply->failure.text};
      // What fails for its data (22: values, 23: keys) may go well in another order.
      const bool value = reply && !reply->done() && reply->failure.code.starts_with("22");
      if (reply && !value) {
        if (!reply->done()) static_cast<void>(keeper.run("rollback to savepoint isolde_line"));
        return sql;
      }
      static_cast<void>(keeper.run("rollback to savepoint isolde_line"));
      if (words.empty()) words = reply ? reply->failure.text : server_words(reply.error().text);
    }
    const std::string sql = sql_text(play_, line, {place_.dialect(), false});
    if (line.kind == StatementKind::kSelect && !line.clues.locks && !line.in_cycle) {
      left_out_.push_back({member, sql, "left out: " + words});
      return std::string();
    }
    return Error{fmt::format("T{}: {} (its statement {}: {})", member + 1, words, line.statement + 1, sql)};
  }

  // Every order of the committed members, on the same rows.
  void judge(Stage& stage, const StageRun& ran, Run& run) {
    SerialOrder committed;
    for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
      if (ran.observed.committed[m]) committed.push_back(m);
    }
    if (committed.size() > kMostPermuted) {
      run.why = fmt::format("{} transactions have too many orders to compare with", committed.size());
      return;
    }
    std::vector<SerialOrder> orders;
    SerialOrder order = committed;
    do {
      orders.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
    for (const SerialOrder& each : orders) {
      if (auto done = learn(stage, each); !done) {
        run.why = "one after the other: " + done.error().text;
        return;
      }
    }
    if (std::string none = found_no_row(ran.observed, orders); !none.empty()) {
      run.happened = Happened::kNo;
      run.why = std::move(none);
      return;
    }
    std::vector<std::string> clauses;
    for (const SerialOrder& each : orders) {
      const auto unlike = difference(play_, ran.observed, serial_.at(each), blind_);
      if (!unlike) {
        run.happened = Happened::kNo;
        run.why = why_not(ran, each);
        return;
      }
      if (clauses.size() < kMostClauses)
        clauses.push_back(fmt::format("{}: {}", transactions_in_order(each, " then "), unlike->text));
    }
    run.happened = Happened::kYes;
    run.why =
        fmt::format("No order of the transactions, one after the other, gives this. {}", fmt::join(clauses, "; "));
    if (orders.size() > clauses.size()) run.why += fmt::format("; and so on for all {} orders", orders.size());
    run.why += '.';
    if (!play_.parted.empty())
      run.why += fmt::format(
          " {} got a value of its own, so that the INSERTs do not collide: if the application gives both the same key, "
          "the second INSERT fails.",
          fmt::join(play_.parted, ", "));
  }

  // An UPDATE that finds no row tells the application to begin again (an optimistic lock), or the rows are not those of
  // the story: whatever such a run leaves, it says nothing. Empty: there is none.
  [[nodiscard]] std::string found_no_row(const Observed& run, const std::vector<SerialOrder>& orders) const {
    for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
      if (!run.committed[m]) continue;
      for (std::uint32_t l = 0; l < play_.members[m].lines.size(); ++l) {
        const Line& line = play_.members[m].lines[l];
        const LineAnswer& answer = run.answers[m][l];
        if (line.kind != StatementKind::kUpdate || !answer.done || answer.gives_rows || answer.changed > 0) continue;
        const bool never = std::ranges::all_of(
            orders, [&](const SerialOrder& order) { return serial_.at(order).answers[m][l].changed == 0; });
        if (never && !line.in_cycle) continue;
        return fmt::format("an UPDATE of T{} found no row{}: {}; such a run confirms nothing.", m + 1,
                           never ? ", even when it ran alone" : "", sql_[m][l]);
      }
    }
    return {};
  }

  [[nodiscard]] Result<void> learn(Stage& stage, const SerialOrder& order) {
    if (serial_.contains(order)) return {};
    const std::vector<Cue> cues = serial_cues(play_, order, sql_);
    auto forward = stage.run(play_, sql_, rows_, RowOrder::kForward, cues);
    if (!forward) return std::move(forward).error();
    if (order.size() <= kMostMembersTwice || serial_.empty()) {
      auto backward = stage.run(play_, sql_, rows_, RowOrder::kBackward, cues);
      if (!backward) return std::move(backward).error();
      blind_.learn(forward->observed, backward->observed);
    }
    serial_.emplace(order, std::move(forward->observed));
    return {};
  }

  [[nodiscard]] std::string why_not(const StageRun& ran, const SerialOrder& order) const {
    std::string how;
    if (!ran.refused_code.empty()) {
      how = fmt::format("the server refused a transaction (error {}: {})", ran.refused_code, ran.refused);
    } else if (ran.waited) {
      how = "a transaction had to wait for another";
    } else {
      how = "the transactions did not get in each other's way";
    }
    if (order.empty()) return how + "; none committed.";
    return fmt::format("{}; what was read and left is that of {}.", how,
                       transactions_in_order(order, " then ") + (order.size() == 1 ? " alone" : ""));
  }

  ScratchPlace& place_;
  Play play_;
  std::vector<InitialRow> rows_;
  const Anomaly& anomaly_;
  std::vector<std::vector<std::string>> sql_;  // by member and line; empty: left out
  std::vector<ConfirmedStep> left_out_;
  std::map<SerialOrder, Observed> serial_;
  BlindSpots blind_;
};

// The tries in their order. The values are the story's in all of them; the rows that are there at first differ.
constexpr Variation kVariations[] = {
    {},
    {.before_write = true},
    {.absent = true},
    {.before_write = true, .absent = true},
};

}  // namespace

Result<Confirmation> confirm(const Anomaly& anomaly, const Classes& classes, const TraceLog& log,
                             db::Database& database, const ConfirmOptions& options) {
  Confirmation out;
  const std::string_view dialect = database.dialect().name;
  {
    auto connection = database.connect(database.levels().front());
    if (!connection) return std::move(connection).error();
    auto about = database.describe(**connection);
    if (!about) return std::move(about).error();
    out.server = *std::move(about);
  }
  const auto not_run = [&](const std::string& why) {
    out.at_level.level = std::string(shown(options.level));
    out.at_serializable.level = "serializable";
    out.at_level.why = out.at_serializable.why = why;
    return out;
  };
  if (dialect == "sqlite")
    return not_run("SQLite runs every transaction as if it were alone (serializable): it has no weaker level to try");
  if (dialect != "postgres" && dialect != "mariadb")
    return not_run(fmt::format("anomalies are tried on PostgreSQL and MariaDB, not on {}", dialect));
  const auto weak = level_of(database, options.level);
  if (!weak) return not_run(weak.error().text);
  const auto strong = serializable_of(database);
  if (!strong) return not_run(strong.error().text);
  if (anomaly.cycle.members.size() < 2) return not_run("the story has fewer than two transactions");

  auto place = ScratchPlace::make(database, log.shapes.dialect());
  if (!place) return std::move(place).error();
  auto weak_stage = Stage::open(**place, *weak, anomaly.cycle.members.size());
  if (!weak_stage) return not_run(weak_stage.error().text);
  auto strong_stage = Stage::open(**place, *strong, anomaly.cycle.members.size());
  if (!strong_stage) return not_run(strong_stage.error().text);

  bool any = false;
  std::vector<std::vector<std::string>> texts;
  for (std::size_t i = 0; i < std::size(kVariations) && i < options.tries; ++i) {
    auto play = make_play(anomaly, classes, log);
    if (!play) return any ? out : not_run(play.error().text);
    std::vector<InitialRow> rows = make_rows(*play, kVariations[i], options.rows);
    Attempt attempt(**place, *std::move(play), std::move(rows), anomaly);
    if (auto ready = attempt.rehearse(); !ready) {
      if (!any) static_cast<void>(not_run(ready.error().text));
      continue;
    }
    Run run = attempt.run(**weak_stage, *weak);
    const bool better = !any || run.happened == Happened::kYes || out.at_level.happened == Happened::kNotRun;
    if (better) {
      out.at_level = std::move(run);
      out.at_serializable = attempt.run(**strong_stage, *strong);
    }
    any = true;
    if (out.at_level.happened == Happened::kYes) break;
  }
  if (!any || out.at_level.happened != Happened::kNo || options.most_orders == 0) return out;
  auto play = make_play(anomaly, classes, log);
  if (!play) return out;
  std::vector<InitialRow> rows = make_rows(*play, kVariations[0], options.rows);
  Attempt attempt(**place, *std::move(play), std::move(rows), anomaly);
  if (auto ready = attempt.rehearse(); !ready) return out;
  std::vector<Cue> cues;
  if (auto found = attempt.try_orders(**weak_stage, *weak, options.most_orders, out, cues)) {
    out.at_level = *std::move(found);
    out.at_level.why += " (In another order than the story's.)";
    out.at_serializable = attempt.run(**strong_stage, *strong, cues);
  }
  return out;
}

}  // namespace isolde::audit
