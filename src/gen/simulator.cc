#include "gen/simulator.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace isolde {
namespace {

// The clock's unit is a microsecond.
constexpr std::int64_t kMeanOperation = 200;
constexpr std::int64_t kShortestPause = 300;  // more than two latencies: one transaction ends before the next begins
constexpr std::uint32_t kRepeatedValues = 10;
constexpr std::uint64_t kProgressStep = 1U << 16;

// A planned operation: the place of its key above these bits. One that does not write reads.
constexpr std::uint32_t kWrites = 1;
constexpr std::uint32_t kReadsFirst = 2;  // with kWrites: a read-modify-write
constexpr std::uint32_t kPlanBits = 2;

}  // namespace

Simulator::Simulator(const GenOptions& options, Progress* progress)
    : options_(options),
      progress_(progress),
      serializable_(generated_serializable(options.level)),
      ops_(options.ops),
      rng_(options.seed),
      plant_rng_(mix64(options.seed) ^ 0x706c616e74737273ULL),
      sampler_(options.distribution, options.keys, options.zipf_exponent),
      store_(options),
      recorder_(options),
      mean_service_(kMeanOperation * options.ops),
      read_threshold_(static_cast<std::uint64_t>(options.read_share * 0x1.0p32)),
      rmw_threshold_(read_threshold_ + static_cast<std::uint64_t>(options.rmw_share * 0x1.0p32)) {
  // With this pause between its transactions, `overlap` of the sessions are busy at any time.
  const double idle_share = std::max(0.0, options.sessions / options.overlap - 1);
  mean_think_ = static_cast<std::int64_t>(static_cast<double>(mean_service_) * idle_share);
  most_running_ = std::min(options.sessions, static_cast<std::uint32_t>(options.overlap * 4 / 3 + 0.999));
  sessions_.resize(options.sessions);
  if (options.type == DataType::kRow) {
    rows_.emplace(options);
  } else {
    const std::size_t cells = static_cast<std::size_t>(options.sessions) * ops_;
    plan_.extend(cells);
    key_.extend(cells);
    seen_.extend(cells);
  }
  element_.resize(ops_);
  previous_.resize(ops_);
  draw_groups();
}

void Simulator::draw_groups() {
  std::uint64_t planted = 0;
  for (const Plant& plant : options_.plants) {
    const std::uint64_t count = planted_groups(plant, options_.transactions);
    due_.insert(due_.end(), count, plant.kind);
    planted += count * info(plant.kind).roles.size();
  }
  for (std::size_t i = due_.size(); i > 1; --i) std::swap(due_[i - 1], due_[plant_rng_.below(i)]);
  target_ = options_.transactions - planted;
  // So many run at once, hence the whole takes about so long.
  const double running = std::min<double>(options_.overlap, options_.sessions);
  const double length = static_cast<double>(target_) * static_cast<double>(mean_service_) / running;
  constexpr double kSteps = 6;  // of most scripts
  mean_plant_step_ = static_cast<std::int64_t>(length * options_.spread / kSteps);
}

void Simulator::schedule(std::int64_t time, std::uint32_t who) {
  heap_.push_back({time, who});
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

void Simulator::schedule_next(std::uint32_t session, std::int64_t now) {
  schedule(now + kShortestPause + rng_.between(0, 2 * mean_think_), session);
}

Result<Generated> Simulator::run() {
  for (std::uint32_t s = 0; s < options_.sessions; ++s) {
    schedule(kShortestPause + rng_.between(0, 2 * mean_think_ + mean_service_), s);
  }
  std::int64_t now = 0;
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const Event event = heap_.back();
    heap_.pop_back();
    now = event.time;
    if (event.who >= options_.sessions) {
      advance_group(event.who - options_.sessions, now);
    } else if (sessions_[event.who].running) {
      finish(event.who, now);
    } else if (running_ >= most_running_) {
      waiting_.push_back(event.who);
    } else {
      try_start(event.who, now);
    }
    launch_due_groups(now);
  }
  stats_.overlap = now > 0 ? running_time_ / static_cast<double>(now) : 0;

  Result<History> history = recorder_.finish();
  if (!history) return std::move(history).error();
  Generated made{*std::move(history), std::move(planted_), {}, stats_};
  if (options_.evidence.order && !serializable_) {
    made.notes.emplace_back("order left out: a snapshot-isolated history has no serialization order to promise");
  }
  return made;
}

