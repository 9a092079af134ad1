#include "check/weak/past.h"

#include <algorithm>
#include <numeric>

#include "base/count_progress.h"
#include "check/weak/past_search.h"

namespace isolde::weak {

using namespace graph;

namespace {

constexpr std::size_t kMostClockCells = std::size_t{1} << 26;
constexpr std::uint64_t kMostCells = std::uint64_t{1} << 31;  // to be filled, not at once
constexpr std::uint64_t kStepsPerSession = 4;                 // looks at a writer, for each transaction and session
constexpr std::size_t kMostPairsPerTransaction = 8;           // for each transaction
constexpr std::uint64_t kCellsPerPastStep = 4;

}  // namespace

Past::Past(const Table& table, std::uint32_t sessions)
    : table_(table),
      sessions_(sessions),
      keeps_all_(std::uint64_t{table.size()} * sessions <= kMostClockCells),
      has_room_(std::uint64_t{table.size()} * sessions <= kMostCells),
      before_(table.size(), kNone32),
      at_(table.size(), 0),
      slot_(table.size(), 0) {
  std::vector<Number> last(sessions, kNone32);
  for (Number i = 0; i < table.size(); ++i) {
    Number& before = last[table.session[i]];
    before_[i] = before;
    if (before != kNone32) at_[i] = at_[before] + 1;
    before = i;
  }
  if (keeps_all_) {
    std::iota(slot_.begin(), slot_.end(), 0U);
    clocks_.resize(std::size_t{table.size()} * sessions);
  }
}

void Past::look_back(std::vector<StaleRead> stale, std::span<const Version> previous, const Limits& limits,
                     Contradictions& out) {
  found_in_.assign(sessions_, kNone32);
  if (!has_all_) {
    std::sort(stale.begin(), stale.end(), [](const StaleRead& a, const StaleRead& b) { return a.read < b.read; });
  }
  const bool told = has_room_ && by_clocks(stale, previous, limits, out);
  limits.spend(stale.size());
  if (!told) {
    out.pairs.clear();
    out.missed.clear();
    PastSearch(table_, before_).look_back(stale, previous, limits, out);
  }
}

bool Past::by_clocks(std::span<const StaleRead> stale, std::span<const Version> previous, const Limits& limits,
                     Contradictions& out) {
  steps_left_ = kStepsPerSession * std::max<std::uint64_t>(sessions_, 16) * table_.size();
  if (!has_all_) count_asked();
  out.gave_up = true;
  auto next = stale.begin();
  CountProgress looked(limits, "what each transaction saw,", table_.size());
  for (Number i = 0; i < table_.size() && !has_all_; ++i) {
    looked.add();
    if ((i & 0xfff) == 0) {
      limits.spend(std::uint64_t{std::min(table_.size() - i, 0x1000U)} * (sessions_ / kCellsPerPastStep + 4));
      if (limits.exhausted()) return true;
    }
    has_room_ = advance(i);
    if (!has_room_) return false;
    for (; next != stale.end() && next->reader == i; ++next) {
      if (!look_at(*next, previous, out)) return true;
    }
    done_with(i);
  }
  for (; next != stale.end(); ++next) {
    if (!look_at(*next, previous, out)) return true;
  }
  has_all_ = keeps_all_;
  out.gave_up = false;
  return true;
}

// Each is asked for once by itself, by the next of its session and by each read of what it wrote.
void Past::count_asked() {
  if (keeps_all_) return;
  asked_.assign(table_.size(), 1);
  for (const Number before : before_) {
    if (before != kNone32) ++asked_[before];
  }
  for (const Table::Read& read : table_.reads) {
    if (read.version != kInitialVersion) ++asked_[table_.writer[read.version]];
  }
  free_.clear();
  clocks_.clear();
}

bool Past::take_slot(Number i) {
  if (keeps_all_) return true;
  if (free_.empty()) {
    if (clocks_.size() + sessions_ > kMostClockCells) return false;
    free_.push_back(static_cast<std::uint32_t>(clocks_.size() / sessions_));
    clocks_.resize(clocks_.size() + sessions_);
  }
  slot_[i] = free_.back();
  free_.pop_back();
  return true;
}

bool Past::advance(Number i) {
  if (!take_slot(i)) return false;
  std::uint32_t* const mine = clock(i);
  if (before_[i] == kNone32) {
    std::fill_n(mine, sessions_, 0);
  } else {
    std::copy_n(clock(before_[i]), sessions_, mine);
    done_with(before_[i]);
  }
  mine[table_.session[i]] = at_[i];
  for (std::uint32_t r = table_.read_begin[i]; r < table_.read_begin[i + 1]; ++r) {
    if (table_.reads[r].version == kInitialVersion) continue;
    const Number writer = table_.writer[table_.reads[r].version];
    std::uint32_t& known = mine[table_.session[writer]];
    // One that is in the past already brings nothing new.
    if (known <= at_[writer]) {
      known = at_[writer] + 1;
      const std::uint32_t* const theirs = clock(writer);
      for (std::uint32_t s = 0; s < sessions_; ++s) mine[s] = std::max(mine[s], theirs[s]);
    }
    done_with(writer);
  }
  return true;
}

bool Past::look_at(const StaleRead& stale, std::span<const Version> previous, Contradictions& out) {
  const std::uint32_t* const past = clock(stale.reader);
  for (Version v = stale.latest; v != table_.reads[stale.read].version; v = previous[v]) {
    if (steps_left_-- == 0) return false;
    const Number writer = table_.writer[v];
    const std::uint32_t session = table_.session[writer];
    // Of one session the last says it all.
    if (past[session] <= at_[writer] || found_in_[session] == stale.read) continue;
    found_in_[session] = stale.read;
    add_contradiction(table_, stale.reader, stale.read, writer, out);
    if (out.pairs.size() > kMostPairsPerTransaction * table_.size()) return false;
    if (table_.reads[stale.read].version == kInitialVersion) break;  // one will do
  }
  return true;
}

}  // namespace isolde::weak
