// The whole way from senders to the verdict under random schedules: slow and stopped readers, full buffers, late
// senders, deadlines from 0.1 s, little memory (stream/schedule_testing.h has the model of it, with a clock of its
// own). A valid stream is never said to break anything; of what is wrong each is told once, or counted as not judged.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/scratch_folder.h"
#include "check/mirror/mirror_testing.h"
#include "check/timeline/online/online.h"
#include "check/timeline/timeline.h"
#include "stream/schedule_testing.h"
#include "stream/testing.h"
#include "stream/watcher.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"
#include "tests/support/online_steps.h"
#include "tests/support/random_history.h"

namespace isolde::stream {
namespace random_schedule_test {

using testing::Schedule;
using testing::ScheduledInput;
using testing::Scratch;
using testing::SentLine;

constexpr double kTenth = 1e8;  // nanoseconds
constexpr std::size_t kAmpleBytes = std::size_t{64} << 20;

class Heard : public WatchView {
 public:
  std::vector<OnlineViolation> violations;
  std::uint64_t suspicions = 0;
  bool missed = false;  // a session was missing at some time

  void started(const Checker&) override {}
  void violated(const OnlineViolation& v) override { violations.push_back(v); }
  void suspected(const OnlineViolation&, std::string_view) override { ++suspicions; }
  void late(const Arrival&) override { missed = true; }
  void notice(std::string_view) override { missed = true; }
  void progress(const WatchCounts& counts) override { missed = missed || !counts.missing.empty(); }

  [[nodiscard]] std::vector<std::uint64_t> identities() const {
    std::vector<std::uint64_t> all;
    for (const OnlineViolation& v : violations) all.push_back(v.identity);
    std::sort(all.begin(), all.end());
    return all;
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const OnlineViolation& v : violations) all += full_name(v.kind, v.variant) + ": " + v.text + "\n";
    return all;
  }
};

// A transaction that is done by `done` is sent up to `most` later, in its session's order.
struct Delays {
  std::int64_t unit;        // nanoseconds in one of the history's times
  std::int64_t most;        // nanoseconds
  std::int64_t behind = 0;  // out: the longest that one was sent after it was done
  bool by_session = false;  // each session has a connection of its own
  std::int64_t first = 0;   // no time of the history is before
};

template <typename Done>
Schedule schedule_of(const History& h, Delays& delays, Rng& rng, Done&& done) {
  Schedule schedule;
  schedule.connections.resize(delays.by_session ? h.session_count() : 1);
  std::vector<std::int64_t> last(h.session_count(), 0);
  std::string text = native_text(h);
  if (text.starts_with("{\"isolde\"")) {
    const std::size_t end = text.find('\n') + 1;
    schedule.header = text.substr(0, end);
    text.erase(0, end);
  }
  std::size_t at = 0;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::uint32_t session = raw(h.session(TxnId{t}));
    const std::int64_t ready = (done(TxnId{t}) - delays.first) * delays.unit;
    last[session] = std::max(last[session],
                             ready + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(delays.most) + 1)));
    delays.behind = std::max(delays.behind, last[session] - ready);
    schedule.connections[delays.by_session ? session : 0].push_back({last[session], text.substr(at, end - at)});
    at = end;
  }
  for (std::vector<SentLine>& lines : schedule.connections) {
    std::stable_sort(lines.begin(), lines.end(), [](const SentLine& a, const SentLine& b) { return a.at < b.at; });
  }
  schedule.capacity = rng.chance(0.5) ? 4096 : 65536;
  return schedule;
}

// From 0.1 s to 10 s, small ones as often as large ones.
std::int64_t draw_limit(Rng& rng) {
  double limit = kTenth;
  for (int i = 0; i < 2; ++i) limit *= 1 + 9 * rng.unit() * rng.unit();
  return static_cast<std::int64_t>(limit);
}

void draw_reader(Schedule& schedule, std::int64_t limit, Rng& rng) {
  schedule.pace = limit / rng.between(1, 50);
  schedule.pauses = rng.chance(0.7) ? 0.2 * rng.unit() : 0;
  schedule.longest_pause = limit * rng.between(1, 10);
}

