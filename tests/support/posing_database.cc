#include "tests/support/posing_database.h"

#include <vector>

#include "hunt/case/dialects.h"

namespace isolde::test {
namespace {

std::string as_mariadb(std::string_view sql) {
  if (sql.starts_with("set session tidb_") || sql.starts_with("set session optimizer_switch"))
    return "set @nothing = 1";
  return hunt::translated(std::string(sql), "mysql", "mariadb");
}

class PosingConnection final : public db::Connection {
 public:
  explicit PosingConnection(std::unique_ptr<db::Connection> inner) : inner_(std::move(inner)) {}

  Result<db::Reply> begin() override { return inner_->begin(); }
  Result<db::Reply> execute(std::string_view sql, std::span<const db::Cell> parameters) override {
    return inner_->execute(as_mariadb(sql), parameters);
  }
  Result<db::Reply> run(std::string_view sql) override { return inner_->run(as_mariadb(sql)); }
  Result<db::Reply> commit(db::TxnFacts* facts) override { return inner_->commit(facts); }
  Result<db::Reply> roll_back() override { return inner_->roll_back(); }
  std::vector<Result<db::Reply>> run_all(std::span<const db::Request> requests, db::OnFailure on_failure) override {
    std::vector<db::Request> translated(requests.begin(), requests.end());
    for (db::Request& request : translated) request.sql = as_mariadb(request.sql);
    return inner_->run_all(translated, on_failure);
  }
  void report_unlisted_errors() override { inner_->report_unlisted_errors(); }
  void cancel() override { inner_->cancel(); }
  [[nodiscard]] std::int64_t session() const override { return inner_->session(); }
  void sever() override { inner_->sever(); }

  [[nodiscard]] db::Connection& inner() { return *inner_; }

 private:
  std::unique_ptr<db::Connection> inner_;
};

class PosingDatabase final : public db::Database {
 public:
  PosingDatabase(std::string product, std::unique_ptr<db::Database> real)
      : product_(std::move(product)), real_(std::move(real)) {}

  Result<std::unique_ptr<db::Connection>> connect(const db::ServerLevel& level) override {
    auto inner = real_->connect(level);
    if (!inner) return inner;
    return std::unique_ptr<db::Connection>(std::make_unique<PosingConnection>(*std::move(inner)));
  }
  [[nodiscard]] const db::Dialect& dialect() const override { return real_->dialect(); }
  [[nodiscard]] std::span<const db::ServerLevel> levels() const override { return real_->levels(); }
  Result<std::string> describe(db::Connection&) override { return product_; }
  Result<std::vector<std::int64_t>> waiting(db::Connection& observer) override {
    return real_->waiting(static_cast<PosingConnection&>(observer).inner());
  }
  Result<void> terminate(db::Connection& observer, std::int64_t session) override {
    return real_->terminate(static_cast<PosingConnection&>(observer).inner(), session);
  }

 private:
  std::string product_;
  std::unique_ptr<db::Database> real_;
};

}  // namespace

std::unique_ptr<db::Database> posing_as(std::string product, std::unique_ptr<db::Database> mariadb) {
  return std::make_unique<PosingDatabase>(std::move(product), std::move(mariadb));
}

}  // namespace isolde::test
