#include "audit/facts/written_values.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace isolde::audit {
namespace {

constexpr std::size_t kMostBack = 8;         // versions of a row that are looked at
constexpr std::size_t kMostConstants = 2;    // of a form
constexpr std::size_t kManyValues = 4;       // of a slot
constexpr std::uint64_t kEnoughWrites = 20;  // for a form to be plain
constexpr double kPlainShare = 0.8;
constexpr double kDigitsOfFloat = 5e-6;
constexpr std::size_t kMostSlots = 400;  // literals of a transaction that may explain a value

struct RowVersion {
  std::optional<double> value;
  std::uint32_t transaction, statement;
};

// One write whose old value is known.
struct Sample {
  double value;
  std::uint32_t transaction, statement;
  std::uint32_t round;             // which occurrence of its position
  std::vector<RowVersion> before;  // the last first; all are known
};

struct SampleGroup {
  std::vector<Sample> samples;
  std::uint64_t no_numbers = 0;
};

using GroupKey = std::tuple<std::uint32_t, std::uint32_t, ColumnId>;  // class, position, column

// A literal of the same transaction: place `literal` of the statement at a position.
struct ValueSlot {
  std::uint32_t position = kNone32, literal = 0;
  int sign = 0;  // 0: none
};

// Differences as numbers that can be compared: in hundredths, as money is.
std::optional<std::int64_t> hundredths(double number) {
  if (!std::isfinite(number) || std::abs(number) > 1e13) return std::nullopt;
  return std::llround(number * 100);
}

class WrittenValueFinder {
 public:
  WrittenValueFinder(const TraceLog& log, const Forms& forms, const Classes& classes)
      : log_(log),
        forms_(forms),
        classes_(classes),
        values_(log, classes.statements),
        positions_(log.statements.size(), kNone32),
        rounds_(log.statements.size(), 0),
        rows_(classes.schema.columns()) {}

  std::vector<WrittenColumn> run() {
    find_positions();
    for (std::uint32_t i = 0; i < log_.transactions.size(); ++i) {
      if (log_.transactions[i].outcome == TxnOutcome::kCommitted) replay(i);
    }
    std::vector<WrittenColumn> out;
    for (const auto& [key, group] : groups_) out.push_back(explain(key, group));
    return out;
  }

 private:
  void find_positions() {
    for (std::uint32_t id = 0; id < classes_.classes.size(); ++id) {
      for_each_transaction(log_, forms_, forms_.groups[id], [&](std::uint32_t, std::span<const Occurrence> statements) {
        std::map<std::uint32_t, std::uint32_t> times;
        for (const Occurrence& here : statements) {
          positions_[here.statement] = here.position;
          rounds_[here.statement] = times[here.position]++;
        }
      });
    }
  }

  void replay(std::uint32_t transaction) {
    const TraceTransaction& txn = log_.transactions[transaction];
    for (std::uint32_t i = txn.first_statement; i < txn.first_statement + txn.statements; ++i) {
      const Statement& statement = values_.meaning(i);
      for (const Access& access : statement.accesses) {
        if (access.action == Action::kWrite) write(transaction, i, statement, access);
      }
    }
  }

  void write(std::uint32_t transaction, std::uint32_t at, const Statement& statement, const Access& access) {
    const RowSet& rows = statement.row_sets[access.row_set];
    auto& known = rows_[raw(access.column)];
    std::vector<LiteralId> row = values_.values(at, rows, classes_.schema.table(rows.table).primary_key);
    if (row.empty()) {
      if (!access.inserts) known.clear();
      return;
    }
    if (access.deletes) {
      known.erase(row);
      return;
    }
    std::optional<double> value;
    bool is_literal = false;
    if (access.inserts) {
      value = values_.number(values_.value(at, rows, access.column));
    } else {
      for (const auto& [list, sign] :
           {std::pair(&statement.assigned, 1.0), std::pair(&statement.assigned_negative, -1.0)}) {
        const auto set = std::ranges::find(*list, access.column, &RowKey::column);
        if (set == list->end()) continue;
        is_literal = true;
        if (const auto number = values_.number(values_.literal(at, set->literal))) value = sign * *number;
      }
    }
    std::vector<RowVersion>& versions = known[std::move(row)];
    if (is_literal && !versions.empty() && positions_[at] != kNone32) {
      SampleGroup& group = groups_[{classes_.class_of[transaction], positions_[at], access.column}];
      if (!value) {
        ++group.no_numbers;
      } else if (versions.back().value) {
        Sample sample{*value, transaction, at, rounds_[at], {}};
        for (std::size_t i = versions.size(); i-- > 0 && sample.before.size() < kMostBack && versions[i].value;)
          sample.before.push_back(versions[i]);
        group.samples.push_back(std::move(sample));
      }
    }
    if (versions.size() > 4 * kMostBack)
      versions.erase(versions.begin(), versions.end() - static_cast<std::ptrdiff_t>(kMostBack));
    versions.push_back({value, transaction, at});
  }

