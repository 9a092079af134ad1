#include "audit/confirm/attempt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace isolde::audit {
namespace {

using RowOrder = ScratchPlace::RowOrder;

constexpr std::size_t kMostPermuted = 5;      // whose orders are all tried: 120
constexpr std::size_t kMostClauses = 3;       // of an order that the report shows
constexpr std::size_t kMostMembersTwice = 3;  // each order with its rows put in both ways

std::string transactions_in_order(const SerialOrder& order, std::string_view between) {
  std::string text;
  for (const std::uint32_t m : order) text += fmt::format("{}T{}", text.empty() ? "" : between, m + 1);
  return text;
}

bool reads_plainly(const Line& line) { return line.kind == StatementKind::kSelect && !line.clues.locks; }

std::vector<SerialOrder> all_orders(std::size_t members) {
  SerialOrder order(members);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<SerialOrder> out;
  do {
    out.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return out;
}

}  // namespace

// A member's statements, cut behind each that matters; the last part is its COMMIT.
std::vector<std::vector<std::vector<Cue>>> Attempt::parts() const {
  std::vector<std::vector<std::vector<Cue>>> all;
  for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
    std::vector<std::vector<Cue>>& parts = all.emplace_back();
    std::vector<Cue> now = {{m, Event::Kind::kStart}};
    for (std::uint32_t l = 0; l < play_.members[m].lines.size(); ++l) {
      if (sql_[m][l].empty()) continue;
      now.push_back({m, Event::Kind::kStatement, l});
      const Line& line = play_.members[m].lines[l];
      const bool touches = std::ranges::any_of(line.tables, [&](TableId table) { return contested_.contains(table); });
      const bool snapshot = snapshots_[m] && parts.empty();
      if (line.in_cycle || (!reads_plainly(line) && touches) || snapshot) parts.push_back(std::exchange(now, {}));
    }
    now.push_back({m, Event::Kind::kCommit});
    parts.push_back(std::move(now));
  }
  return all;
}

