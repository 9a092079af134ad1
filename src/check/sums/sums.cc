#include "check/sums/sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "base/count_progress.h"
#include "check/sums/ledger.h"
#include "check/sums/order.h"
#include "history/guessed_initial.h"

namespace isolde {
namespace sums {
namespace {

constexpr std::uint64_t kMostRuleSteps = 100'000'000;
constexpr std::size_t kMostOpen = 16;  // transactions of which every set is tried

using Wide = __int128;  // a sum of sums

// What a group of reads of one transaction says, and whose amounts may be in it.
class Group {
 public:
  // `added`: what sessions and clocks say of the set; kNone: nothing.
  Group(const History& h, const Ledger& ledger, const std::vector<std::vector<std::uint32_t>>& adders,
        const LedgerTxn& reader, std::span<const BalanceRead> reads, AddedOrder added, const Limits& limits)
      : h_(h), reader_(reader.id), added_(added), limits_(limits) {
    for (const BalanceRead& read : reads) {
      wanted_.push_back(Wide{read.seen.number} - ledger.initial[read.key].number);
      keys_.push_back(read.key);
    }
    std::vector<std::uint32_t> all;
    for (const std::uint32_t key : keys_) {
      all.insert(all.end(), adders[key].begin(), adders[key].end());
      limits.spend(adders[key].size());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const std::uint32_t t : all) add(ledger.txns[t]);
  }

  // Whether no set leaves what was read.
  [[nodiscard]] bool is_out_of_reach() const {
    if (open_.size() <= kMostOpen) return !some_set_fits();
    for (std::size_t d = 0; d < keys_.size(); ++d) {
      if (!is_within_reach([&](const std::vector<Wide>& of) { return of[d]; })) return true;
    }
    return !is_within_reach([](const std::vector<Wide>& of) { return std::accumulate(of.begin(), of.end(), Wide{0}); });
  }
  [[nodiscard]] std::size_t open() const { return open_.size(); }
  [[nodiscard]] std::size_t sure() const { return sure_; }

 private:
  void add(const LedgerTxn& txn) {
    if (txn.id == reader_) return;
    std::vector<Wide> amounts(keys_.size(), 0);
    bool any = false;
    for (const Amount& a : txn.adds) {
      for (std::size_t d = 0; d < keys_.size(); ++d) {
        if (keys_[d] == a.key) amounts[d] = a.amount;
        any = any || (keys_[d] == a.key && a.amount != 0);
      }
    }
    if (!any || is_before(reader_, true, txn.id)) return;
    if (!is_before(txn.id, txn.sure, reader_)) {
      open_.push_back(std::move(amounts));
      return;
    }
    ++sure_;
    for (std::size_t d = 0; d < keys_.size(); ++d) wanted_[d] -= amounts[d];
  }

  // Whether sessions or clocks have one before the other. `sure`: the first took place.
  [[nodiscard]] bool is_before(TxnId a, bool sure, TxnId b) const {
    if (added_ == AddedOrder::kNone || !sure) return false;
    if (h_.session(a) == h_.session(b)) return a < b;
    const std::int64_t end = h_.end(a), begin = h_.begin(b);
    return added_ == AddedOrder::kRealTime && end != kNoTime && begin != kNoTime && end < begin;
  }

  [[nodiscard]] bool some_set_fits() const {
    std::vector<Wide> left = wanted_;
    // Each set differs from the one before in one transaction.
    const std::uint64_t sets = std::uint64_t{1} << open_.size();
    std::uint64_t in = 0;
    limits_.spend(sets * keys_.size());
    for (std::uint64_t i = 0;;) {
      if (std::all_of(left.begin(), left.end(), [](Wide w) { return w == 0; })) return true;
      if (++i == sets) return false;
      const auto t = static_cast<std::size_t>(std::countr_zero(i));
      in ^= std::uint64_t{1} << t;
      const bool now = (in >> t & 1) != 0;
      for (std::size_t d = 0; d < left.size(); ++d) left[d] += now ? -open_[t][d] : open_[t][d];
    }
  }

  template <typename F>
  [[nodiscard]] bool is_within_reach(F&& of) const {
    Wide least = 0, most = 0, divisor = 0;
    for (const std::vector<Wide>& amounts : open_) {
      const Wide amount = of(amounts);
      (amount < 0 ? least : most) += amount;
      for (Wide a = divisor, b = amount < 0 ? -amount : amount;;) {
        if (b == 0) {
          divisor = a;
          break;
        }
        a = std::exchange(b, a % b);
      }
    }
    limits_.spend(open_.size());
    const Wide wanted = of(wanted_);
    return wanted >= least && wanted <= most && (divisor == 0 || wanted % divisor == 0);
  }

