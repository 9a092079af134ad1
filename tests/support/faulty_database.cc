#include "tests/support/faulty_database.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include "hunt/run/setup_sql.h"

namespace isolde::test {
namespace {

class FaultyConnection;

// Connections that show old states, to be used again: making one takes a server longer than a case.
class SpareConnections {
 public:
  explicit SpareConnections(db::Database& real) : real_(real) {}

  [[nodiscard]] db::Database& real() const { return real_; }
  std::unique_ptr<db::Connection> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!spare_.empty()) {
        auto connection = std::move(spare_.back());
        spare_.pop_back();
        return connection;
      }
    }
    for (const db::ServerLevel& level : real_.levels()) {
      if (level.name != "repeatable read" && level.name != "wal deferred") continue;
      auto connection = real_.connect(level);
      if (!connection) return nullptr;
      // As a hunt's sessions are; what is not there yet, its schema, is looked for in vain later.
      for (const std::string& sql : hunt::fighter_setup(real_.dialect().name, kLimit).must)
        static_cast<void>((*connection)->run(sql));
      (*connection)->report_unlisted_errors();
      return *std::move(connection);
    }
    return nullptr;
  }
  void give_back(std::unique_ptr<db::Connection> connection) {
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(connection));
  }

 private:
  static constexpr std::chrono::milliseconds kLimit{2000};

  db::Database& real_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<db::Connection>> spare_;
};

// A transaction of its own that keeps showing the state in which it was begun.
class OldState {
 public:
  static std::shared_ptr<OldState> take(SpareConnections& spare) {
    auto state = std::make_shared<OldState>(spare, spare.take());
    if (!state->connection_) return nullptr;
    const std::string_view dialect = spare.real().dialect().name;
    if (dialect == "mariadb") {
      const auto begun = state->connection_->run("start transaction with consistent snapshot");
      return begun && begun->done() ? state : nullptr;
    }
    // The first read takes the snapshot.
    const auto begun = state->connection_->begin();
    const auto read = state->connection_->run(dialect == "sqlite" ? "select count(*) from sqlite_master" : "select 1");
    return begun && read && read->done() ? state : nullptr;
  }
  OldState(SpareConnections& spare, std::unique_ptr<db::Connection> connection)
      : spare_(spare), connection_(std::move(connection)) {}
  ~OldState() {
    if (!connection_) return;
    if (const auto ended = connection_->roll_back(); ended && ended->fate != db::Fate::kLost)
      spare_.give_back(std::move(connection_));
  }
  OldState(const OldState&) = delete;
  OldState& operator=(const OldState&) = delete;

  Result<db::Reply> ask(std::string_view sql, std::span<const db::Cell> parameters) {
    const std::lock_guard lock(mutex_);
    return parameters.empty() ? connection_->run(sql) : connection_->execute(sql, parameters);
  }

 private:
  std::mutex mutex_;
  SpareConnections& spare_;
  std::unique_ptr<db::Connection> connection_;
};

bool starts_with_word(std::string_view sql, std::string_view word) {
  const std::size_t start = std::min(sql.find_first_not_of(" (\n\t"), sql.size());
  sql.remove_prefix(start);
  if (sql.size() < word.size()) return false;
  return std::equal(word.begin(), word.end(), sql.begin(), [](char a, char b) { return a == (b | 0x20); });
}
bool mentions(std::string_view sql, std::string_view part) { return sql.find(part) != std::string_view::npos; }
// One that takes no locks: asked a second time, elsewhere, it waits for nobody.
bool is_plain_query(std::string_view sql) {
  constexpr std::string_view kLocks[] = {"for update", "for no key update", "for share", "for key share",
                                         "lock in share mode"};
  return (starts_with_word(sql, "select") || starts_with_word(sql, "with")) &&
         std::none_of(std::begin(kLocks), std::end(kLocks), [&](std::string_view lock) { return mentions(sql, lock); });
}

}  // namespace

