#include "stream/seen_transactions.h"

#include <utility>

namespace isolde::stream {

const SeenTransactions::Known* SeenTransactions::Table::find(std::uint64_t id) const {
  if (slots_.empty()) return nullptr;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = mix64(id) & mask; slots_[i].piece != 0; i = (i + 1) & mask) {
    if (slots_[i].id == id) return &slots_[i];
  }
  return nullptr;
}

void SeenTransactions::Table::add(const Known& known) {
  if ((count_ + 1) * 2 > slots_.size()) {
    constexpr std::size_t kLeastSlots = 1024;
    std::vector<Known> before(slots_.empty() ? kLeastSlots : slots_.size() * 2);
    before.swap(slots_);
    count_ = 0;
    for (const Known& other : before) {
      if (other.piece != 0) add(other);
    }
  }
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = mix64(known.id) & mask;
  while (slots_[i].piece != 0) i = (i + 1) & mask;
  slots_[i] = known;
  ++count_;
}

SeenTransactions::Seen SeenTransactions::note(Fingerprint id, std::uint64_t content, std::uint64_t piece) {
  const Known* known = young_.find(raw64(id));
  if (known == nullptr) known = old_.find(raw64(id));
  if (known != nullptr) return known->content == content ? Seen::kSame : Seen::kOther;
  if (young_.size() >= most_) old_ = std::exchange(young_, Table{});
  young_.add({raw64(id), content, piece + 1});
  return Seen::kNew;
}

void SeenTransactions::save(StateWriter& out, std::uint64_t before) const {
  for (const Table* const table : {&old_, &young_}) {
    std::vector<Known> kept;
    for (const Known& known : table->slots()) {
      if (known.piece != 0 && known.piece <= before) kept.push_back(known);
    }
    out.put_all(kept);
  }
}

bool SeenTransactions::load(StateReader& in) {
  for (Table* const table : {&old_, &young_}) {
    for (const Known& known : in.get_all<Known>()) table->add(known);
  }
  return in.good();
}

std::uint64_t content_of(const Chunk& chunk, TxnId t) {
  const History& h = chunk.history;
  std::uint64_t sum = raw64(chunk.session(t));
  const auto add = [&sum](std::uint64_t word) { sum = mix64(sum * 0x9e3779b97f4a7c15ULL + word); };
  add(static_cast<std::uint64_t>(h.status(t)));
  const History::Interval commit = h.commit_interval(t);
  for (const std::int64_t time : {h.begin(t), h.end(t), commit.before, commit.after, h.start_ts(t), h.commit_ts(t)}) {
    add(static_cast<std::uint64_t>(time));
  }
  for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
    const OpHead op = h.op(i);
    const OpKind kind = op.kind();
    add((static_cast<std::uint64_t>(kind) << 8) | static_cast<std::uint64_t>(op.lock()));
    if (!is_predicate(kind)) {
      add(raw64(chunk.key(op.key())));
      add(raw64(chunk.value(h.op_value(i))));
      continue;
    }
    const Predicate& predicate = h.predicate(op.predicate());
    add(raw64(chunk.value(predicate.where)));
    add(raw64(chunk.value(predicate.aggregate)));
    if (kind == OpKind::kAggregate) add(raw64(chunk.value(h.op_value(i))));
    for (const Item& item : h.items(predicate)) {
      add(raw64(chunk.key(item.key)));
      add(raw64(chunk.value(item.value)));
    }
  }
  return sum;
}

}  // namespace isolde::stream
