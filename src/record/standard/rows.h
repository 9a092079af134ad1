// record/standard/rows.h: what the standard workloads share: first rows in batches, reads and updates of one row.
//
// Always: what is recorded is what the statement did at the database: an absent row was read as null. What a statement
//         answered is evidence: an UPDATE by primary key that changed no row although the row is always there saw that
//         it is absent, and its transaction is committed, so that this is judged.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "record/workload/client.h"
#include "record/workload/traced_table.h"

namespace isolde::record {

// Rows on their way into one table, many an INSERT.
class RowLoader {
 public:
  // `columns` as in the INSERT: "k, v".
  RowLoader(db::Connection& connection, std::string_view table, std::string_view columns);
  void add(std::initializer_list<db::Cell> row);
  // Sends what is left. The first fault of any batch is the answer.
  [[nodiscard]] Result<void> finish();

 private:
  void send();

  db::Connection& connection_;
  std::string insert_;
  std::vector<db::Cell> cells_;
  std::size_t rows_ = 0, width_ = 0;
  Result<void> result_;
};

// Members of the header's object "initial".
class InitialObject {
 public:
  void add(const TracedTable& table, std::initializer_list<std::int64_t> key, std::initializer_list<db::Cell> values);
  [[nodiscard]] std::string text() && { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

// A column that holds an integer; 0 if it holds something else.
[[nodiscard]] std::int64_t integer_at(const db::Reply& reply, std::size_t row, std::size_t column);

// The value of a row of the last reply, whose first columns are the value columns of `table`, from `first` on.
[[nodiscard]] std::string value_at(const db::Reply& reply, const TracedTable& table, std::size_t row,
                                   std::size_t first = 0);

// The last run() was a SELECT by primary key: records the row it returned, or that there was none. Whether it was
// there.
bool saw_row(Client& client, const TracedTable& table, std::initializer_list<std::int64_t> key,
             Lock lock = Lock::kNone);

// Runs a statement that writes one row of which the client knows all: an INSERT, or an UPDATE by primary key, which
// sets the unique column, of a row that may be gone. False: the transaction is over (rolled back too if no row was
// changed).
[[nodiscard]] bool write_row(Client& client, const TracedTable& table, std::initializer_list<std::int64_t> key,
                             std::initializer_list<db::Cell> values, std::string_view sql,
                             std::initializer_list<db::Cell> parameters);

// An UPDATE by primary key of a row that is there from the first to the last transaction. Where it changes no row, a
// read of null is recorded besides the write that was announced, and the transaction commits: no level allows that.
[[nodiscard]] bool update_row(Client& client, const TracedTable& table, std::initializer_list<std::int64_t> key,
                              std::initializer_list<db::Cell> values, std::string_view sql,
                              std::initializer_list<db::Cell> parameters);

// UPDATE of one row by primary key, which is there from the first to the last transaction, some of whose recorded
// columns only the database knows. The row after it comes by RETURNING where there is that, else by a SELECT of the
// row: nobody else can change it before this transaction ends.
class LearningUpdate {
 public:
  // `set`: "d_ytd = d_ytd + ?"; the unique column, the last value column of `table`, is set besides.
  LearningUpdate(const db::Dialect& dialect, const TracedTable& table, std::string_view set);
  // False: the transaction is over.
  [[nodiscard]] bool run(Client& client, std::initializer_list<db::Cell> set_parameters,
                         std::initializer_list<std::int64_t> key) const;

 private:
  const TracedTable& table_;
  std::string update_, select_;
  bool returns_;
};

}  // namespace isolde::record
