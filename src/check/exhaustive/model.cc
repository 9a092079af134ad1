#include "check/exhaustive/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace isolde::exhaustive {
namespace {

constexpr std::size_t kMostWays = 4096;  // to read the version orders that are given

// Whether pairs of these go in a cycle.
bool is_circular(const Pairs& pairs, TxnSet among) {
  std::array<TxnSet, kMostTxns> after{};
  for (const auto& [a, b] : pairs) {
    if (has(among, a) && has(among, b)) after[a] |= only(b);
  }
  for (std::size_t via = 0; via < kMostTxns; ++via) {
    for (TxnSet& set : after) set |= has(set, via) ? after[via] : 0U;
  }
  for (std::size_t t = 0; t < kMostTxns; ++t) {
    if (has(after[t], t)) return true;
  }
  return false;
}

Fit lesser(Fit a, Fit b) { return std::min(a, b); }
Fit opposite(Fit fit) { return fit == Fit::kOpen ? fit : fit == Fit::kYes ? Fit::kNo : Fit::kYes; }

}  // namespace

Model::Model(const History& history)
    : asked(history.op_count(), true), h_(history), predicates_(history), is_list_(history.key_count(), false) {
  if (!predicates_.defect().empty()) {
    lack_ = predicates_.defect();
    return;
  }
  bool registers_only = true;
  std::vector<bool> is_counter(h_.key_count(), false);
  for (std::uint32_t i = 0; i < h_.op_count(); ++i) {
    const OpKind kind = h_.op(i).kind();
    if (kind == OpKind::kAppend) is_list_[raw(h_.op(i).key())] = true;
    if (kind == OpKind::kIncrement) is_counter[raw(h_.op(i).key())] = true;
    registers_only &= kind != OpKind::kAppend && kind != OpKind::kIncrement;
    has_looks |= is_predicate(kind);
  }
  for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
    if (is_list_[k] && is_counter[k]) lack_ = "a key that is both a list and a counter";
  }
  if (!lack_.empty()) return;
  if (has_looks && !registers_only) {
    lack_ = "predicates together with lists or counters";
    return;
  }
  keys = h_.key_count();
  for (std::uint32_t k = 0; k < keys; ++k) initial.push_back(state_of(h_.initial(KeyId{k}), k));
  for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
    if (h_.status(TxnId{t}) != Status::kAborted) add_txn(TxnId{t});
  }
}

void Model::add_txn(TxnId t) {
  SmallTxn txn{.id = t, .sure = h_.status(t) == Status::kCommitted, .accesses = {}};
  for (std::uint32_t i = h_.first_op(t); i < h_.end_op(t); ++i) {
    const OpHead head = h_.op(i);
    if (!is_predicate(head.kind())) {
      add_access(txn, head.kind(), head.key(), h_.op_value(i), OpId{i});
      continue;
    }
    add_look(txn, head, h_.op_value(i), OpId{i});
    if (head.kind() == OpKind::kAggregate) continue;
    const OpKind kind = head.kind() == OpKind::kScan ? OpKind::kRead : OpKind::kWrite;
    for (const Item& item : h_.items(h_.predicate(head.predicate())))
      add_access(txn, kind, item.key, item.value, OpId{i});
  }
  // Of unknown outcome, and nobody could tell whether it took place: it is left out.
  if (!txn.sure && txn.writes == 0) return;
  all |= only(txns.size());
  if (txn.sure) sure |= only(txns.size());
  txns.push_back(std::move(txn));
}

void Model::add_access(SmallTxn& txn, OpKind kind, KeyId key, ValueId value, OpId op) {
  const bool has_state = kind == OpKind::kRead || kind == OpKind::kWrite;
  txn.accesses.push_back({.kind = kind,
                          .key = raw(key),
                          .state = has_state ? state_of(value, raw(key)) : State{0},
                          .value = value,
                          .id = accesses_++,
                          .op = op});
  if (kind != OpKind::kRead) txn.writes |= only_key(raw(key));
}

void Model::add_look(SmallTxn& txn, OpHead head, ValueId value, OpId op) {
  const Predicate& predicate = h_.predicate(head.predicate());
  Look look{.predicate = head.predicate(), .items = {}, .looked = std::nullopt};
  for (const Item& item : h_.items(predicate))
    look.items.emplace_back(raw(item.key), state_of(item.value, raw(item.key)));
  if (predicate.has_vset != 0) {
    has_vsets = true;
    look.looked.emplace();
    for (std::uint32_t k = 0; k < keys; ++k) look.looked->push_back(state_of(kNullValue, k));
    for (const Item& item : h_.vset(predicate)) (*look.looked)[raw(item.key)] = state_of(item.value, raw(item.key));
  }
  txn.accesses.push_back({.kind = head.kind(),
                          .value = value,
                          .id = accesses_++,
                          .op = op,
                          .look = static_cast<std::uint32_t>(looks_.size())});
  looks_.push_back(std::move(look));
}

