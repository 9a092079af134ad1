#include "tests/support/confirm.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/rng.h"
#include "check/choose/choose.h"
#include "history/commit_interval.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

constexpr int kDraws = 10;
constexpr int kReadersUp = 2;  // how far from reader to writer the transactions are taken along

template <typename F>
void for_each_item(const History& h, TxnId t, F&& f) {
  for (std::uint32_t op = h.first_op(t); op < h.end_op(t); ++op) {
    if (!is_predicate(h.op(op).kind())) f(OpId{op}, h.op(op), h.op_value(op));
  }
}

ValueId copied(const ValueTable& from, ValueId value, ValueInterner& to) {
  switch (from.type(value)) {
    case ValueType::kNull:
      return kNullValue;
    case ValueType::kInteger:
      return to.integer(from.integer(value));
    default:
      return to.string(from.json(value));  // compared, never looked into
  }
}

Outcome judged(const History& history, std::string_view method) {
  const Choice choice = choose(history, Level::kSnapshotIsolation, {.method = method});
  if (choice.engine == nullptr) return Outcome::kUndecided;
  return choice.engine->check(history, Level::kSnapshotIsolation, {}).outcome;
}

}  // namespace

struct Confirmer::Index {
  std::unordered_map<std::string, TxnId> by_id;
  std::map<std::pair<KeyId, ValueId>, TxnId> writer;
};

Confirmer::Confirmer(const History& history) : history_(history) {
  auto index = std::make_unique<Index>();
  for (std::uint32_t t = 0; t < history.txn_count(); ++t) {
    index->by_id.emplace(history.txn_text(TxnId{t}), TxnId{t});
    for_each_item(history, TxnId{t}, [&](OpId, OpHead head, ValueId value) {
      if (head.kind() == OpKind::kWrite) index->writer.emplace(std::pair{head.key(), value}, TxnId{t});
    });
  }
  index_ = std::move(index);
}
Confirmer::~Confirmer() = default;

std::string Confirmer::against_snapshot_isolation(const OnlineViolation& violation) const {
  const History& h = history_;
  std::set<TxnId> taken;
  for (const std::string& id : violation.transactions) {
    const auto found = index_->by_id.find(id);
    if (found == index_->by_id.end()) return fmt::format("there is no transaction {}", id);
    taken.insert(found->second);
  }
  for (int round = 0; round < kReadersUp; ++round) {
    for (const TxnId t : std::vector<TxnId>(taken.begin(), taken.end())) {
      for_each_item(h, t, [&](OpId, OpHead head, ValueId value) {
        const auto found = index_->writer.find({head.key(), value});
        if (head.is_read() && found != index_->writer.end()) taken.insert(found->second);
      });
    }
  }
  std::vector<TxnId> order(taken.begin(), taken.end());
  std::sort(order.begin(), order.end(), [&](TxnId a, TxnId b) { return h.begin(a) < h.begin(b); });

  Rng rng(violation.identity);
  const auto part = [&](bool with_moments) {
    HistoryBuilder builder;
    for (const TxnId t : order) {
      builder.begin_txn(builder.session(std::int64_t{raw(h.session(t))}));
      builder.set_id(builder.values().string(h.txn_text(t)));
      builder.set_status(h.status(t));
      std::int64_t first = kNoTime;
      std::int64_t last = h.begin(t);
      for_each_item(h, t, [&](OpId op, OpHead head, ValueId value) {
        const std::int64_t after = h.at(t, op).after;
        if (first == kNoTime) first = after;
        last = std::max(last, after);
        const KeyId key = builder.key(copied(h.values(), h.columns().key_name[raw(head.key())], builder.values()));
        builder.set_initial(key, copied(h.values(), h.initial(head.key()), builder.values()));
        const ValueId same = copied(h.values(), value, builder.values());
        if (head.is_read()) {
          builder.read(key, same);
        } else {
          builder.write(key, same);
        }
      });
      if (with_moments && h.status(t) == Status::kCommitted) {
        const auto drawn = [&](std::int64_t from, std::int64_t to) {
          return from + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(to - from) + 1));
        };
        const std::int64_t snapshot = drawn(h.begin(t), first == kNoTime ? last : first);
        builder.set_start_ts(snapshot);
        const std::int64_t sent = h.commit_interval(t).before;
        builder.set_commit_ts(std::max(snapshot, drawn(sent == kNoTime ? last : sent, commit_answered(h, t))));
      }
      builder.end_txn();
    }
    return builder.finish();
  };
  const auto values_alone = part(false);
  if (!values_alone) return values_alone.error().message();
  if (judged(*values_alone, "") == Outcome::kViolated) return "";
  for (int draw = 0; draw < kDraws; ++draw) {
    const auto drawn = part(true);
    if (!drawn) return drawn.error().message();
    if (judged(*drawn, "timeline") != Outcome::kViolated) {
      return fmt::format("its {} transactions are snapshot isolation with some moments: {}", order.size(),
                         violation.text);
    }
  }
  return "";
}

}  // namespace isolde
