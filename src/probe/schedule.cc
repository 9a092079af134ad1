#include "probe/schedule.h"

#include <algorithm>
#include <utility>

namespace isolde::probe {
namespace {

using Clock = Crew::Clock;
using std::chrono::milliseconds;

constexpr milliseconds kLongestLook{50};
constexpr milliseconds kRollBackTime{5000};
constexpr milliseconds kTimeToSpeak{100};   // within which a session says that it waits
constexpr milliseconds kSecondChance{100};  // for one that was passed by without the server's word

class Runner {
 public:
  Runner(db::Database& database, db::Connection& observer, Crew& crew, std::span<const Step> steps,
         const ScheduleOptions& options)
      : database_(database), observer_(observer), crew_(crew), steps_(steps), options_(options) {
    std::size_t transactions = 0;
    for (const Step& step : steps) transactions = std::max(transactions, step.transaction + 1);
    t_.steps.resize(steps.size());
    t_.ends.resize(transactions);
    states_.resize(transactions);
    taken_up_.resize(steps.size(), false);
  }

  Transcript run() {
    while (!t_.fault) {
      const std::size_t step = next_step();
      if (step != kNoStep) {
        take_up(step);
        settle();
      } else if (anything_pending()) {
        wait_or_give_up();
      } else {
        break;
      }
    }
    clean_up();
    return std::move(t_);
  }

 private:
  struct TxnState {
    bool open = false, ended = false;
    std::size_t pending = kNoStep;  // sent, and not answered
    bool settled = false;           // known to wait since the last event
    std::optional<Clock::time_point> waits_since;
  };

  [[nodiscard]] TxnState& state_of(std::size_t step) { return states_[steps_[step].transaction]; }

  // The first step in the script's order that is left and whose transaction is not waiting.
  std::size_t next_step() {
    std::vector<bool> held(states_.size(), false);
    for (std::size_t i = first_left_; i < steps_.size(); ++i) {
      if (taken_up_[i]) {
        if (i == first_left_) ++first_left_;
        continue;
      }
      const std::size_t who = steps_[i].transaction;
      if (states_[who].pending == kNoStep && !held[who]) return i;
      held[who] = true;
    }
    return kNoStep;
  }

  [[nodiscard]] bool anything_pending() const {
    return std::any_of(states_.begin(), states_.end(), [](const TxnState& s) { return s.pending != kNoStep; });
  }

  void tell(Event::Kind kind, std::size_t step) {
    auto at = t_.events.end();
    // A step that lets others go is told before them, whoever's answer came first.
    if (step == current_ && kind == Event::Kind::kAnswered && t_.steps[step].wait == Wait::kNone)
      at = t_.events.begin() + static_cast<std::ptrdiff_t>(events_before_);
    t_.events.insert(at, {kind, step});
  }

  [[nodiscard]] milliseconds since_start() const {
    return std::chrono::duration_cast<milliseconds>(Clock::now() - started_);
  }

  void end(std::size_t who, End how, std::size_t step) {
    states_[who].open = false;
    states_[who].ended = true;
    t_.ends[who] = {how, step, since_start()};
    for (TxnState& s : states_) s.waits_since.reset();  // what waits now may wait for another lock than before
    if (step != kNoStep) last_cause_ = step;
  }

  void take_up(std::size_t step) {
    taken_up_[step] = true;
    const Step& s = steps_[step];
    StepRecord& record = t_.steps[step];
    record.sql = s.sql;
    if (state_of(step).ended || !crew_.usable(s.transaction)) return tell(Event::Kind::kNotSent, step);
    if (s.kind == RequestKind::kStatement && options_.sql_of) {
      auto sql = options_.sql_of(step, t_);
      if (!sql) {
        record.missing = sql.error().text;
        tell(Event::Kind::kNotSent, step);
        roll_back(s.transaction, End::kGivenUp, step);
        return;
      }
      record.sql = *std::move(sql);
    }
    std::vector<Request> requests = s.before;
    requests.push_back({s.prepared ? RequestKind::kPrepared : s.kind, record.sql});
    requests.insert(requests.end(), s.after.begin(), s.after.end());
    record.sent = since_start();
    crew_.send(s.transaction, std::move(requests));
    current_ = step;
    events_before_ = t_.events.size();
    last_cause_ = step;
    TxnState& state = state_of(step);
    state.pending = step;
    state.settled = false;
    state.waits_since.reset();
  }

  // Until all that is under way has answered or is known to wait, and no more wait than may.
  void settle() {
    wait_for_all();
    while (!t_.fault && waiting_now() > options_.most_waiting) {
      give_up(youngest_pending());
      wait_for_all();
    }
  }

  [[nodiscard]] std::size_t waiting_now() const {
    return static_cast<std::size_t>(
        std::count_if(states_.begin(), states_.end(), [](const TxnState& s) { return s.pending != kNoStep; }));
  }

  [[nodiscard]] std::size_t youngest_pending() const {
    std::size_t youngest = kNoStep;
    for (const TxnState& s : states_) {
      if (s.pending != kNoStep && (youngest == kNoStep || s.pending > youngest)) youngest = s.pending;
    }
    return youngest;
  }