State Model::intern(Content content, ValueId plain) {
  const auto [at, fresh] = numbers_.try_emplace(content, static_cast<State>(contents_.size()));
  if (fresh) {
    contents_.push_back(std::move(content));
    plain_.push_back(plain);
  }
  return at->second;
}

State Model::state_of(ValueId value, std::uint32_t key) {
  using Type = Content::Type;
  const ValueTable& values = h_.values();
  Content content{.type = Type::kValue, .value = value, .number = 0, .elements = {}};
  if (values.type(value) == ValueType::kInteger) {
    content = {.type = Type::kNumber, .value = kNullValue, .number = values.integer(value), .elements = {}};
  } else if (values.type(value) == ValueType::kList) {
    const auto elements = values.list(value);
    if (elements.empty() && is_list_[key]) {
      content.value = kNullValue;
    } else {
      content = {.type = Type::kList, .value = kNullValue, .number = 0, .elements = {elements.begin(), elements.end()}};
    }
  }
  return intern(std::move(content), value);
}

Model::Content Model::changed(Content content, const Access& write) {
  using Type = Content::Type;
  const Content nothing{.type = Type::kNothing, .value = kNullValue, .number = 0, .elements = {}};
  const bool absent = content.type == Type::kValue && content.value == kNullValue;
  if (write.kind == OpKind::kAppend) {
    if (absent) content.type = Type::kList;
    if (content.type == Type::kValue || content.type == Type::kNumber) {
      met_doubt_ = true;
      if (!lenient()) return nothing;
      // A key is not counted up and appended to, so that a number is a value of the history.
      const ValueId first = content.type == Type::kValue ? content.value : plain_[numbers_.at(content)];
      content = {.type = Type::kList, .value = kNullValue, .number = 0, .elements = {first}};
    }
    if (content.type == Type::kList) content.elements.push_back(write.value);
    return content;
  }
  if (absent) content.type = Type::kNumber;
  if (content.type != Type::kNumber) return nothing;
  const bool past_end = __builtin_add_overflow(content.number, h_.values().integer(write.value), &content.number);
  met_doubt_ |= past_end;
  return past_end && !lenient() ? nothing : content;
}

State Model::apply(State before, const Access& write) {
  if (write.kind == OpKind::kWrite) return write.state;
  const std::uint64_t place = (std::uint64_t{before} << 32) | (std::uint64_t{write.id} << 1) | (lenient() ? 1U : 0U);
  const auto found = applied_.find(place);
  if (found != applied_.end()) return found->second;
  const State after = intern(changed(contents_[before], write), kNullValue);
  applied_.emplace(place, after);
  return after;
}

void Model::commit(States& states, std::size_t t) {
  for (const Access& a : txns[t].accesses) {
    if (is_item_write(a.kind)) states[a.key] = apply(states[a.key], a);
  }
}

bool Model::explains(const States& snapshot, std::size_t t) {
  States now = snapshot;
  KeySet own = 0;
  for (const Access& a : txns[t].accesses) {
    if (is_item_write(a.kind)) {
      now[a.key] = apply(now[a.key], a);
      own |= only_key(a.key);
    } else if (!is_asked(a)) {
      continue;
    } else if (a.kind == OpKind::kRead) {
      if (now[a.key] != a.state) return false;
    } else if (looks_anywhere) {
      continue;
    } else if (!accepts(look_of(a).looked ? follows_vset(a, now, own) : follows(a, now))) {
      return false;
    }
  }
  return true;
}

Fit Model::matches(const Look& look, std::size_t key, State state) const {
  const Evaluation e =
      predicates_.condition(look.predicate).evaluate(h_.values(), h_.columns().key_name[key], plain_[state]);
  if (e.faults != kNoFault) return Fit::kOpen;
  return e.matches() ? Fit::kYes : Fit::kNo;
}

Fit Model::follows_key(const Access& a, std::size_t key, State state) const {
  const Look& look = look_of(a);
  const auto item = std::find_if(look.items.begin(), look.items.end(), [key](const auto& i) { return i.first == key; });
  if (item == look.items.end()) return opposite(matches(look, key, state));
  if (a.kind == OpKind::kScan && item->second != state) return Fit::kNo;
  return matches(look, key, state);
}

