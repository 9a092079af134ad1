#include "tests/hunt/toy_arena.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace isolde::hunt::toy {
namespace {

using Row = ToyArena::Row;
using TableRows = ToyArena::TableRows;
using Data = ToyArena::Data;
using Lock = std::pair<std::string, std::int64_t>;

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool holds(const std::string& op, std::int64_t a, std::int64_t n) {
  return op == "=" ? a == n : op == "<" ? a < n : op == ">" ? a > n : true;
}

// What a statement would do on these rows.
struct Plan {
  db::Reply reply;
  std::map<std::string, std::map<std::int64_t, std::optional<Row>>> writes;
  std::vector<std::int64_t> matched;
};

// `conditions`: the rows that UPDATE and DELETE look at.
Plan plan_of(const Statement& statement, const Data& data, const Data& conditions) {
  const std::vector<std::string> w = words_of(statement.sql);
  const auto number = [&](std::size_t i) { return std::stoll(w[i]); };
  Plan plan;
  const TableRows& rows = data.at(w[1]);
  const auto sum = [](const TableRows& of) {
    std::int64_t total = 0;
    for (const auto& [pkey, row] : of) total += row.a;
    return total;
  };
  if (w[0] == "select") {
    plan.reply.width = 3;
    plan.reply.names = {"pkey", "vkey", "a"};
    for (const auto& [pkey, row] : rows)
      if (holds(w[2], row.a, number(3))) plan.reply.cells.insert(plan.reply.cells.end(), {pkey, row.vkey, row.a});
  } else if (w[0] == "sum") {
    plan.reply.width = 1;
    plan.reply.names = {"sum"};
    plan.reply.cells.emplace_back(sum(rows));
  } else if (w[0] == "insert" || w[0] == "upsert") {
    const std::int64_t pkey = number(2);
    if (w[0] == "insert" && rows.contains(pkey)) {
      plan.reply.fate = db::Fate::kMustRollBack;
      plan.reply.failure = {"23505", "there is such a row"};
      return plan;
    }
    plan.writes[w[1]][pkey] = Row{statement.version, number(3)};
  } else if (w[0] == "copy") {
    for (const auto& [pkey, row] : data.at(w[2]))
      if (holds(w[3], row.a, number(4))) plan.writes[w[1]][pkey + number(5)] = Row{statement.version, row.a};
    for (const auto& [pkey, row] : plan.writes[w[1]]) {
      if (!rows.contains(pkey)) continue;
      plan.reply.fate = db::Fate::kMustRollBack;
      plan.reply.failure = {"23505", "there is such a row"};
      return plan;
    }
  } else {
    for (const auto& [pkey, row] : conditions.at(w[1])) {
      if (!holds(w[2], row.a, number(3))) continue;
      plan.matched.push_back(pkey);
      if (!rows.contains(pkey)) continue;
      std::optional<Row>& after = plan.writes[w[1]][pkey];
      if (w[0] == "add") after = Row{statement.version, rows.at(pkey).a + number(4)};
      if (w[0] == "setsum") after = Row{statement.version, sum(data.at(w[4])) % 1000};
    }
  }
  for (const auto& [table, of] : plan.writes) plan.reply.changed += of.size();
  return plan;
}

void write_rows(const Plan& plan, Data& data) {
  for (const auto& [table, rows] : plan.writes) {
    for (const auto& [pkey, row] : rows) {
      if (row) data[table][pkey] = *row;
      if (!row) data[table].erase(pkey);
    }
  }
}

ContentsByTable contents_of(const Data& data, const std::vector<std::string>& tables) {
  ContentsByTable all;
  for (const std::string& table : tables) {
    Contents& contents = all[table];
    for (const auto& [pkey, row] : data.at(table))
      contents.push_back({pkey, row.vkey, fmt::format("{},{},{}", pkey, row.vkey, row.a)});
  }
  return all;
}

}  // namespace