std::vector<Cue> Attempt::cues(const std::vector<std::uint32_t>& order) const {
  const auto all = parts();
  std::vector<Cue> out;
  std::vector<std::size_t> next(all.size());
  for (const std::uint32_t m : order) {
    const std::vector<Cue>& part = all[m][next[m]++];
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

bool Attempt::takes_snapshot(const Member& member) const {
  if (!member.level.empty()) return member.level != "read committed";
  return level_ != WeakLevel::kReadCommitted;
}

Effect Attempt::effect_of(std::uint32_t member, const std::vector<Cue>& part, bool& snapshot_taken) const {
  const Member& of = play_.members[member];
  // What a serializable transaction reads it may lock, or be refused for.
  const bool reads_lock = of.level == "serializable";
  const bool any_statement = place_.dialect() == "postgres";  // takes the snapshot; elsewhere a plain read does
  Effect effect;
  std::set<TableId> looks, holds;
  for (const Cue& cue : part) {
    effect.commits |= cue.kind == Event::Kind::kCommit;
    if (cue.kind != Event::Kind::kStatement) continue;
    const Line& line = of.lines[cue.line];
    const bool plain = reads_plainly(line);
    if (snapshots_[member] && !snapshot_taken && (plain || any_statement))
      effect.takes_snapshot = snapshot_taken = true;
    for (const TableId table : line.tables) {
      if (!plain || reads_lock) holds.insert(table);
      if (!snapshots_[member] || !plain) looks.insert(table);
    }
  }
  effect.looks.assign(looks.begin(), looks.end());
  effect.holds.assign(holds.begin(), holds.end());
  return effect;
}

std::vector<std::vector<Effect>> Attempt::effects() const {
  std::vector<std::vector<Effect>> out;
  const auto all = parts();
  for (std::uint32_t m = 0; m < all.size(); ++m) {
    std::vector<Effect>& effects = out.emplace_back();
    bool snapshot_taken = false;
    std::set<TableId> held, written;
    for (const std::vector<Cue>& part : all[m]) {
      Effect effect = effect_of(m, part, snapshot_taken);
      held.insert(effect.holds.begin(), effect.holds.end());
      if (effect.commits) effect.holds.assign(held.begin(), held.end());
      effects.push_back(std::move(effect));
    }
    for (const Line& line : play_.members[m].lines) {
      if (line.kind != StatementKind::kSelect) written.insert(line.tables.begin(), line.tables.end());
    }
    effects.back().shows.assign(written.begin(), written.end());
  }
  return out;
}

std::vector<std::pair<StepPlace, StepPlace>> Attempt::needed_order() const {
  const auto all = parts();
  const auto step_of = [&](std::uint32_t member, std::uint32_t line) -> StepPlace {
    for (std::uint32_t p = 0; p < all[member].size(); ++p) {
      for (const Cue& cue : all[member][p]) {
        if (cue.kind == Event::Kind::kStatement && cue.line == line) return {member, p};
      }
    }
    return {member, 0};
  };
  const auto commit_of = [&](std::uint32_t member) {
    return StepPlace{member, static_cast<std::uint32_t>(all[member].size() - 1)};
  };
  // When a plain read looks.
  const auto look_of = [&](std::uint32_t member, std::uint32_t line) {
    return snapshots_[member] ? StepPlace{member, 0} : step_of(member, line);
  };
  std::vector<std::pair<StepPlace, StepPlace>> out;
  for (const PlayEdge& edge : play_.edges) {
    if (edge.from_line == kNone32 || edge.to_line == kNone32) continue;
    const Line& from = play_.members[edge.from].lines[edge.from_line];
    const Line& to = play_.members[edge.to].lines[edge.to_line];
    if (is_rw(edge.kind)) {
      const StepPlace looks =
          reads_plainly(from) ? look_of(edge.from, edge.from_line) : step_of(edge.from, edge.from_line);
      out.emplace_back(looks, commit_of(edge.to));
    } else if (edge.kind == EdgeKind::kWr && reads_plainly(to)) {
      out.emplace_back(commit_of(edge.from), look_of(edge.to, edge.to_line));
    } else {
      out.emplace_back(step_of(edge.from, edge.from_line), step_of(edge.to, edge.to_line));
    }
  }
  return out;
}

// Every order of the members, on the same rows. What differs when the rows are put in the other way round says nothing.
Result<void> Attempt::learn(Stage& stage) {
  if (!serial_.empty()) return {};
  if (play_.members.size() > kMostPermuted)
    return Error{fmt::format("{} transactions have too many orders to compare with", play_.members.size())};
  const std::vector<SerialOrder> orders = all_orders(play_.members.size());
  SerialRuns forward;
  for (const SerialOrder& order : orders) {
    auto ran = stage.run(play_, sql_, rows_, RowOrder::kForward, serial_cues(play_, order, sql_), Together::kAll);
    if (!ran) return std::move(ran).error();
    forward.emplace(order, std::move(ran->observed));
  }
  for (const SerialOrder& order : orders) {
    if (order.size() > kMostMembersTwice && order != orders.front()) continue;
    auto ran = stage.run(play_, sql_, rows_, RowOrder::kBackward, serial_cues(play_, order, sql_), Together::kAll);
    if (!ran) return std::move(ran).error();
    blind_.learn(forward.at(order), ran->observed);
  }
  serial_ = std::move(forward);
  return {};
}

Result<Immaterial> Attempt::immaterial(Stage& stage) {
  if (auto learned = learn(stage); !learned) return std::move(learned).error();
  return Evidence(play_, serial_, blind_, snapshots_).immaterial();
}

Run Attempt::run(Stage& stage, const StageLevel& level, const std::vector<Cue>& cues) {
  Run run;
  run.level = level.name;
  const auto sets_level = [](const Member& member) { return !member.level.empty(); };
  if (level.of_members && std::any_of(play_.members.begin(), play_.members.end(), sets_level))
    run.level += ", or the level that a transaction sets itself";
  const Together together = level.of_members ? Together::kPlainReads : Together::kNothing;
  auto ran = stage.run(play_, sql_, rows_, RowOrder::kForward, cues, together);
  if (!ran) {
    run.why = server_words(ran.error().text);
    return run;
  }
  run.steps = std::move(ran->steps);
  run.steps.insert(run.steps.end(), script_.left_out.begin(), script_.left_out.end());
  if (ran->unanswered) {
    run.why = "a statement was not answered in time, and the server did not say that it waits";
    return run;
  }
  judge(stage, *ran, run);
  return run;
}

void Attempt::judge(Stage& stage, const StageRun& ran, Run& run) {
  if (std::ranges::find(ran.observed.committed, false) != ran.observed.committed.end()) {
    run.happened = Happened::kNo;
    run.why = why_not(ran, {});
    return;
  }
  if (auto learned = learn(stage); !learned) {
    run.why = "one after the other: " + learned.error().text;
    return;
  }
  bool never = false;
  if (std::string none = found_no_row(ran.observed, never); !none.empty()) {
    run.happened = never ? Happened::kNotRun : Happened::kNo;
    run.why = std::move(none);
    return;
  }
  if (std::string other = took_what_was_not_read(ran.observed); !other.empty()) {
    run.happened = Happened::kNo;
    run.why = std::move(other);
    return;
  }
  std::vector<std::string> clauses;
  bool hidden = false;
  for (const auto& [order, observed] : serial_) {
    const auto unlike = difference(play_, ran.observed, observed, blind_);
    if (!unlike && hides_a_difference(ran.observed, observed)) {
      hidden = true;
      continue;
    }
    if (!unlike) {
      run.happened = Happened::kNo;
      run.why = why_not(ran, order);
      return;
    }
    if (clauses.size() < kMostClauses)
      clauses.push_back(fmt::format("{}: {}", transactions_in_order(order, " then "), unlike->text));
  }
  if (hidden) {
    run.why =
        "the story depends on a statement whose answer is up to the server (LIMIT without the order of a key, chance): "
        "such a run says nothing";
    return;
  }
  run.happened = Happened::kYes;
  run.why = fmt::format("No order of the transactions, one after the other, gives this. {}", fmt::join(clauses, "; "));
  if (serial_.size() > clauses.size()) run.why += fmt::format("; and so on for all {} orders", serial_.size());
  run.why += '.';
  if (!play_.parted.empty())
    run.why += fmt::format(
        " {} got a value of its own, so that the INSERTs do not collide: if the application gives both the same key, "
        "the second INSERT fails.",
        fmt::join(play_.parted, ", "));
  if (std::string missing = Evidence(play_, serial_, blind_, snapshots_).missing(ran.observed); !missing.empty()) {
    run.happened = Happened::kNo;
    run.another = true;
    run.why = fmt::format("Another anomaly than the story's happens: {}. {}", missing, run.why);
  }
}

// A statement of the cycle has another answer, which was left out of the comparison because the server may choose it.
bool Attempt::hides_a_difference(const Observed& run, const Observed& serial) const {
  for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
    for (std::uint32_t l = 0; l < play_.members[m].lines.size(); ++l) {
      const Line& line = play_.members[m].lines[l];
      if (!line.in_cycle || !(line.clues.picks || blind_.answer(m, l))) continue;
      const Rows &seen = run.answers[m][l].rows, &would = serial.answers[m][l].rows;
      if (blind_.seen_answer(m, l, seen) != blind_.seen_answer(m, l, would)) return true;
    }
  }
  return false;
}

// An UPDATE that finds no row tells the application to begin again (an optimistic lock), or the rows are not those of
// the story: whatever such a run leaves, it says nothing. Empty: there is none. `never`: not in a serial order either.
std::string Attempt::found_no_row(const Observed& run, bool& never) const {
  for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
    for (std::uint32_t l = 0; l < play_.members[m].lines.size(); ++l) {
      const Line& line = play_.members[m].lines[l];
      const LineAnswer& answer = run.answers[m][l];
      if (line.kind != StatementKind::kUpdate || !answer.done || answer.gives_rows || answer.changed > 0) continue;
      never = std::ranges::all_of(serial_, [&](const auto& order) { return order.second.answers[m][l].changed == 0; });
      if (never && !line.in_cycle) continue;
      if (never && inserts_later(m, l)) {
        never = false;  // it cannot be there, whatever the rows
        return fmt::format("T{} inserts the row itself, after its UPDATE of it: {}; it cannot be there before.", m + 1,
                           sql_[m][l]);
      }
      return fmt::format("an UPDATE of T{} found no row{}: {}; such a run confirms nothing.", m + 1,
                         never ? ", even when nobody else ran" : "", sql_[m][l]);
    }
  }
  return {};
}

