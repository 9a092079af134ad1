#include "check/timeline/online/entry.h"

namespace isolde::timeline {
namespace {

std::uint64_t sum(std::uint64_t a, std::int64_t b) { return a + static_cast<std::uint64_t>(b); }

constexpr bool is_list(Fingerprint p) { return (raw64(p) & 3) == 3 || p == kNullFingerprint; }

}  // namespace

void OwnTop::save(StateWriter& out) const {
  out.put(read);
  out.put(is_counter);
  out.put(ends_with_own);
  out.put(delta);
  out.put_all(appended);
}

OwnTop OwnTop::load(StateReader& in) {
  OwnTop top;
  top.read = in.get<Fingerprint>();
  top.is_counter = in.get<bool>();
  top.ends_with_own = in.get<bool>();
  top.delta = in.get<std::int64_t>();
  top.appended = in.get_all<Fingerprint>();
  return top;
}

Fingerprint fingerprint_of_number(std::int64_t number) {
  if (const auto exact = exact_fingerprint(number)) return *exact;
  return hashed_integer_fingerprint(number);
}

State state_of(const Chunk& chunk, ValueId value) {
  const Fingerprint fingerprint = chunk.value(value);
  const bool big = (raw64(fingerprint) & 3) == 2 && chunk.history.values().type(value) == ValueType::kInteger;
  return {raw64(fingerprint), big ? StateKind::kBig : StateKind::kPlain};
}

State as_rich(State state, bool counter) {
  if (state.rich()) return state;
  const Fingerprint fingerprint{state.bits};
  if (counter) {
    if (fingerprint == kNullFingerprint) return {0, StateKind::kCounter};
    if (state.kind == StateKind::kBig) return {0, StateKind::kOpaque};
    if (!is_integer(fingerprint)) return {0, StateKind::kNoNumber};
    return {static_cast<std::uint64_t>(integer_of(fingerprint)), StateKind::kCounter};
  }
  return {is_list(fingerprint) ? state.bits : raw64(appended(kNullFingerprint, fingerprint)), StateKind::kList};
}

State behind(State before, const Entry& write) {
  switch (write.kind) {
    case EntryKind::kAppend: {
      State state = as_rich(before, false);
      if (state.kind == StateKind::kList)
        state.bits = raw64(appended(Fingerprint{state.bits}, Fingerprint{write.value}));
      return state;
    }
    case EntryKind::kIncrement: {
      State state = as_rich(before, true);
      if (state.kind == StateKind::kCounter) state.bits += write.value;
      return state;
    }
    default:
      return write.behind();
  }
}

bool shows(State state, Fingerprint read) {
  switch (state.kind) {
    case StateKind::kCounter:
      return read == fingerprint_of_number(static_cast<std::int64_t>(state.bits));
    case StateKind::kNoNumber:
      return false;
    case StateKind::kOpaque:
      return true;
    default:
      return state.bits == raw64(read);
  }
}

State with_own(State state, const OwnTop& own) {
  State content = as_rich(state, own.is_counter);
  if (content.kind == StateKind::kCounter) content.bits = sum(content.bits, own.delta);
  if (content.kind == StateKind::kList) {
    for (const Fingerprint element : own.appended) content.bits = raw64(appended(Fingerprint{content.bits}, element));
  }
  return content;
}

bool shows(State state, const OwnTop& own) { return shows(with_own(state, own), own.read); }

}  // namespace isolde::timeline
