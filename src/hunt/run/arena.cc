#include "hunt/run/arena.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "hunt/case/dialects.h"
#include "hunt/run/contents.h"
#include "hunt/run/fight.h"
#include "hunt/run/own_schema.h"
#include "hunt/run/setup_sql.h"
#include "probe/crew.h"
#include "probe/schedule.h"

namespace isolde::hunt {
namespace {

using probe::Crew;
using std::chrono::milliseconds;

// Beyond the server's own limit, for the case that it does not keep it.
constexpr milliseconds kBeyondLimit{2000};
constexpr milliseconds kCancelTime{100};
constexpr int kCancels = 20;
// A server that looks for deadlocks later than this is not waited for.
constexpr milliseconds kLongestDeadlockTime{100};
constexpr milliseconds kDeadlockMargin{4};
// To ask whether a step waits costs the server as much as the step: not before it takes longer than usual.
constexpr int kLookAfter = 3;
constexpr milliseconds kLatestLook{30};

Result<void> carried_out(Result<db::Reply> reply, std::string_view what) {
  if (!reply) return std::move(reply).error();
  if (!reply->done()) return Error{fmt::format("{}: {} ({})", what, reply->failure.text, reply->failure.code)};
  return {};
}

Result<void> set_up(db::Connection& connection, const SessionSetup& setup) {
  for (const std::string& sql : setup.must) {
    if (auto done = carried_out(connection.run(sql), sql); !done) return done;
  }
  for (const std::string& sql : setup.may) {
    if (auto reply = connection.run(sql); reply && reply->fate == db::Fate::kLost) return carried_out(reply, sql);
  }
  return {};
}

// "1ms", "10ms", "1s", as PostgreSQL shows it; none: something else.
std::optional<milliseconds> time_shown(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (error != std::errc{} || (unit != "ms" && unit != "s")) return std::nullopt;
  return milliseconds(unit == "ms" ? number : 1000 * number);
}

class DatabaseArena : public Arena {
 public:
  DatabaseArena(db::Database& database, const db::ServerLevel& level, const ArenaOptions& options)
      : database_(database),
        level_(level),
        options_(options),
        dialect_(database.dialect().name),
        written_(database.dialect()) {}

  [[nodiscard]] Result<void> open() { return connect(); }

  [[nodiscard]] Result<void> prepare(const Schema& schema) override {
    first_contents_.reset();
    contents_.reset();
    if (auto connected = connect(); !connected) return connected;  // anew: what they had prepared is of no use any more
    if (auto ours = claim_names(*keeper_, dialect_, schema); !ours) return ours;
    const Schema before = std::exchange(schema_, schema);
    for (const Schema* const old : {&before, &schema}) {
      for (const std::string& sql : old->drops) static_cast<void>(keeper_->run(sql));
    }
    reset_sql_ = reset_sql(schema_, dialect_);
    tables_.clear();
    for (const Table& table : schema_.tables) tables_.push_back(&table);
    deletes_fail_ = false;
    return make();
  }

  [[nodiscard]] Result<void> reset() override {
    if (!broken_ && reset_sql_.empty()) return {};
    if (!broken_ && !deletes_fail_) {
      const std::string sql = what_to_put_back();
      if (sql.empty()) return {};
      contents_.reset();
      if (carried_out(keeper_->run(sql), "")) {
        contents_ = first_contents_;
        return {};
      }
    }
    contents_.reset();
    // Something is in the way: a session that was lost, or one that could not be stopped and holds locks.
    if (auto connected = connect(); !connected) return connected;
    if (reset_sql_.empty()) return {};
    Result<void> back =
        deletes_fail_ ? Result<void>(Error{}) : carried_out(keeper_->run(reset_sql_), "cannot put the rows back");
    if (back) return back;
    // A server that does not delete what it is told to: its tables are made anew from now on.
    if (!deletes_fail_) look_what_delete_leaves();
    if (auto connected = connect(); !connected) return connected;
    for (const std::string& sql : schema_.drops) static_cast<void>(keeper_->run(sql));
    if (auto made = make(); !made) return deletes_fail_ ? made : back;
    deletes_fail_ = true;
    return {};
  }

