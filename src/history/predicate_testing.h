// history/predicate_testing.h: shared by the predicate tests: rows and scalars in one line, a truth value in one word.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "history/predicate.h"

namespace isolde::testing {

inline std::string_view word(Truth truth) {
  return truth == Truth::kTrue ? "true" : truth == Truth::kFalse ? "false" : "unknown";
}

// "1:COLUMN: what is wrong".
inline std::string shown(const Error& e) {
  return std::to_string(e.line) + ":" + std::to_string(e.column) + ": " + e.text;
}

class Versions {
 public:
  // Fields are written as JSON numbers, 'text', true, false or null.
  ValueId row(const std::vector<std::pair<std::string_view, std::string_view>>& fields) {
    std::vector<RowField> row;
    for (const auto& [name, value] : fields) row.push_back({values_.string(name), scalar(value)});
    return values_.row(row);
  }
  ValueId scalar(std::string_view text) {
    if (text == "null") return kNullValue;
    if (text == "true" || text == "false") return values_.boolean(text == "true");
    if (text.starts_with('\'')) return values_.string(text.substr(1, text.size() - 2));
    return values_.number_text(text);
  }
  ValueInterner& interner() { return values_; }
  [[nodiscard]] ValueTable table() const { return values_.table(); }

  // The truth of `where` for a version; what is wrong if it does not compile.
  [[nodiscard]] std::string ask(std::string_view where, ValueId key, ValueId version,
                                std::uint8_t* faults = nullptr) const {
    const auto predicate = CompiledPredicate::compile(where, ColumnNames(table()));
    if (!predicate) return shown(predicate.error());
    const Evaluation result = predicate->evaluate(table(), key, version);
    if (faults != nullptr) *faults = result.faults;
    return std::string(word(result.truth));
  }

 private:
  ValueInterner values_;
};

}  // namespace isolde::testing
