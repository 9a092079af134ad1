// Any text as a predicate and as an aggregate: no fault; a text of known shape means what a fresh parse says; a range
// holds every match.
#include <cstdio>
#include <cstdlib>

#include "history/predicate_aggregate.h"
#include "history/predicate_shapes.h"

namespace isolde {
namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

struct Rows {
  Rows() {
    const ValueId scalars[] = {
        kNullValue,
        values.integer(0),
        values.integer(-3),
        values.integer(7),
        values.real(0.5),
        values.boolean(true),
        values.string("ab%"),
        values.string("Zo\xc3\xab"),
        values.number_text("18446744073709551615"),
    };
    constexpr std::size_t kCount = std::size(scalars);
    for (std::size_t i = 0; i < kCount; ++i) {
      const RowField fields[] = {{values.string("a"), scalars[i]}, {values.string("b"), scalars[(i * 5 + 2) % kCount]}};
      versions.push_back(values.row(fields));
      versions.push_back(scalars[i]);
    }
    versions.push_back(values.list(scalars));
  }
  ValueInterner values;
  std::vector<ValueId> versions;
};

// The column of a range is `a`, `b`, the key or the value.
Scalar subject_of(const PredicateRange& range, const ValueTable& table, ValueId key, ValueId version) {
  if (range.subject == PredicateRange::Subject::kKey) return scalar_of(table, key);
  if (table.type(version) != ValueType::kRow) {
    return range.subject == PredicateRange::Subject::kValue ? scalar_of(table, version) : Scalar{};
  }
  for (const RowField& field : table.row(version)) {
    if (field.name == range.column) return scalar_of(table, field.value);
  }
  return {};
}

void check(std::string_view text) {
  static const Rows kRows;
  static PredicateCompiler compiler(kRows.values.table());
  const ValueTable table = kRows.values.table();
  const auto predicate = CompiledPredicate::compile(text, compiler.columns());
  const auto by_shape = compiler.compile(text);
  require(predicate.has_value() || !predicate.error().text.empty(), "an error without words");
  require(predicate.has_value() == by_shape.has_value(), "a known shape and a fresh parse differ");
  if (predicate) {
    for (std::size_t i = 0; i < kRows.versions.size(); ++i) {
      const ValueId key{static_cast<std::uint32_t>(i)};
      const ValueId version = kRows.versions[i];
      const Evaluation result = predicate->evaluate(table, key, version);
      const Evaluation same = by_shape->evaluate(table, key, version);
      require(result.truth == same.truth && result.faults == same.faults, "a known shape means something else");
      if (version == kNullValue) continue;
      for (const PredicateRange& range : predicate->ranges()) {
        const bool inside = range.contains(subject_of(range, table, key, version));
        require(inside || !result.matches(), "a match outside of its range");
        require(!range.is_whole || inside == result.matches(), "a whole range that is not");
      }
    }
  }
  const auto aggregate = CompiledAggregate::compile(text, compiler.columns());
  if (!aggregate) return;
  AggregateState state(*aggregate, table);
  for (const ValueId version : kRows.versions) state.add(ValueId{1}, version);
  (void)state.result();
  for (const ValueId version : kRows.versions) (void)state.agrees(version);
}

}  // namespace
}  // namespace isolde

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  isolde::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
