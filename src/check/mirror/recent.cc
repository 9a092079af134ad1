#include "check/mirror/recent.h"

#include <algorithm>

namespace isolde::mirror {

const Script& RecentTxn::acts() {
  if (!script) {
    script = std::make_shared<const Script>(script_of(*chunk, txn, number, share));
    chunk.reset();
  }
  return *script;
}

void Recent::note_initial(Fingerprint key, Fingerprint value) {
  if (initial_.size() < kKeptInitials) {
    initial_.insert_or_assign(raw64(key), value);
  } else {
    all_initials_ = false;
  }
}

const Fingerprint* Recent::initial(Fingerprint key) const {
  const auto at = initial_.find(raw64(key));
  return at == initial_.end() ? nullptr : &at->second;
}

void Recent::add(RecentTxn txn, Status status, std::int64_t commit_hi) {
  judged_.push_back(std::move(txn));
  commit_hi_.push_back(status == Status::kUnknown ? kNever : commit_hi);
  while (judged_.size() > kKept) {
    whole_ = false;
    if (judged_.front().waits) ++let_go_;
    if (commit_hi_.front() != kNever) {
      cut_ = std::max(cut_, commit_hi_.front());
    } else if (unknown_.size() < kKeptUnknown) {
      static_cast<void>(judged_.front().acts());  // not all of its chunk
      unknown_.push_back(std::move(judged_.front()));
    } else {
      lost_ = true;
    }
    judged_.pop_front();
    commit_hi_.pop_front();
  }
}

void Recent::mark_told(const std::vector<Fingerprint>& ids) {
  const auto is_told = [&](const RecentTxn& txn) { return std::find(ids.begin(), ids.end(), txn.id) != ids.end(); };
  for (RecentTxn& txn : judged_) txn.unsure = txn.unsure || is_told(txn);
  for (RecentTxn& txn : unknown_) txn.unsure = txn.unsure || is_told(txn);
}

void Recent::forget(std::int64_t until) {
  let_go_ += static_cast<std::uint64_t>(
      std::count_if(judged_.begin(), judged_.end(), [](const RecentTxn& txn) { return txn.waits; }));
  judged_.clear();
  commit_hi_.clear();
  whole_ = settled_ = false;
  cut_ = std::max(cut_, until);
  forgotten_ = std::max(forgotten_, until);
}

void Recent::save(StateWriter& out) {
  const auto put = [&](RecentTxn& txn) {
    txn.acts().save(out);
    out.put(txn.unsure);
    out.put(txn.waits);
  };
  out.put(std::uint64_t{judged_.size()});
  for (RecentTxn& txn : judged_) put(txn);
  out.put_all(std::vector<std::int64_t>(commit_hi_.begin(), commit_hi_.end()));
  out.put(std::uint64_t{unknown_.size()});
  for (RecentTxn& txn : unknown_) put(txn);
  std::vector<std::pair<std::uint64_t, Fingerprint>> sorted(initial_.begin(), initial_.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint64_t> initials;
  for (const auto& [key, value] : sorted) {
    initials.push_back(key);
    initials.push_back(raw64(value));
  }
  out.put_all(initials);
  out.put(cut_);
  out.put(forgotten_);
  out.put(let_go_);
  out.put(whole_);
  out.put(lost_);
  out.put(settled_);
  out.put(all_initials_);
  out.put(spare);
}

bool Recent::load(StateReader& in) {
  const auto get = [&] {
    Script script;
    script.load(in);
    RecentTxn txn;
    txn.number = script.number;
    txn.id = script.id;
    txn.unsure = in.get<bool>();
    txn.waits = in.get<bool>();
    txn.script = std::make_shared<const Script>(std::move(script));
    return txn;
  };
  judged_.clear();
  unknown_.clear();
  initial_.clear();
  for (auto n = in.get<std::uint64_t>(); n > 0 && in.good(); --n) judged_.push_back(get());
  const auto ends = in.get_all<std::int64_t>();
  commit_hi_.assign(ends.begin(), ends.end());
  for (auto n = in.get<std::uint64_t>(); n > 0 && in.good(); --n) unknown_.push_back(get());
  const auto initials = in.get_all<std::uint64_t>();
  for (std::size_t i = 0; i + 1 < initials.size(); i += 2) initial_.emplace(initials[i], Fingerprint{initials[i + 1]});
  cut_ = in.get<std::int64_t>();
  forgotten_ = in.get<std::int64_t>();
  let_go_ = in.get<std::uint64_t>();
  whole_ = in.get<bool>();
  lost_ = in.get<bool>();
  settled_ = in.get<bool>();
  all_initials_ = in.get<bool>();
  spare = in.get<std::int64_t>();
  return in.good() && commit_hi_.size() == judged_.size() && judged_.size() <= kKept && unknown_.size() <= kKeptUnknown;
}

}  // namespace isolde::mirror
