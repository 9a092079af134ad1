#include "tests/audit/toy_levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/hash.h"

namespace isolde::audit::testing {
namespace {

constexpr std::uint32_t kMembers = 3, kTables = 3, kRows = kMembers * kTables, kOperations = 12;

bool locks(const ToyOperation& operation, WeakLevel level) {
  return operation.write || operation.lock != Lock::kNone ||
         (operation.of_write && level == WeakLevel::kMysqlRepeatableRead);
}
bool exclusive(const ToyOperation& operation) { return operation.write || operation.lock == Lock::kExclusive; }

// A member's next step: the plain reads of a statement, its locks and writes, or the commit. Rows are bits.
struct Step {
  enum class Kind : std::uint8_t { kLook, kLock, kCommit } kind;
  struct Operation {
    std::uint32_t number;  // over the whole member
    std::uint16_t row;
    std::uint32_t rechecks = kNone32;
    std::uint32_t column = 0;
  };
  std::vector<Operation> operations = {};  // those that look, or those that lock
  std::uint16_t shared = 0, exclusive = 0, written = 0;
  std::array<std::uint16_t, 2> changes{};  // rows, by column
};

// Times are counts of steps.
struct State {
  std::uint8_t now = 1;
  std::array<std::uint8_t, kMembers> next{}, snapshot{}, committed{};  // times; 0: not yet
  std::array<std::uint16_t, kMembers> changed{};                       // rows, by the member
  std::array<std::uint16_t, kMembers> shared{}, exclusive{};           // rows that it holds locks of
  std::array<std::array<std::uint8_t, kOperations>, kMembers> when{};  // plain reads: as of when; others: the time
};
static_assert(kRows <= 16 && kMembers * (2 * kOperations + 1) < 256);

class World {
 public:
  World(const ToyCase& one, const std::vector<ToyPair>& pairs, WeakLevel level) : pairs_(pairs), level_(level) {
    for (const auto& member : one.members) {
      std::vector<Step>& steps = steps_.emplace_back();
      std::uint32_t number = 0;
      for (std::uint32_t s = 0; s < member.size(); ++s) {
        Step look{.kind = Step::Kind::kLook}, lock{.kind = Step::Kind::kLock};
        for (const ToyOperation& operation : member[s].operations) {
          const auto row = static_cast<std::uint16_t>(1U << operation.row);
          if (locks(operation, level)) {
            lock.operations.push_back({number, row, operation.rechecks, operation.column});
            if (operation.write) lock.changes[operation.column] |= row;
            (exclusive(operation) ? lock.exclusive : lock.shared) |= row;
            if (operation.write) lock.written |= row;
          } else {
            look.operations.push_back({number, row});
          }
          ++number;
        }
        // The first statement of a snapshot looks even if it reads nothing.
        if (!look.operations.empty() || (s == 0 && level == WeakLevel::kSnapshotIsolation)) steps.push_back(look);
        if (!lock.operations.empty()) steps.push_back(lock);
      }
      steps.push_back({.kind = Step::Kind::kCommit});
    }
    for (const ToyPair& pair : pairs) {
      looks_.push_back({!locks(*pair.operation_a, level), !locks(*pair.operation_b, level)});
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
    if (!seen_.insert(future(state)).second) return;
    bool ended = true;
    for (std::uint32_t member = 0; member < steps_.size(); ++member) {
      if (state.next[member] == steps_[member].size()) continue;
      ended = false;
      State after = state;
      if (take(after, member)) explore(after);
    }
    if (ended) out_.push_back(outcome(state));
  }

  // All that decides what can follow. What comes later is later than all that was: of the times there are, only their
  // order counts, and only where a later step or the outcome asks for it. How far each member is says what it holds,
  // what it changed and which of its times there are.
  using Future = std::array<std::uint64_t, 2>;
  Future future(const State& state) const {
    std::uint64_t where = 0;
    for (std::uint32_t member = 0; member < steps_.size(); ++member) {
      where = where << 8 | state.next[member];
      for (std::uint32_t other = 0; other < steps_.size(); ++other) {
        where = where << 1 | static_cast<std::uint64_t>(state.committed[other] > state.snapshot[member]);
      }
    }
    return {where, outcome(state)};
  }
  struct Hash {
    std::size_t operator()(const Future& of) const { return mix64(of[0] + mix64(of[1])); }
  };

  // False: it must wait, or is aborted.
  bool take(State& state, std::uint32_t member) const {
    const Step& step = steps_[member][state.next[member]++];
    ++state.now;
    if (step.kind == Step::Kind::kCommit) {
      state.committed[member] = state.now;
      state.shared[member] = state.exclusive[member] = 0;
      return true;
    }
    if (step.kind == Step::Kind::kLook) {
      const std::uint8_t as_of = look(state, member);
      for (const Step::Operation& operation : step.operations) {
        state.when[member][operation.number] = (state.changed[member] & operation.row) != 0 ? state.now : as_of;
      }
      return true;
    }
    if (!acquire(state, member, step) || !rechecks(state, member, step)) return false;
    for (const Step::Operation& operation : step.operations) state.when[member][operation.number] = state.now;
    state.changed[member] |= step.written;
    return true;
  }

  std::uint8_t look(State& state, std::uint32_t member) const {
    if (level_ == WeakLevel::kReadCommitted) return state.now;
    if (state.snapshot[member] == 0) state.snapshot[member] = state.now;
    return state.snapshot[member];
  }

  bool acquire(State& state, std::uint32_t member, const Step& step) const {
    const auto wanted = static_cast<std::uint16_t>(step.shared | step.exclusive);
    for (std::uint32_t other = 0; other < steps_.size(); ++other) {
      if (other == member) continue;
      if ((state.exclusive[other] & wanted) != 0 || (state.shared[other] & step.exclusive) != 0) return false;
      if (level_ == WeakLevel::kSnapshotIsolation && (state.changed[other] & wanted) != 0 &&
          state.committed[other] > state.snapshot[member]) {
        return false;
      }
    }
    state.shared[member] |= step.shared;
    state.exclusive[member] |= step.exclusive;
    return true;
  }

  // Is what the step asks for again as it was read?
  bool rechecks(const State& state, std::uint32_t member, const Step& step) const {
    for (const Step::Operation& operation : step.operations) {
      if (operation.rechecks == kNone32) continue;
      for (std::uint32_t other = 0; other < steps_.size(); ++other) {
        if (other == member || state.committed[other] <= state.when[member][operation.rechecks]) continue;
        for (const Step& its : steps_[other]) {
          if ((its.changes[operation.column] & operation.row) != 0) return false;
        }
      }
    }
    return true;
  }

  std::uint64_t outcome(const State& state) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const ToyPair& pair = pairs_[i];
      const std::uint8_t when_a = state.when[pair.member_a][pair.a], when_b = state.when[pair.member_b][pair.b];
      bool b_first;
      if (looks_[i].a) {
        b_first = state.committed[pair.member_b] <= when_a;
      } else if (looks_[i].b) {
        b_first = state.committed[pair.member_a] > when_b;
      } else {
        b_first = when_b < when_a;
      }
      if (b_first) bits |= std::uint64_t{1} << i;
    }
    return bits;
  }