  const History& h_;
  const TxnId reader_;
  const AddedOrder added_;
  const Limits& limits_;
  std::vector<std::uint32_t> keys_;  // one a read
  std::vector<Wide> wanted_;         // likewise: what those of the set add in all
  std::vector<std::vector<Wide>> open_;
  std::size_t sure_ = 0;
};

class SumsCheck {
 public:
  SumsCheck(const History& history, Level level, const Limits& limits)
      : h_(history), limits_(limits), ledger_(history) {
    verdict_.level = level;
  }

  Verdict run() {
    limits_.spend(h_.op_count() + 1);
    find_unreachable();
    if (verdict_.total() > 0) {
      verdict_.outcome = Outcome::kViolated;
      return std::move(verdict_);
    }
    if (!limits_.exhausted()) {
      if (const auto order = find_order(h_, ledger_, info(verdict_.level).order, limits_)) return satisfied(*order);
    }
    if (limits_.exhausted()) {
      verdict_.leave_open(limits_);
    } else {
      verdict_.leave_open(
          WhyOpen::kEvidence,
          "each sum that was read is possible on its own, but no order was found that explains all of them");
    }
    return std::move(verdict_);
  }

 private:
  void find_unreachable() {
    if (verdict_.level == Level::kReadUncommitted || has_guessed_initial(h_)) return;
    WorkBudget budget(kMostRuleSteps, "the check of single sums", {}, limits_.work);
    Limits within = limits_;
    within.work = &budget;
    std::vector<std::vector<std::uint32_t>> adders(h_.key_count());
    for (std::uint32_t t = 0; t < ledger_.txns.size(); ++t) {
      for (const Amount& a : ledger_.txns[t].adds) adders[a.key].push_back(t);
    }
    const bool together = asks_for_one_order(verdict_.level);
    const AddedOrder added = together ? info(verdict_.level).order : AddedOrder::kNone;
    CountProgress judged(limits_, "sums", ledger_.txns.size(), 1U << 8);
    for (const LedgerTxn& txn : ledger_.txns) {
      judged.add();
      if (!txn.sure || txn.reads.empty()) continue;
      const std::size_t size = together ? txn.reads.size() : 1;
      for (std::size_t i = 0; i < txn.reads.size(); i += size) {
        if (within.exhausted()) return;
        const auto reads = std::span(txn.reads).subspan(i, size);
        const Group group(h_, ledger_, adders, txn, reads, added, within);
        if (group.is_out_of_reach()) report(txn, reads, group);
      }
    }
  }

  void report(const LedgerTxn& txn, std::span<const BalanceRead> reads, const Group& group) {
    verdict_.count(AnomalyKind::kNoOrder);
    if (verdict_.anomalies.size() >= limits_.max_anomalies) return;
    Anomaly a;
    a.kind = AnomalyKind::kNoOrder;
    a.tried_all = true;
    a.transactions.push_back(txn.id);
    for (const BalanceRead& read : reads) {
      a.unexplained.push_back(read.op);
      a.steps.push_back({.type = StepType::kProgram, .from = txn.id, .to = txn.id, .from_op = read.op});
    }
    a.says = fmt::format("no set of the other transactions adds up to {} ({} may be in it, {} must be).",
                         reads.size() > 1 ? "what was read" : "this", group.open(), group.sure());
    verdict_.anomalies.push_back(std::move(a));
  }

  Verdict satisfied(const std::vector<TxnId>& order) {
    verdict_.outcome = Outcome::kSatisfied;
    if (asks_for_one_order(verdict_.level)) {
      verdict_.witness.kind = Witness::Kind::kSerialOrder;
      for (const TxnId t : order) verdict_.witness.events.push_back(raw(t));
    }
    return std::move(verdict_);
  }

  const History& h_;
  const Limits& limits_;
  const Ledger ledger_;
  Verdict verdict_;
};

std::string sums_lacks(const History& history, Level) { return Ledger(history).lack; }

Verdict judge_by_sums(CheckContext& context, Level level, const Limits& limits) {
  return SumsCheck(context.history(), level, limits).run();
}

}  // namespace
}  // namespace sums

constinit const Engine kSumsEngine{.name = "sums",
                                   .summary = "balances that are sums of transfers, in histories of any size",
                                   .set_aside_because = "used when another method leaves sums undecided",
                                   .lacks = sums::sums_lacks,
                                   .judge = sums::judge_by_sums};

}  // namespace isolde
