#include "check/exhaustive/exhaustive.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/exhaustive/model.h"
#include "check/exhaustive/orders.h"
#include "check/exhaustive/views.h"
#include "history/guessed_initial.h"

namespace isolde {
namespace exhaustive {
namespace {

constexpr std::uint64_t kMostStepsOfAll = 200'000'000;  // about two seconds
constexpr std::size_t kMostTxnsForViews = 8;            // no set of transactions is known to fail there
// Where predicates may have looked at many versions, or what they say is about the whole order, and a proof must try
// all of that again.
constexpr std::size_t kMostTxnsToLook = 6, kMostKeysToLook = 8;
constexpr std::uint64_t kMostShrinkSteps = 50'000'000;  // to make the report of a violation small

// Cheap, and asked first: of a large history nothing else is looked at.
std::string size_lack(const History& h) {
  std::uint32_t counted = 0;
  for (std::uint32_t t = 0; t < h.txn_count() && counted <= kMostTxns; ++t) {
    counted += h.status(TxnId{t}) != Status::kAborted ? 1 : 0;
  }
  if (counted > kMostTxns) return fmt::format("more than {} transactions", kMostTxns);
  if (h.key_count() > kMostKeys) return fmt::format("more than {} keys", kMostKeys);
  return {};
}

// Why the level is not for this search; empty if it is.
std::string level_lack(const Model& model, Level level) {
  if (!model.lack().empty()) return model.lack();
  if (level == Level::kReadUncommitted && model.has_lists()) return "lists at read-uncommitted, which show an order";
  if (is_about_views(level) && model.txns.size() > kMostTxnsForViews)
    return fmt::format("more than {} transactions at this level", kMostTxnsForViews);
  const bool looks_far = model.has_vsets || is_about_views(level) || level == Level::kRepeatableRead;
  if (model.has_looks && looks_far && (model.txns.size() > kMostTxnsToLook || model.keys > kMostKeysToLook))
    return fmt::format("more than {} transactions or {} keys, with these predicates at this level", kMostTxnsToLook,
                       kMostKeysToLook);
  return {};
}

class Check {
 public:
  Check(const History& history, Level level, Given given, const Limits& limits)
      : h_(history), given_(given), limits_(limits), model_(history) {
    verdict_.level = level;
    verdict_.method = kExhaustiveEngine.name;
    verdict_.given = given;
    model_.looks_anywhere = level == Level::kRepeatableRead;
    if (level == Level::kReadUncommitted) model_.asked.assign(model_.asked.size(), false);
  }

  Verdict run() {
    if (const std::string lack = level_lack(model_, verdict_.level); !lack.empty())
      return undecided(fmt::format("not every order can be tried: {}", lack));
    if (given_ == Given::kVersionOrders) {
      auto ways = model_.given_orders();
      if (!ways) return undecided("the given version orders can be read in too many ways");
      ways_ = *std::move(ways);
    } else {
      ways_.resize(1);
    }
    WorkBudget budget(limits_.has_deadline() ? WorkBudget::kUnlimited : kMostStepsOfAll, "the exhaustive search",
                      "--timeout replaces it with a time limit", limits_.work);
    Limits limits = limits_;
    limits.work = &budget;
    limits.spend(h_.op_count() + 1);
    const End end = search(Reading::kLenient, limits);
    if (end == End::kStopped) return out_of(limits);
    if (end == End::kNone && has_guessed_initial(h_)) return undecided("the initial values of some keys are a guess");
    return end == End::kNone ? violated() : satisfied(limits);
  }

 private:
  End search(Reading reading, const Limits& limits) {
    model_.reading = reading;
    model_.limits = &limits;
    // Strictly, all of unknown outcome took place: whether somebody saw them is not asked there.
    if (verdict_.level == Level::kReadUncommitted && reading == Reading::kStrict) model_.sure = model_.all;
    End end = End::kNone;
    for (std::size_t i = 0; i < ways_.size() && end == End::kNone; ++i) end = search_way(ways_[i], limits);
    return end;
  }
  End search_way(const Pairs& orders, const Limits& limits) {
    const Asked asked{.level = verdict_.level, .given = given_, .orders = orders};
    switch (info(verdict_.level).family) {
      case LevelFamily::kSerializable:
        return find_serial_order(model_, asked, limits, witness_);
      case LevelFamily::kSnapshot:
      case LevelFamily::kPrefix:
        return find_points(model_, asked, limits, witness_);
      case LevelFamily::kGraph:
      case LevelFamily::kAxiomatic:
        break;
    }
    // On items it is serializable: whatever version orders there are, both ask whether one has no cycle.
    if (verdict_.level == Level::kRepeatableRead || verdict_.level == Level::kReadUncommitted)
      return find_serial_order(model_, asked, limits, witness_);
    return find_views(model_, asked, limits);
  }

  Verdict satisfied(const Limits& limits) {
    const bool unsure = verdict_.level == Level::kReadUncommitted && model_.sure != model_.all;
    if (model_.met_doubt() || unsure) {
      const End end = search(Reading::kStrict, limits);
      if (end == End::kStopped) return out_of(limits);
      if (end == End::kNone) {
        return undecided(unsure ? "the answer depends on whether a transaction of unknown outcome took place"
                         : model_.has_looks ? "the answer depends on a condition that cannot be evaluated"
                                            : "the answer depends on an append to a value that is not a list, or on a "
                                              "counter beyond 64 bits: what the key should hold is not defined");
      }
    }
    verdict_.outcome = Outcome::kSatisfied;
    if (verdict_.level != Level::kReadUncommitted) verdict_.witness = std::move(witness_);
    return noted();
  }

