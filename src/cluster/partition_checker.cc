#include "cluster/partition_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde::cluster {
namespace {

constexpr std::uint64_t kStateForm = 0x69736f6c'636c7031ULL;
// Batches that wait for earlier ones of their producer. Beyond it the earlier ones are given up as missing.
constexpr std::size_t kMostEarlyBytes = std::size_t{64} << 20;
constexpr std::size_t kMostAtOnce = 256;
constexpr std::size_t kRemembered = std::size_t{1} << 16;

std::unique_ptr<stream::Intake> intake_at(const std::string& position) {
  stream::InputOptions options;
  options.resume = position;
  auto opened = stream::Intake::open(options);
  return opened ? *std::move(opened) : nullptr;
}

}  // namespace

Result<std::unique_ptr<PartitionChecker>> PartitionChecker::make(const ClusterPlan& plan, std::uint32_t partition) {
  std::unique_ptr<PartitionChecker> made(new PartitionChecker(plan, partition));
  auto parts = make_engine(plan, partition, *made);
  if (!parts) return std::move(parts).error();
  made->parts_ = *std::move(parts);
  made->intake_ = intake_at({});
  made->seen_.emplace(kRemembered);
  return made;
}

void PartitionChecker::violated(const OnlineViolation& violation) {
  ++violations_;
  findings_.push_back(violation);
}

void PartitionChecker::suspected(const OnlineViolation&, std::string_view) { ++suspicions_; }

void PartitionChecker::fault(std::uint64_t& count, std::uint64_t more, const std::string& what) {
  count += more;
  if (progress_.first_fault.empty()) progress_.first_fault = what;
}

void PartitionChecker::take(const StoredMessage& message) {
  if (message.sequence <= progress_.sequence || over_) return;
  progress_.sequence = message.sequence;
  if (origin_ == 0) origin_ = latest_ = message.time;
  latest_ = std::max(latest_, message.time);  // another server leads by now, and its clock is behind
  auto batch = read_batch(message.data);
  if (!batch) {
    fault(progress_.refused, 1, fmt::format("message {}: {}", message.sequence, batch.error().text));
    return;
  }
  const auto [at, is_new] = progress_.producers.try_emplace(batch->head.from);
  Producer& producer = at->second;
  if (is_new) producer.time = origin_;  // it has promised nothing yet: time waits for its first beat
  producer.heard = latest_;
  producer.silent = false;
  const std::uint64_t number = batch->head.number;
  if (batch->head.beat) {
    if (number <= producer.taken && producer.early.empty()) producer.time = latest_;
  } else if (number == producer.taken + 1) {
    take_batch(producer, *batch);
    take_early(producer);
  } else if (number > producer.taken) {
    if (producer.early.try_emplace(number, Early{message.sequence, message.data}).second)
      early_bytes_ += message.data.size();
    if (early_bytes_ > kMostEarlyBytes) give_up_missing(batch->head.from, producer);
  }
  move_time();
  deliver(false);
  finish_if_over();
}

void PartitionChecker::take_early(Producer& producer) {
  while (!producer.early.empty() && producer.early.begin()->first <= producer.taken + 1) {
    auto next = producer.early.extract(producer.early.begin());
    early_bytes_ -= next.mapped().data.size();
    const auto batch = read_batch(next.mapped().data);  // it could be read when it came
    if (next.key() == producer.taken + 1 && batch) take_batch(producer, *batch);
  }
}

void PartitionChecker::give_up_missing(const std::string& name, Producer& producer) {
  if (producer.early.empty()) return;
  const std::uint64_t next = producer.early.begin()->first;
  fault(progress_.missing, next - producer.taken - 1,
        fmt::format("batches {} to {} of {} never came", producer.taken + 1, next - 1, name));
  producer.taken = next - 1;
  producer.sender.past_header = true;
  take_early(producer);
}

