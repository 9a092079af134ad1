// record/workload/client.h: the tracing client: one session, whose every request is timed and journalled.
//
// In, out: a workload's statements and what they mean -> requests to the database, records in the journal.
// Always:  what a statement is going to write is in the journal before it is sent; a commit too. So no transaction that
//          another client may have seen is ever missing, whenever the process dies.
//          A request that fails ends the transaction: it is rolled back, or unknown if the answer to its commit was
//          lost; the workload then returns and is called for the next one. After an unknown one the session is a new
//          one, since nobody knows when the old one's last request ended.
// Use:     if (!client.begin()) return;
//          client.will_write(key, value);
//          if (!client.run(sql, parameters)) return;
//          if (!client.run(select, parameters)) return;
//          client.saw(key, value_of(client.reply()));
//          client.commit();
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "db/dialect.h"
#include "history/history.h"

namespace isolde::record {

struct RecordedItem {
  std::string key, value;  // JSON texts; value null: deleted
};

class Client {
 public:
  virtual ~Client() = default;

  // Each is false once the transaction has ended otherwise than by commit(): return from the workload then.
  [[nodiscard]] virtual bool begin() = 0;
  [[nodiscard]] virtual bool run(std::string_view sql, std::span<const db::Cell> parameters) = 0;
  [[nodiscard]] bool run(std::string_view sql, std::initializer_list<db::Cell> parameters) {
    return run(sql, std::span(parameters.begin(), parameters.size()));
  }
  virtual bool commit() = 0;
  virtual void roll_back() = 0;  // because the workload wants it

  [[nodiscard]] virtual const db::Reply& reply() const = 0;
  [[nodiscard]] virtual const db::Dialect& dialect() const = 0;

  // What the next run() is going to do. Keys and values are JSON texts (record/workload/traced_table.h).
  virtual void will_write(std::string_view key, std::string_view value) = 0;
  virtual void will_append(std::string_view key, std::string_view element) = 0;
  // What the last run() did, with its interval.
  virtual void saw(std::string_view key, std::string_view value, Lock lock = Lock::kNone) = 0;
  virtual void wrote(std::string_view key, std::string_view value) = 0;  // known only by the reply
  virtual void scanned(std::string_view where, std::span<const RecordedItem> rows, Lock lock = Lock::kNone) = 0;
  virtual void aggregated(std::string_view expression, std::string_view where, std::string_view value) = 0;
  virtual void updated(std::string_view where, std::span<const RecordedItem> rows_after) = 0;

  // The last run() and the next one are one operation to the history: the interval of what is recorded next covers
  // both.
  virtual void go_on() = 0;

  // A number that no other call of any client in this recording returns: what makes a written value unique.
  [[nodiscard]] virtual std::int64_t unique() = 0;
};

}  // namespace isolde::record
