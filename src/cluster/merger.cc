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
  auto verdicts = broker.reader(names.verdict(), names.violations(), 1);
  if (!verdicts) return std::move(verdicts).error();
  merger.verdicts_ = *std::move(verdicts);
  auto statuses = broker.reader(names.status(), names.statuses(), 1);
  if (!statuses) return std::move(statuses).error();
  merger.statuses_ = *std::move(statuses);
  merger.sum_up();
  return merger;
}

Result<std::vector<PublishedViolation>> Merger::poll(std::chrono::milliseconds wait) {
  // Statuses first: what they count is then in the stream of verdicts.
  for (bool more = true; more;) {
    auto messages = statuses_->fetch(kMostAtATime, std::chrono::milliseconds(1));
    if (!messages) return std::move(messages).error();
    more = messages->size() == kMostAtATime;
    for (const StoredMessage& message : *messages) {
      auto status = read_status(message.data);
      if (!status) return std::move(status).error();
      PartitionStatus& known = status_[status->partition];
      // A worker that lost its partition may still speak.
      if (status->epoch >= known.epoch) known = *std::move(status);
    }
  }
  sum_up();
  std::vector<PublishedViolation> out;
  for (bool more = true; more; wait = std::chrono::milliseconds(1)) {
    auto messages = verdicts_->fetch(kMostAtATime, wait);
    if (!messages && out.empty()) return std::move(messages).error();
    if (!messages) break;  // what was read is returned: it is not read again
    more = !messages->empty();
    for (const StoredMessage& message : *messages) {
      auto violation = read_violation(message.data);
      if (!violation) return std::move(violation).error();
      out.push_back(*std::move(violation));
    }
  }
  violations_ += out.size();
  return out;
}

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
  c.silent.assign(silent.begin(), silent.end());
  coverage_ = std::move(c);
}

bool Merger::over() const { return coverage_.over == coverage_.partitions; }

ClusterSummary Merger::summary() const {
  const Coverage& c = coverage_;
  ClusterSummary out;
  if (violations_ > 0) {
    out.outcome = Outcome::kViolated;
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
                              "transactions of unknown outcome have keys in several partitions, each of which judged "
                              "by itself whether they committed"));
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