void Simulator::plan(std::uint32_t session) {
  if (rows_) {
    rows_->plan(session, rng_, sampler_);
    sessions_[session].planned = true;
    return;
  }
  std::uint32_t* const row = &plan_[static_cast<std::size_t>(session) * ops_];
  bool writes = false;
  for (std::uint32_t i = 0; i < ops_; ++i) {
    const std::uint32_t place = sampler_.draw(rng_);
    const std::uint64_t drawn = rng_.next() >> 32;
    const bool is_write = drawn >= read_threshold_;
    store_.prefetch(store_.key_at(place));
    writes |= is_write;
    row[i] = (place << kPlanBits) | (is_write ? kWrites : 0U);
    if (is_write && drawn < rmw_threshold_) row[i] |= kReadsFirst;
  }
  sessions_[session].planned = true;
  sessions_[session].writes = writes;
}

// Whether it could start. What others run may still be what the history lacks; then the session is free.
bool Simulator::try_start(std::uint32_t s, std::int64_t now) {
  if (recorded_ + running_ >= target_) {
    free_.push_back(s);
    return false;
  }
  Session& session = sessions_[s];
  if (!session.planned) plan(s);
  const std::size_t row = static_cast<std::size_t>(s) * ops_;
  for (std::size_t i = row; !rows_ && i < row + ops_; ++i) {
    key_[i] = store_.key_at(plan_[i] >> kPlanBits);
    seen_[i] = store_.newest(key_[i]);
  }
  session.running = true;
  session.begin = now - latency();
  session.start = now;
  session.start_ts = ++oracle_;
  if (rows_) session.writes = rows_->start(s, session.start_ts, value_);
  running_time_ += static_cast<double>(running_) * static_cast<double>(now - last_change_);
  last_change_ = now;
  ++running_;
  ++stats_.attempts;
  schedule(now + static_cast<std::int64_t>(ops_) * rng_.between(kMeanOperation / 2, kMeanOperation * 3 / 2), s);
  return true;
}

bool Simulator::conflicts(std::uint32_t s) const {
  const Session& session = sessions_[s];
  if (!session.writes) return false;
  if (rows_) return rows_->conflicts(s, serializable_);
  const std::size_t row = static_cast<std::size_t>(s) * ops_;
  for (std::size_t i = row; i < row + ops_; ++i) {
    if ((serializable_ || (plan_[i] & kWrites) != 0) && store_.changed_since(key_[i], session.start_ts)) return true;
  }
  return false;
}

bool Simulator::behind_with_aborts() const {
  return static_cast<double>(aborted_) + 1 <= options_.abort_share * static_cast<double>(recorded_ + 1);
}

void Simulator::finish(std::uint32_t s, std::int64_t now) {
  Session& session = sessions_[s];
  session.running = false;
  running_time_ += static_cast<double>(running_) * static_cast<double>(now - last_change_);
  last_change_ = now;
  --running_;

  TxnTimes times{session.begin, session.start, now, now + latency(), session.start_ts, kNoTime};
  const bool conflict = conflicts(s);
  if (conflict) {
    ++stats_.conflicts;
    if (behind_with_aborts()) record(s, Status::kAborted, times, false);
    schedule(now + kShortestPause + rng_.between(0, mean_service_), s);
  } else {
    if (behind_with_aborts()) {
      record(s, Status::kAborted, times, false);  // the client rolls back
    } else {
      const bool unknown = options_.unknown_share > 0 && rng_.chance(options_.unknown_share);
      const bool takes_effect = !unknown || rng_.chance(0.5);
      if (takes_effect) times.commit_ts = session.writes ? ++oracle_ : session.start_ts;
      record(s, unknown ? Status::kUnknown : Status::kCommitted, times, takes_effect && session.writes);
    }
    session.planned = false;
    if (group_lacks_sessions()) {
      free_.push_back(s);
    } else {
      schedule_next(s, now);
    }
  }
  if (rows_) rows_->end(s);
  while (!waiting_.empty() && running_ < most_running_) {
    const std::uint32_t next = waiting_.front();
    waiting_.pop_front();
    if (try_start(next, now)) break;
  }
}

