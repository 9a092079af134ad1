#include "history/chunk.h"

namespace isolde {

Chunk::Chunk(History piece) : history(std::move(piece)) {
  const ValueTable& values = history.values();
  table_value_fingerprint.reserve(values.size());
  for (std::uint32_t v = 0; v < values.size(); ++v) {
    table_value_fingerprint.push_back(fingerprint_of(values, ValueId{kFirstTableValue + v}));
  }
  const HistoryColumns& c = history.columns();
  key_fingerprint.reserve(c.key_name.size());
  for (const ValueId name : c.key_name) key_fingerprint.push_back(value(name));
  for (const ValueId name : c.session_name) session_fingerprint.push_back(value(name));
}

std::size_t Chunk::bytes() const {
  std::size_t sum =
      sizeof *this +
      (key_fingerprint.size() + table_value_fingerprint.size() + session_fingerprint.size()) * sizeof(Fingerprint);
  for_each_column([&sum](int, const char*, const auto& column) { sum += column.size_bytes(); }, history.columns());
  return sum;
}

}  // namespace isolde