  void wait_for_all() {
    milliseconds look = options_.first_look;
    Clock::time_point since = Clock::now();
    // Those that waited before an answer came wait on, or were let go before it was given: the server knows already.
    bool at_once = only_waiters_unsettled();
    while (!t_.fault && anything_unsettled()) {
      auto answer = crew_.wait(at_once ? Clock::now() : Clock::now() + look);
      if (answer) {
        take(std::move(*answer));
        since = Clock::now();
        look = options_.first_look;
        at_once = only_waiters_unsettled();
        continue;
      }
      const bool asked = !their_word_will_do(since);
      if (asked) look_who_waits(since);
      if (asked && !at_once) look = std::min(2 * look, kLongestLook);
      at_once = false;
    }
  }

  [[nodiscard]] bool anything_unsettled() const {
    return std::any_of(states_.begin(), states_.end(),
                       [](const TxnState& s) { return s.pending != kNoStep && !s.settled; });
  }

  [[nodiscard]] bool only_waiters_unsettled() const {
    return std::all_of(states_.begin(), states_.end(), [&](const TxnState& s) {
      return s.pending == kNoStep || s.settled || t_.steps[s.pending].wait == Wait::kServerSays;
    });
  }

  // By the word of the sessions themselves, as good as the server's tables, and free. Not of those that have waited
  // before: theirs may be an old word. False: the server must be asked about the others.
  bool their_word_will_do(Clock::time_point since) {
    bool will_do = true;
    const bool may_speak = options_.sessions_speak && Clock::now() - since < kTimeToSpeak;
    for (std::size_t who = 0; who < states_.size(); ++who) {
      TxnState& s = states_[who];
      if (s.pending == kNoStep || s.settled) continue;
      const bool fresh = t_.steps[s.pending].wait == Wait::kNone;
      if (fresh && crew_.says_it_waits(who)) {
        tell(Event::Kind::kWaits, s.pending);
        t_.steps[s.pending].wait = Wait::kServerSays;
        s.settled = true;
      }
      will_do &= s.settled || (fresh && may_speak);
    }
    return will_do;
  }

  // After which one that waits has looked for a deadlock. One that will say so is not hurried: on a busy machine it may
  // be long before its turn comes.
  [[nodiscard]] milliseconds time_to_look() const {
    return options_.sessions_speak ? options_.patience : options_.deadlock_time;
  }

  void look_who_waits(Clock::time_point since) {
    const auto waiting = database_.waiting(observer_);
    if (!waiting) {
      t_.fault = waiting.error();
      return;
    }
    const Clock::time_point now = Clock::now();
    for (std::size_t who = 0; who < states_.size(); ++who) {
      TxnState& s = states_[who];
      if (s.pending == kNoStep || s.settled) continue;
      StepRecord& record = t_.steps[s.pending];
      if (std::find(waiting->begin(), waiting->end(), crew_.session(who)) != waiting->end()) {
        if (record.wait != Wait::kServerSays) tell(Event::Kind::kWaits, s.pending);
        record.wait = Wait::kServerSays;
        if (!s.waits_since) s.waits_since = now;
        s.settled = crew_.says_it_waits(who) || now - *s.waits_since >= time_to_look();
        continue;
      }
      s.waits_since.reset();
      const bool passed_by = record.wait == Wait::kNoAnswer;
      if (now - since < (passed_by ? kSecondChance : options_.patience)) continue;
      if (!options_.passes_by) return give_up(s.pending);
      if (!passed_by) tell(Event::Kind::kNoAnswer, s.pending);
      record.wait = Wait::kNoAnswer;
      s.settled = true;
    }
  }

  void take(Answer answer) {
    const std::size_t who = answer.who;
    const std::size_t step = std::exchange(states_[who].pending, kNoStep);
    for (TxnState& s : states_) s.settled = false;  // this answer may have let others go
    StepRecord& record = t_.steps[step];
    if (!answer.reply) {
      if (t_.fault) return;
      t_.fault = std::move(answer.reply).error();
      t_.fault_at = step;
      return;
    }
    record.answered = since_start();
    const bool left_unseen = put_apart(steps_[step], std::move(answer), record);
    record.around = left_unseen || (!record.reply.done() && record.before.size() < steps_[step].before.size());
    if (record.wait != Wait::kNone && last_cause_ != step) record.let_go_by = last_cause_;
    const bool given_up = record.state == StepRecord::State::kGivenUp && !record.reply.done();
    if (!given_up) record.state = record.reply.done() ? StepRecord::State::kDone : StepRecord::State::kFailed;
    tell(given_up ? Event::Kind::kGivenUp : Event::Kind::kAnswered, step);
    if (begins(steps_[step]) && !record.before.empty()) states_[who].open = true;
    conclude(who, step, given_up || left_unseen);
  }

  [[nodiscard]] static bool begins(const Step& step) {
    return !step.before.empty() && step.before.front().kind == RequestKind::kBegin;
  }