  struct Looks {
    bool a, b;  // is a plain read
  };
  const std::vector<ToyPair>& pairs_;
  WeakLevel level_;
  std::vector<std::vector<Step>> steps_;  // by member
  std::vector<Looks> looks_;              // by pair
  std::unordered_set<Future, Hash> seen_;
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

void add_rechecks(ToyCase& one) {
  for (auto& member : one.members) {
    std::array<std::array<std::uint32_t, 2>, kRows> read_at;  // by row and column: the last plain read since a change
    std::array<std::array<ToyOperation*, 2>, kRows> read{};
    for (auto& columns : read_at) columns.fill(kNone32);
    std::uint32_t number = 0;
    for (ToyStatement& statement : member) {
      std::array<bool, kRows> changed{};
      for (ToyOperation& operation : statement.operations) {
        if (operation.write && !operation.increment && statement.operations.size() == 1) {
          operation.rechecks = read_at[operation.row][operation.column];
          if (operation.rechecks != kNone32) read[operation.row][operation.column]->rechecked = true;
        }
        if (operation.write) changed[operation.row] = true;
        const bool plain = !operation.write && operation.lock == Lock::kNone && !operation.of_write;
        if (plain) {
          read_at[operation.row][operation.column] = number;
          read[operation.row][operation.column] = &operation;
        }
        ++number;
      }
      for (std::uint32_t row = 0; row < kRows; ++row) {
        if (changed[row]) read_at[row].fill(kNone32);
      }
    }
  }
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