// ---- by timestamps --------------------------------------------------------------------------------------------------

// Clients of a store that keeps its promise, one transaction each at a time; but for faults, which show what a key held
// once. Of registers alone, or of lists and counters too.
class StoreRun {
 public:
  StoreRun(Rng& rng, bool serial, double faults) : rng_(rng), serial_(serial), faults_(faults) {
    keys_ = 1 + rng.below(30);
    mixed_ = rng.chance(0.3);
    values_ = rng.chance(0.5) ? 3 : 1'000'000;
  }

  Draft run(std::size_t count) {
    Draft draft;
    std::vector<Open> open(2 + rng_.below(5));
    for (std::size_t left = count; left > 0;) {
      Open& client = open[rng_.below(open.size())];
      if (!client.busy) {
        begin(client, static_cast<std::size_t>(&client - open.data()));
      } else if (rng_.chance(0.4)) {
        draft.txns.push_back(end(client));
        --left;
      } else {
        operate(client);
      }
    }
    return draft;
  }

 private:
  using Values = std::map<std::string, DraftValue>;
  struct Open {
    bool busy = false;
    DraftTxn txn = {};
    Values view = {};
    std::set<std::string> written = {};
  };

  void begin(Open& client, std::size_t number) {
    client = {true, {}, store_, {}};
    client.txn.name = fmt::format("T{}", ++names_);
    client.txn.session = fmt::format("s{}", number);
    client.txn.start_ts = ++now_;
  }
  void operate(Open& client) {
    const std::uint64_t number = rng_.below(keys_);
    DraftOp op{OpKind::kRead, fmt::format("k{}", number), {}};
    if (rng_.chance(0.5)) {
      const std::uint64_t type = mixed_ ? number % 3 : 0;
      op.kind = type == 0 ? OpKind::kWrite : type == 1 ? OpKind::kAppend : OpKind::kIncrement;
      op.value = DraftValue::of(static_cast<std::int64_t>(values_ == 3 ? 1 + rng_.below(3) : ++written_));
    }
    client.txn.ops.push_back(std::move(op));
  }
  // Fills in what was read, and installs what was written.
  DraftTxn end(Open& client) {
    client.busy = false;
    Values view = serial_ ? store_ : client.view;
    std::set<std::string> written;
    for (DraftOp& op : client.txn.ops) {
      DraftValue& value = view[op.key];
      if (op.kind == OpKind::kRead) {
        op.value = value;
        const auto& past = past_[op.key];
        if (!past.empty() && !written.contains(op.key) && rng_.chance(faults_))
          op.value = past[rng_.below(past.size())];
        value = op.value;
        continue;
      }
      written.insert(op.key);
      if (op.kind == OpKind::kWrite) value = op.value;
      if (op.kind == OpKind::kAppend) {
        value.type = DraftValue::Type::kList;
        value.list.push_back(op.value.integer);
        if (value.list.size() > 12) op.kind = OpKind::kWrite, op.value = value = DraftValue::of_list({1});
      }
      if (op.kind == OpKind::kIncrement) value = DraftValue::of(value.integer + op.value.integer);
    }
    client.txn.commit_ts = ++now_;
    bool conflict = false;
    for (const std::string& key : written) conflict = conflict || changed_[key] > *client.txn.start_ts;
    if (rng_.chance(0.03) || (conflict && !serial_)) client.txn.status = Status::kAborted;
    for (const std::string& key : written) {
      if (client.txn.status == Status::kAborted) break;
      store_[key] = view[key];
      past_[key].push_back(view[key]);
      changed_[key] = now_;
    }
    return std::move(client.txn);
  }

  Rng& rng_;
  const bool serial_;
  const double faults_;
  std::uint64_t keys_, values_;
  bool mixed_;
  Values store_;
  std::map<std::string, std::vector<DraftValue>> past_;
  std::map<std::string, std::int64_t> changed_;  // when it was last written
  std::int64_t now_ = 0, written_ = 0;
  std::uint64_t names_ = 0;
};