  [[nodiscard]] Execution run(const Case& test, bool instrumented) override {
    Execution execution;
    auto script = script_of(test, dialect_, instrumented);
    Result<void> ready = script ? have_fighters(test.transactions.size()) : Result<void>(script.error());
    if (!ready) {
      execution = execution_of(test, {}, {}, false);
      execution.fault = std::move(ready).error();
      return execution;
    }
    probe::ScheduleOptions schedule;
    schedule.patience = patience();
    schedule.passes_by = false;
    schedule.deadlock_time = deadlock_time_;
    schedule.sessions_speak = sessions_speak_;
    schedule.most_waiting = 1;
    schedule.first_look = std::clamp(kLookAfter * usual_step_, schedule.first_look, kLatestLook);
    contents_.reset();
    const auto start = Crew::Clock::now();
    auto transcript = probe::run_schedule(database_, *keeper_, *crew_, script->steps, schedule);
    const auto taken = std::chrono::duration_cast<milliseconds>(Crew::Clock::now() - start);
    if (!transcript.waited() && !script->steps.empty()) usual_step_ = taken / script->steps.size();
    execution = execution_of(test, *script, std::move(transcript), instrumented);
    execution.limit = options_.statement_limit;
    finish(execution);
    return execution;
  }

  [[nodiscard]] AloneRun run_alone(const Case& test, std::span<const Place> order) override {
    AloneRun alone;
    alone.runs.resize(order.size());
    if (auto ready = have_fighters(1); !ready) {
      alone.fault = std::move(ready).error();
      return alone;
    }
    // One that is stopped from here: it must be known what it is doing.
    const std::size_t at_once = rules_of(dialect_).is_stopped_from_here ? 1 : order.size();
    contents_.reset();
    const auto start = Crew::Clock::now();
    for (std::size_t i = 0; i < order.size() && !alone.fault && !alone.lost; i += at_once)
      send_alone(test, order.subspan(i, std::min(at_once, order.size() - i)), i, alone);
    alone.taken = std::chrono::duration_cast<milliseconds>(Crew::Clock::now() - start);
    finish(alone);
    return alone;
  }

  [[nodiscard]] std::optional<AloneRun> run_alone_by(const Case& test, std::span<const Place> order,
                                                     Plan plan) override {
    const PlanSettings settings = plan_settings(dialect_, plan);
    if (settings.on.empty()) return std::nullopt;
    Result<void> set = have_fighters(1);
    if (set) set = set_on_fighter(settings.on);
    AloneRun alone;
    if (set) {
      alone = run_alone(test, order);
      if (!alone.lost) set = set_on_fighter(settings.off);
    } else {
      alone.runs.resize(order.size());
    }
    if (set) return alone;
    broken_ = true;  // a session with settings that nobody asked for
    if (!alone.fault) alone.fault = std::move(set).error();
    return alone;
  }

  [[nodiscard]] AloneRun run_on(const Case& test, Place place, const ContentsByTable& rows) override {
    contents_.reset();
    const auto changed = with_rows(schema_, rows, dialect_);
    const Result<void> put = changed ? carried_out(keeper_->run(reset_sql(*changed, dialect_)), "cannot put rows back")
                                     : Result<void>(changed.error());
    if (put) return run_alone(test, std::span(&place, 1));
    AloneRun alone;
    alone.runs.resize(1);
    alone.fault = put.error();
    broken_ = true;
    return alone;
  }

  [[nodiscard]] std::vector<std::string> left_by_delete() override { return std::exchange(left_by_delete_, {}); }

  [[nodiscard]] const std::string& server() const override { return server_; }
  [[nodiscard]] const db::Dialect& dialect() const override { return written_; }
  [[nodiscard]] const db::ServerLevel& level() const override { return level_; }

 private:
  // The schema's tables with their rows, where there are none of these names.
  [[nodiscard]] Result<void> make() {
    for (const std::string& sql : creation(schema_, dialect_)) {
      if (auto made = carried_out(keeper_->run(sql), sql); !made) return made;
    }
    if (reset_sql_.empty()) return {};
    if (auto filled = carried_out(keeper_->run(reset_sql_), "cannot fill the tables"); !filled) return filled;
    auto first = contents_in(keeper_->execute(contents_sql(tables_, dialect_), {}));
    if (!first) return std::move(first).error();
    first_contents_ = *std::move(first);  // contents_ is not set: the first reset tries whether all can be put back
    return {};
  }

  // Every write changes a row's vkey, so a table that has the rows that it had first was not written.
  [[nodiscard]] std::string what_to_put_back() const {
    if (!contents_ || !first_contents_) return reset_sql_;
    std::set<std::string_view> changed;
    for (const Table* const table : tables_)
      if (contents_->at(table->name) != first_contents_->at(table->name)) changed.insert(table->name);
    return reset_sql(schema_, dialect_, changed);
  }

