// audit/scope/pairs.h: check-then-act pairs of single requests, as scope.h describes them; no ranking.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "audit/schema/entries.h"
#include "audit/scope/earlier.h"
#include "audit/scope/held.h"
#include "audit/scope/scope.h"
#include "audit/story/stakes.h"

namespace isolde::audit {

struct ScopePair {
  ScopeKind kind;
  ColumnId column;
  LiteralId entry;
  RequestStep read, write;
  std::vector<KeyValue> keys;  // that both name
  std::uint32_t locked_by;     // ScopeFinding
  bool adds_up;                // likewise
  bool earlier_request = false;
};

class PairSearch {
 public:
  // `most_between`: statements between the two; 0: as many as the request has. `across`: requests are known well enough
  // to look for a check in one and the act in a later one. Requires: all outlive it.
  PairSearch(const TraceLog& log, const Classes& classes, const Stakes& stakes, std::size_t most_between, bool across);

  // Requires: requests come in the order in which they began.
  void run(const Request& request);

  [[nodiscard]] const std::vector<ScopePair>& pairs() const { return pairs_; }
  // Of a shape and an entry: writes of rows that are not the request's own.
  [[nodiscard]] std::uint64_t writes(ShapeId shape, LiteralId entry) const;

 private:
  // A read that a later transaction of the request may act on.
  struct EarlierRead {
    std::size_t step;
    std::uint16_t rows;
  };
  // How the rows of two statements go together.
  struct Common {
    bool differ = false;
    std::vector<KeyValue> equal = {};
  };
  struct Match {
    std::vector<KeyValue> keys;
    ColumnId column;
    bool adds = false;
  };

  [[nodiscard]] const Statement& meaning(std::size_t step) const { return values_.meaning(steps_[step].statement); }
  [[nodiscard]] Common common(std::size_t a, const RowSet& in_a, std::size_t b, const RowSet& in_b) const;
  [[nodiscard]] LiteralId entry_of(std::size_t step, const RowSet& rows) const;
  [[nodiscard]] bool asks_again(std::size_t write, std::uint16_t rows, ColumnId column, const EarlierRead& read) const;
  [[nodiscard]] bool reads_value(const EarlierRead& read, ColumnId column) const;
  [[nodiscard]] bool was_found_by(const EarlierRead& read, std::size_t write, const RowSet& rows) const;
  [[nodiscard]] bool writes_back_key(const EarlierRead& read, std::size_t write) const;
  [[nodiscard]] bool identifies(std::span<const KeyValue> keys) const;
  [[nodiscard]] bool is_own(std::size_t step, const RowSet& rows) const;

  [[nodiscard]] bool update_follows(const EarlierRead& read, std::size_t write, std::uint16_t rows, Match& match) const;
  [[nodiscard]] bool insert_follows(const EarlierRead& read, std::size_t write, std::uint16_t rows, Match& match) const;
  [[nodiscard]] bool checked_after(std::size_t write, std::uint16_t rows, ColumnId column) const;

  void collect(const Request& request);
  void note_reads(std::size_t step);
  void note_write(std::size_t step);
  [[nodiscard]] bool claims(const EarlierRead& read, std::size_t write, std::uint16_t rows) const;
  [[nodiscard]] bool adds_up_before(std::size_t write) const;
  [[nodiscard]] std::optional<std::size_t> counted_before(std::size_t write, std::uint16_t rows, ColumnId column) const;
  [[nodiscard]] bool may_act_on_earlier(std::size_t step, std::uint16_t rows, const Access& access) const;
  bool match_earlier(std::size_t step, std::uint16_t rows);
  [[nodiscard]] ScopePair pair_of(ScopeKind kind, Match match, std::size_t read, std::size_t write,
                                  std::uint16_t rows) const;
  // Whether there is a pair.
  bool match_rows(std::size_t step, std::uint16_t rows, bool inserts);

  const TraceLog& log_;
  const Classes& classes_;
  const Stakes& stakes_;
  std::size_t most_between_;
  bool across_;
  TraceValues values_;
  Holdings holdings_;
  EarlierReads earlier_;
  std::vector<EntryColumns> entries_;
  std::vector<RequestStep> steps_;
  std::map<TableId, std::vector<EarlierRead>> reads_;
  std::unordered_map<LiteralId, std::size_t> first_use_;  // in the request
  std::vector<ScopePair> pairs_;
  std::map<std::pair<ShapeId, LiteralId>, std::uint64_t> writes_;
};

// Whether the statement counts, sums, takes the largest or asks whether there is one: it is sent to decide something.
[[nodiscard]] bool is_aggregate(std::string_view sql);

}  // namespace isolde::audit
