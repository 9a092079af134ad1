#include "cluster/partition_checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/packed.h"

namespace isolde::cluster {
namespace {

constexpr std::uint64_t kStateForm = 0x69736f6c'636c7032ULL;
// Batches that wait for earlier ones of their producer. Beyond it the earlier ones are given up as missing.
constexpr std::size_t kMostEarlyBytes = std::size_t{64} << 20;
constexpr std::size_t kMostAtOnce = 256;
constexpr std::size_t kMostRepeated = 4096;                // of a producer, remembered
constexpr std::size_t kRemembered = std::size_t{1} << 14;  // transactions, for repeated ids

std::unique_ptr<stream::Intake> intake_at(const std::string& position) {
  stream::InputOptions options;
  options.resume = position;
  auto opened = stream::Intake::open(options);
  return opened ? *std::move(opened) : nullptr;
}

}  // namespace

Result<std::unique_ptr<PartitionChecker>> PartitionChecker::make(const ClusterPlan& plan, std::uint32_t partition) {
  std::unique_ptr<PartitionChecker> made(new PartitionChecker(plan, partition));
  auto parts = make_engine(plan, partition, *made, made.get());
  if (!parts) return std::move(parts).error();
  made->parts_ = *std::move(parts);
  made->intake_ = intake_at({});
  made->seen_.emplace(kRemembered);
  return made;
}

void PartitionChecker::suspected(const OnlineViolation&, std::string_view) { ++suspicions_; }

void PartitionChecker::tied(Fingerprint txn) {
  if (tied_.size() <= kMostTied) tied_.insert(raw64(txn));
}

void PartitionChecker::fault(std::uint64_t& count, std::uint64_t more, const std::string& what) {
  count += more;
  if (progress_.first_fault.empty()) progress_.first_fault = what;
}

void PartitionChecker::take(const StoredMessage& message) {
  if (message.sequence <= progress_.sequence || over_) return;
  progress_.sequence = message.sequence;
  // Later than all that was read, under a number that was: the broker had forgotten its last messages.
  const bool again = message.sequence <= furthest_ && message.time <= latest_;
  furthest_ = std::max(furthest_, message.sequence);
  if (origin_ == 0) origin_ = latest_ = message.time;
  latest_ = std::max(latest_, message.time);  // another server leads by now, and its clock is behind
  auto batch = read_batch(message.data);
  // Who may publish as whom is decided by subjects, so a name must be that of its subject.
  const bool is_its_own = batch && message.subject.ends_with("." + batch->head.from);
  if (!is_its_own) {
    const std::string why =
        batch ? "it is from " + batch->head.from + ", and not under its subject" : batch.error().text;
    if (!again) fault(progress_.refused, 1, fmt::format("message {}: {}", message.sequence, why));
    return;
  }
  const auto [at, is_new] = progress_.producers.try_emplace(batch->head.from);
  Producer& producer = at->second;
  if (is_new) producer.time = origin_;  // it has promised nothing yet: time waits for its first beat
  if (!again) {
    producer.heard = latest_;
    producer.silent = false;
  }
  const std::uint64_t number = batch->head.number, taken_before = producer.taken;
  if (batch->head.beat) {
    producer.announced = std::max(producer.announced, number);
    // One that is read again was true when it was stored, and latest_ is later.
    if (!again && !producer.has_gap()) producer.time = latest_;
  } else if (number == producer.taken + 1) {
    // The broker gives out again the numbers of what it forgot: what was read under them is no reason to drop this.
    producer.passed = std::min(producer.passed, message.sequence - 1);
    take_batch(producer, *batch);
    take_early(producer);
  } else if (number > producer.taken) {
    if (producer.early.try_emplace(number, Early{message.sequence, message.data}).second)
      early_bytes_ += message.data.size();
    if (early_bytes_ > kMostEarlyBytes) give_up_missing(batch->head.from, producer);
  } else if (producer.repeated.size() < kMostRepeated) {
    producer.repeated.insert(message.sequence);
  }
  if (!again || producer.taken > taken_before) ++changes_;
  // A repetition says nothing about what was sent between.
  if (!producer.has_gap() &&
      (producer.taken > taken_before || (batch->head.beat && !again && number == producer.taken)))
    producer.passed = std::max(producer.passed, message.sequence);
  producer.repeated.erase(producer.repeated.begin(), producer.repeated.upper_bound(producer.passed));
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

std::optional<std::uint64_t> PartitionChecker::gap() const {
  std::optional<std::uint64_t> sum;
  for (const auto& [name, producer] : progress_.producers) {
    if (producer.has_gap()) sum = sum.value_or(0) + 1 + producer.taken;
  }
  return over_ ? std::nullopt : sum;
}

std::vector<std::uint64_t> PartitionChecker::take_repetitions() {
  std::vector<std::uint64_t> out;
  for (auto& [name, producer] : progress_.producers) {
    if (producer.has_gap()) continue;
    out.insert(out.end(), producer.repeated.begin(), producer.repeated.end());
    producer.repeated.clear();
  }
  return out;
}

void PartitionChecker::note_lost_state() {
  fault(progress_.missing, 1, fmt::format("the checkpoint of partition {} was lost", partition_));
}

bool PartitionChecker::lacks_its_state() const {
  return std::any_of(progress_.producers.begin(), progress_.producers.end(),
                     [](const auto& one) { return one.second.taken == 0 && one.second.has_gap(); });
}

void PartitionChecker::give_up_gaps() {
  ++changes_;
  for (auto& [name, producer] : progress_.producers) {
    give_up_missing(name, producer);
    if (producer.announced <= producer.taken) continue;
    fault(progress_.missing, producer.announced - producer.taken,
          fmt::format("batches {} to {} of {} never came", producer.taken + 1, producer.announced, name));
    producer.taken = producer.announced;
    producer.sender.past_header = true;
  }
  move_time();
  deliver(false);
  finish_if_over();
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
  for (const BatchSection& section : batch.sections) {
    if (section.packed > 0) {
      take_packed(producer, batch, section);
    } else if (!section.bytes.empty()) {
      take_lines(producer, batch, section.bytes, before);
    }
  }
}

void PartitionChecker::take_lines(Producer& producer, const Batch& batch, std::string_view lines,
                                  const std::optional<Progress>& before) {
  stream::Intake::Taken taken = intake_->take(producer.sender, lines, batch.head.from);
  if (taken.wrong)
    fault(progress_.refused, 1,
          fmt::format("batch {} of {}: {}", batch.head.number, batch.head.from, taken.wrong->message()));
  if (!taken.piece) return;
  progress_.intake = taken.piece->position;
  if (before) before_.push_back({parts_.feed->pieces(), *before});
  add(taken.piece->chunk);
}

void PartitionChecker::take_packed(Producer& producer, const Batch& batch, const BatchSection& section) {
  auto history = plan_.by_clocks() ? std::nullopt : unpack(section.bytes, section.packed);
  if (history && *history) {
    auto chunk = std::make_shared<Chunk>(*std::move(*history));
    chunk->first_line = producer.sender.lines + 1;
    progress_.intake = intake_->note_taken(producer.sender, section.packed);
    return add(chunk);
  }
  // Lines have the words for what is wrong, and know what to leave out.
  const auto lines = unpacked_lines(section.bytes, section.packed);
  if (lines && !plan_.by_clocks()) return take_lines(producer, batch, *lines, std::nullopt);
  fault(progress_.refused, 1, fmt::format("batch {} of {} is packed wrongly", batch.head.number, batch.head.from));
}

void PartitionChecker::add(const std::shared_ptr<const Chunk>& chunk) {
  auto taken = chunk;
  std::vector<TxnId> repeated;
  constexpr std::uint32_t kSoon = 8;
  for (std::uint32_t t = 0; t < chunk->history.txn_count(); ++t) {
    if (t + kSoon < chunk->history.txn_count()) seen_->prefetch(chunk->id(TxnId{t + kSoon}));
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
  time.complete = time.complete && !lacks_something();
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
  at_end_ = parts_.engine->counts();
  parts_ = {};
  seen_.reset();
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
    out.put(producer.passed);
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
    producer.passed = in.get<std::uint64_t>();
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
std::map<std::string, std::uint64_t> PartitionChecker::covered() const {
  std::map<std::string, std::uint64_t> out;
  const Progress& progress = before_.empty() ? progress_ : before_.front().progress;
  for (const auto& [name, producer] : progress.producers) out[name] = producer.passed;
  return out;
}

void PartitionChecker::save(StateWriter& out) const {
  out.put(kStateForm);
  out.put_text(plan_text(plan_));
  Progress progress = before_.empty() ? progress_ : before_.front().progress;
  progress.sequence = 0;
  save(progress, out);
  out.put(furthest_);
  out.put(origin_);
  out.put(latest_);
  out.put(now_);
  out.put(begun_);
  out.put(over_);
  out.put(transactions_);
  out.put(violations_);
  out.put(suspicions_);
  out.put_all(std::vector<std::uint64_t>(tied_.begin(), tied_.end()));
  if (over_) return out.put(at_end_);
  seen_->save(out, parts_.feed->oldest_needed());
  parts_.feed->save(out);
  parts_.engine->save(out);
}

bool PartitionChecker::load(StateReader& in) {
  if (in.get<std::uint64_t>() != kStateForm || in.get_text() != plan_text(plan_)) return false;
  if (!load(progress_, in)) return false;
  furthest_ = in.get<std::uint64_t>();
  origin_ = in.get<std::int64_t>();
  latest_ = in.get<std::int64_t>();
  now_ = in.get<std::int64_t>();
  begun_ = in.get<bool>();
  over_ = in.get<bool>();
  transactions_ = in.get<std::uint64_t>();
  violations_ = in.get<std::uint64_t>();
  suspicions_ = in.get<std::uint64_t>();
  for (const std::uint64_t txn : in.get_all<std::uint64_t>()) tied_.insert(txn);
  if (over_) {
    at_end_ = in.get<OnlineCounts>();
    parts_ = {};
    seen_.reset();
    return in.good();
  }
  intake_ = intake_at(progress_.intake);
  return intake_ != nullptr && seen_->load(in) && parts_.feed->load(in) && parts_.engine->load(in) && in.good();
}

}  // namespace isolde::cluster
