// record/standard/smallbank.cc: SmallBank: customers with a savings and a checking account, six transactions.
//
// Balances are cents, computed by the client from what it read, so that weak levels lose updates as applications do.
// At snapshot isolation balance, write-check and transact-savings of one customer can be put in no order: write-check
// reads the savings that transact-savings changes, and balance sees the one but not yet the other.
// `for_update` locks what is read to be written. It does not help there: write-check does not write the savings.
// Hot spot: nine of ten customers drawn are among the first hundredth, unless a distribution is asked for.
// Source: Alomari, Cahill, Fekete, Röhm (ICDE 2008); send-payment and the mix are those of H-Store and BenchBase.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gen/sampler.h"
#include "record/standard/rows.h"
#include "record/standard/standard.h"

namespace isolde::record {
namespace {

constexpr std::uint32_t kCustomersAScale = 1'000;
constexpr std::uint64_t kMostCustomers = 1U << 24;
constexpr std::int64_t kFirstSmallBankBalance = 100'00;
constexpr std::int64_t kMostMoved = 50'00;
constexpr std::int64_t kPenalty = 1'00;  // of a check that is not covered
constexpr double kHotShare = 0.9;
constexpr std::uint32_t kHotPart = 100;

std::string customer_name(std::int64_t customer) { return fmt::format("c{:08}", customer); }

// Which customer a transaction is about.
class Customers {
 public:
  Customers(std::uint32_t count, const WorkloadOptions& options) : count_(count), hot_(std::max(1U, count / kHotPart)) {
    if (options.distribution) sampler_.emplace(*options.distribution, count, options.zipf_exponent);
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  std::int64_t draw(Rng& rng) const {
    if (sampler_) return sampler_->draw(rng);
    return static_cast<std::int64_t>(rng.below(rng.chance(kHotShare) ? hot_ : count_));
  }
  std::int64_t draw_other(std::int64_t than, Rng& rng) const {
    const std::int64_t other = draw(rng);
    return other == than ? (other + 1) % count_ : other;
  }

 private:
  std::uint32_t count_, hot_;
  std::optional<KeySampler> sampler_;
};

struct Account {  // a table of balances and the statements on it
  Account(std::string name, std::string_view lock)
      : table{.name = std::move(name),
              .key_columns = {"custid"},
              .value_columns = {"bal", "w"},
              .style = ValueStyle::kRow},
        select(fmt::format("select bal, w from {} where custid = ?", table.name)),
        select_locking(select + std::string(lock)),
        update(fmt::format("update {} set bal = ?, w = ? where custid = ?", table.name)) {}
  TracedTable table;
  std::string select, select_locking, update;
};

struct BankSetup {
  BankSetup(const WorkloadOptions& options, std::uint32_t count, const db::Dialect& dialect)
      : customers(count, options),
        lock(options.for_update && !dialect.for_update.empty() ? Lock::kUpdate : Lock::kNone),
        savings("savings", options.for_update ? dialect.for_update : ""),
        checking("checking", options.for_update ? dialect.for_update : "") {}
  Customers customers;
  Lock lock;
  Account savings, checking;
};

class Session : public WorkloadSession {
 public:
  Session(const BankSetup& bank, Rng rng) : bank_(bank), rng_(rng) {}

  void transaction(Client& client) override {
    Rng rng(rng_.next());  // of this transaction: what the one before came to changes nothing
    const std::int64_t one = bank_.customers.draw(rng);
    const std::int64_t other = bank_.customers.draw_other(one, rng);
    const std::int64_t amount = rng.between(1, kMostMoved);
    const std::uint64_t percent = rng.below(100);
    if (!client.begin()) return;
    bool went_well = false;
    if (percent < 15) {
      went_well = amalgamate(client, one, other);
    } else if (percent < 30) {
      went_well = balance(client, one);
    } else if (percent < 45) {
      went_well = deposit_checking(client, one, amount);
    } else if (percent < 70) {
      went_well = send_payment(client, one, other, amount);
    } else if (percent < 85) {
      went_well = transact_savings(client, one, rng.chance(0.5) ? amount : -amount);
    } else {
      went_well = write_check(client, one, amount);
    }
    if (went_well) client.commit();
  }

 private:
  enum class For : std::uint8_t { kReading, kWriting };

  // Each is false once the transaction is over.
  bool balance(Client& client, std::int64_t one) const {
    std::int64_t saved = 0, checked = 0;
    return known(client, one) && read(client, bank_.savings, one, For::kReading, saved) &&
           read(client, bank_.checking, one, For::kReading, checked);
  }

  bool deposit_checking(Client& client, std::int64_t one, std::int64_t amount) const {
    std::int64_t checked = 0;
    return known(client, one) && read(client, bank_.checking, one, For::kWriting, checked) &&
           write(client, bank_.checking, one, checked + amount);
  }

  bool transact_savings(Client& client, std::int64_t one, std::int64_t amount) const {
    std::int64_t saved = 0;
    if (!known(client, one) || !read(client, bank_.savings, one, For::kWriting, saved)) return false;
    if (saved + amount < 0) return refuse(client);
    return write(client, bank_.savings, one, saved + amount);
  }

