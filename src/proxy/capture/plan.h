// proxy/capture/plan.h: what one text of SQL is to the recorder, and how it is rewritten so that the server names the
// row versions that it reads and writes.
//
// In, out: a text -> its statements: which begin, end or divide a transaction; which are a plain SELECT of tables, or
// an INSERT,
//          UPDATE or DELETE of one table, and what is added to those: table, place, transaction and key of each row.
// Always:  what is added stands behind the last column and changes neither the rows nor what they hold: nothing is
//          added where it might (DISTINCT, GROUP BY, set operations, views, …; tests show the whole table). A statement
//          that is not understood is kUnjudged, with a reason that is counted.
// Cost:    texts that differ only in literals are parsed once: otherwise one scan of the text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "audit/sql/shape.h"
#include "history/history.h"
#include "proxy/capture/isolation.h"
#include "proxy/capture/tables.h"

namespace isolde::proxy::capture {

enum class Kind : std::uint8_t {
  kHarmless,  // SET, SHOW, EXPLAIN …: touches no row, ends no transaction
  kUnjudged,  // may read or write anything; ends no transaction
  kUnclear,   // may also end transactions by itself: CALL, DO, VACUUM …
  kSchema,    // changes tables, or who may do what
  kRead,
  kWrite,  // INSERT or UPDATE
  kDelete,
  kBegin,
  kCommit,
  kRollBack,
  kSavepoint,
  kRelease,
  kRollBackTo,
  kPrepare,  // PREPARE TRANSACTION
  kExecute,  // SQL's EXECUTE of a prepared statement
};

struct Step {
  Kind kind = Kind::kUnjudged;
  std::string name = {};          // of the savepoint or prepared statement
  std::string_view why_not = {};  // kUnjudged, kUnclear
  bool changes_path = false;      // names may mean other tables from here on
  bool chains = false;            // COMMIT AND CHAIN
  LevelChange level = {};
  bool forgets = false;  // the prepared statement of that name, or all, is not what it was
};

struct Plan {
  std::vector<Step> steps;     // a text may hold several statements, or none
  bool unknown_table = false;  // one that it names may have been made since the tables were read
  // The rest is of a text with one statement that is rewritten.
  bool rewritten = false;
  std::shared_ptr<const Tables> tables;  // keeps those of `sources` alive
  // Tables whose rows are named, in the order of what was added: for each its oid, place, transaction, and key.
  std::vector<const Table*> sources;
  Lock lock = Lock::kNone;
  bool returns_nothing = false;  // but for what was added
  std::string added;
  std::size_t before_token = 0;  // where it is added; SIZE_MAX: at the end

  [[nodiscard]] std::size_t columns_added() const {
    std::size_t count = 0;
    for (const Table* const table : sources) count += 3 + table->key.size();
    return count;
  }
};

struct Rewriting {
  std::string sql;
  std::size_t from = 0;  // in characters of the original: what the server says of places beyond is moved
  std::size_t length = 0;
};

class Planner {
 public:
  Planner() : shapes_(audit::SqlDialect::kPostgres), lexer_(audit::SqlDialect::kPostgres) {}

  // `user`: of the client; null `tables`: nothing is rewritten. A plan is the same object as long as nothing changes.
  [[nodiscard]] std::shared_ptr<const Plan> plan(std::string_view sql, const std::shared_ptr<const Tables>& tables,
                                                 std::string_view user);
  // Requires: the plan is that of this text, and rewritten.
  [[nodiscard]] Rewriting rewrite(std::string_view sql, const Plan& plan);
  // The server would not have the rewritten text: from now on texts of this shape are left alone.
  void give_up(std::string_view sql, std::string_view user, std::string_view why_not);
  // The server was asked, and would run it rewritten.
  [[nodiscard]] bool is_checked(const std::shared_ptr<const Plan>& plan) const { return checked_.contains(plan); }
  void set_checked(std::shared_ptr<const Plan> plan) { checked_.insert(std::move(plan)); }
  // Something has changed: the server is to be asked again.
  void set_unchecked(const std::shared_ptr<const Plan>& plan) { checked_.erase(plan); }
  // The same without rewriting.
  [[nodiscard]] static std::shared_ptr<const Plan> plain(const Plan& plan, std::string_view why_not);

 private:
  struct Known {
    std::shared_ptr<const Tables> tables;
    std::shared_ptr<const Plan> plan;
  };
  [[nodiscard]] std::string shape_key(std::string_view sql, std::string_view user, bool rewrites);

  audit::ShapeTable shapes_;
  audit::Lexer lexer_;
  std::unordered_map<std::string, Known> known_;
  std::unordered_set<std::shared_ptr<const Plan>> checked_;
  std::vector<audit::LiteralId> literals_;
};

}  // namespace isolde::proxy::capture
