// check/predicates/row_values.h: what the fingerprints of a stream stand for, so that predicates can be asked of old
// versions.
//
// An engine that checks a stream knows values by their fingerprints. A predicate needs the row itself. Two ways were
// weighed: to ask every predicate of each version as it comes (an index of live predicates), or to keep the rows. A
// predicate comes with its own literals and is asked once, when its transaction is judged, of versions that are mostly
// older than itself; so the rows are kept, each once, and only those that some key still holds.
// In, out: values as they pass, by fingerprint -> an id in one table, and predicates compiled for that table.
// Always:  a fingerprint that is not held says so: nothing is concluded from it. null and integers need no memory.
// Cost:    a value's bytes and about 60 more; add() is one look-up where the value is known. sweep() copies what
//          stays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/state_file.h"
#include "history/fingerprint.h"
#include "history/predicate_aggregate.h"
#include "history/predicate_shapes.h"
#include "history/value.h"

namespace isolde {

class RowValues {
 public:
  RowValues() : compiler_(ColumnNames{}) {}

  // False: there is no room for it within `limit` bytes.
  bool add(const ValueTable& from, ValueId value, Fingerprint fingerprint, std::size_t limit);
  [[nodiscard]] std::optional<ValueId> find(Fingerprint fingerprint);
  [[nodiscard]] ValueTable table() const { return values_.table(); }
  // As JSON; nothing if it is not held.
  [[nodiscard]] std::optional<std::string> text(Fingerprint fingerprint) const;

  [[nodiscard]] Result<CompiledPredicate> compile(std::string_view where) { return compiler_.compile(where); }
  [[nodiscard]] Result<CompiledAggregate> compile_aggregate(std::string_view expression) const {
    return CompiledAggregate::compile(expression, compiler_.columns());
  }
  // Changes when what was compiled before is void: a column came that had no name, or ids changed.
  [[nodiscard]] std::uint64_t edition() const { return edition_; }

  // Only these stay.
  void sweep(const std::unordered_set<std::uint64_t>& live);
  [[nodiscard]] std::size_t bytes() const {
    return bytes_of_values_ + ids_.size() * kBytesAnEntry + values_.table().size() * kBytesAValue;
  }
  [[nodiscard]] std::size_t size() const { return ids_.size(); }

  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);

 private:
  static constexpr std::size_t kBytesAnEntry = 40, kBytesAValue = 17;
  struct Saved {
    Fingerprint fingerprint;
    ValueId id;
    std::uint32_t unused;
  };

  void note_columns(ValueId id);
  void take_all(const ValueTable& from, const std::unordered_map<std::uint64_t, ValueId>& ids);

  ValueInterner values_;
  std::unordered_map<std::uint64_t, ValueId> ids_;  // by fingerprint
  std::unordered_set<std::uint32_t> column_names_;  // of rows so far
  ColumnNames columns_;
  PredicateCompiler compiler_;
  std::size_t bytes_of_values_ = 0;
  std::uint64_t edition_ = 1;
};

}  // namespace isolde
