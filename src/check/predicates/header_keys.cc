#include "check/predicates/header_keys.h"

#include <algorithm>
#include <vector>

namespace isolde {

void HeaderKeys::note_header(const Chunk& head) {
  const History& h = head.history;
  if (h.columns().key_initial.empty()) return;
  ValueInterner numbers;
  for (std::uint32_t k = 0; k < h.key_count(); ++k) {
    const ValueId name = h.columns().key_name[k];
    if (h.values().type(name) != ValueType::kString || !is_json_number(h.values().string(name))) continue;
    const Fingerprint text = head.key(KeyId{k});
    const ValueId value = numbers.number_text(h.values().string(name));
    const Fingerprint number = fingerprint_of(numbers.table(), value);
    twins_.emplace(raw64(text), Twin{text, number, 1, 0, {}});
    twins_.emplace(raw64(number), Twin{number, text, 0, 0, {}});
  }
}

void HeaderKeys::note(const Chunk& chunk, KeyId key) {
  const auto at = twins_.find(raw64(chunk.key(key)));
  if (at == twins_.end()) return;
  at->second.used = 1;
  (at->second.text != 0 ? uses_texts_ : uses_numbers_) = true;
}

HeaderKeys::Real HeaderKeys::is_real(Fingerprint key) const {
  const auto at = twins_.find(raw64(key));
  if (at == twins_.end() || at->second.used != 0) return Real::kYes;
  const auto other = twins_.find(raw64(at->second.other));
  if (other != twins_.end() && other->second.used != 0) return Real::kNo;
  if (uses_texts_ == uses_numbers_) return Real::kUnclear;
  return (at->second.text != 0) == uses_texts_ ? Real::kYes : Real::kNo;
}

void HeaderKeys::save(StateWriter& out) const {
  std::vector<Twin> all;
  for (const auto& [fingerprint, twin] : twins_) all.push_back(twin);
  std::sort(all.begin(), all.end(),
            [](const Twin& a, const Twin& b) { return raw64(a.fingerprint) < raw64(b.fingerprint); });
  out.put_all(all);
  out.put(uses_numbers_);
  out.put(uses_texts_);
}

void HeaderKeys::load(StateReader& in) {
  twins_.clear();
  for (const Twin& twin : in.get_all<Twin>()) twins_.emplace(raw64(twin.fingerprint), twin);
  uses_numbers_ = in.get<bool>();
  uses_texts_ = in.get<bool>();
}

}  // namespace isolde
