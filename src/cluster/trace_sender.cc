#include "cluster/trace_sender.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "cluster/partition_checker.h"
#include "format/native_write.h"

namespace isolde::cluster {

TraceSender::TraceSender(Broker& broker, Names names, const ClusterPlan& plan, std::string name, SenderOptions options)
    : broker_(&broker),
      names_(std::move(names)),
      layout_(plan.layout()),
      name_(std::move(name)),
      options_(std::move(options)),
      shares_(layout_.count()),
      number_(layout_.count(), 0),
      stored_(layout_.count(), 0) {}

Result<TraceSender> TraceSender::open(Broker& broker, const Names& names, const ClusterPlan& plan, std::string name,
                                      SenderOptions options) {
  if (!is_cluster_name(name))
    return Error{fmt::format("\"{}\" cannot be a producer's name: letters, digits, - and _ only, at most 64", name)};
  TraceSender sender(broker, names, plan, std::move(name), std::move(options));
  for (std::uint32_t p = 0; p < sender.layout_.count(); ++p) {
    auto taken = sender.taken_by(p);
    if (!taken) return std::move(taken).error();
    sender.stored_[p] = *taken;
  }
  return sender;
}

// By the partition's own word. What is in the stream says less: a batch may be there that was sent after one that is
// not, and what is sent once more does no harm.
Result<std::uint64_t> TraceSender::taken_by(std::uint32_t partition) {
  auto status = broker_->last(names_.status(), names_.status_of(partition));
  if (!status) return std::move(status).error();
  if (!*status) return std::uint64_t{0};
  auto read = read_status((*status)->data);
  if (!read) return std::move(read).error();
  const auto at = read->taken.find(name_);
  return at == read->taken.end() ? std::uint64_t{0} : at->second;
}

Result<void> TraceSender::send(const Chunk& chunk) {
  if (chunk.has_header) {
    std::string header;
    append_native_header(chunk.history, header);
    if (chunk.columns) header.replace(header.rfind('}'), 1, ",\"columns\":true}");
    for (Share& share : shares_) share.lines += header;
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
      shares_[0].lines += fmt::format("{{\"session\":{},\"heartbeat\":{}}}\n", beat.name, beat.time);
  }
  return {};
}

Result<void> TraceSender::cut(bool bye) {
  uncut_ = 0;
  for (std::uint32_t p = 0; p < layout_.count(); ++p) {
    Share share = std::exchange(shares_[p], {});
    if (share.lines.empty() && share.unjudged == 0 && share.split == 0 && !bye) continue;
    const BatchHead head{
        .from = name_, .number = ++number_[p], .unjudged = share.unjudged, .split = share.split, .bye = bye};
    if (head.number <= stored_[p]) {
      ++counts_.skipped;
      continue;
    }
    OutgoingMessage message{names_.batch(p, name_), batch_text(head, share.lines), batch_id(name_, p, head.number)};
    window_bytes_ += message.data.size();
    ++counts_.batches;
    counts_.bytes += message.data.size();
    window_.push_back(std::move(message));
  }
  return window_bytes_ >= options_.window || bye ? send_window() : Result<void>{};
}

// Messages of one subject stay in their order: what follows one that failed is sent again as well.
Result<void> TraceSender::send_window() {
  std::chrono::milliseconds wait = options_.first_wait;
  while (!window_.empty()) {
    const std::vector<Appended> outcomes = broker_->append_all(window_);
    std::vector<OutgoingMessage> again;
    std::unordered_set<std::string> behind;  // subjects of which a message failed
    for (std::size_t i = 0; i < window_.size(); ++i) {
      const Appended& outcome = outcomes[i];
      if (outcome.outcome == AppendOutcome::kForbidden)
        return Error{fmt::format("the broker refuses {}: {}", window_[i].subject, outcome.why)};
      if (outcome.outcome == AppendOutcome::kFull) ++counts_.full;
      if (outcome.outcome != AppendOutcome::kStored) behind.insert(window_[i].subject);
      if (behind.contains(window_[i].subject)) again.push_back(std::move(window_[i]));
    }
    const bool progress = again.size() < window_.size();
    counts_.repeated += again.size();
    window_ = std::move(again);
    if (window_.empty()) break;
    if (options_.interrupted()) return Error{"interrupted: not everything was sent; run it again to continue"};
    wait = progress ? options_.first_wait : std::min(wait * 2, options_.longest_wait);
    options_.wait(wait);
  }
  window_bytes_ = 0;
  return {};
}

Result<void> TraceSender::flush() {
  if (auto done = cut(false); !done) return done;
  return send_window();
}

Result<void> TraceSender::beat() {
  std::vector<OutgoingMessage> beats;
  for (std::uint32_t p = 0; p < layout_.count(); ++p) {
    const BatchHead head{.from = name_, .number = std::max(number_[p], stored_[p]), .beat = true};
    beats.push_back({names_.batch(p, name_), batch_text(head, {}), {}});
  }
  for (const Appended& outcome : broker_->append_all(beats)) {
    if (outcome.outcome == AppendOutcome::kForbidden) return Error{"the broker refuses a sign of life: " + outcome.why};
  }
  return {};
}

Result<void> TraceSender::finish() { return cut(true); }

}  // namespace isolde::cluster