struct FaultyDatabase::World {
  World(db::Database& real, PlantedFault fault) : spare(real), planted(std::move(fault)) {}

  SpareConnections spare;
  PlantedFault planted;
  std::atomic<std::uint64_t> times = 0, writes = 0;
  std::atomic<bool> indexed = false;  // an index was made since the last table
  std::mutex mutex;
  std::vector<FaultyConnection*> open;  // transactions, in the order in which they began
};

namespace {

class FaultyConnection final : public db::Connection {
 public:
  FaultyConnection(std::unique_ptr<db::Connection> inner, std::shared_ptr<FaultyDatabase::World> world)
      : inner_(std::move(inner)), world_(std::move(world)) {}
  ~FaultyConnection() override { ended(); }

  Result<db::Reply> begin() override {
    ended();
    const std::lock_guard busy(busy_);
    auto reply = inner_->begin();
    if (!reply || !reply->done()) return reply;
    open_ = true;
    wrote_ = failed_ = feature_ = false;
    const Fault fault = world_->planted.fault;
    const std::lock_guard lock(world_->mutex);
    if (fault == Fault::kStaleRead || fault == Fault::kMissesOwnWrites) {
      if (!world_->open.empty()) older_ = world_->open.front()->at_begin_;
      at_begin_ = OldState::take(world_->spare);
    }
    world_->open.push_back(this);
    return reply;
  }

  Result<db::Reply> execute(std::string_view sql, std::span<const db::Cell> parameters) override {
    if (passes_over(sql)) return db::Reply{};
    const std::lock_guard busy(busy_);
    auto reply = inner_->execute(sql, parameters);
    lose_a_row(sql, reply);
    return open_ ? changed_by_fault(sql, std::move(reply), parameters) : std::move(reply);
  }
  Result<db::Reply> run(std::string_view sql) override {
    if (auto instead = answered_by_fault(sql)) return *std::move(instead);
    const std::lock_guard busy(busy_);
    auto reply = inner_->run(without_some_deletions(sql));
    lose_a_row(sql, reply);
    return open_ ? changed_by_fault(sql, std::move(reply)) : std::move(reply);
  }
  Result<db::Reply> commit(db::TxnFacts* facts) override {
    ended();
    const std::lock_guard busy(busy_);
    return inner_->commit(facts);
  }
  Result<db::Reply> roll_back() override {
    const bool lost = world_->planted.fault == Fault::kLostRollback && open_ && wrote_ && feature_ && !failed_;
    ended();
    const std::lock_guard busy(busy_);
    if (!lost) return inner_->roll_back();
    ++world_->times;
    return inner_->commit();
  }
  void report_unlisted_errors() override { inner_->report_unlisted_errors(); }
  void cancel() override {
    cancelled_ = true;
    cancelled_.notify_all();
    inner_->cancel();
  }
  [[nodiscard]] std::int64_t session() const override { return inner_->session(); }
  [[nodiscard]] bool says_it_waits() const override { return inner_->says_it_waits(); }
  void sever() override { inner_->sever(); }

  [[nodiscard]] db::Connection& inner() { return *inner_; }

  // What its transaction sees; none: it is busy, or has written nothing, or cannot answer.
  std::optional<db::Reply> view(std::string_view sql) {
    const std::unique_lock busy(busy_, std::try_to_lock);
    if (!busy.owns_lock() || !wrote_ || failed_) return std::nullopt;
    auto reply = inner_->run(sql);
    if (!reply || !reply->done()) return std::nullopt;
    return *std::move(reply);
  }

