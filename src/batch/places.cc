#include "batch/places.h"

#include "base/radix_sort.h"

namespace isolde::batch {
namespace {

EventPlace place_at(std::int64_t time, Block block, std::uint64_t place, bool is_commit) {
  return {order_preserving(time), (static_cast<std::uint64_t>(block) << 60) | (place << 1) | (is_commit ? 1U : 0U)};
}

}  // namespace

TxnPlaces places_of(const History& h, TxnId t, std::uint64_t place, const TimeForm& form) {
  TxnPlaces out;
  if (form.is_serial()) {
    const std::int64_t time = form.by_place ? 0 : timeline::serial_time(h, t, form.clock);
    if (time == kNoTime) {
      out.open = "transactions without a place in the order";
      return out;
    }
    out.start = out.commit = place_at(time, Block::kCommit, place, true);
    return out;
  }
  const std::int64_t start = h.start_ts(t), commit = timeline::commit_time(h, t);
  if (commit == kNoTime) {
    out.open = "transactions without commit_ts";
    return out;
  }
  if (start == kNoTime) {
    if (timeline::reads_others(h, t)) {
      out.open = "transactions without start_ts";
      return out;
    }
    out.block = Block::kUnknownStart;
  } else if (start == commit) {
    out.block = timeline::writes_anything(h, t) ? Block::kInstantWriter : Block::kInstantReader;
  }
  out.commit = place_at(commit, out.block, place, true);
  if (start == kNoTime || start == commit) {
    out.start = place_at(commit, out.block, place, false);
  } else if (start < commit) {
    out.start = place_at(start, Block::kStart, place, false);
  } else {
    out.start_after_commit = true;
  }
  return out;
}

}  // namespace isolde::batch
