// history/predicate_shapes.h: compiles many predicates that differ only in their literals.
//
// In, out: SQL text -> the same CompiledPredicate as CompiledPredicate::compile() returns.
// Always:  a known shape is used only if each integer and string in the text is one literal of the tree; anything
//          unusual (comments, other quotes, fractions, very long numbers) is parsed from scratch.
// Cost:    about 0.5 µs for a text of known shape, otherwise 7. Must not be shared between threads.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "history/predicate.h"

namespace isolde {

class PredicateCompiler {
 public:
  explicit PredicateCompiler(const ValueTable& values) : columns_(values) {}
  explicit PredicateCompiler(ColumnNames columns) : columns_(std::move(columns)) {}

  Result<CompiledPredicate> compile(std::string_view where);

  [[nodiscard]] const ColumnNames& columns() const { return columns_; }
  [[nodiscard]] std::size_t shape_count() const { return templates_.size(); }

 private:
  struct Literal {
    std::size_t offset = 0;
    std::size_t minus = 0;  // offset of a '-' right before it, else npos
    bool is_string = false;
    std::int64_t integer = 0;
    std::string text = {};
  };
  struct Slot {
    std::uint32_t node = 0;
    bool negated = false;
  };
  struct Template {
    ExprTree tree;
    std::vector<Slot> slots;  // one per literal; empty and not usable if they did not fit
    bool usable = false;
  };

  // Extracts the literals from the text; false if it is unusual.
  bool take_shape(std::string_view where);
  bool take_string(std::string_view where, std::size_t& at);
  [[nodiscard]] Template template_of(ExprTree tree) const;
  static void fill(Expr& e, const Literal& literal, bool negated);

  ColumnNames columns_;
  std::unordered_map<std::string, Template> templates_;
  std::string shape_;  // of the last text
  std::vector<Literal> literals_;
};

}  // namespace isolde