 private:
  // What is not asked of the real connection at all; none: it is.
  std::optional<Result<db::Reply>> answered_by_fault(std::string_view sql) {
    const PlantedFault& planted = world_->planted;
    if (passes_over(sql)) return Result<db::Reply>(db::Reply{});
    if (!open_ || !mentions(sql, planted.feature)) return std::nullopt;
    if (planted.fault == Fault::kLostWrite && starts_with_word(sql, "update")) {
      if (++world_->writes % planted.one_in != 0) return std::nullopt;
      const std::lock_guard busy(busy_);
      if (auto begun = inner_->run("savepoint planted"); !begun || !begun->done()) return begun;
      auto reply = inner_->run(sql);
      if (!reply || !reply->done()) return reply;
      ++world_->times;
      if (auto undone = inner_->run("rollback to savepoint planted"); !undone || !undone->done()) return undone;
      return reply;
    }
    const bool fails =
        planted.fault == Fault::kError || planted.fault == Fault::kHang || planted.fault == Fault::kCrash;
    if (!fails || !others_are_open()) return std::nullopt;
    ++world_->times;
    failed_ = true;
    if (planted.fault == Fault::kCrash) {
      inner_->sever();
      db::Reply broken;
      broken.fate = db::Fate::kLost;
      broken.failure = {"", "the connection broke"};
      return broken;
    }
    if (planted.fault == Fault::kHang) {
      cancelled_ = false;
      cancelled_.wait(false);
    }
    db::Reply reply;
    reply.fate = db::Fate::kMustRollBack;
    reply.failure = {planted.fault == Fault::kHang ? "SQLITE_INTERRUPT" : planted.code, "planted"};
    return reply;
  }

  // An UPDATE that is not sent at all.
  [[nodiscard]] bool passes_over(std::string_view sql) {
    const PlantedFault& planted = world_->planted;
    if (planted.fault != Fault::kPassedOver || !open_ || !starts_with_word(sql, "update") ||
        !mentions(sql, planted.feature) || ++world_->writes % planted.one_in != 0)
      return false;
    ++world_->times;
    return true;
  }

  [[nodiscard]] bool others_are_open() {
    const std::lock_guard lock(world_->mutex);
    return world_->open.size() > 1;
  }

  // The answer of a query, in a transaction and alone alike.
  void lose_a_row(std::string_view sql, Result<db::Reply>& reply) {
    const Fault fault = world_->planted.fault;
    if (fault != Fault::kWrongIndex && fault != Fault::kWrongQuery) return;
    if (starts_with_word(sql, "create index")) world_->indexed = true;
    if (starts_with_word(sql, "create table")) world_->indexed = false;
    if (fault == Fault::kWrongIndex && !world_->indexed) return;
    if (!is_wrong_query(sql) || !reply || reply->rows() == 0) return;
    ++world_->times;
    // The largest, so that the answer does not depend on the order in which the rows come.
    const auto row = [&](std::size_t r) { return std::span(reply->cells).subspan(r * reply->width, reply->width); };
    std::size_t largest = 0;
    for (std::size_t r = 1; r < reply->rows(); ++r) {
      if (std::ranges::lexicographical_compare(row(largest), row(r))) largest = r;
    }
    const auto first = reply->cells.begin() + static_cast<std::ptrdiff_t>(largest * reply->width);
    reply->cells.erase(first, first + static_cast<std::ptrdiff_t>(reply->width));
  }

  // However it is sent: as it is, prepared, or by a cursor.
  bool is_wrong_query(std::string_view sql) {
    constexpr std::string_view kPreparing = "execute immediate '", kDeclaring = "declare ", kCursor = " cursor for ";
    const std::string& feature = world_->planted.feature;
    if (sql.starts_with(kDeclaring)) cursor_ = mentions(sql, std::string(kCursor) + feature);
    if (sql.starts_with("fetch ")) return cursor_;
    if (sql.starts_with(kPreparing)) sql.remove_prefix(kPreparing.size());
    return sql.starts_with(feature);
  }

