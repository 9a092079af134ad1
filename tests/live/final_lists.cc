#include "tests/live/final_lists.h"

#include <fmt/format.h>

#include <map>

#include "check/choose/choose.h"

namespace isolde::test {
namespace {

using Element = std::pair<std::string, std::string>;  // key, element

Result<std::map<Element, int>> final_elements(db::Database& database) {
  auto connection = database.connect(database.levels().front());
  if (!connection) return connection.error();
  auto reply = (*connection)->run("select k, v from lists");
  if (!reply) return reply.error();
  if (!reply->done()) return Error{reply->failure.text};
  std::map<Element, int> found;
  for (std::size_t row = 0; row < reply->rows(); ++row) {
    const std::string key = std::to_string(std::get<std::int64_t>(reply->at(row, 0)));
    std::string_view rest = std::get<std::string>(reply->at(row, 1));
    while (!rest.empty()) {
      const std::string_view element = rest.substr(0, rest.find(','));
      ++found[{key, std::string(element)}];
      rest.remove_prefix(std::min(rest.size(), element.size() + 1));
    }
  }
  return found;
}

}  // namespace

std::string against_final_lists(const History& h, db::Database& database) {
  const auto found = final_elements(database);
  if (!found) return found.error().message();
  std::map<Element, TxnId> writers;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    for (std::uint32_t op = h.first_op(TxnId{t}); op < h.end_op(TxnId{t}); ++op) {
      if (h.op(op).kind() != OpKind::kAppend) continue;
      const Element element = {h.key_text(h.op(op).key()), h.value_text(h.op_value(op))};
      writers.emplace(element, TxnId{t});
      if (h.status(TxnId{t}) == Status::kCommitted && !found->contains(element)) {
        return fmt::format("the append of {} to {} by the committed transaction {} is lost", element.second,
                           element.first, h.txn_text(TxnId{t}));
      }
    }
  }
  for (const auto& [element, count] : *found) {
    const auto writer = writers.find(element);
    if (writer == writers.end())
      return fmt::format("nobody appended {}, which is in the list {}", element.second, element.first);
    if (h.status(writer->second) == Status::kAborted) {
      return fmt::format("{} was appended to {} by transaction {}, which is recorded as aborted", element.second,
                         element.first, h.txn_text(writer->second));
    }
    if (count != 1) return fmt::format("{} is {} times in the list {}", element.second, count, element.first);
  }
  return {};
}

std::string against_level(const History& h, Level level) {
  const Choice choice = choose(h, level, {});
  if (choice.engine == nullptr) return choice.why;
  const Verdict verdict = choice.engine->check(h, level, {});
  if (verdict.outcome == Outcome::kSatisfied) return {};
  return fmt::format("{}: {} by {} {}", info(level).name,
                     verdict.outcome == Outcome::kViolated ? "violated" : "undecided", choice.engine->name,
                     verdict.reason);
}

std::string against_postgres_serializable(const History& h) {
  std::string said = against_level(h, Level::kSerializable);
  if (said.empty()) return said;
  constexpr std::uint64_t kLeaks = 3;
  const Verdict verdict = choose(h, Level::kSerializable, {}).engine->check(h, Level::kSerializable, {});
  const bool leaks_only = verdict.outcome == Outcome::kViolated && verdict.total() <= kLeaks &&
                          verdict.total() == verdict.counts[static_cast<std::size_t>(AnomalyKind::kG2Item)];
  return leaks_only ? against_level(h, Level::kStrongSnapshotIsolation) : said;
}

StatusCounts status_counts(const History& h) {
  StatusCounts counts;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const Status status = h.status(TxnId{t});
    ++(status == Status::kCommitted ? counts.committed : status == Status::kAborted ? counts.aborted : counts.unknown);
  }
  return counts;
}

}  // namespace isolde::test
