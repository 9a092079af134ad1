#include "tests/audit/toy_levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace isolde::audit::testing {
namespace {

constexpr std::uint32_t kMembers = 3, kTables = 3, kRows = kMembers * kTables, kOperations = 12;

bool locks(const ToyOperation& operation, WeakLevel level) {
  return operation.write || operation.lock != Lock::kNone ||
         (operation.of_write && level == WeakLevel::kMysqlRepeatableRead);
}
bool exclusive(const ToyOperation& operation) { return operation.write || operation.lock == Lock::kExclusive; }

// A member's next step: the plain reads of a statement, its locks and writes, or the commit.
struct Step {
  enum class Kind : std::uint8_t { kLook, kLock, kCommit } kind;
  std::uint32_t statement;
};

struct State {
  std::uint32_t now = 1;
  std::array<std::uint32_t, kMembers> next{}, snapshot{}, committed{};  // times; 0: not yet
  std::array<std::array<bool, kRows>, kMembers> changed{};              // by the member
  std::array<std::array<std::uint8_t, kRows>, kMembers> held{};         // 0 nothing, 1 share, 2 exclusive
  std::array<std::array<std::uint32_t, kOperations>, kMembers> when{};  // plain reads: as of when; others: the time
};

class World {
 public:
  World(const ToyCase& one, const std::vector<ToyPair>& pairs, WeakLevel level)
      : one_(one), pairs_(pairs), level_(level) {
    for (const auto& member : one.members) {
      std::vector<Step>& steps = steps_.emplace_back();
      std::vector<std::uint32_t>& first = first_.emplace_back();
      std::uint32_t operations = 0;
      for (std::uint32_t s = 0; s < member.size(); ++s) {
        first.push_back(operations);
        operations += static_cast<std::uint32_t>(member[s].operations.size());
        const auto is_lock = [&](const ToyOperation& operation) { return locks(operation, level); };
        // The first statement of a snapshot looks even if it reads nothing.
        if (!std::ranges::all_of(member[s].operations, is_lock) || (s == 0 && level == WeakLevel::kSnapshotIsolation)) {
          steps.push_back({Step::Kind::kLook, s});
        }
        if (std::ranges::any_of(member[s].operations, is_lock)) steps.push_back({Step::Kind::kLock, s});
      }
      steps.push_back({Step::Kind::kCommit, 0});
    }
  }

  std::vector<std::uint64_t> outcomes() {
    // Depth is bounded by the number of steps of the case.
    explore(State{});
    std::ranges::sort(out_);
    out_.erase(std::unique(out_.begin(), out_.end()), out_.end());
    return std::move(out_);
  }

 private:
  void explore(const State& state) {
    bool ended = true;
    for (std::uint32_t member = 0; member < steps_.size(); ++member) {
      if (state.next[member] == steps_[member].size()) continue;
      ended = false;
      State after = state;
      if (take(after, member)) explore(after);
    }
    if (ended) out_.push_back(outcome(state));
  }

  // False: it must wait, or is aborted.
  bool take(State& state, std::uint32_t member) const {
    const Step step = steps_[member][state.next[member]++];
    ++state.now;
    if (step.kind == Step::Kind::kCommit) {
      state.committed[member] = state.now;
      state.held[member] = {};
      return true;
    }
    const auto& operations = one_.members[member][step.statement].operations;
    const std::uint32_t first = first_[member][step.statement];
    if (step.kind == Step::Kind::kLook) {
      const std::uint32_t as_of = look(state, member);
      for (std::uint32_t i = 0; i < operations.size(); ++i) {
        if (locks(operations[i], level_)) continue;
        state.when[member][first + i] = state.changed[member][operations[i].row] ? state.now : as_of;
      }
      return true;
    }
    for (const ToyOperation& operation : operations) {
      if (locks(operation, level_) && !acquire(state, member, operation)) return false;
    }
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      if (!locks(operations[i], level_)) continue;
      state.when[member][first + i] = state.now;
      if (operations[i].write) state.changed[member][operations[i].row] = true;
    }
    return true;
  }

  std::uint32_t look(State& state, std::uint32_t member) const {
    if (level_ == WeakLevel::kReadCommitted) return state.now;
    if (state.snapshot[member] == 0) state.snapshot[member] = state.now;
    return state.snapshot[member];
  }

  bool acquire(State& state, std::uint32_t member, const ToyOperation& operation) const {
    for (std::uint32_t other = 0; other < steps_.size(); ++other) {
      if (other == member) continue;
      const std::uint8_t held = state.held[other][operation.row];
      if (held == 2 || (held == 1 && exclusive(operation))) return false;
      if (level_ == WeakLevel::kSnapshotIsolation && state.changed[other][operation.row] &&
          state.committed[other] > state.snapshot[member]) {
        return false;
      }
    }
    std::uint8_t& mine = state.held[member][operation.row];
    mine = std::max<std::uint8_t>(mine, exclusive(operation) ? 2 : 1);
    return true;
  }