  Verdict violated() {
    verdict_.outcome = Outcome::kViolated;
    find_core();
    verdict_.count(AnomalyKind::kNoOrder);
    if (limits_.max_anomalies > 0) verdict_.anomalies.push_back(anomaly());
    return noted();
  }

  // Leaves out reads, of whole transactions first, as long as the rest has no explanation either.
  void find_core() {
    WorkBudget budget(kMostShrinkSteps, "the search", {}, limits_.work);
    Limits limits = limits_;
    limits.work = &budget;
    const auto drop = [&](const std::vector<OpId>& ops) {
      for (const OpId op : ops) model_.asked[raw(op)] = false;
      if (search(Reading::kLenient, limits) == End::kNone) return;
      for (const OpId op : ops) model_.asked[raw(op)] = true;
    };
    for (const SmallTxn& txn : model_.txns) {
      if (const std::vector<OpId> ops = reads_of(txn); !ops.empty()) drop(ops);
    }
    for (const SmallTxn& txn : model_.txns) {
      const std::vector<OpId> ops = reads_of(txn);
      if (ops.size() == 1 && asked_count() == 1) continue;
      for (const OpId op : ops) drop({op});
    }
  }
  // Its reads and predicate operations that are asked for.
  [[nodiscard]] std::vector<OpId> reads_of(const SmallTxn& txn) const {
    std::vector<OpId> ops;
    for (const Access& a : txn.accesses) {
      if (is_item_write(a.kind) || !model_.is_asked(a)) continue;
      if (ops.empty() || ops.back() != a.op) ops.push_back(a.op);
    }
    return ops;
  }
  [[nodiscard]] std::size_t asked_count() const {
    std::size_t count = 0;
    for (const SmallTxn& txn : model_.txns) count += reads_of(txn).size();
    return count;
  }

  // The reads that are left, and whoever wrote what they are about.
  [[nodiscard]] Anomaly anomaly() const {
    Anomaly a;
    a.kind = AnomalyKind::kNoOrder;
    a.tried_all = true;
    KeySet about = 0;
    for (const SmallTxn& txn : model_.txns) {
      const std::vector<OpId> ops = reads_of(txn);
      if (!ops.empty()) a.transactions.push_back(txn.id);
      for (const OpId op : ops) {
        a.unexplained.push_back(op);
        a.steps.push_back({.type = StepType::kProgram, .from = txn.id, .to = txn.id, .from_op = op});
        about |= is_predicate(h_.op(raw(op)).kind()) ? ~KeySet{0} : only_key(raw(h_.op(raw(op)).key()));
      }
    }
    if (a.unexplained.empty()) about = ~KeySet{0};
    for (const SmallTxn& txn : model_.txns) {
      const bool named = std::find(a.transactions.begin(), a.transactions.end(), txn.id) != a.transactions.end();
      if (!named && (txn.writes & about) != 0) a.transactions.push_back(txn.id);
    }
    for (const SmallTxn& txn : model_.txns) {
      if (a.unexplained.empty() && txn.sure && (txn.writes & about) == 0) a.transactions.push_back(txn.id);
    }
    return a;
  }

  Verdict noted() {
    if (given_ == Given::kTimestamps) {
      verdict_.notes.emplace_back(info(verdict_.level).family == LevelFamily::kSnapshot
                                      ? "given the database's start and commit timestamps"
                                      : "given the order of commit timestamps as the serialization order");
    }
    if (given_ == Given::kExpectedOrder) verdict_.notes.emplace_back("given the expected order");
    return std::move(verdict_);
  }
  Verdict undecided(std::string words) {
    verdict_.leave_open(WhyOpen::kEvidence, std::move(words));
    return std::move(verdict_);
  }
  Verdict out_of(const Limits& limits) {
    verdict_.leave_open(limits);
    return std::move(verdict_);
  }

  const History& h_;
  const Given given_;
  const Limits& limits_;
  Model model_;
  std::vector<Pairs> ways_;  // to read the version orders
  Witness witness_;
  Verdict verdict_;
};

std::string exhaustive_lacks(const History& history, Level level) {
  if (std::string lack = size_lack(history); !lack.empty()) return lack;
  return level_lack(Model(history), level);
}

Verdict judge_by_exhaustion(CheckContext& context, Level level, const Limits& limits) {
  return check_exhaustively(context.history(), level, Given::kVersionOrders, limits);
}

}  // namespace
}  // namespace exhaustive

Verdict check_exhaustively(const History& history, Level level, Given given, const Limits& limits) {
  if (const std::string lack = exhaustive::size_lack(history); !lack.empty()) {
    Verdict verdict;
    verdict.level = level;
    verdict.method = kExhaustiveEngine.name;
    verdict.leave_open(WhyOpen::kEvidence, fmt::format("not every order can be tried: {}", lack));
    return verdict;
  }
  return exhaustive::Check(history, level, given, limits).run();
}

constinit const Engine kExhaustiveEngine{
    .name = "exhaustive",
    .summary =
        "small histories, by trying every order: counters, lists that are also "
        "written, unknown outcomes, repeated values",
    .set_aside_because = "used when another method leaves a small history undecided",
    .lacks = exhaustive::exhaustive_lacks,
    .judge = exhaustive::judge_by_exhaustion};

}  // namespace isolde
