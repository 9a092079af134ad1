#include "check/mirror/columns.h"

#include <algorithm>

#include "check/mirror/core.h"

namespace isolde::mirror {
namespace {

// False: there are too many names.
bool note_name(Columns& columns, Fingerprint name) {
  const auto at = std::lower_bound(columns.names.begin(), columns.names.end(), name,
                                   [](Fingerprint a, Fingerprint b) { return raw64(a) < raw64(b); });
  if (at != columns.names.end() && *at == name) return true;
  if (columns.names.size() >= Columns::kMostNames) return false;
  columns.names.insert(at, name);
  return true;
}

}  // namespace

bool is_row(const History& history, ValueId value) {
  return value != kNullValue && !is_inline_integer(value) && history.values().type(value) == ValueType::kRow;
}

KeySlot column_slot(Core& core, KeySlot row, Fingerprint name) {
  const Fingerprint row_fingerprint = core.keys[row].key;
  const Fingerprint fingerprint = column_fingerprint(row_fingerprint, name);
  const KeySlot known = core.keys.find(fingerprint);
  if (known != kNoKeySlot) return known;
  make_room(core);
  const KeySlot slot = core.keys.add(fingerprint);
  Columns& columns = core.columns;
  if (columns.of.size() <= slot) columns.of.resize(slot + 1);
  columns.of[slot] = {row_fingerprint, name};
  KeyState& state = core.keys[slot];
  state.flags = note_name(columns, name) ? kBaseUnknown : (kBaseUnknown | kLossy);
  if (core.gave_up_keys) return slot;
  for (const auto& [column, value] : columns.initials) {
    if (column != name) continue;
    state.base = value;
    state.flags = static_cast<std::uint8_t>((state.flags & ~kBaseUnknown) | kBaseInitial);
    core.written.add(fingerprint, value, core.options.memory_limit / 8);
    core.written.add(fingerprint, kPresentFingerprint, core.options.memory_limit / 8);
  }
  return slot;
}

void doubt_columns(Core& core, KeySlot row) {
  const Fingerprint row_fingerprint = core.keys[row].key;
  for (const Fingerprint name : core.columns.names) {
    const KeySlot column = core.keys.find(column_fingerprint(row_fingerprint, name));
    if (column != kNoKeySlot) core.keys[column].flags |= kLossy;
  }
}

bool row_in_doubt(Core& core, KeySlot row) {
  for (const Version& v : core.keys.versions(row)) {
    if (v.value != kPresentFingerprint && !v.has(kAbortedWrite)) return true;
  }
  return false;
}

void begin_columns(Core& core, const Chunk& head) {
  const History& h = head.history;
  const auto fields_of = [&](ValueId value) {
    return is_row(h, value) ? h.values().row(value) : std::span<const RowField>{};
  };
  const ValueId usual = h.default_initial();
  for (const RowField& field : fields_of(usual)) {
    core.columns.initials.emplace_back(head.value(field.name), head.value(field.value));
  }
  if (is_row(h, usual)) core.default_initial = kPresentFingerprint;
  if (h.columns().key_initial.empty()) return;
  for (std::uint32_t k = 0; k < h.key_count(); ++k) {
    const ValueId value = h.initial(KeyId{k});
    const Fingerprint key = head.key(KeyId{k});
    if (value == usual || core.keys.find(key) != kNoKeySlot) continue;
    make_room(core);
    const KeySlot row = core.keys.add(key);
    if (row < core.columns.of.size()) core.columns.of[row] = {};
    KeyState& state = core.keys[row];
    state.base = is_row(h, value) ? kPresentFingerprint : head.value(value);
    state.flags |= kBaseInitial;
    core.written.add(key, state.base, core.options.memory_limit / 8);
    // What others have at first says nothing of this one.
    for (const auto& [name, unused] : core.columns.initials) {
      core.keys[column_slot(core, row, name)].flags = kBaseUnknown | kLossy;
    }
    for (const RowField& field : fields_of(value)) {
      KeyState& column = core.keys[column_slot(core, row, head.value(field.name))];
      if (core.gave_up_keys || !note_name(core.columns, head.value(field.name))) continue;
      column.base = head.value(field.value);
      column.flags = kBaseInitial;
      core.written.add(column.key, column.base, core.options.memory_limit / 8);
      core.written.add(column.key, kPresentFingerprint, core.options.memory_limit / 8);
    }
  }
}

void Columns::save(StateWriter& out) const {
  out.put(on);
  out.put_all(of);
  out.put_all(names);
  std::vector<Of> pairs;
  for (const auto& [name, value] : initials) pairs.push_back({name, value});
  out.put_all(pairs);
  out.put(doubt_until);
}

void Columns::load(StateReader& in) {
  on = in.get<bool>();
  of = in.get_all<Of>();
  names = in.get_all<Fingerprint>();
  initials.clear();
  for (const Of& pair : in.get_all<Of>()) initials.emplace_back(pair.row, pair.name);
  doubt_until = in.get<std::int64_t>();
}

}  // namespace isolde::mirror
