// tests/support/draft.h: a history while a test still changes it: plain structs, then build().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "history/history.h"

namespace isolde {

// A value of a test: absent, a number, a list of integers, or a row of integers and NULLs.
struct DraftValue {
  enum class Type : std::uint8_t { kNull, kInteger, kList, kRow, kReal } type = Type::kNull;
  std::int64_t integer = 0;
  std::vector<std::int64_t> list = {};
  std::vector<std::pair<std::string, std::optional<std::int64_t>>> columns = {};
  double real = 0;

  static DraftValue of(std::int64_t n) { return {Type::kInteger, n}; }
  static DraftValue of_list(std::vector<std::int64_t> elements) { return {Type::kList, 0, std::move(elements)}; }
  static DraftValue of_real(double r) { return {Type::kReal, 0, {}, {}, r}; }
  // {"v": v}, or {"v": v, "n": n}
  static DraftValue of_row(std::optional<std::int64_t> v, std::optional<std::int64_t> n = std::nullopt) {
    DraftValue row{Type::kRow, 0, {}, {{"v", v}}};
    if (n) row.columns.emplace_back("n", n);
    return row;
  }
  // Nothing if it is NULL or there is no such column.
  [[nodiscard]] std::optional<std::int64_t> column(std::string_view name) const {
    for (const auto& [column, value] : columns) {
      if (column == name) return value;
    }
    return std::nullopt;
  }
  friend bool operator==(const DraftValue&, const DraftValue&) = default;
};

struct DraftOp {
  OpKind kind;
  std::string key;   // not of predicate operations
  DraftValue value;  // of kAppend and kIncrement: the element, the amount
  std::vector<std::pair<std::string, DraftValue>> items = {};
  std::string where = "v >= 0";
  std::string aggregate = "max(v)";
  std::optional<std::vector<std::pair<std::string, DraftValue>>> vset = {};
};

// What PostgreSQL says that a transaction sees.
struct DraftSnapshot {
  std::optional<std::int64_t> xid;
  std::int64_t xmin = 0, xmax = 0;
  std::vector<std::int64_t> active = {};
};

struct DraftTxn {
  std::string name;
  std::string session;
  Status status = Status::kCommitted;
  std::optional<std::int64_t> begin, end, start_ts, commit_ts, order, sno;
  // Around the commit; left out by build() if it contradicts `begin` or `end`.
  std::optional<std::int64_t> commit_before, commit_after;
  std::optional<DraftSnapshot> snapshot;
  std::vector<DraftOp> ops;

  [[nodiscard]] bool writes() const;
};

struct DraftVersions {
  std::string key;
  std::vector<DraftValue> values;
  std::vector<std::string> txns;  // used if not empty
  bool complete = true;
};

struct Draft {
  std::vector<DraftTxn> txns;  // of one session: in session order
  std::vector<std::pair<std::string, DraftValue>> initial;
  std::vector<DraftVersions> versions;
  bool serial_by_commit_ts = false;

  // Requires: names are unique. What the builder refuses stops the test program with its message.
  [[nodiscard]] History build() const;
};

}  // namespace isolde
