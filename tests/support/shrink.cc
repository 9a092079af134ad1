#include "tests/support/shrink.h"

#include <algorithm>
#include <vector>

namespace isolde {
namespace {

// Every draft that is one step smaller.
std::vector<Draft> smaller(const Draft& draft) {
  std::vector<Draft> out;
  const auto variant = [&](auto change) {
    Draft next = draft;
    change(next);
    out.push_back(std::move(next));
  };
  const auto at = [](auto& all, std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
  for (std::size_t t = 0; t < draft.txns.size(); ++t) {
    variant([&](Draft& d) {
      for (DraftVersions& order : d.versions) std::erase(order.txns, d.txns[t].name);
      std::erase_if(d.versions, [](const DraftVersions& order) { return order.txns.empty() && order.values.empty(); });
      d.txns.erase(at(d.txns, t));
    });
  }
  for (std::size_t t = 0; t < draft.txns.size(); ++t) {
    const DraftTxn& txn = draft.txns[t];
    for (std::size_t i = 0; i < txn.ops.size(); ++i)
      variant([&](Draft& d) { d.txns[t].ops.erase(at(d.txns[t].ops, i)); });
    for (std::size_t i = 0; i < txn.ops.size(); ++i) {
      const DraftOp& op = txn.ops[i];
      if (op.vset) variant([&](Draft& d) { d.txns[t].ops[i].vset.reset(); });
      for (std::size_t r = 0; r < op.items.size(); ++r)
        variant([&](Draft& d) { d.txns[t].ops[i].items.erase(at(d.txns[t].ops[i].items, r)); });
      for (std::size_t r = 0; op.vset && r < op.vset->size(); ++r)
        variant([&](Draft& d) { d.txns[t].ops[i].vset->erase(at(*d.txns[t].ops[i].vset, r)); });
    }
    for (const auto field : {&DraftTxn::begin, &DraftTxn::end, &DraftTxn::order, &DraftTxn::sno, &DraftTxn::start_ts,
                             &DraftTxn::commit_ts, &DraftTxn::commit_before}) {
      if (txn.*field) variant([&](Draft& d) { (d.txns[t].*field).reset(); });
    }
    if (txn.snapshot) variant([&](Draft& d) { d.txns[t].snapshot.reset(); });
    for (std::size_t i = 0; txn.snapshot && i < txn.snapshot->active.size(); ++i)
      variant([&](Draft& d) { d.txns[t].snapshot->active.erase(at(d.txns[t].snapshot->active, i)); });
    if (txn.session != txn.name) variant([&](Draft& d) { d.txns[t].session = txn.name; });
    if (txn.status != Status::kCommitted) variant([&](Draft& d) { d.txns[t].status = Status::kCommitted; });
  }
  for (std::size_t i = 0; i < draft.initial.size(); ++i) variant([&](Draft& d) { d.initial.erase(at(d.initial, i)); });
  for (std::size_t i = 0; i < draft.versions.size(); ++i)
    variant([&](Draft& d) { d.versions.erase(at(d.versions, i)); });
  if (draft.serial_by_commit_ts) variant([](Draft& d) { d.serial_by_commit_ts = false; });
  return out;
}

}  // namespace

Draft shrink(Draft draft, const std::function<bool(const Draft&)>& faulty) {
  for (bool again = true; again;) {
    again = false;
    for (Draft& next : smaller(draft)) {
      if (!faulty(next)) continue;
      draft = std::move(next);
      again = true;
      break;
    }
  }
  return draft;
}

}  // namespace isolde