Statement statement(std::string_view words, std::int64_t version) {
  const std::vector<std::string> w = words_of(words);
  Statement s;
  s.sql = words;
  s.reads = {w[1]};
  s.kind = w[0] == "insert" || w[0] == "copy"  ? StatementKind::kInsert
           : w[0] == "upsert"                  ? StatementKind::kUpsert
           : w[0] == "delete"                  ? StatementKind::kDelete
           : w[0] == "add" || w[0] == "setsum" ? StatementKind::kUpdate
                                               : StatementKind::kSelect;
  if (s.kind != StatementKind::kSelect) {
    s.writes = {w[1]};
    s.version = version;
  }
  const std::string other = w[0] == "setsum" ? w[4] : w[0] == "copy" ? w[2] : w[1];
  if (other != w[1]) s.reads.push_back(other);
  if (s.kind == StatementKind::kUpdate || s.kind == StatementKind::kDelete)
    s.before = fmt::format("select {} {} {}", w[1], w[2], w[3]);
  return s;
}

Schema schema(int rows) {
  Schema made;
  for (const std::string name : {"t", "u"}) {
    Table& table = made.tables.emplace_back();
    table.name = name;
    table.columns = table.inserted = {"pkey", "vkey", "a"};
    for (int i = 1; i <= rows; ++i)
      table.rows.push_back(
          {std::to_string(i), std::to_string(name == "t" ? i : 100 + i), std::to_string(name == "t" ? i : 10 * i)});
  }
  return made;
}

Case test_case(std::string_view transactions, std::string_view order, int rows) {
  Case test;
  test.schema = schema(rows);
  std::int64_t version = 1000;
  std::istringstream all{std::string(transactions)};
  for (std::string text; std::getline(all, text, '/');) {
    Transaction& transaction = test.transactions.emplace_back();
    if (const std::size_t end = text.find("rollback"); end != std::string::npos) {
      transaction.commits = false;
      text.resize(end);
    }
    std::istringstream parts{text};
    for (std::string part; std::getline(parts, part, ';');)
      if (!words_of(part).empty()) transaction.statements.push_back(statement(part, ++version));
  }
  for (const std::string& turn : words_of(order))
    test.order.push_back(static_cast<std::uint32_t>(std::stoul(turn) - 1));
  return test;
}

Case random_case(Rng& rng, std::uint32_t transactions, std::uint32_t statements, int rows) {
  const auto table = [&] { return rng.below(2) == 0 ? "t" : "u"; };
  const auto condition = [&] {
    constexpr std::string_view kOps[] = {"=", "<", ">"};
    return fmt::format("{} {}", kOps[rng.below(3)], rng.between(0, rows * 2));
  };
  std::string text, order;
  std::vector<std::string> turns;
  for (std::uint32_t t = 0; t < transactions; ++t) {
    text += t == 0 ? "" : " / ";
    const std::uint64_t count = 1 + rng.below(statements);
    for (std::uint64_t s = 0; s < count; ++s) {
      turns.push_back(std::to_string(t + 1));
      switch (rng.below(9)) {
        case 0:
          text += fmt::format("sum {}; ", table());
          break;
        case 1:
        case 2:
          text += fmt::format("select {} {}; ", table(), condition());
          break;
        case 3:
          text += fmt::format("delete {} = {}; ", table(), rng.between(1, rows * 2));
          break;
        case 4:
          text += fmt::format("insert {} {} {}; ", table(), rng.between(rows, rows + 6), rng.between(0, 9));
          break;
        case 5:
          text += fmt::format("upsert {} {} {}; ", table(), rng.between(1, rows + 3), rng.between(0, 9));
          break;
        case 6:
          text += fmt::format("setsum t {} u; ", condition());
          break;
        case 7:
          text += fmt::format("copy u t {} {}; ", condition(), rng.between(10, 60));
          break;
        default:
          text += fmt::format("add {} {} {}; ", table(), condition(), rng.between(1, 3));
      }
    }
    turns.push_back(std::to_string(t + 1));
    if (rng.below(5) == 0) text += " rollback";
  }
  for (std::size_t i = turns.size(); i > 1; --i) std::swap(turns[i - 1], turns[rng.below(i)]);
  for (const std::string& turn : turns) order += turn + " ";
  return test_case(text, order, rows);
}

// One run of a case.
class ToyRun {
 public:
  ToyRun(ToyArena& arena, const Case& test, bool instrumented)
      : arena_(arena), test_(test), instrumented_(instrumented) {
    txns_.resize(test.transactions.size());
    execution_.ends.assign(test.transactions.size(), Ended::kUnknown);
    for (const Transaction& transaction : test.transactions)
      execution_.runs.emplace_back(transaction.statements.size());
  }

