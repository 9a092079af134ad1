#include "stream/watcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>

#include "check/tested.h"
#include "stream/pace.h"
#include "stream/piece_queue.h"
#include "stream/seen_transactions.h"
#include "stream/violation_record.h"

namespace isolde::stream {
namespace {

using std::chrono::steady_clock;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::chrono::milliseconds kTick{50};
constexpr std::int64_t kShowEvery = kSecond / 4;
constexpr double kBehind = 2;    // seconds that input may lie unread before a notice says so
constexpr double kInStep = 0.5;  // … and that it may before the watcher is no longer in step
// A state is written earlier than its time where so many violations would have to be remembered.
constexpr std::uint64_t kMostUncovered = 100'000;
// Writing states takes at most about this share of the time.
constexpr std::int64_t kWriteShare = 10;
// Pieces without a transaction that may come before it is decided what checks the stream.
constexpr std::size_t kMostBeforeFirst = 64;
// Transactions that an engine is given before it is told how far the stream is.
constexpr std::size_t kMostAtOnce = 256;

class Watcher : public OnlineSink {
 public:
  Watcher(Input& input, const MakeChecker& make, WatchView& view, const WatchOptions& options)
      : input_(input), make_(make), view_(view), options_(options) {}

  [[nodiscard]] Result<WatchSummary> run();

  void violated(const OnlineViolation& violation) override;
  void suspected(const OnlineViolation& violation, std::string_view why) override;

 private:
  [[nodiscard]] std::int64_t elapsed() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now() - began_).count();
  }
  [[nodiscard]] Result<void> resume();
  [[nodiscard]] Result<void> take(PieceQueue::Item item);
  [[nodiscard]] Result<void> start(const Chunk* first);
  [[nodiscard]] Result<void> add(const Piece& piece);
  [[nodiscard]] Result<std::shared_ptr<const Chunk>> without_repeated(std::shared_ptr<const Chunk> chunk);
  [[nodiscard]] StreamTime stream_time();
  void advance(bool everything = false);
  [[nodiscard]] double behind() const;
  void say_whether_behind();
  void show(bool now = false);
  [[nodiscard]] Result<void> checkpoint(bool now);
  [[nodiscard]] Result<WatchSummary> ended(bool stopped);
  [[nodiscard]] std::optional<Level> untested_form(const OnlineCounts& counts) const;
  [[nodiscard]] WatchCounts counts() const;

  Input& input_;
  const MakeChecker& make_;
  WatchView& view_;
  const WatchOptions& options_;
  const steady_clock::time_point began_ = steady_clock::now();
  // Time of watching (stream/arrival_clock.h): before this watcher; up to which everything was taken; by which the last
  // piece had arrived.
  std::int64_t before_ = 0, now_ = 0, came_ = 0;
  std::int64_t drained_ = 0;             // of the input, of this watcher alone
  std::int64_t heard_ = 0;               // elapsed() when the last item came
  std::optional<std::int64_t> in_step_;  // … and when everything that had arrived was last taken
  bool said_behind_ = false;

  std::optional<Checker> checker_;
  std::vector<Piece> early_;  // came before there was a checker
  bool begun_ = false;        // the engine has had the stream's header, or a transaction
  std::string position_;      // after the last piece
  struct Before {
    std::uint64_t piece;
    std::string position;
  };
  std::deque<Before> pieces_;  // those that the feed still needs: the position before each
  ViolationRecord record_;
  Pace pace_;
  std::unique_ptr<PieceQueue> queue_;

  std::uint64_t arrived_before_ = 0, checked_before_ = 0;  // by earlier watchers
  std::optional<SeenTransactions> seen_;
  std::uint64_t duplicates_ = 0;
  std::uint64_t delivered_ = 0, suspicions_ = 0, repeated_ = 0, late_ = 0, open_ = 0, checkpoints_ = 0;
  bool cut_ = false;  // the stream was stopped: what follows is no more than open
  bool changed_ = false;
  std::int64_t shown_ = 0, written_ = 0, write_took_ = 0;
};