struct Timestamped {
  History history;
  Schedule schedule;
  std::int64_t deadline;
};

// Everything is sent within the deadline of its commit, so nothing that is judged can still be explained.
Timestamped draw_timestamped(Rng& rng, Draft draft) {
  draft.versions.clear();
  draft.serial_by_commit_ts = false;
  std::int64_t first = 0, last = 0;
  for (DraftTxn& txn : draft.txns) {
    if (txn.status == Status::kUnknown) txn.status = Status::kAborted;
    txn.order.reset();
    txn.snapshot.reset();
    first = std::min(first, std::min(txn.commit_ts.value_or(0), txn.start_ts.value_or(0)));
    last = std::max(last, std::max(txn.commit_ts.value_or(0), txn.start_ts.value_or(0)));
  }
  const History h = draft.build();
  std::int64_t deadline = draw_limit(rng);
  Delays delays{.unit = deadline / rng.between(1, 100),
                .most = rng.chance(0.2) ? 0 : deadline / 20 * rng.between(1, 19),
                .by_session = rng.chance(0.5),
                .first = first};
  Schedule schedule = schedule_of(h, delays, rng, [&](TxnId t) {
    return h.commit_ts(t) != kNoTime ? h.commit_ts(t) : h.start_ts(t) != kNoTime ? h.start_ts(t) : last;
  });
  deadline = std::max(deadline, delays.behind + 1);
  draw_reader(schedule, deadline, rng);
  return {h, std::move(schedule), deadline};
}

enum class Memory : std::uint8_t { kAmple, kAmpleWithSpill, kLittle, kLittleWithSpill };

// What a violation may call a transaction or key: its name, or its fingerprint where little memory is left for names.
class Names {
 public:
  explicit Names(const History& h) {
    const Chunk chunk(h);
    for (std::uint32_t t = 0; t < h.txn_count(); ++t) add(chunk.id(TxnId{t}), h.txn_text(TxnId{t}));
    for (std::uint32_t k = 0; k < h.key_count(); ++k)
      add(chunk.key(KeyId{k}), h.value_text(h.columns().key_name[raw(KeyId{k})]));
  }
  [[nodiscard]] std::string of(const std::string& told) const {
    const auto at = by_fingerprint_.find(told);
    return at == by_fingerprint_.end() ? told : at->second;
  }

 private:
  void add(Fingerprint fingerprint, std::string name) {
    by_fingerprint_.emplace(fmt::format("(value {:x}, no longer held)", raw64(fingerprint)), std::move(name));
  }
  std::map<std::string, std::string> by_fingerprint_;
};

struct Share {
  std::uint64_t streams = 0, valid = 0, broken = 0, planted = 0, told = 0, not_judged = 0;
  std::uint64_t whole = 0;  // of which nothing could be missed
};

RandomOptions small_streams() {
  RandomOptions random;
  random.timestamps = RandomOptions::Timestamps::kCompleteAndDistinct;
  random.max_txns = 24;
  random.unknown = 0;
  return random;
}

bool grows(const History& h) {
  const auto ops = h.columns().op;
  return std::any_of(ops.begin(), ops.end(),
                     [](OpHead op) { return op.kind() == OpKind::kAppend || op.kind() == OpKind::kIncrement; });
}

