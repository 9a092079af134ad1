#include "check/predicates/row_values.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "history/copy_value.h"

namespace isolde {

bool RowValues::add(const ValueTable& from, ValueId value, Fingerprint fingerprint, std::size_t limit) {
  if (fingerprint == kNullFingerprint || is_integer(fingerprint) || ids_.contains(raw64(fingerprint))) return true;
  if (bytes() >= limit) return false;
  const ValueId id = copy_value(from, value, values_);
  ids_.emplace(raw64(fingerprint), id);
  bytes_of_values_ = values_.bytes_column().size();
  note_columns(id);
  return true;
}

void RowValues::note_columns(ValueId id) {
  const ValueTable values = table();
  if (values.type(id) != ValueType::kRow) return;
  bool is_new = false;
  for (const RowField& field : values.row(id)) {
    if (!column_names_.insert(raw(field.name)).second) continue;
    columns_.add(values.string(field.name), field.name);
    is_new = true;
  }
  if (!is_new) return;
  compiler_ = PredicateCompiler(columns_);
  ++edition_;
}

std::optional<ValueId> RowValues::find(Fingerprint fingerprint) {
  if (fingerprint == kNullFingerprint) return kNullValue;
  if (is_integer(fingerprint)) {
    const ValueId id = values_.integer(integer_of(fingerprint));
    bytes_of_values_ = values_.bytes_column().size();
    return id;
  }
  const auto at = ids_.find(raw64(fingerprint));
  if (at == ids_.end()) return std::nullopt;
  return at->second;
}

std::optional<std::string> RowValues::text(Fingerprint fingerprint) const {
  const auto at = ids_.find(raw64(fingerprint));
  if (at == ids_.end()) return std::nullopt;
  return table().json(at->second);
}

void RowValues::take_all(const ValueTable& from, const std::unordered_map<std::uint64_t, ValueId>& ids) {
  values_ = ValueInterner();
  ids_.clear();
  column_names_.clear();
  columns_ = ColumnNames{};
  compiler_ = PredicateCompiler(ColumnNames{});
  for (const auto& [fingerprint, value] : ids) {
    const ValueId id = copy_value(from, value, values_);
    ids_.emplace(fingerprint, id);
    note_columns(id);
  }
  bytes_of_values_ = values_.bytes_column().size();
  ++edition_;
}

void RowValues::sweep(const std::unordered_set<std::uint64_t>& live) {
  const ValueInterner old = std::exchange(values_, ValueInterner());
  std::unordered_map<std::uint64_t, ValueId> kept;
  for (const auto& [fingerprint, value] : ids_) {
    if (live.contains(fingerprint)) kept.emplace(fingerprint, value);
  }
  take_all(old.table(), kept);
}

void RowValues::save(StateWriter& out) const {
  ValueInterner compact;
  std::vector<Saved> all;
  for (const auto& [fingerprint, value] : ids_) all.push_back({Fingerprint{fingerprint}, value, 0});
  std::sort(all.begin(), all.end(),
            [](const Saved& a, const Saved& b) { return raw64(a.fingerprint) < raw64(b.fingerprint); });
  for (Saved& one : all) one.id = copy_value(table(), one.id, compact);
  const auto put = [&](auto span) { out.put_all(std::vector(span.begin(), span.end())); };
  put(compact.begin_column().view());
  put(compact.type_column().view());
  put(compact.bytes_column().view());
  out.put_all(all);
}

bool RowValues::load(StateReader& in) {
  const auto begin = in.get_all<std::uint64_t>();
  const auto type = in.get_all<std::uint8_t>();
  const auto bytes = in.get_all<std::uint8_t>();
  const auto saved = in.get_all<Saved>();
  if (!in.good() || !defect_of_values(begin, type, bytes).empty()) return false;
  const ValueTable values(begin, type, bytes);
  std::unordered_map<std::uint64_t, ValueId> ids;
  for (const Saved& one : saved) {
    if (raw(one.id) >= kFirstTableValue + values.size()) return false;
    ids.emplace(raw64(one.fingerprint), one.id);
  }
  take_all(values, ids);
  return true;
}

}  // namespace isolde