  bool amalgamate(Client& client, std::int64_t one, std::int64_t other) const {
    std::int64_t saved = 0, checked = 0, others = 0;
    return known(client, one) && known(client, other) && read(client, bank_.savings, one, For::kWriting, saved) &&
           read(client, bank_.checking, one, For::kWriting, checked) && write(client, bank_.savings, one, 0) &&
           write(client, bank_.checking, one, 0) && read(client, bank_.checking, other, For::kWriting, others) &&
           write(client, bank_.checking, other, others + saved + checked);
  }

  bool write_check(Client& client, std::int64_t one, std::int64_t amount) const {
    std::int64_t saved = 0, checked = 0;
    if (!known(client, one) || !read(client, bank_.savings, one, For::kReading, saved) ||
        !read(client, bank_.checking, one, For::kWriting, checked)) {
      return false;
    }
    const bool covered = saved + checked >= amount;
    return write(client, bank_.checking, one, checked - amount - (covered ? 0 : kPenalty));
  }

  bool send_payment(Client& client, std::int64_t one, std::int64_t other, std::int64_t amount) const {
    std::int64_t checked = 0, others = 0;
    if (!known(client, one) || !known(client, other) || !read(client, bank_.checking, one, For::kWriting, checked)) {
      return false;
    }
    if (checked < amount) return refuse(client);
    return read(client, bank_.checking, other, For::kWriting, others) &&
           write(client, bank_.checking, one, checked - amount) &&
           write(client, bank_.checking, other, others + amount);
  }

  // The table of names is never written: what is read there is not recorded.
  static bool known(Client& client, std::int64_t customer) {
    return client.run("select custid from account where name = ?", {customer_name(customer)});
  }

  bool read(Client& client, const Account& account, std::int64_t customer, For what, std::int64_t& balance) const {
    const bool locks = what == For::kWriting;
    if (!client.run(locks ? account.select_locking : account.select, {customer})) return false;
    if (!saw_row(client, account.table, {customer}, locks ? bank_.lock : Lock::kNone)) {
      client.commit();  // accounts are never deleted: what was seen is kept, to be judged
      return false;
    }
    balance = integer_at(client.reply(), 0, 0);
    return true;
  }

  static bool write(Client& client, const Account& account, std::int64_t customer, std::int64_t balance) {
    const std::int64_t unique = client.unique();
    return update_row(client, account.table, {customer}, {balance, unique}, account.update,
                      {balance, unique, customer});
  }

  static bool refuse(Client& client) {
    client.roll_back();
    return false;
  }

  const BankSetup& bank_;
  Rng rng_;
};

class SmallBank : public Workload {
 public:
  SmallBank(const WorkloadOptions& options, std::uint32_t customers, const db::Dialect& dialect)
      : bank_(options, customers, dialect),
        tables_{{.name = "account", .key_columns = {"name"}, .value_columns = {"custid"}},
                bank_.savings.table,
                bank_.checking.table},
        table_options_(dialect.table_options) {}

  std::vector<std::string> schema() const override {
    std::vector<std::string> all;
    all.push_back(
        fmt::format("create table account (name varchar(64) primary key, custid bigint not null){}", table_options_));
    for (const std::string_view name : {"savings", "checking"})
      all.push_back(fmt::format("create table {} (custid bigint primary key, bal bigint not null, w bigint not null){}",
                                name, table_options_));
    return all;
  }
  std::span<const TracedTable> tables() const override { return tables_; }

  Result<void> load(db::Connection& connection) override {
    RowLoader account(connection, "account", "name, custid");
    RowLoader savings(connection, "savings", "custid, bal, w");
    RowLoader checking(connection, "checking", "custid, bal, w");
    for (std::int64_t customer = 0; customer < bank_.customers.count(); ++customer) {
      account.add({customer_name(customer), customer});
      savings.add({customer, kFirstSmallBankBalance, std::int64_t{0}});
      checking.add({customer, kFirstSmallBankBalance, std::int64_t{0}});
    }
    for (RowLoader* rows : {&account, &savings, &checking}) {
      if (auto result = rows->finish(); !result) return result;
    }
    return {};
  }

  std::string initial() const override {
    InitialObject all;
    for (std::int64_t customer = 0; customer < bank_.customers.count(); ++customer) {
      all.add(bank_.savings.table, {customer}, {kFirstSmallBankBalance, std::int64_t{0}});
      all.add(bank_.checking.table, {customer}, {kFirstSmallBankBalance, std::int64_t{0}});
    }
    return std::move(all).text();
  }

  std::unique_ptr<WorkloadSession> session(std::uint32_t, Rng rng) override {
    return std::make_unique<Session>(bank_, rng);
  }

 private:
  BankSetup bank_;
  std::vector<TracedTable> tables_;
  std::string table_options_;
};

}  // namespace

Result<std::unique_ptr<Workload>> make_smallbank(const WorkloadOptions& o, const db::Dialect& d) {
  const std::uint64_t customers = o.keys ? *o.keys : std::uint64_t{kCustomersAScale} * o.scale;
  if (customers < 2 || customers > kMostCustomers)
    return Error{fmt::format("smallbank takes 2 to {} customers, not {}", kMostCustomers, customers)};
  return std::unique_ptr<Workload>(std::make_unique<SmallBank>(o, static_cast<std::uint32_t>(customers), d));
}

}  // namespace isolde::record