// The row that the line names by a key is one that a later line of the member inserts.
bool Attempt::inserts_later(std::uint32_t member, std::uint32_t line) const {
  const std::vector<Line>& lines = play_.members[member].lines;
  for (std::size_t l = line + 1; l < lines.size(); ++l) {
    if (!lines[l].clues.inserts || lines[l].clues.may_meet || lines[l].clues.tables.empty()) continue;
    if (name_one_row(play_, lines[line], lines[l], lines[l].clues.tables.front().table)) return true;
  }
  return false;
}

// An application uses what it read. Where the trace shows that a key comes from a SELECT, and the SELECT did not return
// it in this run, the statements are not those that the application would have sent.
std::string Attempt::took_what_was_not_read(const Observed& run) const {
  for (const PlayChoice& choice : play_.choices) {
    const LineAnswer& answer = run.answers[choice.member][choice.line];
    const std::string value = play_.returned(choice);
    if (!answer.done || !answer.gives_rows || value.empty()) continue;
    const std::string quoted = fmt::format("'{}'", value);
    const bool returned = std::ranges::any_of(answer.rows.rows, [&](const std::vector<std::string>& row) {
      return std::ranges::any_of(row, [&](const std::string& cell) {
        return cell == quoted || same_value(play_.type(choice.column), cell, value);
      });
    });
    if (!returned)
      return fmt::format(
          "T{} goes on with {} = {}, which its SELECT did not return: the application takes it from there. {}",
          choice.member + 1, play_.schema.full_name(choice.column), value, sql_[choice.member][choice.line]);
  }
  return {};
}

std::string Attempt::why_not(const StageRun& ran, const SerialOrder& order) const {
  std::string how;
  if (!ran.refused_code.empty()) {
    how = fmt::format("the server refused a transaction (error {}: {})", ran.refused_code, ran.refused);
  } else if (ran.waited) {
    how = "a transaction had to wait for another";
  } else {
    how = "the transactions did not get in each other's way";
  }
  if (order.empty()) return how + ".";
  return fmt::format("{}; what was read and left is that of {}.", how, transactions_in_order(order, " then "));
}

}  // namespace isolde::audit