Fit Model::follows(const Access& a, const States& states) const {
  const Look& look = look_of(a);
  Fit fit = Fit::kYes;
  if (a.kind != OpKind::kAggregate) {
    for (std::size_t k = 0; k < keys && fit != Fit::kNo; ++k) fit = lesser(fit, follows_key(a, k, states[k]));
    return fit;
  }
  AggregateState aggregate(predicates_.aggregate(look.predicate), h_.values());
  for (std::size_t k = 0; k < keys; ++k) {
    const Fit match = matches(look, k, states[k]);
    if (match == Fit::kOpen) return Fit::kOpen;
    if (match == Fit::kYes) aggregate.add(h_.columns().key_name[k], plain_[states[k]]);
  }
  if (aggregate.faults() != kNoFault) return Fit::kOpen;
  return aggregate.agrees(a.value) ? Fit::kYes : Fit::kNo;
}

// A set that has another version of a key than the transaction itself wrote before decides nothing.
Fit Model::follows_vset(const Access& a, const States& now, KeySet own) const {
  const States& looked = *look_of(a).looked;
  States with_own = looked;
  for (std::size_t k = 0; k < keys; ++k) {
    if (has_key(own, k)) with_own[k] = now[k];
  }
  if (with_own == looked) return follows(a, looked);
  return std::max(follows(a, with_own), follows(a, looked)) == Fit::kNo ? Fit::kNo : Fit::kOpen;
}

bool Model::changes_matches(const Look& look, std::size_t key, const std::vector<Version>& versions,
                            std::size_t v) const {
  const Fit before = matches(look, key, versions[v - 1].state);
  const Fit after = matches(look, key, versions[v].state);
  if (before == Fit::kOpen || after == Fit::kOpen) return !lenient();
  return before != after;
}

bool Model::vset_fits(const Access& a, std::size_t t, std::size_t key, const std::vector<Version>& versions,
                      std::size_t at) const {
  const Look& look = look_of(a);
  bool after_own = false;  // nobody looks at what comes after its own later write: that decides nothing
  for (std::size_t v = 0; v < versions.size(); ++v) {
    after_own |= versions[v].writer == t;
    if (versions[v].state != (*look.looked)[key]) continue;
    bool fits = !after_own || lenient();
    for (std::size_t other = 1; other < versions.size() && fits && !after_own; ++other)
      fits = (other <= v) == (other <= at) || !changes_matches(look, key, versions, other);
    if (fits) return true;
  }
  return false;
}

bool Model::vsets_fit(std::size_t t, const Versions& versions, const std::vector<std::uint32_t>& at) const {
  KeySet own = 0;
  for (const Access& a : txns[t].accesses) {
    if (is_item_write(a.kind)) own |= only_key(a.key);
    if (!is_predicate(a.kind) || !look_of(a).looked || !is_asked(a)) continue;
    for (std::size_t k = 0; k < keys; ++k) {
      if (!has_key(own, k) && !vset_fits(a, t, k, versions[k], at[k])) return false;
    }
  }
  return true;
}

// What an operation can have been evaluated on of one key: the latest to change the matches up to that version comes
// before the transaction.
std::vector<State> Model::may_have_looked_at(const Access& a, std::size_t t, std::size_t key,
                                             const std::vector<Version>& versions, std::size_t at) const {
  const Look& look = look_of(a);
  std::vector<State> out;
  std::size_t changer = 0;
  bool after_own = false;
  for (std::size_t v = 0; v < versions.size(); ++v) {
    if (v > 0 && changes_matches(look, key, versions, v)) changer = v;
    after_own |= versions[v].writer == t;
    const State state = versions[v].state;
    bool may = changer <= at || (versions[changer].writer == t && lenient());
    // A witness shows an aggregate of what had been written by then.
    if (a.kind == OpKind::kAggregate && !look.looked && v > at && !lenient()) may = false;
    if (look.looked) {
      may = state == (*look.looked)[key] && (after_own ? lenient() : may);
    } else {
      may = may && versions[v].writer != t && (a.kind == OpKind::kAggregate || accepts(follows_key(a, key, state)));
    }
    if (may && std::find(out.begin(), out.end(), state) == out.end()) out.push_back(state);
  }
  return out;
}

bool Model::some_sum_fits(const Access& look, const std::vector<std::vector<State>>& choices) const {
  std::vector<std::size_t> digit(keys, 0);
  States states(keys);
  while (!limits->exhausted()) {
    limits->spend(4 * keys);
    for (std::size_t k = 0; k < keys; ++k) states[k] = choices[k][digit[k]];
    if (accepts(follows(look, states))) return true;
    std::size_t i = 0;
    while (i < keys && ++digit[i] == choices[i].size()) digit[i++] = 0;
    if (i == keys) return false;
  }
  return false;
}