Result<void> Watcher::resume() {
  if (options_.checkpoint == nullptr) return {};
  bool resumed = false;
  auto& earlier = options_.checkpoint->earlier();
  if (earlier) {
    StateReader& in = earlier->rest;
    now_ = in.get<std::int64_t>();
    before_ = came_ = in.get<std::int64_t>();
    begun_ = in.get<bool>();
    delivered_ = in.get<std::uint64_t>();
    suspicions_ = in.get<std::uint64_t>();
    late_ = in.get<std::uint64_t>();
    duplicates_ = in.get<std::uint64_t>();
    if (!record_.load(in)) return Error{"the checkpoint cannot be read", options_.checkpoint->path()};
    position_ = earlier->position;
    if (auto made = start(nullptr); !made) return made;
    const std::string other = difference(earlier->settings, checker_->settings);
    if (!other.empty())
      return Error{fmt::format("was made with other settings ({}): repeat those, or give another folder", other),
                   options_.checkpoint->path()};
    if (!seen_->load(in) || !checker_->feed->load(in) || !checker_->engine->load(in) || !in.at_end())
      return Error{"the checkpoint does not fit this program or these settings", options_.checkpoint->path()};
    arrived_before_ = delivered_;
    checked_before_ = checker_->engine->counts().checked;
    resumed = true;
    earlier.reset();  // its memory is not needed any more
  }
  auto opened = record_.open(options_.checkpoint->violations());
  if (!opened) return opened;
  if (resumed)
    view_.notice(fmt::format("goes on from {}, after {} transactions; violations until now: {}",
                             options_.checkpoint->path(), delivered_, record_.total()));
  return {};
}

Result<void> Watcher::start(const Chunk* first) {
  auto made = make_(first, *this);
  if (!made) return std::move(made).error();
  checker_.emplace(*std::move(made));
  seen_.emplace(checker_->remembered);
  view_.started(*checker_);
  return {};
}

void Watcher::violated(const OnlineViolation& violation) {
  if (cut_) {
    ++open_;
  } else if (record_.add(violation)) {
    view_.violated(violation);
  } else {
    ++repeated_;
  }
}

void Watcher::suspected(const OnlineViolation& violation, std::string_view why) {
  if (cut_) {
    ++open_;
    return;
  }
  ++suspicions_;
  view_.suspected(violation, why);
}

Result<void> Watcher::take(PieceQueue::Item item) {
  came_ = std::max(came_, before_ + item.next.came.count());
  heard_ = item.came;
  if (item.next.drained.count() > drained_) {
    drained_ = item.next.drained.count();
    in_step_ = item.came;
  }
  for (const std::string& text : item.next.notices) view_.notice(text);
  if (item.error) return *std::move(item.error);
  if (item.next.piece) {
    if (checker_) {
      if (auto added = add(*item.next.piece); !added) return added;
    } else {
      early_.push_back(*std::move(item.next.piece));
      const Chunk& chunk = *early_.back().chunk;
      if (chunk.history.txn_count() > 0 || early_.size() > kMostBeforeFirst) {
        auto made = start(&chunk);
        if (!made) return made;
        for (const Piece& piece : early_) {
          if (auto added = add(piece); !added) return added;
        }
        early_.clear();
      }
    }
  }
  if (checker_) {
    for (const Fingerprint session : item.next.gone) checker_->feed->gone(session, now_);
  }
  // Only now: what arrived until then is in this piece, or came before it.
  if (drained_ > 0) now_ = std::max(now_, before_ + drained_);
  return {};
}

// A sender that does not know whether a transaction arrived sends it again.
Result<std::shared_ptr<const Chunk>> Watcher::without_repeated(std::shared_ptr<const Chunk> chunk) {
  std::vector<TxnId> repeated;
  constexpr std::uint32_t kAhead = 8;
  for (std::uint32_t t = 0; t < chunk->history.txn_count(); ++t) {
    if (t + kAhead < chunk->history.txn_count()) seen_->prefetch(chunk->id(TxnId{t + kAhead}));
    const SeenTransactions::Seen seen =
        seen_->note(chunk->id(TxnId{t}), content_of(*chunk, TxnId{t}), checker_->feed->pieces());
    if (seen == SeenTransactions::Seen::kOther) {
      return Error{fmt::format("transaction id {} occurs twice with different content: an id names one transaction",
                               chunk->history.value_text(chunk->history.columns().id[t]))};
    }
    if (seen == SeenTransactions::Seen::kSame) repeated.push_back(TxnId{t});
  }
  if (repeated.empty()) return chunk;
  duplicates_ += repeated.size();
  auto without = std::make_shared<Chunk>(*chunk);
  without->repeated = std::move(repeated);
  return std::shared_ptr<const Chunk>(std::move(without));
}

