// isolde/history.h: histories for your test harness: load one, or build one transaction by transaction.
//
// Uses only standard types. Read next: isolde/check.h, isolde/verdict.h.
//
//   isolde::api::HistoryBuilder builder;
//   builder.add(isolde::api::Transaction(/*session=*/1).write("x", 1).timestamps(10, 20));
//   builder.add(isolde::api::Transaction(/*session=*/2).read("x", nullptr).timestamps(30, 30));
//   isolde::api::LoadedHistory history = builder.finish();
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace isolde::api {

// The name of a key, session or transaction: an integer or a string.
using Name = std::variant<std::int64_t, std::string>;

// The value of a key: absent (nullptr), a scalar, a list of values, or a row: an object of columns by name.
struct Value {
  using List = std::vector<Value>;
  using Row = std::vector<std::pair<std::string, Value>>;
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, List, Row> data = nullptr;

  Value() = default;
  Value(std::nullptr_t) {}                                            // NOLINT(google-explicit-constructor)
  Value(bool value) : data(value) {}                                  // NOLINT(google-explicit-constructor)
  Value(int value) : data(static_cast<std::int64_t>(value)) {}        // NOLINT(google-explicit-constructor)
  Value(long value) : data(static_cast<std::int64_t>(value)) {}       // NOLINT(google-explicit-constructor)
  Value(long long value) : data(static_cast<std::int64_t>(value)) {}  // NOLINT(google-explicit-constructor)
  Value(double value) : data(value) {}                                // NOLINT(google-explicit-constructor)
  Value(const char* text) : data(std::string(text)) {}                // NOLINT(google-explicit-constructor)
  Value(std::string text) : data(std::move(text)) {}                  // NOLINT(google-explicit-constructor)
  Value(List elements) : data(std::move(elements)) {}                 // NOLINT(google-explicit-constructor)
  Value(Row columns) : data(std::move(columns)) {}                    // NOLINT(google-explicit-constructor)
};

// A key and the row that it held.
using KeyedRow = std::pair<Name, Value>;

// unknown: the answer to the commit was lost. Never report such a transaction as aborted.
enum class Status { committed, aborted, unknown };

// FOR UPDATE, FOR SHARE. Only the method "mirror" looks at it.
enum class Lock { none, update, share };

struct Operation {
  enum class Kind {
    read,
    write,
    append,
    increment,
    scan,       // the rows that match a condition
    aggregate,  // a value computed over them
    update,     // a change of all of them
  };
  Kind kind = Kind::read;
  Name key = {};  // of read, write, append and increment
  // read, aggregate: what was returned; write: nullptr deletes; append: the element; increment: the integer to add
  Value value = {};
  std::string where = {};           // scan, aggregate, update: a condition in SQL (docs/predicates.md)
  std::string expression = {};      // aggregate: "max(price)"
  std::vector<KeyedRow> rows = {};  // scan: the result; update: the changed rows, as they were afterwards
  Lock lock = Lock::none;           // of a read, scan or aggregate
  std::optional<std::int64_t> before = {}, after = {};  // the client's clock: before it was sent, after it was answered
  std::optional<std::vector<KeyedRow>> seen = {};       // scan, aggregate, update: the rows that it was evaluated on
};

// What PostgreSQL says that a transaction sees: pg_current_snapshot() and pg_current_xact_id_if_assigned().
struct Snapshot {
  std::optional<std::int64_t> xid = {};
  std::int64_t xmin = 0, xmax = 0;
  std::vector<std::int64_t> active = {};
};

// One transaction and everything known about its order. Leave out what you do not know.
struct Transaction {
  explicit Transaction(Name session_name) : session(std::move(session_name)) {}

  Name session;
  std::optional<Name> id;  // default: its position, from 0
  Status status = Status::committed;
  std::optional<std::int64_t> begin, end;           // the client's clock, in the same unit for all transactions
  std::optional<std::int64_t> commit_before;        // … when the commit was sent
  std::optional<std::int64_t> commit_after;         // … when it was answered; ignored without commit_before
  std::optional<std::int64_t> start_ts, commit_ts;  // the database's own timestamps
  std::optional<std::int64_t> order;                // position in the expected serialization order
  std::optional<std::int64_t> sno;                  // its number in the session, counted by the client
  std::optional<Snapshot> snapshot;
  std::vector<Operation> operations;

  Transaction& read(Name key, Value value) {
    return add({.kind = Operation::Kind::read, .key = std::move(key), .value = std::move(value)});
  }
  Transaction& write(Name key, Value value) {
    return add({.kind = Operation::Kind::write, .key = std::move(key), .value = std::move(value)});
  }
  Transaction& append(Name key, Value element) {
    return add({.kind = Operation::Kind::append, .key = std::move(key), .value = std::move(element)});
  }
  Transaction& increment(Name key, std::int64_t by) {
    return add({.kind = Operation::Kind::increment, .key = std::move(key), .value = static_cast<long long>(by)});
  }
  Transaction& scan(std::string where, std::vector<KeyedRow> result) {
    return add({.kind = Operation::Kind::scan, .where = std::move(where), .rows = std::move(result)});
  }
  Transaction& aggregate(std::string expression, std::string where, Value result) {
    return add({.kind = Operation::Kind::aggregate,
                .value = std::move(result),
                .where = std::move(where),
                .expression = std::move(expression)});
  }
  // `rows_after`: every row that it changed, as it was afterwards; nullptr if it deleted the row.
  Transaction& update(std::string where, std::vector<KeyedRow> rows_after) {
    return add({.kind = Operation::Kind::update, .where = std::move(where), .rows = std::move(rows_after)});
  }
  Transaction& add(Operation operation) {
    operations.push_back(std::move(operation));
    return *this;
  }

  // Details of the last operation. Requires: there is one.
  Transaction& at(std::int64_t sent, std::int64_t answered) {
    operations.back().before = sent;
    operations.back().after = answered;
    return *this;
  }
  Transaction& locking(Lock lock) {
    operations.back().lock = lock;
    return *this;
  }
  Transaction& evaluated_on(std::vector<KeyedRow> rows) {
    operations.back().seen = std::move(rows);
    return *this;
  }

  Transaction& timestamps(std::int64_t start, std::int64_t commit) {
    start_ts = start;
    commit_ts = commit;
    return *this;
  }
  Transaction& interval(std::int64_t from, std::int64_t to) {
    begin = from;
    end = to;
    return *this;
  }
  Transaction& committed(std::int64_t sent, std::int64_t answered) {
    commit_before = sent;
    commit_after = answered;
    return *this;
  }
  Transaction& named(Name name) {
    id = std::move(name);
    return *this;
  }
  Transaction& with_status(Status s) {
    status = s;
    return *this;
  }
  Transaction& sees(Snapshot what) {
    snapshot = std::move(what);
    return *this;
  }
};

// A finished history. Copies share their content.
class History {
 public:
  [[nodiscard]] std::uint64_t transactions() const;
  [[nodiscard]] std::uint64_t operations() const;

  struct Content;
  explicit History(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  [[nodiscard]] const Content& content() const { return *content_; }

 private:
  std::shared_ptr<const Content> content_;
};

// A history, or an error ("file:line:column: what was expected").
struct LoadedHistory {
  std::optional<History> history;
  std::string error;
  std::vector<std::string> notes;
  explicit operator bool() const { return history.has_value(); }
};

// Reads a file or folder. If `format` is empty, it is detected from the content.
[[nodiscard]] LoadedHistory load(const std::string& path, const std::string& format = {});
// The same for the content of a file that is in memory.
[[nodiscard]] LoadedHistory parse(std::string_view text, const std::string& format = {});

class HistoryBuilder {
 public:
  HistoryBuilder();
  ~HistoryBuilder();
  HistoryBuilder(HistoryBuilder&&) noexcept;
  HistoryBuilder& operator=(HistoryBuilder&&) noexcept;

  // Transactions of one session must be added in session order.
  HistoryBuilder& add(const Transaction& transaction);
  // The value of every key before its first write; absent by default.
  HistoryBuilder& initial(const Value& value);
  // The values of a key in the order in which they were installed. `complete`: no committed write is missing.
  HistoryBuilder& version_order(const Name& key, const std::vector<Value>& versions, bool complete = true);
  // The builder is empty afterwards.
  [[nodiscard]] LoadedHistory finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isolde::api