void watch_timestamped(std::uint64_t seed, Memory memory, const std::string& spill, Share& share) {
  Rng rng(seed);
  constexpr Level kLevels[] = {Level::kSnapshotIsolation, Level::kStrongSessionSnapshotIsolation, Level::kSerializable,
                               Level::kStrongSessionSerializable};
  timeline::OnlineOptions options;
  options.level = kLevels[rng.below(std::size(kLevels))];
  const bool serial = info(options.level).family == LevelFamily::kSerializable;
  const double faults = rng.chance(0.6) ? 0 : 0.02;
  // So long that memory is looked at several times; or small and of every kind.
  const bool any_kind = memory == Memory::kAmple && rng.chance(0.5);
  Timestamped drawn = draw_timestamped(
      rng, any_kind ? random_draft(rng, small_streams())
                    : StoreRun(rng, serial, faults).run(memory == Memory::kAmple ? 60 : 100 + rng.below(400)));
  const History& h = drawn.history;
  options.deadline = drawn.deadline;
  const bool ample = memory == Memory::kAmple || memory == Memory::kAmpleWithSpill;
  const bool spills = memory == Memory::kAmpleWithSpill || memory == Memory::kLittleWithSpill;
  options.memory_limit = ample ? kAmpleBytes : std::size_t{1} << rng.between(12, 17);
  if (spills) options.spill_folder = spill;
  if (!kTimelineEngine.lacks(h, options.level).empty()) return;
  const Verdict offline = kTimelineEngine.check(h, options.level, Limits{});
  if (offline.outcome == Outcome::kUndecided) return;
  std::set<std::string> expected;
  for (const Anomaly& a : offline.anomalies) {
    const std::string key = a.key == kNoKey ? "" : h.value_text(h.columns().key_name[raw(a.key)]);
    expected.insert(fmt::format("{} {}", h.txn_text(a.transactions[0]), key));
  }

  ScheduledInput input(std::move(drawn.schedule), rng.next());
  Heard heard;
  const MakeChecker make = [&](const Chunk*, OnlineSink& sink) -> Result<Checker> {
    return Checker{.feed = feed_as_it_comes(),
                   .engine = timeline::make_online(options, sink),
                   .settings = {{"level", "one"}},
                   .remembered = 4096,
                   .certifies = true};
  };
  const auto summary = watch(input, make, heard, {});
  const std::string what =
      fmt::format("seed {}, {}, deadline {} ms, memory {}, {} transactions", seed, info(options.level).name,
                  drawn.deadline / 1'000'000, options.memory_limit, h.txn_count());
  ASSERT_TRUE(summary) << what << ": " << summary.error().message();
  const Names names(h);
  std::set<std::string> told;
  for (const OnlineViolation& v : heard.violations) {
    told.insert(fmt::format("{} {}", names.of(v.transactions[0]), names.of(v.key)));
    EXPECT_EQ(steps_fault(h, v), "") << what << "\n" << v.text << "\n" << native_text(h);
  }
  const std::vector<std::uint64_t> identities = heard.identities();
  EXPECT_EQ(std::adjacent_find(identities.begin(), identities.end()), identities.end()) << what << ": told twice";
  std::vector<std::string> made_up, missing;
  std::set_difference(told.begin(), told.end(), expected.begin(), expected.end(), std::back_inserter(made_up));
  std::set_difference(expected.begin(), expected.end(), told.begin(), told.end(), std::back_inserter(missing));
  const OnlineCounts& counts = summary->counts.engine;
  EXPECT_TRUE(made_up.empty()) << what << ": not so: " << fmt::format("{}", fmt::join(made_up, ", ")) << "\n"
                               << heard.text() << native_text(h);
  EXPECT_LE(missing.size(), counts.unchecked)
      << what << ": neither told nor counted: " << fmt::format("{}", fmt::join(missing, ", ")) << "\n"
      << native_text(h);
  // A transaction that lasts longer than the deadline reads a state that only a spill still has; what predicates should
  // have found is asked at the end, as long as everything is held.
  const bool whole = (ample && counts.late == 0) || (spills && !grows(h));
  if (whole && h.columns().predicates.empty()) {
    EXPECT_EQ(heard.suspicions, 0U) << what << "\n" << native_text(h);
    EXPECT_TRUE(missing.empty()) << what << ": not told: " << fmt::format("{}", fmt::join(missing, ", "))
                                 << ", unchecked " << counts.unchecked << "\n"
                                 << native_text(h);
    ++share.whole;
  }
  ++share.streams;
  ++(expected.empty() ? share.valid : share.broken);
  share.planted += expected.size();
  share.told += told.size();
  share.not_judged += missing.size();
}

