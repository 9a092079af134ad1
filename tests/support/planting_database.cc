#include "tests/support/planting_database.h"

#include <mutex>
#include <set>

namespace isolde::test {
namespace {

// What the connections of one database share.
struct Planting {
  Plant made;
  InsidePlant inside;
  std::mutex mutex;
  std::set<std::string> tables;  // that were made and not dropped

  [[nodiscard]] bool is_inside() const { return inside.at_begin != nullptr; }
};

class PlantingConnection final : public db::Connection {
 public:
  PlantingConnection(std::unique_ptr<db::Connection> inner, Planting& planting)
      : inner_(std::move(inner)), planting_(planting) {}

  Result<db::Reply> begin() override {
    auto begun = inner_->begin();
    if (!begun || !begun->done() || !planting_.is_inside()) return begun;
    for_each_table(planting_.inside.at_begin);
    return begun;
  }
  Result<db::Reply> execute(std::string_view sql, std::span<const db::Cell> parameters) override {
    return inner_->execute(sql, parameters);
  }
  Result<db::Reply> run(std::string_view sql) override {
    auto reply = inner_->run(sql);
    constexpr std::string_view kTable = "create table ", kIndex = "create index ", kDrop = "drop table if exists ";
    if (sql.starts_with(kDrop)) {
      const std::lock_guard lock(planting_.mutex);
      planting_.tables.erase(std::string(sql.substr(kDrop.size())));
    }
    if (!reply || !reply->done() || (!sql.starts_with(kTable) && !sql.starts_with(kIndex))) return reply;
    const std::string_view rest = sql.substr((sql.starts_with(kTable) ? kTable : kIndex).size());
    const std::string name(rest.substr(0, rest.find_first_of(" (")));
    if (sql.starts_with(kTable)) {
      const std::lock_guard lock(planting_.mutex);
      planting_.tables.insert(name);
    }
    if (!planting_.made) return reply;
    for (const std::string& planted : planting_.made(name)) {
      auto done = inner_->run(planted);
      if (!done || !done->done()) return done;
    }
    return reply;
  }
  Result<db::Reply> commit(db::TxnFacts* facts) override {
    if (planting_.is_inside()) for_each_table(planting_.inside.at_commit);
    return inner_->commit(facts);
  }
  Result<db::Reply> roll_back() override { return inner_->roll_back(); }
  std::vector<Result<db::Reply>> run_all(std::span<const db::Request> requests, db::OnFailure on_failure) override {
    return planting_.is_inside() ? Connection::run_all(requests, on_failure) : inner_->run_all(requests, on_failure);
  }
  void report_unlisted_errors() override { inner_->report_unlisted_errors(); }
  void cancel() override { inner_->cancel(); }
  [[nodiscard]] std::int64_t session() const override { return inner_->session(); }
  [[nodiscard]] bool says_it_waits() const override { return inner_->says_it_waits(); }
  void sever() override { inner_->sever(); }

  [[nodiscard]] db::Connection& inner() { return *inner_; }

 private:
  // In a transaction that failed it fails, which does no harm.
  void for_each_table(const Plant& plant) {
    std::set<std::string> tables;
    {
      const std::lock_guard lock(planting_.mutex);
      tables = planting_.tables;
    }
    for (const std::string& table : tables)
      for (const std::string& sql : plant(table)) static_cast<void>(inner_->run(sql));
  }

  std::unique_ptr<db::Connection> inner_;
  Planting& planting_;
};

class PlantingDatabase final : public db::Database {
 public:
  PlantingDatabase(std::unique_ptr<db::Database> real, Plant made, InsidePlant inside) : real_(std::move(real)) {
    planting_.made = std::move(made);
    planting_.inside = std::move(inside);
  }

  Result<std::unique_ptr<db::Connection>> connect(const db::ServerLevel& level) override {
    auto inner = real_->connect(level);
    if (!inner) return inner;
    return std::unique_ptr<db::Connection>(std::make_unique<PlantingConnection>(*std::move(inner), planting_));
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
  Planting planting_;
};

}  // namespace

std::unique_ptr<db::Database> planted_in(std::unique_ptr<db::Database> real, Plant plant) {
  return std::make_unique<PlantingDatabase>(std::move(real), std::move(plant), InsidePlant{});
}
std::unique_ptr<db::Database> planted_inside(std::unique_ptr<db::Database> real, InsidePlant plant) {
  return std::make_unique<PlantingDatabase>(std::move(real), Plant(), std::move(plant));
}

}  // namespace isolde::test
