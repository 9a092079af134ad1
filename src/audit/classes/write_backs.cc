#include "audit/classes/write_backs.h"

#include <algorithm>
#include <map>
#include <optional>

namespace isolde::audit {
namespace {

constexpr LiteralId kNullValue{kNone32 - 1};  // NULL is no literal

// Last values by column and row.
class RowStates {
 public:
  RowStates(const TraceLog& log, const Schema& schema)
      : log_(log), schema_(schema), values_(schema.columns()), equal_(schema.columns()), changed_(schema.columns()) {}

  void run(const TraceStatement& here, const Statement& statement) {
    const std::span<const LiteralId> literals = log_.literals_of(here);
    for (const Access& access : statement.accesses) {
      if (access.action != Action::kWrite) continue;
      const RowSet& rows = statement.row_sets[access.row_set];
      auto& known = values_[raw(access.column)];
      const std::optional<std::vector<LiteralId>> row = key_of(rows, literals);
      const std::vector<RowKey>& from = access.inserts ? rows.keys : statement.assigned;
      const auto value = std::ranges::find(from, access.column, &RowKey::column);
      const bool null = std::ranges::find(statement.nulls, access.column) != statement.nulls.end();
      if (!row) {
        if (!access.inserts) known.clear();
      } else if (access.deletes || (value == from.end() && !null)) {
        known.erase(*row);
      } else {
        const LiteralId written = null ? kNullValue : literals[value->literal];
        const auto [place, is_new] = known.try_emplace(*row, written);
        if (!is_new && !access.inserts) ++(place->second == written ? equal_ : changed_)[raw(access.column)];
        place->second = written;
      }
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> written_back() const {
    std::vector<std::uint32_t> out(equal_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = changed_[i] == 0 ? equal_[i] : 0;
    return out;
  }

 private:
  [[nodiscard]] std::optional<std::vector<LiteralId>> key_of(const RowSet& rows,
                                                             std::span<const LiteralId> literals) const {
    std::vector<LiteralId> out;
    for (const ColumnId column : schema_.table(rows.table).primary_key) {
      const auto part = std::ranges::lower_bound(rows.keys, column, {}, &RowKey::column);
      if (part == rows.keys.end() || part->column != column) return std::nullopt;
      out.push_back(literals[part->literal]);
    }
    if (out.empty()) return std::nullopt;
    return out;
  }

  const TraceLog& log_;
  const Schema& schema_;
  std::vector<std::map<std::vector<LiteralId>, LiteralId>> values_;  // by column
  std::vector<std::uint32_t> equal_, changed_;
};

}  // namespace

std::vector<std::uint32_t> columns_written_back(const TraceLog& log, const Schema& schema,
                                                std::span<const Statement> statements) {
  RowStates states(log, schema);
  for (const TraceTransaction& transaction : log.transactions) {
    if (transaction.outcome != TxnOutcome::kCommitted) continue;
    for (const TraceStatement& here : log.of(transaction)) states.run(here, statements[raw(here.shape)]);
  }
  return states.written_back();
}

}  // namespace isolde::audit