bool Model::looks_fit(std::size_t t, const Versions& versions, const std::vector<std::uint32_t>& at) const {
  KeySet own = 0;
  States now = initial;
  for (const Access& a : txns[t].accesses) {
    if (a.kind == OpKind::kWrite) {
      own |= only_key(a.key);
      now[a.key] = a.state;
    }
    if (!is_predicate(a.kind) || !is_asked(a)) continue;
    const bool has_vset = look_of(a).looked.has_value();
    const bool sums = a.kind == OpKind::kAggregate && !has_vset;
    if (has_vset && !accepts(follows_vset(a, now, own))) return false;
    std::vector<std::vector<State>> choices;
    for (std::size_t k = 0; k < keys; ++k) {
      if (has_key(own, k)) {
        if (!has_vset && !sums && !accepts(follows_key(a, k, now[k]))) return false;
        choices.push_back({now[k]});
      } else {
        choices.push_back(may_have_looked_at(a, t, k, versions[k], at[k]));
      }
      if (choices.back().empty()) return false;
    }
    if (sums && !some_sum_fits(a, choices)) return false;
  }
  return true;
}

Pairs Model::session_pairs() const {
  Pairs pairs;
  for (std::uint32_t a = 0; a < txns.size(); ++a) {
    for (std::uint32_t b = a + 1; b < txns.size(); ++b) {
      if (h_.session(txns[a].id) == h_.session(txns[b].id)) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

Pairs Model::realtime_pairs() const {
  Pairs pairs;
  for (std::uint32_t a = 0; a < txns.size(); ++a) {
    const std::int64_t end = h_.end(txns[a].id);
    if (!txns[a].sure || end == kNoTime) continue;
    for (std::uint32_t b = 0; b < txns.size(); ++b) {
      const std::int64_t begin = h_.begin(txns[b].id);
      if (a != b && begin != kNoTime && end < begin) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

std::vector<std::uint32_t> Model::writers_of(KeyId key, ValueId value) const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    const auto& all_of = txns[t].accesses;
    const bool wrote = std::any_of(all_of.begin(), all_of.end(), [&](const Access& a) {
      return (a.kind == OpKind::kWrite || a.kind == OpKind::kAppend) && a.key == raw(key) && a.value == value;
    });
    if (wrote) out.push_back(t);
  }
  return out;
}

bool Model::add_order(const VersionOrder& order, std::vector<Pairs>& ways) const {
  // Each way is a list of writers, one an entry; an entry that stands for no version of the model has none.
  std::vector<std::vector<std::uint32_t>> lists(1);
  const auto entries = h_.columns().version_entries.subspan(order.first, order.count);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::vector<std::uint32_t> candidates;
    if (order.by_txn != 0) {
      for (std::uint32_t t = 0; t < txns.size(); ++t) {
        if (raw(txns[t].id) == entries[i] && has_key(txns[t].writes, raw(order.key))) candidates.push_back(t);
      }
    } else {
      candidates = writers_of(order.key, ValueId{entries[i]});
      // The initial version can only be the first.
      if (i == 0 && h_.initial(order.key) == ValueId{entries[i]} && !candidates.empty())
        candidates.push_back(Version::kNobody);
    }
    if (candidates.empty()) continue;
    std::vector<std::vector<std::uint32_t>> longer;
    for (const auto& list : lists) {
      for (const std::uint32_t writer : candidates) {
        longer.push_back(list);
        if (writer != Version::kNobody) longer.back().push_back(writer);
      }
    }
    if (longer.size() > kMostWays) return false;
    lists = std::move(longer);
  }
  std::set<Pairs> all_ways;
  for (const Pairs& way : ways) {
    for (const auto& list : lists) {
      Pairs pairs = way;
      for (std::size_t i = 0; i < list.size(); ++i) {
        for (std::size_t j = i + 1; j < list.size(); ++j) {
          if (list[i] != list[j]) pairs.emplace_back(list[i], list[j]);
        }
      }
      std::sort(pairs.begin(), pairs.end());
      pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
      // Nobody can keep to a cycle.
      if (!is_circular(pairs, sure)) all_ways.insert(std::move(pairs));
      if (all_ways.size() > kMostWays) return false;
    }
  }
  ways.assign(all_ways.begin(), all_ways.end());
  return true;
}

std::optional<std::vector<Pairs>> Model::given_orders() const {
  std::vector<Pairs> ways(1);
  for (const VersionOrder& order : h_.columns().version_orders) {
    if (!add_order(order, ways)) return std::nullopt;
  }
  return ways;
}

}  // namespace isolde::exhaustive
