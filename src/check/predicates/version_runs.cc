#include "check/predicates/version_runs.h"

#include <algorithm>

#include "check/accesses.h"

namespace isolde {

VersionRuns::VersionRuns(const History& history, std::span<const std::uint32_t> events, EventForm form) : h_(history) {
  struct Placed {
    KeyId key;
    Entry entry;
  };
  std::vector<Placed> placed;
  std::vector<std::uint32_t> last(h_.key_count(), kNone32);  // the key's last place in `placed`
  for (const std::uint32_t event : events) {
    if (form == EventForm::kPoints && (event & 1) == 0) continue;
    const TxnId t{form == EventForm::kPoints ? event >> 1 : event};
    for_each_access(h_, t, [&](const Access& a) {
      if (a.kind == OpKind::kRead) return;
      std::uint32_t& at = last[raw(a.key)];
      if (at == kNone32 || placed[at].entry.writer != t) {
        at = static_cast<std::uint32_t>(placed.size());
        placed.push_back({a.key, {t, kNullValue, true}});
      }
      Entry& entry = placed[at].entry;
      entry.known = a.kind == OpKind::kWrite;
      entry.value = a.value;
    });
  }
  first_.assign(h_.key_count() + std::size_t{1}, 0);
  for (const Placed& p : placed) ++first_[raw(p.key) + 1];
  for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
  entries_.resize(placed.size());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (const Placed& p : placed) entries_[next[raw(p.key)]++] = p.entry;
}

VersionRuns::Answer VersionRuns::ask(const CompiledPredicate& condition, TxnId txn, KeyId key, std::uint32_t installed,
                                     ValueId named) const {
  using Is = Answer::Is;
  const std::span<const Entry> later(entries_.data() + first_[raw(key)], first_[raw(key) + 1] - first_[raw(key)]);
  // Versions by number: 0 the initial one, then those of `later`.
  const std::size_t count = later.size() + 1;
  const auto entry = [&](std::size_t i) { return i == 0 ? Entry{kNoTxn, h_.initial(key), true} : later[i - 1]; };
  const auto is_named = [&](std::size_t i) {
    return entry(i).known && entry(i).value == named && entry(i).writer != txn;
  };
  bool fault = false;
  const auto matches = [&](std::size_t i) {
    const Entry e = entry(i);
    const Evaluation answer =
        e.known ? condition.evaluate(h_.values(), h_.columns().key_name[raw(key)], e.value) : Evaluation{};
    fault = fault || !e.known || answer.faults != kNoFault;
    return answer.matches();
  };
  if (is_named(installed)) return {Is::kAgrees};
  // Within the run of versions that match as the state's does.
  const bool now = matches(installed);
  std::size_t i = installed;
  while (!fault && i > 0 && matches(i - 1) == now && !fault) {
    if (is_named(--i)) return {Is::kAgrees};
  }
  if (fault) return {Is::kOpen};
  i = installed;
  while (!fault && i + 1 < count && matches(i + 1) == now && !fault) {
    if (is_named(++i)) return {Is::kAgrees};
  }
  if (fault) return {Is::kOpen};
  std::size_t found = count;
  for (i = 0; i < count; ++i) {
    if (!is_named(i)) continue;
    if (found < count) return {Is::kOpen};  // one of them was meant, and which is not known
    found = i;
  }
  if (found == count) return {Is::kOpen};
  // The first on the way from the earlier of the two to the later that does not match as the named one does; by
  // another, since its own later write says nothing against a transaction.
  const bool then = matches(found);
  const std::size_t last = std::max<std::size_t>(found, installed);
  for (i = installed + std::size_t{1}; i <= last; ++i) {
    if (entry(i).writer == txn) return {Is::kOpen};
  }
  i = std::min<std::size_t>(found, installed) + 1;
  while (i <= last && !fault && (entry(i).writer == txn || matches(i) == then)) ++i;
  if (fault || i > last) return {Is::kOpen};
  return {found < installed ? Is::kChangedSince : Is::kChangedLater, entry(i).writer, entry(i).value};
}

}  // namespace isolde
