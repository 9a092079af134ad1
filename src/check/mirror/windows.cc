#include "check/mirror/windows.h"

#include <algorithm>
#include <charconv>

#include "check/mirror/moments.h"

namespace isolde::mirror {
namespace {

bool take_integer(std::string_view& text, std::int64_t& value) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

bool whole_key_range(std::string_view where, std::int64_t& low, std::int64_t& high) {
  constexpr std::string_view kPoint = "key =", kBetween = "key between ", kAnd = " and ";
  if (where.starts_with(kPoint)) {
    where.remove_prefix(kPoint.size());
    if (!take_integer(where, low)) return false;
    high = low;
  } else if (where.starts_with(kBetween)) {
    where.remove_prefix(kBetween.size());
    if (!take_integer(where, low) || !where.starts_with(kAnd)) return false;
    where.remove_prefix(kAnd.size());
    if (!take_integer(where, high)) return false;
  } else {
    return false;
  }
  constexpr std::int64_t kWidest = 1024;  // each key in it is looked up
  return where.empty() && low <= high && high < low + kWidest;
}

TxnWindows measure(const History& history, TxnId txn, std::vector<Window>& ops) {
  const std::int64_t begin = history.begin(txn);
  const std::int64_t end = history.end(txn);
  const Status status = history.status(txn);
  TxnWindows of{};
  ops.clear();
  of.begin = begin == kNoTime ? kAlways : begin;
  std::int64_t last = of.begin;  // answered so far
  bool all = true;
  for (std::uint32_t op = history.first_op(txn); op < history.end_op(txn); ++op) {
    const History::Interval at = history.at(txn, OpId{op});
    if (at.before == kNoTime || at.after == kNoTime) {
      ops.push_back({last, kNever});
      all = false;
      continue;
    }
    ops.push_back({std::min(at.before, at.after), std::max(at.before, at.after)});
    of.begin = std::min(of.begin, ops.back().lo);
    last = std::max(last, ops.back().hi);
  }
  const History::Interval commit = history.commit_interval(txn);
  of.end = end != kNoTime ? std::max(end, last) : kNever;
  if (end == kNoTime && status != Status::kUnknown && commit.after != kNoTime) of.end = commit.after;
  // Who gives up waiting for the answer does not know when, or whether, the commit took effect.
  of.commit_hi = status == Status::kUnknown ? kNever : of.end;
  if (status != Status::kUnknown && commit.after != kNoTime) of.commit_hi = commit.after;
  if (!all) {
    std::int64_t next = of.commit_hi;
    for (std::size_t i = ops.size(); i-- > 0;) {
      if (ops[i].hi == kNever) {
        ops[i].hi = std::max(next, ops[i].lo);
      } else {
        next = std::min(next, ops[i].lo);
      }
    }
  }
  // A statement that failed has no interval: whatever has one was answered, and held its locks until then. An aborted
  // transaction may have let go before its client asked to roll it back.
  of.commit_lo = commit.before != kNoTime && status != Status::kAborted ? commit.before : last;
  return of;
}

}  // namespace isolde::mirror