Result<void> Watcher::add(const Piece& piece) {
  auto taken = without_repeated(piece.chunk);
  if (!taken) return std::move(taken).error();
  const Chunk& chunk = **taken;
  if (chunk.has_header && !begun_) {
    checker_->engine->begin(chunk);
    begun_ = true;
  }
  begun_ = begun_ || chunk.history.txn_count() > 0;
  checker_->engine->advance(stream_time());
  pieces_.push_back({checker_->feed->pieces(), std::move(position_)});
  checker_->feed->add(*taken, now_, came_);
  position_ = piece.position;
  changed_ = true;
  return {};
}

StreamTime Watcher::stream_time() {
  StreamTime time = checker_->feed->time(now_);
  time.came = came_;
  return time;
}

void Watcher::advance(bool everything) {
  if (!checker_) return;
  const auto hand_on = [this](const Arrival& arrival) {
    ++delivered_;
    if (arrival.late) {
      ++late_;
      view_.late(arrival);
    }
    checker_->engine->take(arrival);
  };
  if (everything) checker_->feed->close();
  // An engine that is given much at once without being told how far the stream is has to hold all of it.
  for (bool more = true; more;) {
    more = checker_->feed->deliver(now_, hand_on, kMostAtOnce) >= kMostAtOnce;
    checker_->engine->advance(stream_time());
  }
  for (const std::string& text : checker_->feed->notices()) view_.notice(text);
  while (!pieces_.empty() && pieces_.front().piece < checker_->feed->oldest_needed()) pieces_.pop_front();
}

WatchCounts Watcher::counts() const {
  WatchCounts c;
  if (checker_) {
    c.engine = checker_->engine->counts();
    const Feed::Held held = checker_->feed->held();
    c.held = held.transactions;
    c.held_bytes = held.bytes;
    c.missing = checker_->feed->missing();
  }
  if (queue_) c.input = queue_->counts();
  c.arrived = delivered_ + c.held;
  c.arrived_before = arrived_before_;
  c.checked_before = checked_before_;
  c.late = std::max(late_, c.engine.late);
  c.violations = record_.total();
  c.suspicions = suspicions_;
  c.duplicates = duplicates_ + c.input.duplicates;
  c.repeated = repeated_;
  c.by_name = record_.counts();
  c.seconds = static_cast<double>(elapsed()) / kSecond;
  c.in_per_second = pace_.in_per_second();
  c.checked_per_second = pace_.checked_per_second();
  c.lag = pace_.lag();
  c.most_lag = pace_.most_lag();
  c.behind = behind();
  c.checkpoints = checkpoints_;
  return c;
}

double Watcher::behind() const { return in_step_ ? static_cast<double>(elapsed() - *in_step_) / kSecond : 0; }

// Deadlines and silences do not run on while input lies unread: then nothing is judged that depends on them.
void Watcher::say_whether_behind() {
  const double seconds = behind();
  if (!said_behind_ && seconds >= kBehind) {
    said_behind_ = true;
    view_.notice(fmt::format(
        "input has been waiting to be read for {:.1f} s: the watcher is behind, and deadlines wait with it", seconds));
  } else if (said_behind_ && seconds < kBehind / 4) {
    said_behind_ = false;
    view_.notice("the watcher has caught up with its input");
  }
}

void Watcher::show(bool now) {
  const std::int64_t time = elapsed();
  if (!now && time - shown_ < kShowEvery) return;
  shown_ = time;
  // Everything that has come is taken, and nothing comes: whoever waits does so for a session, not for the watcher.
  const bool idle = checker_ && checker_->feed->waits_for_sessions() && in_step_ && behind() < kInStep;
  pace_.judged(time, checker_ ? checker_->engine->counts().checked : 0, idle);
  say_whether_behind();
  view_.progress(counts());
}

