#include "cluster/trace_sender.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/partition_checker.h"
#include "format/native_write.h"

namespace isolde::cluster {
namespace {

constexpr std::chrono::milliseconds kStatusWait{100};

}  // namespace

TraceSender::TraceSender(Broker& broker, Names names, const ClusterPlan& plan, std::string name, SenderOptions options)
    : broker_(&broker),
      names_(std::move(names)),
      layout_(plan.layout()),
      name_(std::move(name)),
      options_(std::move(options)),
      shares_(layout_.count()),
      number_(layout_.count(), 0),
      stored_(layout_.count(), 0),
      lanes_(layout_.count()) {}

Result<TraceSender> TraceSender::open(Broker& broker, const Names& names, const ClusterPlan& plan, std::string name,
                                      SenderOptions options) {
  if (!is_cluster_name(name))
    return Error{fmt::format("\"{}\" cannot be a producer's name: letters, digits, - and _ only, at most 64", name)};
  TraceSender sender(broker, names, plan, std::move(name), std::move(options));
  // By the partitions' own word. What is in the stream says less: a batch may be there that was sent after one that is
  // not, and what is sent once more does no harm.
  std::vector<LastAnswer> statuses;
  for (std::uint32_t p = 0; p < sender.layout_.count(); ++p)
    statuses.push_back(broker.last(names.status(), names.status_of(p)));
  for (std::uint32_t p = 0; p < sender.layout_.count(); ++p) {
    while (!statuses[p].here()) broker.poll(kStatusWait);
    const auto& status = *statuses[p];
    if (!status) return status.error();
    if (status->sequence == 0) continue;
    auto read = read_status(status->data);
    if (!read) return std::move(read).error();
    const auto at = read->taken.find(sender.name_);
    if (at != read->taken.end()) sender.stored_[p] = at->second;
  }
  return sender;
}

Result<void> TraceSender::send(const Chunk& chunk) {
  if (chunk.has_header) {
    std::string header;
    append_native_header(chunk.history, header);
    if (chunk.columns) header.replace(header.rfind('}'), 1, ",\"columns\":true}");
    for (Share& share : shares_) share.lines() += header;
  }
  Dealer dealer(chunk.history, layout_);
  for (std::uint32_t t = 0; t < chunk.history.txn_count(); ++t) {
    dealer.deal(TxnId{t}, shares_);
    ++counts_.transactions;
    if (++uncut_ < options_.transactions) continue;
    if (auto done = cut(false); !done) return done;
  }
  // Clocks need to know how far each session is, behind these transactions; timestamps do not.
  if (layout_.is_whole()) {
    for (const Heartbeat& beat : chunk.heartbeats)
      shares_[0].lines() += fmt::format("{{\"session\":{},\"heartbeat\":{}}}\n", beat.name, beat.time);
  }
  return {};
}

Result<void> TraceSender::cut(bool bye) {
  uncut_ = 0;
  for (std::uint32_t p = 0; p < layout_.count(); ++p) {
    Share& share = shares_[p];
    if (share.empty() && share.unjudged == 0 && share.split == 0 && !bye) continue;
    BatchHead head{.from = name_, .number = ++number_[p], .unjudged = share.unjudged, .split = share.split, .bye = bye};
    const std::string body = share.take(head.packed);
    if (head.number <= stored_[p]) {
      ++counts_.skipped;
      continue;
    }
    Sent sent{{names_.batch(p, name_), batch_text(head, body), {}}, {}};
    held_bytes_ += sent.message.data.size();
    ++counts_.batches;
    counts_.bytes += sent.message.data.size();
    lanes_[p].messages.push_back(std::move(sent));
  }
  return drain(bye ? 0 : options_.window);
}

Result<void> TraceSender::look_at_answers(Lane& lane) {
  for (Sent& sent : lane.messages) {
    if (!sent.answer.here()) continue;
    const Appended& stored = *sent.answer;
    if (stored.outcome == AppendOutcome::kStored) continue;
    if (stored.outcome == AppendOutcome::kForbidden)
      return Error{fmt::format("the broker refuses {}: {}", sent.message.subject, stored.why)};
    if (!lane.failed && stored.outcome == AppendOutcome::kFull) ++counts_.full;
    lane.failed = true;
  }
  while (!lane.messages.empty() && lane.messages.front().answer.here() &&
         lane.messages.front().answer->outcome == AppendOutcome::kStored) {
    held_bytes_ -= lane.messages.front().message.data.size();
    lane.messages.pop_front();
    lane.wait = {};
  }
  if (!lane.failed) return {};
  for (const Sent& sent : lane.messages) {
    if (sent.answer.pending()) return {};
  }
  for (Sent& sent : lane.messages) {
    counts_.repeated += sent.answer.asked() ? 1 : 0;
    sent.answer = {};
  }
  lane.failed = false;
  lane.wait = std::clamp(lane.wait * 2, options_.first_wait, options_.longest_wait);
  lane.again = options_.clock() + lane.wait;
  return {};
}

Result<void> TraceSender::pump(Lane& lane) {
  if (lane.messages.empty()) return {};
  if (auto looked = look_at_answers(lane); !looked) return looked;
  if (lane.failed || (lane.wait.count() > 0 && options_.clock() < lane.again)) return {};
  for (Sent& sent : lane.messages) {
    if (!sent.answer.asked()) sent.answer = broker_->append(sent.message, std::nullopt);
  }
  return {};
}

Result<void> TraceSender::pump() {
  for (Lane& lane : lanes_) {
    if (auto done = pump(lane); !done) return done;
  }
  return {};
}

Result<void> TraceSender::drain(std::size_t bytes) {
  while (true) {
    broker_->poll(std::chrono::milliseconds(0));
    if (auto done = pump(); !done) return done;
    if (held_bytes_ <= bytes) return {};
    if (options_.interrupted()) return Error{"interrupted: not everything was sent; run it again to continue"};
    options_.waiting();
    broker_->poll(options_.first_wait);
  }
}

Result<void> TraceSender::rest() {
  broker_->poll(std::chrono::milliseconds(0));
  return pump();
}

Result<void> TraceSender::flush() { return cut(false); }

// On its way behind all batches, a beat is true: if one of them is lost, it counts for nothing (cluster/batch.h). One
// that would have to wait, or to be sent again, would be a lie by then.
Result<void> TraceSender::beat() {
  if (auto done = rest(); !done) return done;
  for (std::uint32_t p = 0; p < layout_.count(); ++p) {
    const Lane& lane = lanes_[p];
    if (lane.failed || (!lane.messages.empty() && !lane.messages.back().answer.asked())) continue;
    const BatchHead head{.from = name_, .number = std::max(number_[p], stored_[p]), .beat = true};
    beats_.push_back(broker_->append({names_.batch(p, name_), batch_text(head, {}), {}}, std::nullopt));
  }
  for (; !beats_.empty() && beats_.front().here(); beats_.pop_front()) {
    const Appended& beat = *beats_.front();
    if (beat.outcome == AppendOutcome::kForbidden) return Error{"the broker refuses a sign of life: " + beat.why};
  }
  return {};
}

Result<void> TraceSender::finish() { return cut(true); }

}  // namespace isolde::cluster
