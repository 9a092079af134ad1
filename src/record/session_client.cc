#include "record/session_client.h"

#include <fmt/format.h>

#include <iterator>
#include <thread>
#include <utility>

#include "record/workload/traced_table.h"

namespace isolde::record {
namespace {

constexpr auto kReconnectEvery = std::chrono::milliseconds(50);
constexpr auto kReconnectFor = std::chrono::seconds(60);

}  // namespace

void RunShared::fail(Error error) {
  const std::scoped_lock lock(guard_);
  if (!fault_) fault_ = std::move(error);
  stop = true;
}

std::optional<Error> RunShared::fault() {
  const std::scoped_lock lock(guard_);
  return fault_;
}

SessionClient::SessionClient(RunShared& shared, std::uint32_t place, std::unique_ptr<db::Connection> connection,
                             std::optional<Journal> journal)
    : shared_(shared),
      connection_(std::move(connection)),
      journal_(std::move(journal)),
      place_(place),
      next_id_(place),
      next_unique_(place + 1),
      session_name_(place) {
  if (journal_) journal_->session(session_name_);
}

bool SessionClient::begin() {
  if (journal_) journal_->about_to_begin();
  began_ = shared_.clock.now();
  before_ = began_;
  goes_on_ = false;
  read_plainly_ = false;
  if (journal_) journal_->begin(next_id_, before_);
  next_id_ += shared_.clients;
  open_ = true;
  phase_.store(Phase::kInTransaction, std::memory_order_relaxed);
  auto reply = connection_->begin();
  ++statements_;
  if (!reply || !reply->done()) return fail(std::move(reply));
  return true;
}

bool SessionClient::run(std::string_view sql, std::span<const db::Cell> parameters) {
  if (!std::exchange(goes_on_, false)) before_ = now();
  if (journal_) {
    for (std::size_t i = 0; i < intent_count_; ++i) journal_->intent(intents_[i], before_);
    if (!journal_->fault().empty()) return roll_back(), false;
  }
  auto reply = connection_->execute(sql, parameters);
  ++statements_;
  after_ = now();
  if (!reply || !reply->done()) return fail(std::move(reply));
  if (journal_ && intent_count_ > 0) journal_->done(after_);
  intent_count_ = 0;
  reply_ = *std::move(reply);
  return true;
}

void SessionClient::think() {
  if (think_.count() <= 0) return;
  const auto most = static_cast<std::uint64_t>(think_.count()) * 2;
  std::this_thread::sleep_for(std::chrono::microseconds(rng_.below(most + 1)));
}

bool SessionClient::commit() {
  think();
  if (rollback_share_ > 0 && rng_.chance(rollback_share_)) return roll_back(), false;
  const std::int64_t asked = now();
  if (journal_) {
    journal_->commit(asked);
    if (shared_.ask_facts && shared_.level.serial == db::SerialOrder::kLockPoints) note_lock_point(asked);
    // What is not in the journal must not happen: others would read what, by the recording, nobody wrote.
    if (!journal_->fault().empty()) return roll_back(), false;
  }
  db::TxnFacts facts;
  phase_.store(Phase::kCommitting, std::memory_order_relaxed);
  auto reply = connection_->commit(journal_ && shared_.ask_facts ? &facts : nullptr);
  const std::int64_t after = now();
  ++statements_;
  if (!reply) {  // an answer that nobody understands is no answer
    shared_.fail(std::move(reply).error());
    end(Status::kUnknown, after);
    return false;
  }
  if (reply->fate == db::Fate::kLost) {
    ++failures_[reply->failure.code];
    end(Status::kUnknown, after);
    session_name_ += shared_.clients;
    if (journal_) journal_->session(session_name_);
    reconnect();
    return false;
  }
  if (!reply->done()) return fail(std::move(reply));
  if (journal_ && shared_.ask_facts) write_facts(facts);
  end(Status::kCommitted, after);
  return true;
}

void SessionClient::roll_back() {
  auto reply = connection_->roll_back();
  ++statements_;
  if (!reply) shared_.fail(std::move(reply).error());
  end(Status::kAborted, now());
  if (reply && reply->fate == db::Fate::kLost) reconnect();
}

// Requires: `reply` is no success, and no commit was sent or the database refused it. Returns false.
bool SessionClient::fail(Result<db::Reply> reply) {
  intent_count_ = 0;
  if (!reply) {
    shared_.fail(std::move(reply).error());
    end(Status::kAborted, now());
    return false;
  }
  ++failures_[reply->failure.code];
  const db::Fate fate = reply->fate;
  reply_ = *std::move(reply);
  if (fate == db::Fate::kStatementFailed || fate == db::Fate::kMustRollBack) {
    roll_back();
    return false;
  }
  end(Status::kAborted, now());
  if (fate == db::Fate::kLost) reconnect();
  return false;
}

void SessionClient::end(Status status, std::int64_t time) {
  open_ = false;
  phase_.store(Phase::kIdle, std::memory_order_relaxed);
  intent_count_ = 0;
  if (journal_) {
    journal_->end(status, time);
    if (!journal_->fault().empty()) shared_.fail(Error{journal_->fault()});
  }
  if (status == Status::kCommitted) latency_.add((journal_ ? time : shared_.clock.now()) - began_);
  auto& counter = status == Status::kCommitted ? counts_.committed
                  : status == Status::kAborted ? counts_.aborted
                                               : counts_.unknown;
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void SessionClient::finish_transaction() {
  if (open_) roll_back();
}

// The server may be starting again; what it answers until then is no fault of the run. One that cannot be reached any
// more ends the run, also when the run's time is over by then: what it has done since nobody knows. A run that is
// interrupted while it restarts the server itself waits until the server is back.
void SessionClient::reconnect() {
  const auto give_up = std::chrono::steady_clock::now() + kReconnectFor;
  while (true) {
    const bool last = (shared_.stop && !shared_.restarting) || std::chrono::steady_clock::now() > give_up;
    auto fresh = shared_.database.connect(shared_.level);
    if (fresh) {
      const std::scoped_lock lock(connection_guard_);
      connection_ = *std::move(fresh);
      ++reconnects_;
      return;
    }
    if (last) return shared_.fail(std::move(fresh).error());
    std::this_thread::sleep_for(kReconnectEvery);
  }
}

void SessionClient::sever() {
  const std::scoped_lock lock(connection_guard_);
  connection_->sever();
}

std::int64_t SessionClient::server_session() {
  const std::scoped_lock lock(connection_guard_);
  return connection_->session();
}

namespace {

// The hot path: put together by hand, in a string that keeps its room.
void put_operation(std::string_view start, std::string_view key, std::string_view value, std::string& out) {
  out.assign(start);
  out += key;
  out += ',';
  out += value;
}

}  // namespace

void SessionClient::will_write(std::string_view key, std::string_view value) {
  if (!journal_) return;
  if (intents_.size() == intent_count_) intents_.emplace_back();
  std::string& text = intents_[intent_count_++];
  put_operation(R"(["w",)", key, value, text);
}

void SessionClient::will_append(std::string_view key, std::string_view element) {
  if (!journal_) return;
  if (intents_.size() == intent_count_) intents_.emplace_back();
  std::string& text = intents_[intent_count_++];
  put_operation(R"(["append",)", key, element, text);
}

void SessionClient::note(std::string_view op, Lock lock) { journal_->op(op, lock, before_, after_); }

void SessionClient::saw(std::string_view key, std::string_view value, Lock lock) {
  if (!journal_) return;
  put_operation(R"(["r",)", key, value, text_);
  read_plainly_ |= lock == Lock::kNone;
  note(text_, lock);
}

void SessionClient::wrote(std::string_view key, std::string_view value) {
  if (!journal_) return;
  put_operation(R"(["w",)", key, value, text_);
  note(text_);
}

namespace {

void add_recorded_rows(std::string& text, std::span<const RecordedItem> rows) {
  text += '[';
  for (const RecordedItem& row : rows)
    fmt::format_to(std::back_inserter(text), "{}[{},{}]", text.back() == '[' ? "" : ",", row.key, row.value);
  text += ']';
}

}  // namespace

void SessionClient::note_predicate(Lock lock) {
  std::string details;
  if (shadow_) {
    auto looked_at = shadow_(*connection_);
    if (!looked_at) return shared_.fail(std::move(looked_at).error());
    if (!looked_at->empty()) details = fmt::format(R"("vset":{})", *looked_at);
  }
  journal_->op(text_, lock, before_, after_, details);
}

void SessionClient::scanned(std::string_view where, std::span<const RecordedItem> rows, Lock lock) {
  if (!journal_) return;
  text_ = fmt::format(R"(["scan",{},)", json_text(std::string(where)));
  add_recorded_rows(text_, rows);
  read_plainly_ = true;  // rows that match later are not locked
  note_predicate(lock);
}

void SessionClient::aggregated(std::string_view expression, std::string_view where, std::string_view value) {
  if (!journal_) return;
  read_plainly_ = true;
  text_ = fmt::format(R"(["agg",{},{},{})", json_text(std::string(expression)), json_text(std::string(where)), value);
  // Min and max may be found at one end of an index: then what else matches was not looked at (docs/predicates.md).
  if (expression.starts_with("min(") || expression.starts_with("max(")) return note(text_);
  note_predicate(Lock::kNone);
}

void SessionClient::updated(std::string_view where, std::span<const RecordedItem> rows_after) {
  if (!journal_) return;
  text_ = fmt::format(R"(["update",{},)", json_text(std::string(where)));
  add_recorded_rows(text_, rows_after);
  read_plainly_ = true;
  note(text_);
}

// A locking read of TiDB is at for_update_ts, and what it read stays until the commit: one that reads in no other way
// has the state of its last for_update_ts as its snapshot. One that also reads plainly, at start_ts, has no one
// snapshot.
db::TxnFacts SessionClient::at_one_time(db::TxnFacts facts) const {
  if (!facts.for_update_ts) return facts;
  const bool wrote = facts.start_ts != facts.commit_ts;
  facts.start_ts = read_plainly_ ? std::nullopt : facts.for_update_ts;
  if (!wrote) facts.commit_ts = facts.start_ts;
  return facts;
}

// Before the commit is sent: it is right whatever becomes of the answer, and of the recorder.
void SessionClient::note_lock_point(std::int64_t commit_asked) {
  // Two clients may ask within one tick of the clock: then they do not conflict, and any order will do.
  journal_->facts(fmt::format(R"("order":{})", commit_asked * shared_.clients + place_));
  ++facts_.orders;
}

void SessionClient::write_facts(const db::TxnFacts& given) {
  const db::TxnFacts facts = at_one_time(given);
  text_.clear();
  auto out = std::back_inserter(text_);
  const auto comma = [&] { return text_.empty() ? "" : ","; };
  if (facts.snapshot) {
    fmt::format_to(out, R"("snapshot":{{)");
    if (facts.xid) fmt::format_to(out, R"("xid":{},)", *facts.xid);
    fmt::format_to(out, R"("xmin":{},"xmax":{},"active":[{}]}})", facts.snapshot->xmin, facts.snapshot->xmax,
                   fmt::join(facts.snapshot->active, ","));
  }
  if (facts.start_ts) fmt::format_to(out, R"({}"start_ts":{})", comma(), *facts.start_ts);
  if (facts.commit_ts) fmt::format_to(out, R"({}"commit_ts":{})", comma(), *facts.commit_ts);
  const bool ordered = shared_.level.serial == db::SerialOrder::kCommitPlaces && facts.commit_place;
  if (ordered) fmt::format_to(out, R"({}"order":{})", comma(), *facts.commit_place);
  if (!text_.empty()) journal_->facts(text_);
  if (facts.xid && !facts.snapshot) xids_.push_back({next_id_ - shared_.clients, *facts.xid});
  if (facts.commit_place) journal_->place(*facts.commit_place);
  facts_.snapshots += facts.snapshot ? 1 : 0;
  facts_.timestamps += facts.start_ts || facts.commit_ts ? 1 : 0;
  facts_.places += facts.commit_place ? 1 : 0;
  facts_.orders += ordered ? 1 : 0;
}

}  // namespace isolde::record
