#include "hunt/generate/generate.h"

#include <algorithm>
#include <string>

#include "hunt/case/dialects.h"
#include "hunt/generate/draw.h"
#include "hunt/generate/interleaving.h"
#include "hunt/generate/model.h"
#include "hunt/generate/query.h"
#include "hunt/generate/statement.h"

namespace isolde::hunt {
namespace {

using generate::Draw;
using generate::Model;
using generate::Relation;
using sql::Kind;
using sql::NodePtr;

constexpr std::int64_t kFirstVersion = 1001;

// Draws the transactions of one case. They meet at few rows, mostly of one table.
class CaseDraw {
 public:
  CaseDraw(std::uint64_t seed, const GenerateOptions& options, const Model& model)
      : rng_(seed), options_(options), model_(model) {
    test_.seed = seed;
    test_.schema = model.schema;
    focus_ = rng_.below(model.tables.size());
    focused_ = percent(65) ? 85 : 35;
    const std::int64_t rows = std::max<std::int64_t>(model.tables[focus_].rows(), 1);
    const std::int64_t hot = rng_.between(1, 3);
    for (std::int64_t i = 0; i < hot; ++i) hot_.push_back(rng_.between(1, std::min<std::int64_t>(rows, 8)));
    for (const Table& table : model.schema.tables) rows_at_first_ += static_cast<std::int64_t>(table.rows.size());
  }

  Case take() {
    const std::uint32_t most = std::max(options_.most_transactions, 1U);
    if (most > 1 && options_.most_statements > 1 && options_.writes > 0 && percent(30)) {
      draw_clash();
      return std::move(test_);
    }
    const std::int64_t count = percent(50) ? std::min(2U, most) : rng_.between(std::min(2U, most), most);
    for (std::int64_t t = 0; t < count; ++t) test_.transactions.push_back(draw_transaction());
    test_.order = generate::draw_interleaving(rng_, turns());
    return std::move(test_);
  }

 private:
  bool percent(std::uint64_t chances) { return generate::percent(rng_, chances); }

  Draw new_draw() { return {.rng = rng_, .options = options_, .model = model_, .hot = hot_, .by_key = by_key_}; }

  const Relation& table() { return model_.tables[percent(focused_) ? focus_ : rng_.below(model_.tables.size())]; }

  // One transaction reads; another changes the row and commits; the first changes it too: plain statements about one
  // row, of which the server must notice that they do not go together.
  void draw_clash() {
    hot_.resize(1);
    focused_ = 92;
    by_key_ = 70;
    Transaction first;
    const bool reads = !percent(options_.writes / 3);
    first.statements.push_back(reads ? draw_read() : draw_write());
    first.statements.push_back(draw_write());
    if (reads && options_.most_statements > 2 && percent(25)) first.statements.push_back(first.statements[0]);
    first.commits = !percent(8);
    test_.transactions.push_back(std::move(first));
    const int others = options_.most_transactions > 2 && percent(20) ? 2 : 1;
    for (int t = 0; t < others; ++t) {
      Transaction other;
      if (percent((100 - options_.writes) / 2)) other.statements.push_back(draw_read());
      other.statements.push_back(draw_write());
      other.commits = !percent(8);
      test_.transactions.push_back(std::move(other));
    }
    test_.order = generate::draw_enclosing(rng_, turns());
  }

  std::vector<std::uint32_t> turns() const {
    std::vector<std::uint32_t> turns;
    for (const Transaction& transaction : test_.transactions)
      turns.push_back(static_cast<std::uint32_t>(transaction.statements.size()) + 1);
    return turns;
  }

  Transaction draw_transaction() {
    Transaction transaction;
    transaction.commits = !percent(15);
    by_key_ = 45;
    const std::uint32_t writes = std::min(options_.writes, 100U);
    Draw dice = new_draw();
    switch (dice.weighted({100, writes > 0 && writes < 100 ? 80U : 0U, writes, (100 - writes) / 3})) {
      case 1:
        draw_read_modify_write(transaction);
        break;
      case 2:
        by_key_ = 80;
        add_some(transaction, 2, [&] { return draw_write(); });
        break;
      case 3:
        draw_reader(transaction);
        break;
      default:
        add_some(transaction, std::max(options_.most_statements, 1U),
                 [&] { return percent(writes) ? draw_write() : draw_read(); });
        break;
    }
    const std::size_t most = std::max<std::size_t>(options_.most_statements, 1);
    if (transaction.statements.size() > most)
      transaction.statements.erase(transaction.statements.begin(),
                                   transaction.statements.end() - static_cast<std::ptrdiff_t>(most));
    return transaction;
  }

  template <typename DrawOne>
  void add_some(Transaction& transaction, std::uint32_t most, DrawOne one) {
    const std::uint64_t count = 1 + rng_.below(most);
    for (std::uint64_t i = 0; i < count; ++i) transaction.statements.push_back(one());
  }

  // What it read decides nothing about what it writes, but a server that lets both happen on different versions of the
  // row has lost an update.
  void draw_read_modify_write(Transaction& transaction) {
    if (percent(25)) transaction.statements.push_back(draw_read());
    by_key_ = 85;
    transaction.statements.push_back(draw_read());
    if (percent(20)) transaction.statements.push_back(draw_read());
    transaction.statements.push_back(draw_write());
    if (percent(30)) transaction.statements.push_back(draw_write());
    if (percent(30)) transaction.statements.push_back(transaction.statements[0]);
  }