  // The replies to the step and to what was sent with it. True: it was carried out, but something after it was not.
  static bool put_apart(const Step& step, Answer answer, StepRecord& record) {
    const std::size_t own = step.before.size(), last = answer.earlier.size();
    const bool failed_after = last > own && !answer.reply->done();
    for (std::size_t i = 0; i < last; ++i) {
      if (i == own) record.reply = *std::move(answer.earlier[i]);
      if (i != own) (i < own ? record.before : record.after).push_back(*std::move(answer.earlier[i]));
    }
    if (last <= own || failed_after) {
      record.reply = *std::move(answer.reply);
    } else {
      record.after.push_back(*std::move(answer.reply));
    }
    return failed_after;
  }

  // What the answer means for the transaction. `given_up`: it is not to go on.
  void conclude(std::size_t who, std::size_t step, bool given_up) {
    const RequestKind kind = steps_[step].kind;
    const db::Fate fate = t_.steps[step].reply.fate;
    const End bad = given_up ? End::kGivenUp : End::kAborted;
    switch (fate) {
      case db::Fate::kDone:
        if (kind == RequestKind::kBegin) states_[who].open = true;
        if (kind == RequestKind::kCommit) end(who, End::kCommitted, step);
        if (kind == RequestKind::kRollBack) end(who, End::kRolledBack, step);
        return;
      case db::Fate::kStatementFailed:
        if (kind == RequestKind::kStatement && !given_up && states_[who].open && !options_.rolls_back_failed) return;
        return roll_back(who, bad, step);
      case db::Fate::kMustRollBack:
        return roll_back(who, bad, step);
      case db::Fate::kRolledBack:
        return end(who, bad, step);
      case db::Fate::kLost:
        return end(who, kind == RequestKind::kCommit ? End::kUnknown : bad, step);
    }
  }

  // Requires: none of its requests is under way.
  void roll_back(std::size_t who, End how, std::size_t step) {
    end(who, how, step);
    constexpr int kTries = 3;  // a cancel that came late may hit the roll-back itself
    for (int i = 0; i < kTries && crew_.usable(who); ++i) {
      crew_.send(who, {RequestKind::kRollBack, {}});
      const auto answer = crew_.wait_for(who, Clock::now() + std::max(options_.patience, kRollBackTime));
      if (!answer) break;
      if (answer->reply && (answer->reply->done() || answer->reply->fate == db::Fate::kRolledBack)) return;
    }
    if (crew_.usable(who)) crew_.leave_behind(who);
  }

  // Nothing can be sent, because all that have steps left are waiting: the database finds the deadlock, or nobody does.
  void wait_or_give_up() {
    if (auto answer = crew_.wait(Clock::now() + options_.patience)) {
      take(std::move(*answer));
      settle();
      return;
    }
    give_up(youngest_pending());
    settle();
  }

  void give_up(std::size_t step) {
    const std::size_t who = steps_[step].transaction;
    t_.steps[step].state = StepRecord::State::kGivenUp;
    for (auto left = options_.patience; left.count() > 0; left -= kSecondChance) {
      crew_.cancel(who);  // one that comes before the request does is lost
      if (answered(who, kSecondChance)) return;
    }
    static_cast<void>(database_.terminate(observer_, crew_.session(who)));
    if (answered(who, options_.patience)) return;
    crew_.sever(who);
    if (answered(who, options_.patience)) return;
    crew_.leave_behind(who);
    states_[who].pending = kNoStep;
    t_.steps[step].answered = since_start();
    tell(Event::Kind::kGivenUp, step);
    end(who, steps_[step].kind == RequestKind::kCommit ? End::kUnknown : End::kGivenUp, step);
  }

  bool answered(std::size_t who, milliseconds how_long) {
    auto answer = crew_.wait_for(who, Clock::now() + how_long);
    if (!answer) return false;
    take(std::move(*answer));
    return true;
  }

  void clean_up() {
    for (std::size_t who = 0; who < states_.size(); ++who) {
      if (states_[who].pending != kNoStep) give_up(states_[who].pending);
    }
    for (std::size_t who = 0; who < states_.size(); ++who) {
      const bool faulty = t_.fault_at != kNoStep && steps_[t_.fault_at].transaction == who;
      if (states_[who].open || faulty) roll_back(who, End::kGivenUp, kNoStep);
    }
  }

  db::Database& database_;
  db::Connection& observer_;
  Crew& crew_;
  std::span<const Step> steps_;
  const ScheduleOptions& options_;
  const Clock::time_point started_ = Clock::now();
  Transcript t_;
  std::vector<TxnState> states_;
  std::vector<bool> taken_up_;
  std::size_t first_left_ = 0;
  std::size_t current_ = kNoStep;     // sent last …
  std::size_t events_before_ = 0;     // … after so many events
  std::size_t last_cause_ = kNoStep;  // what may let others go: the step sent last, or a transaction's end since then
};

}  // namespace

Transcript run_schedule(db::Database& database, db::Connection& observer, Crew& crew, std::span<const Step> steps,
                        const ScheduleOptions& options) {
  return Runner(database, observer, crew, steps, options).run();
}

}  // namespace isolde::probe