  static bool is_assigned(const Statement& statement, std::uint32_t literal) {
    const auto has = [&](const std::vector<RowKey>& set) {
      return std::ranges::find(set, literal, &RowKey::literal) != set.end();
    };
    return has(statement.assigned) || has(statement.assigned_negative);
  }

  // Literals of the transaction that may be what was added: (position, literal) -> value in the round of the sample.
  [[nodiscard]] std::map<std::pair<std::uint32_t, std::uint32_t>, double> slots(const Sample& sample) const {
    const TraceTransaction& txn = log_.transactions[sample.transaction];
    std::map<std::uint32_t, std::uint32_t> times;
    for (std::uint32_t i = txn.first_statement; i < txn.first_statement + txn.statements; ++i) ++times[positions_[i]];
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> out;
    for (std::uint32_t i = txn.first_statement; i < txn.first_statement + txn.statements; ++i) {
      const std::uint32_t position = positions_[i];
      if (position == kNone32 || out.size() > kMostSlots) continue;
      const bool same_round = times[position] == times[positions_[sample.statement]] && rounds_[i] == sample.round;
      if (!same_round && times[position] != 1) continue;
      const std::span<const LiteralId> literals = log_.literals_of(log_.statements[i]);
      for (std::uint32_t literal = 0; literal < literals.size(); ++literal) {
        if (is_assigned(values_.meaning(i), literal)) continue;  // what is written explains nothing
        if (const auto number = values_.number(literals[literal])) out.emplace(std::pair(position, literal), *number);
      }
    }
    return out;
  }

  // The form that explains most: which slot, and what is left over then.
  struct ValueForm {
    ValueSlot slot;
    std::vector<std::int64_t> constants;
    std::uint64_t explained = 0;
  };

  [[nodiscard]] WrittenColumn explain(const GroupKey& key, const SampleGroup& group) const {
    WrittenColumn out{.of = ClassId(std::get<0>(key)),
                      .position = std::get<1>(key),
                      .column = std::get<2>(key),
                      .writes = group.samples.size(),
                      .unexplained = group.no_numbers};
    std::vector<std::map<std::pair<std::uint32_t, std::uint32_t>, double>> of_sample;
    for (const Sample& sample : group.samples) of_sample.push_back(slots(sample));
    ValueForm best = form_of(group, of_sample, {});
    if (!of_sample.empty()) {
      for (const auto& [place, value] : of_sample.front()) {
        for (const int sign : {1, -1}) {
          ValueForm other = form_of(group, of_sample, {place.first, place.second, sign});
          // Another constant counts against it: what one explains is plainer.
          const auto score = [](const ValueForm& form) {
            return 100 * static_cast<std::int64_t>(form.explained) -
                   5 * static_cast<std::int64_t>(form.constants.size());
          };
          if (score(other) > score(best)) best = std::move(other);
        }
      }
    }
    std::set<double> results;
    for (std::size_t i = 0; i < group.samples.size(); ++i) {
      const Sample& sample = group.samples[i];
      const std::uint64_t before = out.by_last;
      judge(sample, of_sample[i], best, out);
      const bool changes = out.by_last > before && sample.value != *sample.before[0].value;
      if (changes && results.size() < kManyValues) results.insert(sample.value);
    }
    out.values = results.size();
    if (best.slot.sign == 0 && best.constants.size() == 1) out.step = static_cast<double>(best.constants.front()) / 100;
    return out;
  }

  using Slots = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;

  static std::optional<double> added(const Slots& slots, const ValueSlot& slot) {
    if (slot.sign == 0) return 0.0;
    const auto found = slots.find({slot.position, slot.literal});
    if (found == slots.end()) return std::nullopt;
    return slot.sign * found->second;
  }