void watch_all(std::uint64_t first, std::uint64_t usual, Memory memory) {
  const Scratch scratch;
  Share share;
  const std::uint64_t streams = effort::tries(usual, "streams");
  for (std::uint64_t i = 0; i < streams && !::testing::Test::HasFailure(); ++i)
    watch_timestamped(effort::seed(first) + i, memory, scratch / "spill", share);
  ::testing::Test::RecordProperty(
      "shares",
      fmt::format("{} streams: {} valid, {} with {} violations: {} told, {} not judged; {} could be judged whole",
                  share.streams, share.valid, share.broken, share.planted, share.told, share.not_judged, share.whole));
  EXPECT_TRUE(effort::reaches(0.2, share.valid, streams)) << share.valid << " of " << streams;
  EXPECT_TRUE(effort::reaches(0.05, share.broken, streams)) << share.broken << " of " << streams;
}

TEST(RandomSchedule, ByTimestampsWhatIsWrongIsToldOnceAndNothingElse) { watch_all(1, 1500, Memory::kAmple); }
TEST(RandomSchedule, ByTimestampsWithASpillLongTransactionsAreJudgedToo) {
  watch_all(1'000'000, 150, Memory::kAmpleWithSpill);
}
TEST(RandomSchedule, ByTimestampsWithLittleMemoryWhatIsNotToldIsCounted) { watch_all(2'000'000, 250, Memory::kLittle); }
TEST(RandomSchedule, ByTimestampsWithLittleMemoryAndASpillNothingIsLost) {
  watch_all(3'000'000, 250, Memory::kLittleWithSpill);
}

// ---- by the clients' clocks -----------------------------------------------------------------------------------------

struct Clocked {
  Simulated simulated;
  Schedule schedule;
  OrderOptions order;
};

Clocked draw_clocked(const SimulationOptions& simulation, Rng& rng) {
  Clocked drawn;
  drawn.simulated = simulate_dbms(simulation);
  const History& h = drawn.simulated.chunk->history;
  const std::int64_t limit = draw_limit(rng);
  std::int64_t first = 0;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) first = std::min(first, h.begin(TxnId{t}));
  Delays delays{.unit = limit / rng.between(1, 100),
                .most = rng.chance(0.2) ? 0 : limit * rng.between(1, 5),
                .by_session = rng.chance(0.5),
                .first = first};
  drawn.schedule = schedule_of(h, delays, rng, [&](TxnId t) { return h.end(t); });
  // Everybody says when it begins before anybody has done anything, so that nobody is unheard of.
  for (std::uint32_t s = 0; s < h.session_count(); ++s) {
    auto& lines = drawn.schedule.connections[delays.by_session ? s : 0];
    lines.insert(lines.begin(), {0, fmt::format("{{\"session\":{},\"heartbeat\":{}}}\n",
                                                h.value_text(h.columns().session_name[s]), first)});
  }
  draw_reader(drawn.schedule, limit, rng);
  drawn.order = {.silence = rng.chance(0.3) ? 0 : limit,
                 .hold = delays.by_session ? draw_limit(rng) : 0,
                 .max_bytes = std::size_t{16} << 20,
                 .max_sessions = 1000};
  return drawn;
}

struct Watched {
  Heard heard;
  OnlineCounts counts;
};

Watched watch_clocked(Clocked& drawn, const mirror::MirrorOptions& options, std::uint64_t seed) {
  Watched out;
  ScheduledInput input(std::move(drawn.schedule), seed);
  const MakeChecker make = [&](const Chunk*, OnlineSink& sink) -> Result<Checker> {
    return Checker{.feed = feed_in_order(drawn.order),
                   .engine = mirror::make_mirror(options, sink),
                   .settings = {{"profile", "one"}},
                   .remembered = 4096};
  };
  const auto summary = watch(input, make, out.heard, {});
  EXPECT_TRUE(summary) << summary.error().message();
  if (summary) out.counts = summary->counts.engine;
  return out;
}