  // Requires: there is a table, and `reply` answers contents_sql().
  [[nodiscard]] Result<ContentsByTable> contents_in(const Result<db::Reply>& reply) const {
    if (reply && reply->done()) return contents_of(tables_, *reply);
    return carried_out(reply, "cannot read the rows").error();
  }

  // Requires: nobody else has a transaction open.
  void look_what_delete_leaves() {
    static_cast<void>(keeper_->roll_back());
    for (auto table = tables_.rbegin(); table != tables_.rend(); ++table) {
      const auto deleted = keeper_->run(fmt::format("delete from {}", (*table)->name));
      if (!deleted || !deleted->done()) continue;
      const auto left = keeper_->run(fmt::format("select count(*) from {}", (*table)->name));
      if (left && left->rows() == 1 && left->at(0, 0) != db::Cell(std::int64_t{0}))
        left_by_delete_.push_back((*table)->name);
    }
  }

  [[nodiscard]] Result<void> connect() {
    broken_ = true;
    crew_.reset();
    keeper_.reset();
    auto keeper = database_.connect(level_);
    if (!keeper) return std::move(keeper).error();
    keeper_ = *std::move(keeper);
    if (server_.empty()) {  // the first one
      auto about = database_.describe(*keeper_);
      if (!about) return std::move(about).error();
      server_ = *std::move(about);
      written_.name = dialect_ = spoken_dialect(dialect_, server_);
      if (auto made = make_own_schema(*keeper_, dialect_); !made) return made;
    }
    if (auto ready = set_up(*keeper_, keeper_setup(dialect_)); !ready) return ready;
    if (auto kept = keep_what_is_deleted(); !kept) return kept;
    crew_ = std::make_unique<Crew>(std::vector<std::unique_ptr<db::Connection>>());
    broken_ = false;
    return {};
  }

  // InnoDB keeps deleted rows in its indexes, where statements meet and lock them, until it purges them at a moment of
  // its own; when it has done so it does not tell in time. An open view keeps them all, so that the same cases in the
  // same order always meet the same.
  [[nodiscard]] Result<void> keep_what_is_deleted() {
    holder_.reset();
    if (!rules_of(dialect_).is_innodb) return {};
    auto holder = database_.connect(level_);
    if (!holder) return std::move(holder).error();
    holder_ = *std::move(holder);
    for (const char* const sql :
         {"set session transaction isolation level repeatable read", "start transaction with consistent snapshot"}) {
      if (auto done = carried_out(holder_->run(sql), sql); !done) return done;
    }
    return {};
  }

  [[nodiscard]] Result<void> have_fighters(std::size_t count) {
    if (count > options_.most_transactions)
      return Error{fmt::format("{} transactions, where {} are the most", count, options_.most_transactions)};
    while (crew_ == nullptr || crew_->size() < count) {
      if (crew_ == nullptr) return Error{"the connections are gone: the arena was not reset"};
      auto connection = database_.connect(level_);
      if (!connection) return std::move(connection).error();
      if (auto ready = set_up(**connection, fighter_setup(dialect_, options_.statement_limit)); !ready) return ready;
      (*connection)->report_unlisted_errors();
      if (crew_->size() == 0) learn_deadlock_time(**connection);
      crew_->add(*std::move(connection));
    }
    return {};
  }

  // On the session that runs statements alone.
  [[nodiscard]] Result<void> set_on_fighter(const std::vector<std::string>& settings) {
    std::vector<probe::Request> requests;
    for (const std::string& sql : settings) requests.push_back({probe::RequestKind::kStatement, sql});
    crew_->send(0, std::move(requests), probe::OnFailure::kStop);
    auto answer = crew_->wait_for(0, Crew::Clock::now() + patience());
    if (!answer) return Error{"a session that does not answer"};
    for (const Result<db::Reply>& earlier : answer->earlier)
      if (auto done = carried_out(earlier, "cannot set how rows are looked for"); !done) return done;
    return carried_out(std::move(answer->reply), "cannot set how rows are looked for");
  }

  // Until when a server that waits has looked for a deadlock, if it does not say so itself.
  void learn_deadlock_time(db::Connection& connection) {
    deadlock_time_ = milliseconds(0);
    sessions_speak_ = false;
    const std::string_view settings = rules_of(dialect_).deadlock_settings;
    if (settings.empty()) return;  // it looks at once, or never waits
    const auto reply = connection.run(settings);
    if (!reply || reply->rows() != 1) return;
    const auto* const text = std::get_if<std::string>(&reply->at(0, 0));
    const auto time = text == nullptr ? std::nullopt : time_shown(*text);
    if (!time || *time > kLongestDeadlockTime) return;
    sessions_speak_ = reply->at(0, 1) == db::Cell("on");
    deadlock_time_ = *time + std::max(*time, kDeadlockMargin);
  }