void PartitionChecker::take_batch(Producer& producer, const Batch& batch) {
  const std::uint64_t sequence_before = progress_.sequence - 1;
  std::optional<Progress> before;
  if (plan_.by_clocks()) {
    before = progress_;
    before->sequence = sequence_before;
    for (auto& [name, one] : before->producers) one.early.clear();  // read again
  }
  producer.taken = batch.head.number;
  producer.bye = producer.bye || batch.head.bye;
  progress_.unjudged += batch.head.unjudged;
  progress_.split += batch.head.split;
  if (batch.lines.empty()) return;
  stream::Intake::Taken taken = intake_->take(producer.sender, batch.lines, batch.head.from);
  if (taken.wrong)
    fault(progress_.refused, 1,
          fmt::format("batch {} of {}: {}", batch.head.number, batch.head.from, taken.wrong->message()));
  if (!taken.piece) return;
  progress_.intake = taken.piece->position;
  if (before) before_.push_back({parts_.feed->pieces(), *std::move(before)});
  add(taken.piece->chunk);
}

void PartitionChecker::add(const std::shared_ptr<const Chunk>& chunk) {
  auto taken = chunk;
  std::vector<TxnId> repeated;
  for (std::uint32_t t = 0; t < chunk->history.txn_count(); ++t) {
    const auto seen = seen_->note(chunk->id(TxnId{t}), stream::content_of(*chunk, TxnId{t}), parts_.feed->pieces());
    if (seen == stream::SeenTransactions::Seen::kOther) {
      fault(progress_.refused, 1,
            fmt::format("transaction id {} occurs twice with different content",
                        chunk->history.value_text(chunk->history.columns().id[t])));
    }
    if (seen != stream::SeenTransactions::Seen::kNew) repeated.push_back(TxnId{t});
  }
  if (!repeated.empty()) {
    auto without = std::make_shared<Chunk>(*chunk);
    without->repeated = std::move(repeated);
    taken = std::move(without);
  }
  if (taken->has_header && !begun_) parts_.engine->begin(*taken);
  begun_ = begun_ || taken->has_header || taken->history.txn_count() > 0;
  parts_.engine->advance(stream_time());
  parts_.feed->add(taken, now_, latest_ - origin_);
}

// A deadline that a producer may still meet does not pass: time goes as far as everybody was heard.
void PartitionChecker::move_time() {
  // Nor does it go before all producers that will come have come.
  std::int64_t heard = progress_.producers.size() < plan_.producers ? origin_ : latest_;
  const auto limit = static_cast<std::int64_t>(plan_.silence * 1e9);
  for (auto& [name, producer] : progress_.producers) {
    if (producer.bye) continue;
    if (limit > 0 && latest_ - producer.heard > limit) {
      if (!producer.early.empty()) give_up_missing(name, producer);
      producer.silent = true;
    }
    if (!producer.silent) heard = std::min(heard, producer.time);
  }
  now_ = std::max(now_, heard - origin_);
}

StreamTime PartitionChecker::stream_time() {
  StreamTime time = parts_.feed->time(now_);
  time.came = latest_ - origin_;
  for (const auto& [name, producer] : progress_.producers) time.complete = time.complete && !producer.silent;
  return time;
}

void PartitionChecker::deliver(bool everything) {
  if (everything) parts_.feed->close();
  for (bool more = true; more;) {
    const auto hand_on = [this](const Arrival& arrival) {
      ++transactions_;
      parts_.engine->take(arrival);
    };
    more = parts_.feed->deliver(now_, hand_on, kMostAtOnce) >= kMostAtOnce;
    parts_.engine->advance(stream_time());
  }
  while (!before_.empty() && before_.front().piece < parts_.feed->oldest_needed()) before_.pop_front();
}

void PartitionChecker::finish_if_over() {
  if (plan_.producers == 0 || over_) return;
  std::uint64_t gone = 0;
  for (const auto& [name, producer] : progress_.producers) {
    if (!producer.early.empty()) return;
    if (!producer.bye) return;
    ++gone;
  }
  if (gone < plan_.producers) return;
  deliver(true);
  parts_.engine->finish();
  over_ = true;
}

