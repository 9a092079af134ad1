// proxy/values/transaction.h: one client's statements, as a MariaDB server answers them -> its transactions, with what
// they read and wrote by value.
//
// Always:  what a failed statement or a savepoint that was rolled back did is left out. A transaction that may have
// ended
//          otherwise than it seems is reported as one of which no more is known than what it may have written. A write
//          by `column = column + n` gets its value from what the same transaction reads of it, before under a lock or
//          after; otherwise it is unknown.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "history/history.h"
#include "proxy/values/catalogue.h"
#include "proxy/values/value.h"

namespace isolde::proxy::values {

enum class Act : std::uint8_t { kRead, kReadForUpdate, kReadForShare, kWrite, kAdd };

struct ValueOp {
  Act act = Act::kRead;
  const FollowedTable* table = nullptr;
  std::string key;
  const FollowedColumn* column = nullptr;
  Value value = {};  // kAdd: what is added. kWrite, kUnknown: it cannot be said
  std::int64_t before = 0, after = 0;
};

struct EndedByValue {
  Status status = Status::kCommitted;
  bool sure = true;  // otherwise only what it may have written counts
  std::int64_t begin = 0, commit_sent = 0, commit_answered = 0;
  std::string level;
  std::vector<ValueOp> ops;
};

class ValueSink {
 public:
  virtual ~ValueSink() = default;
  virtual void ended(EndedByValue&& transaction) = 0;
  virtual void left_out(std::string_view why) = 0;
};

class ValueTransactions {
 public:
  explicit ValueTransactions(ValueSink& sink) : sink_(sink) {}

  void set_level(std::string_view level) { level_ = level; }
  void set_next_level(std::string_view level) { next_level_ = level; }

  // A statement was carried out that did this; `open`: a transaction is open after it, says the server.
  void done(std::vector<ValueOp>&& ops, bool open, std::int64_t sent, std::int64_t answered);
  void begin(std::int64_t sent, std::int64_t answered);
  void commit(bool open, std::int64_t sent, std::int64_t answered);
  void roll_back(bool open, std::int64_t sent, std::int64_t answered);
  void savepoint(const std::string& name);
  void release(const std::string& name);
  void roll_back_to(const std::string& name);
  // The server rolled the whole transaction back by itself.
  void aborted(std::int64_t sent, std::int64_t answered);
  [[nodiscard]] bool is_open() const { return open_; }
  // A statement failed; the transaction is as it was.
  void failed() { failed_ = true; }
  // Nobody can say what became of the transaction that is open.
  void doubt(std::string_view why);
  // The connection is over. `waits`: for the answer to a statement that may have done `ops` and may have ended it.
  void lost(bool waits, std::vector<ValueOp>&& ops, std::int64_t sent);

 private:
  struct Mark {
    std::string name;
    std::size_t ops;
  };
  using Cell = std::pair<std::pair<const FollowedTable*, const FollowedColumn*>, std::string>;
  void add(std::vector<ValueOp>&& ops, std::int64_t sent, std::int64_t answered);
  void end(Status status, std::int64_t sent, std::int64_t answered);
  void settle_additions();

  ValueSink& sink_;
  std::string level_, next_level_;
  bool open_ = false, failed_ = false, sure_ = true;
  std::int64_t begin_ = 0;
  std::vector<ValueOp> ops_;
  std::vector<Mark> marks_;
};

}  // namespace isolde::proxy::values
