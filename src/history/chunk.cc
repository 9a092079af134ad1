#include "history/chunk.h"

namespace isolde {

Chunk::Chunk(History piece) : history(std::move(piece)) {
  const ValueTable& values = history.values();
  table_value_print.reserve(values.size());
  for (std::uint32_t v = 0; v < values.size(); ++v) {
    table_value_print.push_back(print_of(values, ValueId{kFirstTableValue + v}));
  }
  const HistoryColumns& c = history.columns();
  key_print.reserve(c.key_name.size());
  for (const ValueId name : c.key_name) key_print.push_back(value(name));
  for (const ValueId name : c.session_name) session_print.push_back(value(name));
}

std::size_t Chunk::bytes() const {
  std::size_t sum = sizeof *this + (key_print.size() + table_value_print.size() + session_print.size()) * sizeof(Print);
  for_each_column([&sum](int, const char*, const auto& column) { sum += column.size_bytes(); }, history.columns());
  return sum;
}

}  // namespace isolde
