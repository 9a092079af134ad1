#include "tests/support/random_finding.h"

#include "db/product.h"

namespace isolde::test {
namespace {

using namespace isolde::hunt;

std::string hostile_text(Rng& rng) {
  static constexpr std::string_view kPieces[] = {
      "select",   " ",     "  ",  "\n", "\t",     "'",   "''", "\"",  "\\",   ",",      "(",      ")",
      "#",        "|",     "T1:", ":",  "--",     "\\n", "a",  "\r",  "\x01", "é",      "\xff",   "where",
      "null",     "7",     ".",   "`",  "commit", "of",  "to", "\\x", "=",    " from ", " set a", " where b = 'x y'",
      "rollback", "begin", "",    "x"};
  std::string text;
  for (std::uint64_t n = rng.below(rng.chance(0.1) ? 60 : 6); n > 0; --n)
    text += kPieces[rng.below(std::size(kPieces))];
  return text;
}
std::string any_text(Rng& rng) { return rng.chance(0.5) ? "t" + std::to_string(rng.below(10)) : hostile_text(rng); }
std::vector<std::string> texts(Rng& rng, std::uint64_t most) {
  std::vector<std::string> all(rng.below(most + 1));
  for (std::string& text : all) text = any_text(rng);
  return all;
}

Table random_table(Rng& rng) {
  Table table{.name = any_text(rng),
              .columns = texts(rng, 4),
              .create = any_text(rng),
              .rows = {},
              .inserted = {},
              .foreign_keys = {}};
  table.inserted = rng.chance(0.7) ? table.columns : texts(rng, 3);
  for (std::uint64_t n = table.inserted.empty() ? 0 : rng.below(4); n > 0; --n) {
    table.rows.emplace_back();
    for (std::size_t i = 0; i < table.inserted.size(); ++i) table.rows.back().push_back(any_text(rng));
  }
  if (rng.chance(0.2)) table.partitions = 1 + static_cast<std::uint32_t>(rng.below(64));
  if (rng.chance(0.2)) table.trigger = {any_text(rng), any_text(rng)};
  for (std::uint64_t n = rng.below(2); n > 0; --n)
    table.foreign_keys.push_back({any_text(rng), any_text(rng), rng.chance(0.5)});
  return table;
}

}  // namespace

Finding random_finding(Rng& rng) {
  Finding finding;
  finding.wrong = static_cast<Wrong>(rng.below(static_cast<std::uint64_t>(Wrong::kCrash) + 1));
  finding.server = any_text(rng);
  finding.level = any_text(rng);
  const auto products = db::products();
  const db::Product* product = nullptr;
  while (product == nullptr || product->hunt == nullptr) product = products[rng.below(products.size())];
  finding.dialect = product->name;
  finding.anomaly = any_text(rng);
  finding.cause = any_text(rng);
  if (rng.chance(0.3)) finding.rate = {1 + rng.below(5), 10 + rng.below(100)};
  finding.expected = hostile_text(rng);
  finding.actual = hostile_text(rng);
  finding.isolde = "1" + any_text(rng);
  hunt::Case& test = finding.test;
  test.seed = rng.next();
  for (std::uint64_t n = rng.below(3); n > 0; --n) test.schema.tables.push_back(random_table(rng));
  for (std::uint64_t n = rng.below(3); n > 0; --n)
    test.schema.views.push_back({any_text(rng), texts(rng, 3), texts(rng, 3), any_text(rng)});
  test.schema.more = texts(rng, 2);
  test.schema.drops = texts(rng, 2);
  std::vector<std::size_t> left;
  std::vector<Place> all;
  for (std::uint32_t t = 0, n = static_cast<std::uint32_t>(rng.below(4)); t < n; ++t) {
    Transaction& transaction = test.transactions.emplace_back();
    transaction.commits = rng.chance(0.7);
    for (std::uint32_t s = 0, m = static_cast<std::uint32_t>(rng.below(4)); s < m; ++s) {
      Statement& statement = transaction.statements.emplace_back();
      statement.sent = static_cast<hunt::Sent>(rng.below(4));
      statement.kind = static_cast<StatementKind>(rng.below(static_cast<std::uint64_t>(StatementKind::kMerge) + 1));
      statement.sql = any_text(rng);
      if (rng.chance(0.2)) statement.undone = any_text(rng);
      statement.reads = texts(rng, 2);
      statement.writes = texts(rng, 2);
      statement.version = rng.chance(0.3) ? 0 : static_cast<std::int64_t>(rng.next());
      statement.before = rng.chance(0.5) ? "" : any_text(rng);
      all.push_back({t, s});
    }
    left.push_back(transaction.statements.size() + 1);
  }
  while (true) {
    std::vector<std::uint32_t> open;
    for (std::uint32_t t = 0; t < left.size(); ++t)
      if (left[t] > 0) open.push_back(t);
    if (open.empty()) break;
    const std::uint32_t t = open[rng.below(open.size())];
    --left[t];
    test.order.push_back(t);
  }
  while (!all.empty() && rng.chance(0.8)) {
    const std::size_t i = rng.below(all.size());
    finding.alone.push_back(all[i]);
    finding.where = all[i];
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return finding;
}

}  // namespace isolde::test
