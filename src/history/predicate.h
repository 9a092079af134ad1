// history/predicate.h: the `where` of a scan, aggregate or update, compiled once and evaluated on many versions.
//
// In, out: SQL text and the column names of a history -> a flat program; a version -> true, false or unknown.
// Always:  SQL's three-valued logic. `key` is the key itself; `value` is the value itself if the version is not a row;
//          a column that the row lacks is NULL. An absent version (null) matches nothing: there is no row to evaluate.
//          Integers have 64 bits and / truncates, as in PostgreSQL; reals are doubles. Numbers compare by exact value
//          and text by bytes (collation "C"); lower, upper and ILIKE fold only A to Z. Where a database would raise an
//          error (overflow, division by zero) or convert (text with a number), that part is NULL and `faults` says why.
// Cost:    about 7 µs to compile a new text (0.5 with PredicateCompiler if only literals are new); evaluation allocates
//          nothing, and a simple comparison takes about 20 ns.
// Source:  Emme (section on predicates), the grammar of PostgreSQL 15.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "history/predicate_scalar.h"
#include "history/predicate_tree.h"
#include "history/value.h"

namespace isolde {

// The names of all columns in the rows of a table. One pass over the table.
class ColumnNames {
 public:
  ColumnNames() = default;
  explicit ColumnNames(const ValueTable& values);
  // Adds a column of a table that is still growing.
  void add(std::string_view name, ValueId id) { ids_.emplace(name, id); }
  [[nodiscard]] std::optional<ValueId> find(std::string_view name) const;

 private:
  std::map<std::string, ValueId, std::less<>> ids_;
};

struct Evaluation {
  Truth truth = Truth::kUnknown;
  std::uint8_t faults = kNoFault;  // PredicateFault bits of what was evaluated
  [[nodiscard]] bool matches() const { return truth == Truth::kTrue; }
};

enum class PredicateOp : std::uint8_t {
  kColumn,         // push column a
  kKey,            // push the key
  kValue,          // push the value; a: the column to take where the version is a row
  kLiteral,        // push literal a
  kCompareColumn,  // push column a compared (detail) with literal b: the most common predicate in one step
  kCompare,        // detail: an ExprKind from kEqual to kGreaterEqual
  kDistinct,
  kBetween,
  kInStep,      // x, found so far, candidate -> x, found so far
  kInEnd,       // x, found -> found
  kInIntegers,  // x -> whether it is among the b sorted integer literals from a on
  kNot,
  kAnd,  // two truths -> one
  kOr,
  kSkipFalse,    // to instruction b, if the top is false (as a truth)
  kSkipTrue,     // if it is true
  kSkipNotNull,  // coalesce
  kDrop,
  kIsNull,
  kIsTrue,
  kIsFalse,
  kLike,        // detail: ignore case; a: escape
  kArithmetic,  // detail: an ExprKind from kAdd to kModulo
  kNegate,
  kAbs,
  kFold,  // detail: a Fold
  kLength,
};

struct PredicateStep {
  PredicateOp op;
  std::uint8_t detail = 0;
  std::uint16_t a = 0;
  std::uint32_t b = 0;
};

inline constexpr ValueId kNoColumn = kNullValue;  // no row has a column of this name

// A compiled expression. Copies share their text.
struct PredicateProgram {
  std::vector<PredicateStep> steps;
  std::vector<ValueId> columns;  // names, each once; kNoColumn for one that no row has
  std::vector<Scalar> literals;
  std::shared_ptr<const std::string> text;  // what the literals view
};

// The most values that an expression may keep at a time while it is evaluated.
inline constexpr int kMaxPredicateStack = 64;

[[nodiscard]] Result<PredicateProgram> compile_expression(const ExprTree& tree, const ColumnNames& columns);

// Requires: `version` is not kNullValue. Strings of the result view `values` or the program.
[[nodiscard]] Scalar run(const PredicateProgram& program, const ValueTable& values, ValueId key, ValueId version,
                         std::uint8_t& faults);

// A range that a version must be in to match: an index over that column finds all candidates.
struct PredicateRange {
  enum class Subject : std::uint8_t { kColumn, kKey, kValue };
  Subject subject = Subject::kColumn;
  ValueId column = kNoColumn;       // kColumn: its name; kValue: the name of the column if versions are rows
  std::optional<Scalar> low, high;  // numbers or text, views the predicate's text
  bool low_included = true, high_included = true;
  bool is_whole = false;   // in the range <=> matches; otherwise the predicate must still be evaluated
  bool all_whole = false;  // in all ranges of the predicate <=> matches

  // For std::partition_point over scalars in the order of index_less: the range is neither before nor after.
  [[nodiscard]] bool is_before(const Scalar& s) const;  // `s` comes before the range
  [[nodiscard]] bool is_after(const Scalar& s) const;
  [[nodiscard]] bool contains(const Scalar& s) const { return !s.is_null() && !is_before(s) && !is_after(s); }
  [[nodiscard]] bool is_point() const;
};

class CompiledPredicate {
 public:
  static Result<CompiledPredicate> compile(std::string_view where, const ColumnNames& columns);
  static Result<CompiledPredicate> compile(const ExprTree& tree, const ColumnNames& columns);

  // `key` is the key's name. An absent version (kNullValue) is kFalse.
  [[nodiscard]] Evaluation evaluate(const ValueTable& values, ValueId key, ValueId version) const;

  // The same for many: results[i] of (keys[i], versions[i]). Requires: three spans of one size.
  // Returns the faults of all.
  std::uint8_t evaluate_all(const ValueTable& values, std::span<const ValueId> keys, std::span<const ValueId> versions,
                            std::span<Truth> results) const;

  // One range for each subject that the predicate, as a conjunction, restricts; the narrowest kind first (a point, then
  // two bounds, then one). Empty: an index does not help.
  [[nodiscard]] const std::vector<PredicateRange>& ranges() const { return ranges_; }
  // The names of the columns that it uses, without `key`. Only a change of these can change whether a row matches.
  [[nodiscard]] std::span<const ValueId> columns() const { return program_.columns; }
  [[nodiscard]] bool uses_key() const { return uses_key_; }
  [[nodiscard]] bool uses_value() const { return uses_value_; }
  // It is the literal TRUE: every version that exists matches.
  [[nodiscard]] bool is_true() const;
  [[nodiscard]] const PredicateProgram& program() const { return program_; }

 private:
  PredicateProgram program_;
  std::vector<PredicateRange> ranges_;
  bool uses_key_ = false;
  bool uses_value_ = false;
};

// By node: the literals of `tree`, those of text viewing `text`: the names of all its literals, one after the other.
[[nodiscard]] std::vector<Scalar> literals_of(const ExprTree& tree, std::string_view text);

// What CompiledPredicate::ranges() returns; `text` as above.
[[nodiscard]] std::vector<PredicateRange> ranges_of(const ExprTree& tree, const ColumnNames& columns,
                                                    std::string_view text);

// The column that a kColumn or kValue node names, or kNoColumn.
[[nodiscard]] ValueId column_of(const Expr& e, const ColumnNames& columns);

}  // namespace isolde
