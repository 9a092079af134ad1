#include "cluster/merger.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "check/tested.h"

namespace isolde::cluster {
namespace {

constexpr std::size_t kMostAtATime = 256;
constexpr std::uint32_t kMostUnchanged = 64;
// Tries to read what the numbers say is there. Nobody removes a violation, so more are only needed by a server that
// takes long to start.
constexpr std::uint32_t kMostInVain = 200;

std::string counted(std::uint64_t count, std::string_view what) { return fmt::format("{} {}", count, what); }

}  // namespace

Result<PublishedViolation> read_violation(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const Error broken{"a violation in the stream cannot be read: it was written by another version of isolde"};
  if (parser.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS) return broken;
  std::string_view identity, name, rule, text;
  simdjson::dom::array transactions;
  if (root["identity"].get(identity) != simdjson::SUCCESS || root["name"].get(name) != simdjson::SUCCESS ||
      root["rule"].get(rule) != simdjson::SUCCESS || root["text"].get(text) != simdjson::SUCCESS ||
      root["transactions"].get(transactions) != simdjson::SUCCESS)
    return broken;
  PublishedViolation out{0, std::string(name), std::string(rule), std::string(text), {}, std::string(json)};
  const auto [end, failed] = std::from_chars(identity.data(), identity.data() + identity.size(), out.identity, 16);
  if (failed != std::errc{} || end != identity.data() + identity.size()) return broken;
  for (const auto id : transactions) out.transactions.push_back(simdjson::minify(id));
  return out;
}

Result<Merger> Merger::open(Broker& broker, const Names& names, const ClusterPlan& plan) {
  Merger merger(broker, names, plan);
  merger.verdicts_ = broker.reader(names.verdict(), names.violations(), 1);
  merger.statuses_ = broker.reader(names.status(), names.statuses(), 1);
  merger.sum_up();
  return merger;
}

Result<std::vector<PublishedViolation>> Merger::poll(std::chrono::milliseconds wait) {
  broker_->poll(wait);
  // Statuses first: what they count is then in the stream of verdicts.
  for (bool more = true; more;) {
    auto messages = statuses_->fetch(kMostAtATime);
    if (!messages) return std::move(messages).error();
    more = messages->size() == kMostAtATime;
    unchanged_ = messages->empty() ? unchanged_ + 1 : 0;
    for (const StoredMessage& message : *messages) {
      auto status = read_status(message.data);
      if (!status) return std::move(status).error();
      PartitionStatus& known = status_[status->partition];
      // A worker that lost its partition may still speak.
      if (status->epoch >= known.epoch) known = *std::move(status);
    }
  }
  if (unchanged_ >= kMostUnchanged) {
    statuses_ = broker_->reader(names_.status(), names_.statuses(), 1);
    unchanged_ = 0;
  }
  sum_up();
  std::vector<PublishedViolation> out;
  for (bool more = true; more;) {
    auto messages = verdicts_->fetch(kMostAtATime);
    if (!messages && out.empty()) return std::move(messages).error();
    if (!messages) break;  // what was read is returned: it is not read again
    more = !messages->empty();
    for (const StoredMessage& message : *messages) {
      if (message.sequence > read_ + 1 && ++in_vain_ < kMostInVain) {
        verdicts_ = broker_->reader(names_.verdict(), names_.violations(), read_ + 1);
        more = false;
        break;
      }
      in_vain_ = 0;
      read_ = message.sequence;
      auto violation = read_violation(message.data);
      if (!violation) return std::move(violation).error();
      out.push_back(*std::move(violation));
    }
  }
  violations_ += out.size();
  // A reader may be behind, so the stream itself is asked whether this was all.
  if (out.empty() && coverage_.over == coverage_.partitions) {
    auto facts = broker_->facts(names_.verdict());
    if (!facts) return std::move(facts).error();
    over_ = *facts && read_ >= (*facts)->last && violations_ >= (*facts)->messages;
    if (!over_) verdicts_ = broker_->reader(names_.verdict(), names_.violations(), read_ + 1);
  }
  return out;
}

namespace {

// Where no transaction is tied in two partitions, what each chose goes together: a contradiction leads from one
// partition to another through a transaction that both put into an order.
std::uint64_t tied_in_several(const std::map<std::uint32_t, PartitionStatus>& statuses) {
  std::map<std::uint64_t, std::uint32_t> partitions_of;
  std::uint64_t several = 0;
  std::size_t with_ties = 0;
  bool is_whole = true;
  for (const auto& [partition, s] : statuses) {
    with_ties += s.tied.empty() ? 0 : 1;
    is_whole = is_whole && s.tied.size() <= kMostTied;
    for (const std::uint64_t txn : s.tied) several += ++partitions_of[txn] == 2 ? 1 : 0;
  }
  return !is_whole && with_ties > 1 ? std::max<std::uint64_t>(several, 1) : several;
}

}  // namespace

void Merger::sum_up() {
  Coverage c;
  c.partitions = plan_.layout().count();
  std::set<std::string> silent;
  for (const auto& [partition, s] : status_) {
    if (partition >= c.partitions) continue;
    ++c.heard;
    c.over += s.over ? 1 : 0;
    c.transactions += s.transactions;
    c.checked += s.checked;
    c.pending += s.pending;
    c.violations += s.violations;
    c.suspicions += s.suspicions;
    c.unchecked += s.unchecked;
    c.unjudged += s.unjudged;
    c.split += s.split;
    c.refused += s.refused;
    c.missing += s.missing;
    c.in_session += s.in_session;
    c.began += s.began;
    c.ended += s.ended;
    c.earliest = c.earliest == 0 ? s.time : std::min(c.earliest, s.time);
    c.latest = std::max(c.latest, s.time);
    if (c.first_fault.empty()) c.first_fault = s.first_fault;
    silent.insert(s.silent.begin(), s.silent.end());
  }
  c.tied = tied_in_several(status_);
  c.silent.assign(silent.begin(), silent.end());
  coverage_ = std::move(c);
}

ClusterSummary Merger::summary() const {
  const Coverage& c = coverage_;
  ClusterSummary out;
  if (violations_ > 0 || c.violations > 0) {
    out.outcome = Outcome::kViolated;
    if (violations_ == 0)
      out.reason = fmt::format(
          "{} violations were found, {}", c.violations,
          over_ ? "but the broker has lost them: check the same input again" : "which have not arrived here yet");
    return out;
  }
  std::vector<std::string> reasons;
  if (c.heard < c.partitions)
    reasons.push_back(fmt::format("{} of {} partitions have not been heard", c.partitions - c.heard, c.partitions));
  if (c.missing > 0) reasons.push_back(counted(c.missing, "batches never came") + " (" + c.first_fault + ")");
  if (c.refused > 0) reasons.push_back(counted(c.refused, "batches could not be read") + " (" + c.first_fault + ")");
  if (!c.silent.empty()) reasons.push_back(fmt::format("nothing was heard from {}", fmt::join(c.silent, ", ")));
  if (c.suspicions > 0)
    reasons.push_back(counted(c.suspicions, "would be violations, unless a missing part of the stream explains them"));
  if (c.unchecked > 0) reasons.push_back(counted(c.unchecked, "reads or late writes could not be checked"));
  if (c.unjudged > 0)
    reasons.push_back(
        counted(c.unjudged, "scans and aggregates were not judged: they are about keys of all partitions"));
  if (c.split > 0)
    reasons.push_back(counted(c.split,
                              "transactions of unknown outcome or without a timestamp have keys in several partitions, "
                              "each of which judged by itself whether and when they committed"));
  if (c.tied > 0)
    reasons.push_back(counted(c.tied,
                              "transactions with equal timestamps have keys in several partitions, each of which chose "
                              "their order for itself"));
  if (!reasons.empty()) {
    out.reason = fmt::format("{}", fmt::join(reasons, "; "));
    return out;
  }
  if (plan_.by_clocks()) {
    out.reason = "nothing was found, and the clients' clocks alone certify nothing";
    return out;
  }
  OrderEvidence evidence;
  evidence.sessions = c.in_session > 0;
  evidence.clocks = c.began > 0 && c.ended > 0 && c.began + c.ended > 2;
  if (const auto form = tested_form(plan_.level, evidence)) {
    out.reason = untested_reason(plan_.level, *form);
    out.holds = form;
    return out;
  }
  out.outcome = Outcome::kSatisfied;
  return out;
}

}  // namespace isolde::cluster