  [[nodiscard]] milliseconds patience() const {
    return options_.statement_limit + (rules_of(dialect_).is_stopped_from_here ? milliseconds(0) : kBeyondLimit);
  }

  // Statements without a transaction around them.
  void send_alone(const Case& test, std::span<const Place> places, std::size_t first, AloneRun& alone) {
    std::vector<probe::Request> requests;
    for (const Place place : places) requests.push_back({probe::RequestKind::kStatement, at(test, place).sql});
    crew_->send(0, std::move(requests), probe::OnFailure::kGoOn);
    auto answer = crew_->wait_for(0, Crew::Clock::now() + patience() * places.size());
    for (int i = 0; i < kCancels && !answer; ++i) {
      crew_->cancel(0);
      answer = crew_->wait_for(0, Crew::Clock::now() + kCancelTime);
    }
    if (!answer) {
      static_cast<void>(database_.terminate(*keeper_, crew_->session(0)));
      crew_->sever(0);
      crew_->leave_behind(0);
      alone.fault = Error{"statements that cannot be stopped"};
      return;
    }
    std::vector<Result<db::Reply>> replies = std::move(answer->earlier);
    replies.push_back(std::move(answer->reply));
    for (std::size_t i = 0; i < replies.size(); ++i) {
      if (!replies[i]) {
        alone.fault = std::move(replies[i]).error();
        alone.fault_at = places[i];
        return;
      }
      StatementRun& run = alone.runs[first + i];
      run.ran = ran_as(*replies[i]);
      run.reply = *std::move(replies[i]);
      alone.lost |= run.reply.fate == db::Fate::kLost;
    }
  }

  // What is the same for both kinds of runs: the rows that are left, and whether the sessions can be used again.
  template <typename Run>
  void finish(Run& run) {
    for (std::size_t i = 0; i < crew_->size(); ++i) broken_ |= !crew_->usable(i);
    broken_ |= run.fault.has_value();
    if (tables_.empty()) return;
    auto reply = keeper_->execute(contents_sql(tables_, dialect_), {});
    if (reply && reply->fate == db::Fate::kLost) {
      run.lost = broken_ = true;
      return;
    }
    auto done = contents_in(reply);
    if (done) {
      run.final = *std::move(done);
      contents_ = run.final;
    } else if (!run.fault) {
      run.fault = std::move(done).error();
      broken_ = true;
    }
  }

  db::Database& database_;
  const db::ServerLevel& level_;
  ArenaOptions options_;
  std::string_view dialect_;  // that cases are written for
  db::Dialect written_;       // the driver's, under that name
  std::string server_;
  Schema schema_;
  std::vector<const Table*> tables_;  // of schema_
  std::string reset_sql_;
  std::optional<ContentsByTable> first_contents_, contents_;  // after make(); now; none: not known
  std::unique_ptr<db::Connection> keeper_;                    // makes and resets tables, and looks on
  std::unique_ptr<db::Connection> holder_;                    // of InnoDB's view
  std::unique_ptr<Crew> crew_;                                // run transactions
  bool broken_ = true;                                        // some connection is of no use any more
  bool deletes_fail_ = false;  // the schema's rows could not be put back by deleting what is there
  std::vector<std::string> left_by_delete_;
  milliseconds deadlock_time_{0};
  bool sessions_speak_ = false;
  milliseconds usual_step_{0};  // of the last run in which nothing waited
};

}  // namespace

std::optional<AloneRun> Arena::run_alone_by(const Case&, std::span<const Place>, Plan) { return std::nullopt; }

AloneRun Arena::run_on(const Case&, Place, const ContentsByTable&) {
  AloneRun none;
  none.runs.resize(1);
  none.fault = Error{"this arena has no other rows than its schema's"};
  return none;
}

Result<std::unique_ptr<Arena>> open_arena(db::Database& database, const db::ServerLevel& level,
                                          const ArenaOptions& options) {
  if (!is_huntable(database.dialect().name))
    return Error{fmt::format("hunts know {}, not {}", hunted_products(), database.dialect().name)};
  auto arena = std::make_unique<DatabaseArena>(database, level, options);
  if (auto opened = arena->open(); !opened) return std::move(opened).error();
  return std::unique_ptr<Arena>(std::move(arena));
}

}  // namespace isolde::hunt