  // "delete from t" in a text of one or several statements.
  [[nodiscard]] std::string without_some_deletions(std::string_view sql) {
    std::string text(sql);
    if (world_->planted.fault != Fault::kDeleteLeaves) return text;
    constexpr std::string_view kDelete = "delete from ";
    for (std::size_t at = text.find(kDelete); at != std::string::npos; at = text.find(kDelete, at + 1)) {
      const std::size_t end = std::min(text.find_first_of(" ;", at + kDelete.size()), text.size());
      if (end < text.size() && text[end] != ';') continue;
      ++world_->times;
      const std::string table = text.substr(at + kDelete.size(), end - at - kDelete.size());
      text.insert(end, " where pkey <> (select m.k from (select max(r.pkey) as k from " + table + " as r) as m)");
    }
    return text;
  }

  Result<db::Reply> changed_by_fault(std::string_view sql, Result<db::Reply> reply,
                                     std::span<const db::Cell> parameters = {}) {
    if (!reply || !reply->done()) {
      failed_ = true;
      return reply;
    }
    const bool matches = mentions(sql, world_->planted.feature);
    feature_ |= matches;
    if (reply->width == 0 || !is_plain_query(sql)) {
      wrote_ |= reply->width == 0 && reply->changed > 0;
      if (world_->planted.fault == Fault::kWrongCount && matches && starts_with_word(sql, "update")) {
        ++world_->times;
        ++reply->changed;
      }
      return reply;
    }
    if (!matches) return reply;
    if (world_->planted.fault == Fault::kWrongInside && reply->rows() > 0) {
      ++world_->times;
      reply->cells.resize(reply->cells.size() - reply->width);
      return reply;
    }
    std::optional<db::Reply> wrong;
    const auto ask = [&](const std::shared_ptr<OldState>& state) {
      if (state == nullptr) return;
      if (auto old = state->ask(sql, parameters); old && old->done()) wrong = *std::move(old);
    };
    if (world_->planted.fault == Fault::kStaleRead && !wrote_) ask(older_ ? older_ : at_begin_);
    if (world_->planted.fault == Fault::kMissesOwnWrites && wrote_) ask(at_begin_);
    if (world_->planted.fault == Fault::kDirtyRead && parameters.empty()) {
      const std::lock_guard lock(world_->mutex);
      for (FaultyConnection* const other : world_->open) {
        if (other != this && !wrong) wrong = other->view(sql);
      }
    }
    if (!wrong) return reply;
    ++world_->times;
    return *std::move(wrong);
  }

  void ended() {
    const std::lock_guard lock(world_->mutex);
    open_ = false;
    older_.reset();
    at_begin_.reset();
    std::erase(world_->open, this);
  }

  std::mutex busy_;
  std::unique_ptr<db::Connection> inner_;
  std::shared_ptr<FaultyDatabase::World> world_;
  std::shared_ptr<OldState> older_, at_begin_;
  std::atomic<bool> cancelled_ = false;
  bool open_ = false, wrote_ = false, failed_ = false, feature_ = false;
  bool cursor_ = false;  // the one that was declared last is for a query that begins with the feature
};

}  // namespace

FaultyDatabase::FaultyDatabase(std::unique_ptr<db::Database> real, PlantedFault planted)
    : real_(std::move(real)), world_(std::make_shared<World>(*real_, std::move(planted))) {}
FaultyDatabase::~FaultyDatabase() = default;

Result<std::unique_ptr<db::Connection>> FaultyDatabase::connect(const db::ServerLevel& level) {
  auto inner = real_->connect(level);
  if (!inner) return inner;
  return std::unique_ptr<db::Connection>(std::make_unique<FaultyConnection>(*std::move(inner), world_));
}

Result<std::string> FaultyDatabase::describe(db::Connection& connection) {
  return real_->describe(static_cast<FaultyConnection&>(connection).inner());
}
Result<std::vector<std::int64_t>> FaultyDatabase::waiting(db::Connection& observer) {
  return real_->waiting(static_cast<FaultyConnection&>(observer).inner());
}
Result<void> FaultyDatabase::terminate(db::Connection& observer, std::int64_t session) {
  return real_->terminate(static_cast<FaultyConnection&>(observer).inner(), session);
}
std::uint64_t FaultyDatabase::times() const { return world_->times; }

}  // namespace isolde::test
