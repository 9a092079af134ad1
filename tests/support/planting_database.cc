#include "tests/support/planting_database.h"

namespace isolde::test {
namespace {

class PlantingConnection final : public db::Connection {
 public:
  PlantingConnection(std::unique_ptr<db::Connection> inner, const Plant& plant)
      : inner_(std::move(inner)), plant_(plant) {}

  Result<db::Reply> begin() override { return inner_->begin(); }
  Result<db::Reply> execute(std::string_view sql, std::span<const db::Cell> parameters) override {
    return inner_->execute(sql, parameters);
  }
  Result<db::Reply> run(std::string_view sql) override {
    auto reply = inner_->run(sql);
    constexpr std::string_view kTable = "create table ", kIndex = "create index ";
    if (!reply || !reply->done() || (!sql.starts_with(kTable) && !sql.starts_with(kIndex))) return reply;
    const std::string_view rest = sql.substr((sql.starts_with(kTable) ? kTable : kIndex).size());
    for (const std::string& planted : plant_(std::string(rest.substr(0, rest.find_first_of(" ("))))) {
      auto done = inner_->run(planted);
      if (!done || !done->done()) return done;
    }
    return reply;
  }
  Result<db::Reply> commit(db::TxnFacts* facts) override { return inner_->commit(facts); }
  Result<db::Reply> roll_back() override { return inner_->roll_back(); }
  std::vector<Result<db::Reply>> run_all(std::span<const db::Request> requests, db::OnFailure on_failure) override {
    return inner_->run_all(requests, on_failure);
  }
  void report_unlisted_errors() override { inner_->report_unlisted_errors(); }
  void cancel() override { inner_->cancel(); }
  [[nodiscard]] std::int64_t session() const override { return inner_->session(); }
  [[nodiscard]] bool says_it_waits() const override { return inner_->says_it_waits(); }
  void sever() override { inner_->sever(); }

  [[nodiscard]] db::Connection& inner() { return *inner_; }

 private:
  std::unique_ptr<db::Connection> inner_;
  const Plant& plant_;
};

class PlantingDatabase final : public db::Database {
 public:
  PlantingDatabase(std::unique_ptr<db::Database> real, Plant plant)
      : real_(std::move(real)), plant_(std::move(plant)) {}

  Result<std::unique_ptr<db::Connection>> connect(const db::ServerLevel& level) override {
    auto inner = real_->connect(level);
    if (!inner) return inner;
    return std::unique_ptr<db::Connection>(std::make_unique<PlantingConnection>(*std::move(inner), plant_));
  }
  [[nodiscard]] const db::Dialect& dialect() const override { return real_->dialect(); }
  [[nodiscard]] std::span<const db::ServerLevel> levels() const override { return real_->levels(); }
  Result<std::string> describe(db::Connection& connection) override { return real_->describe(inner(connection)); }
  Result<std::vector<std::int64_t>> waiting(db::Connection& observer) override {
    return real_->waiting(inner(observer));
  }
  Result<void> terminate(db::Connection& observer, std::int64_t session) override {
    return real_->terminate(inner(observer), session);
  }

 private:
  static db::Connection& inner(db::Connection& connection) {
    return static_cast<PlantingConnection&>(connection).inner();
  }

  std::unique_ptr<db::Database> real_;
  Plant plant_;
};

}  // namespace

std::unique_ptr<db::Database> planted_in(std::unique_ptr<db::Database> real, Plant plant) {
  return std::make_unique<PlantingDatabase>(std::move(real), std::move(plant));
}

}  // namespace isolde::test
