// proxy/values/statement.h: what one statement of MySQL's dialect does to rows that its text names: tables, primary
// keys and values, as far as they can be read off the text.
//
// In, out: a text -> its statements: which begin, end or divide a transaction; which read or write rows named by
//          `column = value`; which values they write.
// Always:  nothing is guessed. A form that is not listed here is kAnything (it may write what its text names, or end
// the
//          transaction) or, if it only reads, a read without a shape.
// Cost:    one scan of the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "audit/sql/shape.h"
#include "history/history.h"

namespace isolde::proxy::values {

enum class Doing : std::uint8_t {
  kNothing,  // SET, SHOW, USE …: touches no row of a table
  kRead,
  kInsert,
  kReplace,
  kUpdate,
  kDelete,
  kWritesOthers,  // a write in a form that is not understood: of the tables that its text names
  kSchema,        // CREATE, ALTER, DROP, TRUNCATE …: commits what is open
  kAnything,      // CALL, EXECUTE, XA …
  kBegin,
  kCommit,
  kRollBack,
  kSavepoint,
  kRelease,
  kRollBackTo,
  kUse,       // another database: name
  kNames,     // SET NAMES and its like: name is the character set
  kLevel,     // SET SESSION TRANSACTION ISOLATION LEVEL: name
  kLevelOnce  // … of the next transaction
};

// A value as the text has it.
struct Term {
  enum class Kind : std::uint8_t { kUnknown, kNumber, kText, kNull, kParameter };
  Kind kind = Kind::kUnknown;
  std::string text = {};        // kNumber (with its sign), kText
  std::uint32_t parameter = 0;  // kParameter: which one, from 0
};

struct Named {
  std::string column;
  Term value;
  // UPDATE … SET column = column + value, or - value.
  bool adds = false, subtracts = false;
};

struct Statement {
  Doing doing = Doing::kAnything;
  std::string name = {};  // of a savepoint, database, character set, level
  std::string schema = {}, table = {};
  std::vector<Named> sets = {};   // UPDATE
  std::vector<Named> where = {};  // column = value AND …
  bool by_where = false;          // they are joined by AND, with each other and with more conditions
  bool more_conditions = false;
  bool plain = false;     // kRead: each row of the result is one row of each table, as it is
  bool may_skip = false;  // kRead: SKIP LOCKED
  Lock lock = Lock::kNone;
  bool has_columns = false;  // INSERT names them
  std::vector<std::string> columns = {};
  std::vector<std::vector<Term>> rows = {};  // INSERT … VALUES
  bool ignores = false, upserts = false;     // INSERT IGNORE; ON DUPLICATE KEY UPDATE
  // Everything that the text names, in lower case: what kWritesOthers may write.
  std::vector<std::string> names = {};
};

class StatementReader {
 public:
  StatementReader() : lexer_(audit::SqlDialect::kMysql) {}
  // None: the text is empty. Parameters are counted over the whole text.
  [[nodiscard]] std::vector<Statement> read(std::string_view sql);

 private:
  audit::Lexer lexer_;
};

}  // namespace isolde::proxy::values
