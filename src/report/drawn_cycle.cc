#include "report/drawn_cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/shown_steps.h"
#include "report/words.h"

namespace isolde {
namespace {

bool is_simple_cycle(const std::vector<Step>& steps) {
  if (steps.size() < 2) return false;
  std::set<TxnId> seen;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].from == kNoTxn || steps[i].to != steps[(i + 1) % steps.size()].from) return false;
    if (!seen.insert(steps[i].from).second) return false;
  }
  return true;
}

DrawnBox box_of(const History& h, TxnId t, const std::set<OpId>& named, std::size_t lines) {
  DrawnBox box;
  box.title = words::txn(h, t);
  std::vector<std::uint32_t> shown;
  for (const OpId op : named) {
    if (raw(op) >= h.first_op(t) && raw(op) < h.end_op(t) && shown.size() < lines) shown.push_back(raw(op));
  }
  for (std::uint32_t op = h.first_op(t); op < h.end_op(t) && shown.size() < lines; ++op) {
    if (!named.contains(OpId{op})) shown.push_back(op);
  }
  std::ranges::sort(shown);
  for (const std::uint32_t op : shown) {
    box.lines.push_back(words::shortened(words::did(h, OpId{op}), 40));
    box.is_named.push_back(named.contains(OpId{op}));
  }
  if (const std::size_t left = h.end_op(t) - h.first_op(t) - shown.size(); left > 0) {
    box.lines.push_back(fmt::format("... {} more", left));
    box.is_named.push_back(false);
  }
  return box;
}

}  // namespace

std::optional<DrawnCycle> drawn_cycle(const History& h, const Anomaly& a, std::size_t boxes, std::size_t lines) {
  if (!is_simple_cycle(a.steps)) return std::nullopt;
  std::set<OpId> named;
  for (const Step& step : a.steps) {
    for (const OpId op : {step.from_op, step.to_op}) {
      if (op != kNoOp) named.insert(op);
    }
  }
  DrawnCycle out;
  std::size_t next = 0;
  for (const std::size_t i : shown_steps(a.steps, std::max<std::size_t>(4, boxes))) {
    const Step& step = a.steps[i];
    if (i > next) {
      // From where the last arrow led to where this one begins.
      out.boxes.push_back(box_of(h, a.steps[next].from, named, lines));
      out.arrows.push_back({.label = fmt::format("{} more", i - next), .is_gap = true});
    }
    out.boxes.push_back(box_of(h, step.from, named, lines));
    const std::string on = step.key == kNoKey ? std::string() : " " + words::shortened(h.key_text(step.key), 24);
    out.arrows.push_back({.label = fmt::format("{}{}", name(step.type), on), .is_gap = false});
    next = i + 1;
  }
  return out;
}

}  // namespace isolde