  // Asks the same twice, with something in between or not.
  void draw_reader(Transaction& transaction) {
    transaction.statements.push_back(draw_read());
    if (percent(60)) transaction.statements.push_back(draw_read());
    transaction.statements.push_back(transaction.statements[0]);
  }

  Statement draw_read() {
    Draw draw = new_draw();
    const db::HuntRules& rules = options_.rules();
    switch (draw.weighted({45, 45, rules.locks_rows ? 10U : 0U})) {
      case 0: {
        const Relation& from = table();
        return finish(hinted(generate::draw_lookup(draw, from).node), 0);
      }
      case 1:
        return finish(hinted(generate::draw_query(draw, options_.depth).node), 0);
      default: {
        const Relation& from = table();
        const NodePtr select = generate::draw_lockable(draw, from, std::min(options_.depth, 2U)).node;
        const std::uint32_t finer = rules.grammar->locks == db::LockClause::kFourStrengths ? 10 : 0;
        static constexpr std::string_view kLocks[] = {"", "share", "key share", "no key update"};
        const std::string lock(kLocks[draw.weighted({55, rules.shares_locks ? 25U : 0U, finer, finer})]);
        return finish(sql::make(Kind::kForUpdate, sql::Type::kNone, lock, {select}), 0);
      }
    }
  }

  // With a hint for the optimizer, where there are any.
  NodePtr hinted(NodePtr query) {
    const auto hints = options_.rules().hints;
    if (hints.empty() || query->kind != Kind::kSelect || !percent(15)) return query;
    auto copy = std::make_shared<sql::Node>(*query);
    copy->alias = hints[rng_.below(hints.size())];
    return copy;
  }

  Statement draw_write() {
    Draw draw = new_draw();
    const Relation& to = table();
    const bool merges = options_.server_version >= options_.rules().first_merge;
    const std::int64_t version = kFirstVersion + std::max<std::int64_t>(rows_at_first_ - 1000, 0) + written_++;
    const bool replaces = generate::can_replace(options_, model_, to);
    switch (draw.weighted({50, 10, 10, keys_.more_bases() ? 8U : 0U, 12, merges ? 32U : 0U, replaces ? 8U : 0U})) {
      case 1:
        return finish(generate::draw_delete(draw, to), version);
      case 2:
        return finish(generate::draw_insert_rows(draw, to, version, keys_), version);
      case 3:
        return finish(generate::draw_insert_query(draw, to, version, keys_), version);
      case 4:
        return finish(generate::draw_upsert(draw, to, version, keys_), version);
      case 5:
        return finish(generate::draw_merge(draw, to, version, keys_), version);
      case 6:
        return finish(generate::draw_replace(draw, to, version, keys_), version);
      default:
        return finish(generate::draw_update(draw, to, version), version);
    }
  }

  Statement finish(NodePtr tree, std::int64_t version) {
    Statement statement = sql::make_statement(std::move(tree), version, model_.schema, options_.dialect);
    const bool reads = statement.kind == StatementKind::kSelect || statement.kind == StatementKind::kSelectForUpdate;
    const bool prepares = options_.rules().prepares != db::Prepares::kAlways;
    const bool savepoints = options_.grammar().has_savepoints;
    Draw dice = new_draw();
    switch (dice.weighted(
        {100, prepares ? 12U : 0U, reads && options_.grammar().has_cursors ? 12U : 0U, savepoints ? 6U : 0U})) {
      case 1:
        statement.sent = Sent::kPrepared;
        break;
      case 2:
        statement.sent = Sent::kCursor;
        break;
      case 3:
        statement.sent = Sent::kSavepoint;
        break;
      default:
        break;
    }
    if (savepoints && options_.writes > 0 && percent(4)) statement.undone = draw_undone();
    return statement;
  }

  // What is done and undone: its version, which no other statement has, must never be seen.
  std::string draw_undone() {
    Draw draw = new_draw();
    draw.by_key = 85;
    const Relation& to = table();
    const std::int64_t version = kFirstVersion + std::max<std::int64_t>(rows_at_first_ - 1000, 0) + written_++;
    const NodePtr tree = percent(75) ? generate::draw_update(draw, to, version) : generate::draw_delete(draw, to);
    return sql::print(*tree, options_.dialect);
  }

  Rng rng_;
  const GenerateOptions& options_;
  const Model& model_;
  Case test_;
  std::size_t focus_ = 0;
  std::uint32_t focused_ = 0;  // out of 100 statements, so many are about that table first
  std::uint32_t by_key_ = 50;
  std::vector<std::int64_t> hot_;
  std::int64_t rows_at_first_ = 0, written_ = 0;
  generate::NewKeys keys_;
};

class SeededGenerator final : public Generator {
 public:
  explicit SeededGenerator(const GenerateOptions& options) : dialect_(options.dialect), options_(options) {
    options_.dialect = dialect_;
  }

  Schema schema(std::uint64_t seed) override {
    Rng rng(seed);
    model_ = generate::draw_model(rng, options_);
    return model_.schema;
  }

  Case test(std::uint64_t seed) override {
    if (model_.tables.empty()) (void)schema(seed);
    return CaseDraw(seed, options_, model_).take();
  }

 private:
  std::string dialect_;  // what options_.dialect looks at
  GenerateOptions options_;
  Model model_;
};

}  // namespace

std::unique_ptr<Generator> make_generator(const GenerateOptions& options) {
  return std::make_unique<SeededGenerator>(options);
}

}  // namespace isolde::hunt