  std::uint64_t outcome(const State& state) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const ToyPair& pair = pairs_[i];
      const std::uint32_t when_a = state.when[pair.member_a][pair.a], when_b = state.when[pair.member_b][pair.b];
      bool b_first;
      if (!locks(*pair.operation_a, level_)) {
        b_first = state.committed[pair.member_b] <= when_a;
      } else if (!locks(*pair.operation_b, level_)) {
        b_first = state.committed[pair.member_a] > when_b;
      } else {
        b_first = when_b < when_a;
      }
      if (b_first) bits |= std::uint64_t{1} << i;
    }
    return bits;
  }

  const ToyCase& one_;
  const std::vector<ToyPair>& pairs_;
  WeakLevel level_;
  std::vector<std::vector<Step>> steps_;           // by member
  std::vector<std::vector<std::uint32_t>> first_;  // by member and statement: its first operation
  std::vector<std::uint64_t> out_;
};

}  // namespace

std::string ToyCase::text(bool one_variable) const {
  std::string out = "table x(id*, a, b)\ntable y(id*, a, b)\ntable z(id*, a, b)\n";
  for (std::size_t member = 0; member < members.size(); ++member) {
    out += fmt::format("m{}:", member);
    for (std::size_t s = 0; s < members[member].size(); ++s) {
      if (s > 0) out += ';';
      std::string keys;
      for (const ToyOperation& operation : members[member][s].operations) {
        const char row = static_cast<char>('x' + operation.table);
        const std::string letters = operation.write                      ? (operation.increment ? "w+" : "w")
                                    : operation.increment                ? "ru"
                                    : operation.of_write                 ? "ro"
                                    : operation.lock == Lock::kExclusive ? "rx"
                                    : operation.lock == Lock::kShare     ? "rs"
                                                                         : "r";
        out += fmt::format(" {}({}.{})", letters, row, static_cast<char>('a' + operation.column));
        const std::string key = fmt::format(" {}.id={}", row, one_variable ? 'k' : row);
        if (keys.find(key) == std::string::npos) keys += key;
      }
      out += " @" + keys;
    }
    out += '\n';
  }
  return out;
}

ToyCase random_case(Rng& rng) {
  ToyCase out;
  const std::size_t members = rng.chance(0.6) ? 2 : 3;
  for (std::size_t m = 0; m < members; ++m) {
    std::vector<ToyStatement>& statements = out.members.emplace_back();
    const std::uint64_t count = 1 + rng.below(members == 2 ? 4 : 3);
    for (std::uint64_t s = 0; s < count; ++s) {
      const auto row = static_cast<std::uint32_t>(rng.below(kTables)),
                 column = static_cast<std::uint32_t>(rng.below(5) / 4);
      const std::uint32_t other = (row + 1 + static_cast<std::uint32_t>(rng.below(kTables - 1))) % kTables;
      std::vector<ToyOperation>& operations = statements.emplace_back().operations;
      switch (rng.below(9)) {
        case 0:
        case 1:
        case 2:
          operations.push_back({row, column});
          break;
        case 3:
          operations.push_back({row, column});
          operations.push_back({other, column});
          break;
        case 4:
          operations.push_back({row, column, false, false, rng.chance(0.7) ? Lock::kExclusive : Lock::kShare});
          break;
        case 5:
          operations.push_back({row, column, false, true, Lock::kExclusive, true});
          operations.push_back({row, column, true, true});
          break;
        case 6:
          operations.push_back({other, column, false, false, Lock::kNone, true});
          operations.push_back({row, column, true});
          break;
        default:
          operations.push_back({row, column, true});
      }
      for (ToyOperation& operation : operations) operation.row = operation.table;
    }
  }
  return out;
}

std::vector<ToyPair> pairs_of(const ToyCase& one, WeakLevel level) {
  struct Numbered {
    const ToyOperation* operation;
    bool after_own_change;
  };
  std::vector<std::vector<Numbered>> numbered;
  for (const auto& member : one.members) {
    auto& out = numbered.emplace_back();
    std::array<bool, kRows> changed{};
    for (const ToyStatement& statement : member) {
      for (const ToyOperation& operation : statement.operations) {
        out.push_back({&operation, changed[operation.row] && !locks(operation, level)});
        if (operation.write) changed[operation.row] = true;
      }
    }
  }
  std::vector<ToyPair> out;
  for (std::uint32_t m = 0; m < numbered.size(); ++m) {
    for (std::uint32_t n = m + 1; n < numbered.size(); ++n) {
      for (std::uint32_t i = 0; i < numbered[m].size(); ++i) {
        for (std::uint32_t j = 0; j < numbered[n].size(); ++j) {
          const ToyOperation &a = *numbered[m][i].operation, &b = *numbered[n][j].operation;
          if (a.row != b.row) continue;
          const bool both_lock = locks(a, level) && locks(b, level) && (exclusive(a) || exclusive(b));
          const bool data = (a.write || b.write) && a.column == b.column;
          if (!both_lock && !data) continue;
          out.push_back({m, i, n, j, &a, &b, numbered[m][i].after_own_change || numbered[n][j].after_own_change});
        }
      }
    }
  }
  return out;
}

std::vector<std::uint64_t> all_outcomes(const ToyCase& one, const std::vector<ToyPair>& pairs, WeakLevel level) {
  return World(one, pairs, level).outcomes();
}

}  // namespace isolde::audit::testing
