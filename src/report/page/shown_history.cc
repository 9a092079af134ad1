#include "report/page/shown_history.h"

#include <algorithm>
#include <limits>

#include "report/page/json_text.h"
#include "report/words.h"

namespace isolde {
namespace {

std::string_view letter(OpKind kind) {
  switch (kind) {
    case OpKind::kRead:
      return "r";
    case OpKind::kAppend:
    case OpKind::kIncrement:
      return "a";
    case OpKind::kWrite:
    case OpKind::kUpdate:
      return "w";
    case OpKind::kScan:
    case OpKind::kAggregate:
      return "p";
  }
  return "r";
}

std::string_view status_name(Status status) {
  constexpr std::string_view kNames[] = {"committed", "aborted", "unknown"};
  return kNames[static_cast<std::size_t>(status)];
}

// The two ends of a transaction: by the client's clock, or else by the database's.
std::pair<std::int64_t, std::int64_t> shown_span(const History& h, TxnId t, bool client) {
  if (client) return {h.begin(t), h.end(t)};
  return {h.start_ts(t) != kNoTime ? h.start_ts(t) : h.commit_ts(t), h.commit_ts(t)};
}

}  // namespace

std::uint32_t ShownHistory::transaction(TxnId t) {
  const auto [place, is_new] = transaction_place_.try_emplace(raw(t), transactions_.size());
  if (is_new) transactions_.push_back(t);
  return place->second;
}

std::uint32_t ShownHistory::key(KeyId k) {
  const auto [place, is_new] = key_place_.try_emplace(raw(k), keys_.size());
  if (is_new) keys_.push_back(k);
  return place->second;
}

void ShownHistory::want(OpId op) {
  if (op != kNoOp) wanted_.insert(raw(op));
}

const std::vector<std::uint32_t>& ShownHistory::shown_operations(TxnId t) {
  const auto [place, is_new] = shown_.try_emplace(raw(t));
  std::vector<std::uint32_t>& ops = place->second;
  if (!is_new) return ops;
  const std::uint32_t first = history_.first_op(t), end = history_.end_op(t);
  for (auto op = wanted_.lower_bound(first); op != wanted_.end() && *op < end; ++op) ops.push_back(*op);
  for (std::uint32_t op = first; op < end && ops.size() < options_.most_operations; ++op) {
    if (!wanted_.contains(op)) ops.push_back(op);
  }
  std::ranges::sort(ops);
  return ops;
}

std::uint32_t ShownHistory::operation(OpId op) {
  const std::vector<std::uint32_t>& ops = shown_operations(history_.txn_of(op));
  return static_cast<std::uint32_t>(std::ranges::lower_bound(ops, raw(op)) - ops.begin());
}

void ShownHistory::add_around() {
  around_from_ = transactions_.size();
  const bool client = !history_.columns().begin.empty();
  if (!client && history_.columns().commit_ts.empty()) return;
  // What happened within the time of the first anomaly is what a reader looks at first; later ones take what is left.
  std::size_t left = options_.most_around;
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < std::min<std::size_t>(around_from_, 8); ++i) {
    const auto [from, to] = shown_span(history_, transactions_[i], client);
    if (from == kNoTime || to == kNoTime) continue;
    low = std::min(low, from);
    high = std::max(high, to);
  }
  for (std::uint32_t t = 0; t < history_.txn_count() && left > 0; ++t) {
    if (transaction_place_.contains(t)) continue;
    const auto [from, to] = shown_span(history_, TxnId{t}, client);
    if (from == kNoTime || to == kNoTime || to < low || from > high) continue;
    transaction(TxnId{t});
    --left;
  }
}

std::string ShownHistory::transaction_json(TxnId t) {
  const History& h = history_;
  PageObject out;
  out.text("id", words::txn(h, t)).text("session", words::shortened(h.session_text(h.session(t)), kLongestName));
  out.text("status", status_name(h.status(t)));
  const auto time = [&](std::string_view name, std::int64_t value) {
    if (value != kNoTime) out.number(name, value);
  };
  time("begin", h.begin(t));
  time("end", h.end(t));
  time("start_ts", h.start_ts(t));
  time("commit_ts", h.commit_ts(t));
  time("sno", h.sno(t));
  const bool around = transaction_place_.at(raw(t)) >= around_from_;
  const std::vector<std::uint32_t> none;
  out.raw("ops", page_list(around ? none : shown_operations(t), [&](std::uint32_t op) {
            const OpHead head = h.op(op);
            return PageObject()
                .text("kind", letter(head.kind()))
                .text("key", is_predicate(head.kind()) ? std::string()
                                                       : words::shortened(h.key_text(head.key()), kLongestName))
                .text("text", words::did(h, OpId{op}))
                .done();
          }));
  if (around) out.truth("around", true);
  return out.done();
}

std::string ShownHistory::transactions_json() {
  return page_list(transactions_, [&](TxnId t) { return transaction_json(t); });
}

ShownHistory::Readers ShownHistory::readers() {
  Readers out;
  for (std::size_t place = 0; place < std::min(around_from_, transactions_.size()); ++place) {
    for (const std::uint32_t op : shown_operations(transactions_[place])) {
      const OpHead head = history_.op(op);
      ValueId value = history_.op_value(op);
      if (head.kind() != OpKind::kRead || value == kNullValue || !key_place_.contains(raw(head.key()))) continue;
      // Of a list the last element is the version that was seen.
      if (const auto list = history_.values().elements(value); list && !list->empty()) value = list->back();
      std::vector<std::size_t>& places = out[{raw(head.key()), raw(value)}];
      if (places.empty() || places.back() != place) places.push_back(place);
    }
  }
  return out;
}

std::string ShownHistory::versions_json(KeyId k, const VersionsOfKey& order, const Readers& readers) {
  const std::vector<KeyVersion>& versions = order.versions;
  const auto read_by = [&](std::size_t i) { return readers.find({raw(k), raw(versions[i].value)}); };
  // Those that the transactions of anomalies wrote or read, and what was there before and after each.
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < versions.size() && shown.size() < options_.most_versions; ++i) {
    const auto place = transaction_place_.find(raw(versions[i].by));
    const bool was_written_here = place != transaction_place_.end() && place->second < around_from_;
    if (!was_written_here && read_by(i) == readers.end()) continue;
    for (const std::size_t near : {i == 0 ? i : i - 1, i, std::min(i + 1, versions.size() - 1)}) {
      if (shown.size() < options_.most_versions && (shown.empty() || shown.back() < near)) shown.push_back(near);
    }
  }
  std::string list = page_list(shown, [&](std::size_t i) {
    PageObject version;
    version.number("place", i).text("value", words::value(history_, versions[i].value));
    version.text("writer", versions[i].by == kNoTxn ? std::string() : words::txn(history_, versions[i].by));
    if (const auto place = transaction_place_.find(raw(versions[i].by)); place != transaction_place_.end())
      version.number("by", place->second);
    if (const auto read = read_by(i); read != readers.end())
      version.raw("read_by", page_list(read->second, [](std::size_t place) { return std::to_string(place); }));
    return version.done();
  });
  return PageObject()
      .text("key", words::shortened(history_.key_text(k), kLongestName))
      .text("order", order.by)
      .raw("versions", list)
      .number("count", versions.size())
      .done();
}

std::string ShownHistory::keys_json() {
  const std::vector<VersionsOfKey> orders = versions_of(history_, keys_);
  const Readers all = readers();
  std::string out = "[";
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (i > 0) out += ',';
    out += versions_json(keys_[i], orders[i], all);
  }
  return out + "]";
}

}  // namespace isolde
