// record/standard/tpcc/transactions.h: the five transactions of TPC-C, one file each.
//
// In, out: a client, its home warehouse and chance -> one transaction, committed, rolled back or ended by the database.
// Always:  a row is recorded as read if a column is read that some transaction changes. Of names, rates and prices
// nobody
//          does. So TPC-C stays what it is known to be: serializable at snapshot isolation (Fekete et al., TODS 2005).
//          Rows found otherwise than by their key (the oldest new order, the last orders and their lines) are reads of
//          the rows that came back; that there were no others is not claimed.
//          A row that must be there and is not ends the transaction by a commit, so that what was seen is judged.
// Source: TPC-C 5.11, clause 2; the statements are BenchBase's where locks are asked for, else those of py-tpcc.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "record/standard/tpcc/population.h"
#include "record/workload/client.h"

namespace isolde::record::tpcc {

struct Context {
  Counts counts;
  const db::Dialect& dialect;
  std::string for_update;   // what follows a SELECT of a row that will be written; empty: nothing
  Lock lock = Lock::kNone;  // what that means
};

class Transaction {
 public:
  virtual ~Transaction() = default;
  virtual void run(Client& client, std::int64_t home, Rng& rng) const = 0;
};

[[nodiscard]] std::unique_ptr<Transaction> make_new_order(const Context& context);
[[nodiscard]] std::unique_ptr<Transaction> make_payment(const Context& context);
[[nodiscard]] std::unique_ptr<Transaction> make_order_status(const Context& context);
[[nodiscard]] std::unique_ptr<Transaction> make_delivery(const Context& context);
[[nodiscard]] std::unique_ptr<Transaction> make_stock_level(const Context& context);

// A customer, asked for by number or by last name.
struct CustomerAsked {
  std::int64_t warehouse = 0, district = 0;
  std::optional<std::int64_t> number;
  std::string last_name;
};
struct CustomerRow {
  std::int64_t id = 0, balance = 0, ytd_payment = 0, payments = 0;
  std::string credit, data;
};
class CustomerSelect {
 public:
  CustomerSelect(std::string_view for_update, Lock lock);
  // Six of ten by last name.
  [[nodiscard]] static CustomerAsked draw(const Counts& counts, std::int64_t warehouse, std::int64_t district,
                                          Rng& rng);
  // Of those of one last name the one in the middle by first name: names never change, so that only the row of the one
  // is recorded. Null: the transaction is over.
  [[nodiscard]] std::optional<CustomerRow> run(Client& client, const CustomerAsked& asked) const;

 private:
  std::string select_;
  Lock lock_;
};

}  // namespace isolde::record::tpcc