ValueId Simulator::next_value() {
  if (options_.repeated_values) return ValueId{1 + static_cast<std::uint32_t>(rng_.below(kRepeatedValues))};
  return ValueId{++value_};
}

// The list as the transaction that is being recorded sees it after its own appends.
ValueId Simulator::list_with_own(std::uint32_t key, std::uint32_t seen) {
  const std::span<const ValueId> base = store_.list(key, seen);
  if (store_.own(key).stamp != stamp_) {
    ValueId value = kNullValue;
    if (store_.recall(key, seen, value)) return value;
    value = recorder_.list(base);
    store_.remember(key, seen, value);
    return value;
  }
  scratch_.assign(base.begin(), base.end());
  for (std::uint32_t op = store_.own(key).last; op != kNone32; op = previous_[op]) scratch_.push_back(element_[op]);
  std::reverse(scratch_.begin() + static_cast<std::ptrdiff_t>(base.size()), scratch_.end());
  return recorder_.list(scratch_);
}

void Simulator::record(std::uint32_t s, Status status, const TxnTimes& times, bool takes_effect) {
  const std::size_t row = static_cast<std::size_t>(s) * ops_;
  std::uint32_t both = 0;
  for (std::uint32_t i = 0; !rows_ && i < ops_; ++i) both += (plan_[row + i] & kReadsFirst) != 0 ? 1U : 0U;
  recorder_.open(s, status, times, ops_ + both);
  ++stamp_;
  if (rows_) rows_->record(s, recorder_);
  for (std::uint32_t i = 0; !rows_ && i < ops_; ++i) {
    const std::uint32_t key = key_[row + i];
    const std::uint32_t seen = seen_[row + i];
    Store::Own& own = store_.own(key);
    const std::uint32_t what = plan_[row + i];
    if ((what & kWrites) == 0 || (what & kReadsFirst) != 0) {
      if (store_.lists()) {
        recorder_.read(key, list_with_own(key, seen));
      } else {
        recorder_.read(key, ValueId{own.stamp == stamp_ ? own.last : seen});
      }
    }
    if ((what & kWrites) != 0) {
      const ValueId value = next_value();
      recorder_.write(key, value);
      if (store_.lists()) {
        element_[i] = value;
        previous_[i] = own.stamp == stamp_ ? own.last : kNone32;
      }
      own = {stamp_, store_.lists() ? i : raw(value)};
    }
  }
  if (takes_effect) take_effect(s, times.commit_ts);
  recorder_.close();
  ++recorded_;
  if (status == Status::kAborted) ++aborted_;
  if (progress_ != nullptr && recorder_.txn_count() % kProgressStep == 0) {
    progress_->advance("generate", recorder_.txn_count(), options_.transactions);
  }
}

void Simulator::take_effect(std::uint32_t s, std::int64_t commit_ts) {
  if (rows_) return rows_->take_effect(s, commit_ts, recorder_);
  const std::size_t row = static_cast<std::size_t>(s) * ops_;
  for (std::uint32_t i = 0; i < ops_; ++i) {
    if ((plan_[row + i] & kWrites) == 0) continue;
    const std::uint32_t key = key_[row + i];
    Store::Own& own = store_.own(key);
    const bool first = own.stamp == stamp_;
    own.stamp = 0;  // each key is installed once
    if (store_.lists()) {
      store_.append(key, element_[i], commit_ts);
      if (first) recorder_.install(key, element_[i]);
    } else if (first) {
      store_.set(key, ValueId{own.last}, commit_ts);
      recorder_.install(key, ValueId{own.last});
    }
  }
  if (!store_.lists()) return;
  for (std::uint32_t i = 0; i < ops_; ++i) {
    if ((plan_[row + i] & kWrites) != 0) store_.retire_if_full(plan_[row + i] >> kPlanBits);
  }
}

}  // namespace isolde