  Execution run() {
    for (const std::uint32_t t : test_.order) {
      ++txns_[t].turns;
      advance(t);
      wake();
    }
    while (wake()) {
    }
    // Whoever waits now waits for one that waits.
    for (std::uint32_t t = 0; t < txns_.size(); ++t) {
      if (!txns_[t].waits) continue;
      fail(t, "40P01");
      while (wake()) {
      }
    }
    for (std::uint32_t t = 0; t < txns_.size(); ++t) advance(t);
    std::vector<std::string> tables;
    for (const auto& [table, rows] : arena_.committed_) tables.push_back(table);
    execution_.final = contents_of(arena_.committed_, tables);
    return std::move(execution_);
  }

 private:
  struct Txn {
    bool begun = false, ended = false, waits = false;
    std::uint32_t next = 0, turns = 0;
    Data snapshot;  // at the beginning, or of the last commit that it may see
    Data own;       // the snapshot with what it wrote
    std::map<Lock, std::optional<Row>> written;
    std::set<std::string> read;
    Plan last;
  };

  [[nodiscard]] bool snapshots() const { return arena_.level_.claims != Level::kReadCommitted; }
  [[nodiscard]] bool faulty(Fault fault) const { return arena_.fault_ == fault; }

  void begin(Txn& txn) {
    txn.begun = true;
    txn.snapshot = faulty(Fault::kStaleSnapshot) ? arena_.before_last_ : arena_.committed_;
  }
  // What the transaction sees now.
  Data view(std::uint32_t t) {
    Txn& txn = txns_[t];
    Data data = snapshots() ? txn.snapshot : arena_.committed_;
    if (faulty(Fault::kDirtyRead))
      for (std::uint32_t other = 0; other < txns_.size(); ++other)
        if (other != t && !txns_[other].ended) overlay(txns_[other], data);
    overlay(txn, data);
    return data;
  }
  static void overlay(const Txn& txn, Data& data) {
    for (const auto& [lock, row] : txn.written) {
      if (row) data[lock.first][lock.second] = *row;
      if (!row) data[lock.first].erase(lock.second);
    }
  }

  // As many steps as it has turns, until it waits.
  void advance(std::uint32_t t) {
    Txn& txn = txns_[t];
    while (!txn.waits && txn.turns > 0 && !txn.ended) {
      --txn.turns;
      if (!txn.begun) begin(txn);
      if (txn.next == test_.transactions[t].statements.size()) {
        end(t);
      } else {
        step(t);
      }
    }
  }
  bool wake() {
    bool any = false;
    for (std::uint32_t t = 0; t < txns_.size(); ++t) {
      if (!txns_[t].waits || txns_[t].ended) continue;
      txns_[t].waits = false;
      step(t, true);
      if (txns_[t].waits) continue;
      any = true;
      advance(t);
    }
    return any;
  }

  void step(std::uint32_t t, bool woken = false) {
    Txn& txn = txns_[t];
    const Place place{t, txn.next};
    const Statement& statement = at(test_, place);
    StatementRun& run = execution_.runs[t][txn.next];
    Data data = view(t);
    if (instrumented_ && !woken) {
      run.seen = contents_of(data, statement.reads);
      if (!statement.before.empty()) {
        run.about_to_change.emplace();
        const Plan before = plan_of(toy::statement(statement.before, 0), data, data);
        for (std::size_t row = 0; row < before.reply.rows(); ++row)
          run.about_to_change->push_back(std::get<std::int64_t>(before.reply.at(row, 0)));
      }
      for (const std::string& table : statement.reads) txn.read.insert(table);
    }
    if (faulty(Fault::kStaleRead) && statement.kind == StatementKind::kSelect && txn.written.empty())
      data = arena_.before_last_;
    for (const std::string& table : statement.reads) txn.read.insert(table);
    const Data& conditions = faulty(Fault::kMissesOwnWrites) ? txn.snapshot : data;
    Plan plan = plan_of(statement, data, conditions);
    if (!plan.reply.done()) {
      run.reply = plan.reply;
      fail(t, plan.reply.failure.code);
      return;
    }
    for (const auto& [table, rows] : plan.writes) {
      for (const auto& [pkey, row] : rows) {
        for (std::uint32_t other = 0; other < txns_.size(); ++other) {
          if (other == t || txns_[other].ended || !txns_[other].written.contains({table, pkey})) continue;
          run.apart = true;
          txn.waits = true;
          return;
        }
        if (snapshots() && !faulty(Fault::kLostUpdate) && !txn.written.contains({table, pkey}) &&
            version(arena_.committed_, table, pkey) != version(txn.snapshot, table, pkey)) {
          fail(t, "40001");
          return;
        }
      }
    }
    for (const auto& [table, rows] : plan.writes)
      for (const auto& [pkey, row] : rows) txn.written[{table, pkey}] = row;
    if (faulty(Fault::kWrongCount) && statement.kind == StatementKind::kUpdate) ++plan.reply.changed;
    run.ran = Ran::kDone;
    run.reply = plan.reply;
    if (instrumented_) run.left = contents_of(view(t), statement.writes);
    txn.last = std::move(plan);
    ++txn.next;
    execution_.answered.push_back(place);
  }
  static std::int64_t version(const Data& data, const std::string& table, std::int64_t pkey) {
    const auto row = data.at(table).find(pkey);
    return row == data.at(table).end() ? 0 : row->second.vkey;
  }

