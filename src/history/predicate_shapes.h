// history/predicate_shapes.h: compiles many predicates that differ in their literals only.
//
// In, out: SQL text -> CompiledPredicate, the same as CompiledPredicate::compile() gives.
// Always:  a text is taken from a known shape only where each integer and string in it is one literal of the tree; for
//          anything unusual (comments, other quotes, fractions, very long numbers) the text is parsed afresh.
// Cost:    about 0.5 µs for a text of known shape, else 7. Not to be shared between threads.
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
    std::vector<Slot> slots;  // one a literal; empty and not usable if they did not fit
    bool usable = false;
  };

  // Takes the literals out of the text; false if it is unusual.
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
