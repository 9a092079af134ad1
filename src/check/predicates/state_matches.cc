#include "check/predicates/state_matches.h"

namespace isolde {

StateMatches::StateMatches(const History& history, const PredicateSet& set) : h_(history), set_(set) {
  now_.reserve(h_.key_count());
  for (std::uint32_t k = 0; k < h_.key_count(); ++k) now_.push_back({h_.initial(KeyId{k}), kNoTxn, true});
}

void StateMatches::set(KeyId key, const Version& version) {
  Version& now = now_[raw(key)];
  if (!now.known) --unknown_;
  if (!version.known) ++unknown_;
  now = version;
}

void StateMatches::find(std::uint32_t text, Matches& out) const {
  out.keys.clear();
  out.faulty = false;
  const CompiledPredicate& condition = set_.condition(text);
  for (std::uint32_t k = 0; k < now_.size(); ++k) {
    if (!now_[k].known || now_[k].value == kNullValue) continue;
    const Evaluation e = condition.evaluate(h_.values(), h_.columns().key_name[k], now_[k].value);
    if (e.faults != kNoFault) {
      out.faulty = true;
    } else if (e.matches()) {
      out.keys.push_back(KeyId{k});
    }
  }
}

}  // namespace isolde