  void fail(std::uint32_t t, const std::string& code) {
    Txn& txn = txns_[t];
    StatementRun& run = execution_.runs[t][txn.next];
    run.ran = Ran::kFailed;
    run.reply.fate = db::Fate::kRolledBack;
    run.reply.failure = {code, "failed"};
    execution_.answered.push_back({t, txn.next});
    execution_.ends[t] = Ended::kAborted;
    txn.ended = true;
    txn.waits = false;
    txn.written.clear();
  }

  void end(std::uint32_t t) {
    Txn& txn = txns_[t];
    const auto count = static_cast<std::uint32_t>(test_.transactions[t].statements.size());
    bool commits = test_.transactions[t].commits;
    if (commits && arena_.level_.claims == Level::kSerializable && !faulty(Fault::kWriteSkew) && !txn.written.empty()) {
      for (const std::string& table : txn.read)
        if (txn.snapshot.at(table) != arena_.committed_.at(table)) commits = false;
    }
    execution_.ends[t] = commits                          ? Ended::kCommitted
                         : !test_.transactions[t].commits ? Ended::kRolledBack
                                                          : Ended::kAborted;
    txn.ended = true;
    execution_.answered.push_back({t, count});
    if (!commits) {
      if (!faulty(Fault::kLostRollback) || txn.written.empty()) return;
      const auto last = *txn.written.begin();
      txn.written.clear();
      txn.written.insert(last);
    } else if (faulty(Fault::kLostCommit) && !txn.written.empty()) {
      txn.written.erase(txn.written.begin());
    }
    arena_.before_last_ = arena_.committed_;
    overlay(txn, arena_.committed_);
  }

  ToyArena& arena_;
  const Case& test_;
  bool instrumented_;
  std::vector<Txn> txns_;
  Execution execution_;
};

ToyArena::ToyArena(Level level, Fault fault) : fault_(fault) {
  dialect_.name = "postgres";
  level_ = {.name = "toy", .claims = level, .setting = ""};
}
ToyArena::~ToyArena() = default;

Result<void> ToyArena::prepare(const Schema& schema) {
  initial_.clear();
  for (const Table& table : schema.tables) {
    TableRows& rows = initial_[table.name];
    for (const auto& row : table.rows) rows[std::stoll(row[0])] = {std::stoll(row[1]), std::stoll(row[2])};
  }
  return reset();
}
Result<void> ToyArena::reset() {
  committed_ = before_last_ = initial_;
  return {};
}
Execution ToyArena::run(const Case& test, bool instrumented) {
  ++runs;
  return ToyRun(*this, test, instrumented).run();
}
AloneRun ToyArena::run_alone(const Case& test, std::span<const Place> order) {
  ++alone_runs;
  AloneRun alone;
  for (const Place place : order) {
    const Plan plan = plan_of(at(test, place), committed_, committed_);
    StatementRun& run = alone.runs.emplace_back();
    run.ran = plan.reply.done() ? Ran::kDone : Ran::kFailed;
    run.reply = plan.reply;
    if (plan.reply.done()) write_rows(plan, committed_);
  }
  std::vector<std::string> tables;
  for (const auto& [table, rows] : committed_) tables.push_back(table);
  alone.final = contents_of(committed_, tables);
  return alone;
}

}  // namespace isolde::hunt::toy