PartitionStatus PartitionChecker::status() const {
  const OnlineCounts counts = parts_.engine->counts();
  PartitionStatus s;
  s.partition = partition_;
  s.sequence = progress_.sequence;
  s.time = latest_;
  s.transactions = transactions_;
  s.operations = counts.operations;
  s.checked = counts.checked;
  s.pending = counts.pending + parts_.feed->held().transactions;
  s.violations = violations_;
  s.suspicions = suspicions_;
  s.unchecked = counts.unchecked + counts.unsearched;
  s.unjudged = progress_.unjudged;
  s.split = progress_.split;
  s.refused = progress_.refused;
  s.missing = progress_.missing;
  s.in_session = counts.in_session;
  s.began = counts.began;
  s.ended = counts.ended;
  s.over = over_;
  s.first_fault = progress_.first_fault;
  for (const auto& [name, producer] : progress_.producers) {
    s.taken[name] = producer.taken;
    if (producer.silent) s.silent.push_back(name);
  }
  return s;
}

void PartitionChecker::save(const Progress& progress, StateWriter& out) {
  out.put(progress.sequence);
  out.put(std::uint64_t{progress.producers.size()});
  for (const auto& [name, producer] : progress.producers) {
    out.put_text(name);
    out.put(producer.sender.number);
    out.put(producer.sender.lines);
    out.put(producer.sender.past_header);
    out.put(producer.taken);
    out.put(producer.heard);
    out.put(producer.time);
    out.put(producer.bye);
    out.put(producer.silent);
  }
  out.put_text(progress.intake);
  out.put(progress.unjudged);
  out.put(progress.split);
  out.put(progress.refused);
  out.put(progress.missing);
  out.put_text(progress.first_fault);
}

bool PartitionChecker::load(Progress& progress, StateReader& in) {
  progress.sequence = in.get<std::uint64_t>();
  for (auto left = in.get<std::uint64_t>(); left > 0 && in.good(); --left) {
    const std::string name = in.get_text();
    Producer& producer = progress.producers[name];
    producer.sender.number = in.get<std::uint32_t>();
    producer.sender.lines = in.get<std::uint64_t>();
    producer.sender.past_header = in.get<bool>();
    producer.taken = in.get<std::uint64_t>();
    producer.heard = in.get<std::int64_t>();
    producer.time = in.get<std::int64_t>();
    producer.bye = in.get<bool>();
    producer.silent = in.get<bool>();
  }
  progress.intake = in.get_text();
  progress.unjudged = in.get<std::uint64_t>();
  progress.split = in.get<std::uint64_t>();
  progress.refused = in.get<std::uint64_t>();
  progress.missing = in.get<std::uint64_t>();
  progress.first_fault = in.get_text();
  return in.good();
}

// What waits for an earlier batch is not saved: it is read again. So is what the feed has not delivered.
std::uint64_t PartitionChecker::resume_at() const {
  std::uint64_t next = (before_.empty() ? progress_.sequence : before_.front().progress.sequence) + 1;
  for (const auto& [name, producer] : progress_.producers) {
    for (const auto& [number, early] : producer.early) next = std::min(next, early.sequence);
  }
  return next;
}

void PartitionChecker::save(StateWriter& out) const {
  out.put(kStateForm);
  out.put_text(plan_text(plan_));
  Progress progress = before_.empty() ? progress_ : before_.front().progress;
  progress.sequence = resume_at() - 1;
  save(progress, out);
  out.put(origin_);
  out.put(latest_);
  out.put(now_);
  out.put(begun_);
  out.put(over_);
  out.put(transactions_);
  out.put(violations_);
  out.put(suspicions_);
  seen_->save(out, parts_.feed->oldest_needed());
  parts_.feed->save(out);
  parts_.engine->save(out);
}

bool PartitionChecker::load(StateReader& in) {
  if (in.get<std::uint64_t>() != kStateForm || in.get_text() != plan_text(plan_)) return false;
  if (!load(progress_, in)) return false;
  origin_ = in.get<std::int64_t>();
  latest_ = in.get<std::int64_t>();
  now_ = in.get<std::int64_t>();
  begun_ = in.get<bool>();
  over_ = in.get<bool>();
  transactions_ = in.get<std::uint64_t>();
  violations_ = in.get<std::uint64_t>();
  suspicions_ = in.get<std::uint64_t>();
  intake_ = intake_at(progress_.intake);
  return intake_ != nullptr && seen_->load(in) && parts_.feed->load(in) && parts_.engine->load(in) && in.good();
}

}  // namespace isolde::cluster