Result<void> Watcher::checkpoint(bool now) {
  if (options_.checkpoint == nullptr || !checker_ || !changed_) return {};
  const std::int64_t time = elapsed();
  const auto due =
      std::max(static_cast<std::int64_t>(options_.checkpoint_seconds * kSecond), write_took_ * kWriteShare);
  if (!now && time - written_ < due && record_.since_checkpoint() < kMostUncovered) return {};
  // A state on the disk means that what was found until then is on it too.
  auto synced = record_.sync();
  if (!synced) return synced;
  const std::string& position = pieces_.empty() ? position_ : pieces_.front().position;
  auto written = options_.checkpoint->write(checker_->settings, position, [this](StateWriter& out) {
    out.put(now_);
    out.put(came_);
    out.put(begun_);
    out.put(delivered_);
    out.put(suspicions_);
    out.put(late_);
    out.put(duplicates_);
    record_.save(out);
    seen_->save(out, checker_->feed->oldest_needed());
    checker_->feed->save(out);
    checker_->engine->save(out);
  });
  if (!written) return written;
  record_.covered();
  queue_->covered(position);
  ++checkpoints_;
  written_ = elapsed();
  write_took_ = written_ - time;
  changed_ = checker_->engine->counts().pending > 0 || checker_->feed->held().transactions > 0;
  return {};
}

Result<WatchSummary> Watcher::run() {
  auto resumed = resume();
  if (!resumed) return std::move(resumed).error();
  queue_ = std::make_unique<PieceQueue>(input_, [this] { return elapsed(); });
  bool stopping = false;
  while (true) {
    const bool interrupted = options_.interrupted != nullptr && *options_.interrupted;
    const bool timed_out = options_.seconds > 0 && static_cast<double>(elapsed()) >= options_.seconds * kSecond;
    if ((interrupted || timed_out) && !stopping) {
      stopping = true;
      queue_->stop();
    }
    auto item = queue_->take(kTick);
    const bool over = item && (item->next.over || item->error);
    if (item) {
      auto taken = take(*std::move(item));
      if (!taken) {
        // What came before is kept; the next watcher meets the same error with nothing lost.
        advance();
        (void)checkpoint(true);
        return std::move(taken).error();
      }
    }
    advance();
    if (checker_) pace_.came(heard_, delivered_ + checker_->feed->held().transactions);
    if (!record_.fault().empty()) return Error{record_.fault()};
    show();
    if (over) return ended(stopping);
    auto written = checkpoint(false);
    if (!written) return std::move(written).error();
  }
}

// The level without the order that the stream had nothing of.
std::optional<Level> Watcher::untested_form(const OnlineCounts& counts) const {
  if (!checker_ || !checker_->level) return std::nullopt;
  OrderEvidence evidence;
  evidence.sessions = counts.in_session > 0;
  evidence.clocks = counts.began > 0 && counts.ended > 0 && counts.began + counts.ended > 2;
  return tested_form(*checker_->level, evidence);
}

Result<WatchSummary> Watcher::ended(bool stopped) {
  auto written = checkpoint(true);
  if (!written) return std::move(written).error();
  WatchSummary s;
  s.stopped = cut_ = stopped;
  show(true);
  s.counts = counts();
  s.pending = s.counts.engine.pending + s.counts.held;
  if (checker_) {
    advance(true);
    checker_->engine->finish();
    if (!record_.fault().empty()) return Error{record_.fault()};
    auto synced = record_.sync();
    if (!synced) return std::move(synced).error();
  }
  s.open = open_;
  if (!stopped) {
    show(true);
    s.counts = counts();
    s.pending = 0;
  }
  queue_.reset();
  if (s.counts.seconds > 0) {
    s.counts.in_per_second = static_cast<double>(s.counts.arrived - arrived_before_) / s.counts.seconds;
    s.counts.checked_per_second = static_cast<double>(s.counts.engine.checked - checked_before_) / s.counts.seconds;
  }
  if (s.counts.violations > 0) {
    s.outcome = Outcome::kViolated;
  } else if (s.counts.suspicions > 0) {
    s.reason = fmt::format("{} would be violations, unless a part of the stream that is missing explains them",
                           s.counts.suspicions);
  } else if (s.open > 0) {
    s.reason = fmt::format("stopped too early: {} would be violations if nothing more came", s.open);
  } else if (checker_ && checker_->certifies && s.counts.engine.unchecked > 0) {
    s.reason = fmt::format(
        "{} reads or late writes could not be checked: what they have to do with had been given up, for memory or "
        "since "
        "its deadline was over",
        s.counts.engine.unchecked);
  } else if (const auto form = untested_form(s.counts.engine)) {
    s.reason = untested_reason(*checker_->level, *form);
    s.holds = form;
  } else {
    s.outcome = Outcome::kSatisfied;
  }
  return s;
}

}  // namespace

Result<WatchSummary> watch(Input& input, const MakeChecker& make, WatchView& view, const WatchOptions& options) {
  return Watcher(input, make, view, options).run();
}

}  // namespace isolde::stream