TEST(RandomSchedule, ByClocksNothingIsToldOfWhatACorrectDbmsDid) {
  std::uint64_t quiet = 0, streams = 0;
  for (const std::uint64_t seed : effort::seeds(4'000'000, 1500, "streams")) {
    Rng rng(seed);
    const SimulationOptions simulation = mirror::random_options(rng, seed * 7919 + 1);
    Clocked drawn = draw_clocked(simulation, rng);
    mirror::MirrorOptions options;
    options.profile = simulation.profile;
    options.memory_limit = rng.chance(0.2) ? 1024 * (1 + rng.below(20)) : kAmpleBytes;
    const Watched watched = watch_clocked(drawn, options, rng.next());
    ASSERT_TRUE(watched.heard.violations.empty())
        << "seed " << seed << "\n"
        << mirror::text_of(simulation.profile) << "\n"
        << watched.heard.text() << native_text(drawn.simulated.chunk->history);
    ++streams;
    quiet += watched.heard.suspicions == 0 ? 1 : 0;
  }
  EXPECT_TRUE(effort::reaches(0.5, quiet, streams)) << quiet << " of " << streams;
}

// A profile that promises more than the database keeps. The reference is an engine that gets everything in order. The
// watcher may report more only where the reference says that it did not judge everything: a group of transactions that
// is too large for the reference's search may be small enough when a session is missing.
TEST(RandomSchedule, ByClocksWhatIsWrongIsToldOnceOrCounted) {
  std::uint64_t streams = 0, broken = 0, told = 0, counted = 0, beyond = 0;
  for (const std::uint64_t seed : effort::seeds(5'000'000, 1500, "streams")) {
    Rng rng(seed);
    const SimulationOptions simulation = mirror::random_options(rng, seed * 17 + 3);
    Clocked drawn = draw_clocked(simulation, rng);
    const History& h = drawn.simulated.chunk->history;
    mirror::MirrorOptions options;
    options.profile = mirror::random_profile(rng);
    mirror::Told whole;
    Rng every(seed);
    const auto engine = mirror::make_mirror(options, whole);
    mirror::feed(*engine, drawn.simulated, every, 1);
    const bool judged_all = engine->counts().unchecked + engine->counts().unsearched == 0;
    if (rng.chance(0.3)) options.memory_limit = 1024 * (1 + rng.below(20));
    const Watched watched = watch_clocked(drawn, options, rng.next());
    const std::string what = fmt::format("seed {}\n{}\n", seed, mirror::text_of(options.profile));
    for (const OnlineViolation& v : watched.heard.violations) ASSERT_EQ(steps_fault(h, v), "") << what << v.text;
    const auto identities = watched.heard.identities();
    ASSERT_EQ(std::adjacent_find(identities.begin(), identities.end()), identities.end()) << what << "told twice";
    ++streams;
    if (whole.violations.empty()) {
      ASSERT_TRUE(identities.empty() || !judged_all) << what << watched.heard.text() << native_text(h);
      beyond += identities.empty() ? 0 : 1;
      continue;
    }
    ++broken;
    const std::uint64_t open = watched.counts.unchecked + watched.counts.unsearched + watched.heard.suspicions;
    ASSERT_TRUE(!identities.empty() || open > 0) << what << "neither told nor counted:\n"
                                                 << whole.text() << native_text(h);
    told += identities.empty() ? 0 : 1;
    counted += identities.empty() ? 1 : 0;
  }
  RecordProperty("shares", fmt::format("{} streams: {} broken, of {} something told, {} counted; {} more told", streams,
                                       broken, told, counted, beyond));
  EXPECT_TRUE(effort::reaches(0.999, streams - beyond, streams)) << beyond << " of " << streams;
  EXPECT_TRUE(effort::reaches(0.1, broken, streams)) << broken << " of " << streams;
  EXPECT_TRUE(effort::reaches(0.5, told, broken)) << told << " of " << broken;
}

}  // namespace random_schedule_test
}  // namespace isolde::stream
