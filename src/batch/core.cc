#include "batch/core.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "batch/fetch.h"
#include "history/fingerprint.h"

namespace isolde::batch {
namespace {

constexpr int kMostCores = 8;
constexpr std::uint64_t kBytesPerCoreOp = 64;  // with its transaction, its value and what the engine keeps of it

void make_ascending(std::vector<std::uint64_t>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

// All that a report on these anomalies tells about.
std::vector<TxnId> named_by(const History& h, const Verdict& verdict) {
  std::vector<TxnId> out;
  const auto txn = [&](TxnId t) {
    if (t != kNoTxn) out.push_back(t);
  };
  const auto operation = [&](OpId op) {
    if (op != kNoOp) txn(h.txn_of(op));
  };
  const auto steps = [&](const std::vector<Step>& all) {
    for (const Step& s : all) {
      for (const TxnId t : {s.from, s.to, s.source, s.reader}) txn(t);
      operation(s.from_op);
      operation(s.to_op);
    }
  };
  for (const Anomaly& a : verdict.anomalies) {
    for (const TxnId t : a.transactions) txn(t);
    steps(a.steps);
    for (const Case& one : a.cases) steps(one.steps);
    for (const OpId op : a.unexplained) operation(op);
    operation(a.op);
    txn(a.expected_writer);
    txn(a.source_writer);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

class CoreRun {
 public:
  CoreRun(Ranks& ranks, Parts& parts, const CoreJob& job, const Limits& limits)
      : ranks_(ranks), parts_(parts), job_(job), limits_(limits) {}

  Result<CoreVerdict> run(const std::vector<std::uint64_t>& keys, const std::vector<Span>& places) {
    keys_ = gathered(ranks_, keys);
    make_ascending(keys_);
    if (auto added = add_keys_of(places); !added) return std::move(added).error();
    for (int i = 0; i < kMostCores; ++i) {
      auto judged = judge();
      if (!judged) return std::move(judged).error();
      if (!out_.open.empty()) return std::move(out_);
      const std::size_t before = keys_.size();
      if (auto added = add_keys_of(*judged); !added) return std::move(added).error();
      if (keys_.size() == before) return std::move(out_);
    }
    out_.open = "what breaks the level hangs together with too much else";
    return std::move(out_);
  }

 private:
  // Those that these transactions touch. The same on all ranks.
  Result<void> add_keys_of(const std::vector<Span>& places) {
    std::vector<std::uint64_t> own;
    const auto look = [&]() -> Result<void> {
      for (std::size_t i = 0; i < parts_.count(); ++i) {
        auto next = std::lower_bound(places.begin(), places.end(), parts_.first_place(i),
                                     [](const Span& span, std::uint64_t place) { return span.last < place; });
        if (next == places.end() || next->first >= parts_.end_place(i)) continue;
        auto part = parts_.load(i);
        if (!part) return std::move(part).error();
        const History& h = **part;
        std::vector<bool> touched(h.key_count(), false);
        for (; next != places.end() && next->first < parts_.end_place(i); ++next) {
          const std::uint64_t end = std::min(next->last + 1, parts_.end_place(i));
          for (std::uint64_t p = std::max(next->first, parts_.first_place(i)); p < end; ++p) {
            const TxnId t{static_cast<std::uint32_t>(p - parts_.first_place(i))};
            for (std::uint32_t op = h.first_op(t); op < h.end_op(t); ++op) touched[raw(h.op(op).key())] = true;
          }
        }
        for (std::uint32_t k = 0; k < h.key_count(); ++k) {
          if (touched[k]) own.push_back(raw64(fingerprint_of(h.values(), h.columns().key_name[k])));
        }
      }
      make_ascending(own);
      return {};
    };
    if (auto agreed = ranks_.agree(look()); !agreed) return agreed;
    const std::vector<std::uint64_t> more = gathered(ranks_, own);
    keys_.insert(keys_.end(), more.begin(), more.end());
    make_ascending(keys_);
    return {};
  }

  // Returns the places that the verdict names, on all ranks.
  Result<std::vector<Span>> judge() {
    std::vector<std::uint64_t> own_places;
    std::uint64_t operations = 0;
    if (auto agreed = ranks_.agree(find_members(own_places, operations)); !agreed) return std::move(agreed).error();
    const std::uint64_t bytes = ranks_.sum(operations) * kBytesPerCoreOp;
    if (bytes > job_.most) {
      out_.open = fmt::format("what breaks the level hangs together with {} MiB of operations", bytes >> 20);
      return std::vector<Span>();
    }
    std::vector<std::uint64_t> places;
    for (const std::string& some : ranks_.to_first(bytes_of(own_places))) append_items(some, places);
    auto joiner = fetch_keys(ranks_, parts_, keys_);
    if (!joiner) return std::move(joiner).error();
    std::vector<Span> named;
    Result<void> good;
    bool open = false;
    if (ranks_.is_first()) {
      auto history = joiner->finish();
      if (history) {
        open = !judge_here(*std::move(history), places, named);
      } else {
        good = std::move(history).error();
      }
    }
    if (auto agreed = ranks_.agree(good); !agreed) return std::move(agreed).error();
    if (ranks_.any(open)) out_.open = "what seemed to break the level does not show it by itself";
    return gathered(ranks_, named);
  }

  Result<void> find_members(std::vector<std::uint64_t>& places, std::uint64_t& operations) {
    for (std::size_t i = 0; i < parts_.count(); ++i) {
      auto part = parts_.load(i);
      if (!part) return std::move(part).error();
      const KeysOfPart wanted(**part, keys_);
      for (std::uint32_t t = 0; t < (*part)->txn_count(); ++t) {
        const std::uint32_t count = wanted.operations(TxnId{t});
        if (count > 0) places.push_back(parts_.first_place(i) + t);
        operations += count;
      }
    }
    return {};
  }

  // False: it is no answer.
  bool judge_here(History history, const std::vector<std::uint64_t>& places, std::vector<Span>& named) {
    Verdict verdict = job_.engine->check(history, job_.level, limits_, job_.options);
    if (verdict.outcome != Outcome::kViolated || rests_on_the_database(verdict)) return false;
    for (const TxnId t : named_by(history, verdict)) named.push_back({places[raw(t)], places[raw(t)]});
    out_.verdict = std::move(verdict);
    out_.history = std::move(history);
    return true;
  }

  Ranks& ranks_;
  Parts& parts_;
  const CoreJob& job_;
  const Limits& limits_;
  CoreVerdict out_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace

Result<CoreVerdict> judge_core(Ranks& ranks, Parts& parts, const std::vector<std::uint64_t>& keys,
                               const std::vector<Span>& places, const CoreJob& job, const Limits& limits) {
  return CoreRun(ranks, parts, job, limits).run(keys, places);
}

}  // namespace isolde::batch
