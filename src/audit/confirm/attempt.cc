#include "audit/confirm/attempt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "audit/confirm/references.h"

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

// Errors that a transaction gets because others are there: serialization failures, deadlocks, waits that took too long.
bool is_about_others(std::string_view code) {
  constexpr std::string_view kOfMariadb[] = {"1020", "1205", "1213"};
  return code.starts_with("40") || code == "55P03" || std::ranges::find(kOfMariadb, code) != std::end(kOfMariadb);
}

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

std::vector<std::uint32_t> Attempt::members_of(const std::vector<Cue>& cues) {
  std::vector<std::uint32_t> out;
  out.reserve(cues.size());
  for (const Cue& cue : cues) out.push_back(cue.member);
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

// A member that fails when it is the first, so that nobody else can have a part in it: the rows are not those that its
// statements need. Empty: all go well.
std::string Attempt::fails_alone() const {
  for (const auto& [order, observed] : serial_) {
    const std::uint32_t m = order.front();
    if (observed.committed[m]) continue;
    const auto& answers = observed.answers[m];
    const auto failed = std::ranges::find_if(answers, [](const LineAnswer& one) { return one.sent && !one.done; });
    return fmt::format("T{} fails even when it runs alone{}; no rows were found on which it does not", m + 1,
                       failed == answers.end()
                           ? std::string()
                           : fmt::format(" (error {}: {})", failed->code, server_words(failed->text)));
  }
  return {};
}

Result<Usable> Attempt::usable(Stage& stage) {
  if (auto learned = learn(stage); !learned) return std::move(learned).error();
  if (std::string fails = fails_alone(); !fails.empty()) return Usable{.why = std::move(fails), .fails = true};
  Immaterial none = Evidence(play_, serial_, blind_, steps_.snapshots()).immaterial();
  return Usable{
      .why = std::move(none.why), .for_good = none.for_good, .only_with_others = std::move(none.only_with_others)};
}

Run Attempt::run(Stage& stage, const StageLevel& level, const std::vector<Cue>& cues) {
  Run run = try_it(stage, level, cues);
  if (level.of_members) says_something_ &= run.happened != Happened::kNotRun;
  return run;
}

Run Attempt::try_it(Stage& stage, const StageLevel& level, const std::vector<Cue>& cues) {
  Run run;
  run.level = level.name;
  const auto sets_level = [](const Member& member) { return !member.level.empty(); };
  if (level.of_members && std::any_of(play_.members.begin(), play_.members.end(), sets_level))
    run.level += ", or the level that a transaction sets itself";
  const Together together = level.of_members && !play_.reads_wait ? Together::kPlainReads : Together::kNothing;
  auto ran = stage.run(play_, sql_, rows_, RowOrder::kForward, cues, together);
  if (!ran) {
    run.why = server_words(ran.error().text);
    return run;
  }
  if (level.of_members && !ran->sent.empty()) made_.add(ran->sent);
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
    // A constraint or a value that the server does not take: it may be the rows, and nobody else.
    if (ran.refused_code.empty() || is_about_others(ran.refused_code) || !learn(stage)) return;
    if (std::string fails = fails_alone(); !fails.empty()) {
      run.happened = Happened::kNotRun;
      run.why = fails + ".";
    }
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
  if (std::string other = took_what_was_not_read(ran.observed, never); !other.empty()) {
    run.happened = never ? Happened::kNotRun : Happened::kNo;
    run.why = std::move(other);
    return;
  }
  if (std::string broken = broken_reference(play_, rows_, ran.observed.left); !broken.empty()) {
    never = std::ranges::all_of(
        serial_, [&](const auto& order) { return !broken_reference(play_, rows_, order.second.left).empty(); });
    run.happened = never ? Happened::kNotRun : Happened::kNo;
    run.why = broken + (never ? ", even when nobody else ran." : ".");
    return;
  }
  if (std::string nothing = inserted_nothing(ran.observed); !nothing.empty()) {
    run.happened = Happened::kNotRun;
    run.why = std::move(nothing);
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
  if (std::string missing = Evidence(play_, serial_, blind_, steps_.snapshots()).missing(ran.observed);
      !missing.empty()) {
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
      // UPDATE, and INSERT if it found nothing: an upsert by hand.
      if (never && !line.in_cycle && (inserts_later(m, l) || !uses_what_others_use(m, line))) continue;
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

// An UPDATE of a table that nobody else uses cannot be a lock.
bool Attempt::uses_what_others_use(std::uint32_t member, const Line& line) const {
  for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
    if (m == member) continue;
    for (const Line& other : play_.members[m].lines) {
      if (std::ranges::find_first_of(other.tables, line.tables) != other.tables.end()) return true;
    }
  }
  return false;
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

bool Attempt::returned(const PlayChoice& choice, const LineAnswer& answer) const {
  const std::string value = play_.returned(choice);
  const std::string quoted = fmt::format("'{}'", value);
  return std::ranges::any_of(answer.rows.rows, [&](const std::vector<std::string>& row) {
    return std::ranges::any_of(row, [&](const std::string& cell) {
      return cell == quoted || same_value(play_.type(choice.column), cell, value);
    });
  });
}

// An application uses what it read. Where the trace shows that a key comes from a SELECT, and the SELECT did not return
// it in this run, the statements are not those that the application would have sent. `never`: it returns it in no
// serial order either.
std::string Attempt::took_what_was_not_read(const Observed& run, bool& never) const {
  for (const PlayChoice& choice : play_.choices) {
    const LineAnswer& answer = run.answers[choice.member][choice.line];
    const std::string value = play_.returned(choice);
    if (!answer.done || !answer.gives_rows || value.empty() || returned(choice, answer)) continue;
    never = std::ranges::none_of(
        serial_, [&](const auto& order) { return returned(choice, order.second.answers[choice.member][choice.line]); });
    return fmt::format(
        "T{} goes on with {} = {}, which its SELECT did not return{}: the application takes it from there. {}",
        choice.member + 1, play_.schema.full_name(choice.column), value, never ? ", even when nobody else ran" : "",
        sql_[choice.member][choice.line]);
  }
  return {};
}

// An INSERT that leaves a row alone which has the key already (ON CONFLICT DO NOTHING, IGNORE): whether the application
// looks at the number of rows is not known.
std::string Attempt::inserted_nothing(const Observed& run) const {
  for (std::uint32_t m = 0; m < play_.members.size(); ++m) {
    for (std::uint32_t l = 0; l < play_.members[m].lines.size(); ++l) {
      const Line& line = play_.members[m].lines[l];
      const LineAnswer& answer = run.answers[m][l];
      if (!line.keeps_old_row || !answer.done || answer.gives_rows || answer.changed > 0) continue;
      const bool alone = std::ranges::any_of(serial_, [&](const auto& order) {
        return order.first.front() == m && order.second.answers[m][l].changed > 0;
      });
      if (alone)
        return fmt::format(
            "an INSERT of T{} inserted no row, because another transaction had: whether the application "
            "goes on is not known. {}",
            m + 1, sql_[m][l]);
    }
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