  [[nodiscard]] ValueForm form_of(const SampleGroup& group, const std::vector<Slots>& of_sample,
                                  const ValueSlot& slot) const {
    struct Times {
      std::uint64_t all = 0, unchanged = 0;
    };
    std::map<std::int64_t, Times> left;
    std::set<double> values;  // of the slot
    for (std::size_t i = 0; i < group.samples.size(); ++i) {
      const Sample& sample = group.samples[i];
      const auto more = added(of_sample[i], slot);
      const auto rest = more ? hundredths(sample.value - *sample.before[0].value - *more) : std::nullopt;
      if (!rest) continue;
      if (values.size() < kManyValues) values.insert(*more);
      ++left[*rest].all;
      left[*rest].unchanged += sample.value == *sample.before[0].value ? 1 : 0;
    }
    ValueForm out{slot, {}, 0};
    // With a slot of two or three values, two constants explain too much: the warehouse's number and a counter.
    const std::size_t most_constants = slot.sign != 0 && values.size() < kManyValues ? 1 : kMostConstants;
    while (out.constants.size() < most_constants && !left.empty()) {
      const auto most = std::ranges::max_element(left, {}, [](const auto& one) { return one.second.all; });
      const Times times = most->second;
      if (!out.constants.empty()) {
        // A constant that is seldom seen explains nothing, and a counter that stays as it was has lost an update.
        const bool seldom = times.all < 3 || times.all * 20 < group.samples.size();
        if (seldom || times.unchanged == times.all) break;
      }
      out.constants.push_back(most->first);
      out.explained += times.all;
      left.erase(most);
    }
    return out;
  }

  void judge(const Sample& sample, const Slots& slots, const ValueForm& form, WrittenColumn& out) const {
    const auto more = added(slots, form.slot);
    const auto follows = [&](const RowVersion& version) {
      const auto rest = more ? hundredths(sample.value - *version.value - *more) : std::nullopt;
      if (!rest) return false;
      // A FLOAT comes back with six digits, however many were written.
      const bool whole = sample.value == std::floor(sample.value) && *version.value == std::floor(*version.value);
      const double near = whole ? 0 : std::max(1.0, 100 * kDigitsOfFloat * std::abs(*version.value));
      return std::ranges::any_of(form.constants, [&](std::int64_t constant) {
        return std::abs(static_cast<double>(*rest - constant)) <= near;
      });
    };
    if (follows(sample.before[0])) {
      ++out.by_last;
      return;
    }
    const TraceTransaction& txn = log_.transactions[sample.transaction];
    for (std::size_t back = 1; back < sample.before.size(); ++back) {
      const RowVersion& lost = sample.before[back - 1];
      if (lost.transaction == sample.transaction || log_.transactions[lost.transaction].ended <= txn.begun) break;
      if (!follows(sample.before[back])) continue;
      if (out.by_earlier++ == 0) {
        out.lost = lost.statement;
        out.overwrote = sample.statement;
        out.old_value = *sample.before[back].value;
        out.lost_value = *lost.value;
        out.value = sample.value;
      }
      return;
    }
    ++out.unexplained;
  }

  const TraceLog& log_;
  const Forms& forms_;
  const Classes& classes_;
  TraceValues values_;
  std::vector<std::uint32_t> positions_, rounds_;                                // by statement of the log
  std::vector<std::map<std::vector<LiteralId>, std::vector<RowVersion>>> rows_;  // by column and primary key
  std::map<GroupKey, SampleGroup> groups_;
};

}  // namespace

std::vector<WrittenColumn> find_written_values(const TraceLog& log, const Forms& forms, const Classes& classes) {
  return WrittenValueFinder(log, forms, classes).run();
}

std::vector<LostInTrace> lost_updates(const TraceLog& log, const Classes& classes,
                                      const std::vector<WrittenColumn>& written) {
  std::map<ColumnId, LostInTrace> by_column;
  const auto class_at = [&](std::uint32_t statement) {
    const auto txn = std::ranges::find_if(log.transactions, [&](const TraceTransaction& one) {
      return one.first_statement <= statement && statement < one.first_statement + one.statements;
    });
    return ClassId(classes.class_of[static_cast<std::size_t>(txn - log.transactions.begin())]);
  };
  for (const WrittenColumn& one : written) {
    const bool plain = one.writes >= kEnoughWrites && one.values >= kManyValues &&
                       static_cast<double>(one.by_last) >= kPlainShare * static_cast<double>(one.writes);
    if (!plain) continue;
    LostInTrace& lost = by_column.try_emplace(one.column, LostInTrace{.column = one.column}).first->second;
    lost.writes += one.writes;
    lost.times += one.by_earlier;
    if (one.by_earlier == 0) continue;
    const std::uint32_t line = log.statements[one.overwrote].line;
    if (lost.line != 0 && lost.line <= line) continue;
    lost.line = line;
    lost.lost_line = log.statements[one.lost].line;
    lost.loser = class_at(one.lost);
    lost.winner = one.of;
    lost.old_value = fmt::format("{}", one.old_value);
    lost.lost_value = fmt::format("{}", one.lost_value);
    lost.value = fmt::format("{}", one.value);
  }
  std::vector<LostInTrace> out;
  for (auto& [column, lost] : by_column) {
    if (lost.times > 0) out.push_back(std::move(lost));
  }
  std::ranges::stable_sort(out, std::greater<>(), &LostInTrace::times);
  return out;
}

}  // namespace isolde::audit
