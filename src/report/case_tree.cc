#include "report/case_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "report/explain_cases.h"
#include "report/words.h"

namespace isolde {
namespace {

using proof::Choice;
using proof::Clause;
using proof::Literal;

constexpr std::size_t kMostDepth = 12;
constexpr std::size_t kMostParts = 64;
constexpr std::size_t kMostClauses = 1'000;

struct Part {
  std::vector<CaseLine> lines;
  std::set<std::uint32_t> rests_on;  // choices made above it
};

class Tree {
 public:
  Tree(const History& history, const proof::Choices& choices)
      : h_(history), c_(choices), value_(choices.all.size(), kOpen) {}

  std::optional<Part> run() {
    if (c_.clauses.size() > kMostClauses) return std::nullopt;
    return close(0);
  }

 private:
  enum Value : std::int8_t { kOpen, kMade, kNotMade };
  struct Unit {
    Literal literal;
    std::size_t clause;
  };

  [[nodiscard]] bool is_false(Literal l) const { return value_[l.choice] == (l.made ? kNotMade : kMade); }
  [[nodiscard]] bool is_true(Literal l) const { return value_[l.choice] == (l.made ? kMade : kNotMade); }
  void set(Literal l) { value_[l.choice] = l.made ? kMade : kNotMade; }
  [[nodiscard]] std::string say(Literal l, Mood mood = Mood::kFact) const { return choice_text(h_, c_, l, mood); }
  static Literal negated(Literal l) { return {l.choice, !l.made}; }

  // How many literals of the clause are open; nothing if one is true.
  [[nodiscard]] std::optional<std::size_t> open(const Clause& clause) const {
    std::size_t count = 0;
    for (const Literal& l : clause.any_of) {
      if (is_true(l)) return std::nullopt;
      count += is_false(l) ? 0 : 1;
    }
    return count;
  }

  // A clause with so many open literals: of cases first, so that cycles explain what a read cannot be from.
  [[nodiscard]] std::optional<std::size_t> clause_with(std::size_t count) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < c_.clauses.size(); ++i) {
      if (open(c_.clauses[i]) != count) continue;
      if (c_.clauses[i].of_case != kNone32) return i;
      if (!found) found = i;
    }
    return found;
  }

  // Why what has been chosen so far cannot be; nothing if that takes too long to say.
  std::optional<Part> close(std::size_t depth) {
    if (depth > kMostDepth || ++parts_ > kMostParts) return std::nullopt;
    std::vector<Unit> units;
    std::optional<std::size_t> contradiction;
    while (!(contradiction = clause_with(0))) {
      const auto unit = clause_with(1);
      if (!unit) break;
      for (const Literal& l : c_.clauses[*unit].any_of) {
        if (is_false(l)) continue;
        units.push_back({l, *unit});
        break;
      }
      set(units.back().literal);
    }
    std::optional<Part> part = contradiction ? contradicted(*contradiction, units, depth) : branch(units, depth);
    for (const Unit& unit : units) value_[unit.literal.choice] = kOpen;
    return part;
  }

  // Those of the units that the choices in `needed` rest on, in order; leaves in `needed` what was chosen above.
  [[nodiscard]] std::vector<Unit> kept(const std::vector<Unit>& units, std::set<std::uint32_t>& needed) const {
    std::vector<Unit> out;
    for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
      if (needed.erase(unit->literal.choice) == 0) continue;
      out.push_back(*unit);
      for (const Literal& l : c_.clauses[unit->clause].any_of) {
        if (l.choice != unit->literal.choice) needed.insert(l.choice);
      }
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  void say_unit(const Unit& unit, std::size_t depth, std::vector<CaseLine>& lines) const {
    const Clause& clause = c_.clauses[unit.clause];
    if (clause.of_case != kNone32) {
      lines.push_back({depth, fmt::format("{}, because otherwise:", say(unit.literal, Mood::kMust))});
      lines.push_back({depth + 1, {}, clause.of_case});
    } else if (c_.all[unit.literal.choice].kind != Choice::Kind::kCommitted) {
      lines.push_back({depth, fmt::format("So {}.", say(unit.literal))});
    }
  }

  void say_branch(Literal l, std::uint32_t cycle, std::size_t depth, std::vector<CaseLine>& lines) const {
    lines.push_back({depth, fmt::format("— if {}:", say(l))});
    lines.push_back({depth + 1, {}, cycle});
  }

  [[nodiscard]] bool is_by_case(const Unit& unit) const { return c_.clauses[unit.clause].of_case != kNone32; }

  // Of a read: that it has one of its possible writers.
  [[nodiscard]] bool is_of_read(const Clause& clause) const {
    return clause.of_case == kNone32 && std::any_of(clause.any_of.begin(), clause.any_of.end(), [this](Literal l) {
             return l.made && c_.all[l.choice].kind == Choice::Kind::kFrom;
           });
  }

  [[nodiscard]] std::string nobody_left(const Clause& read) const {
    const Choice& choice = c_.all[read.any_of.back().choice];
    return fmt::format("No transaction is left that {} can have read {} from.", words::txn(h_, choice.second),
                       words::key(h_, choice.key));
  }

  std::optional<Part> contradicted(std::size_t clause, const std::vector<Unit>& units, std::size_t depth) const {
    Part part;
    const Clause& broken = c_.clauses[clause];
    for (const Literal& l : broken.any_of) part.rests_on.insert(l.choice);
    std::vector<Unit> all = kept(units, part.rests_on);
    // The choices of the clause that were ruled out last, each by its cycle: these are the ways that are left.
    const bool is_read = is_of_read(broken);
    const auto is_way = [&](const Unit& unit) {
      return is_by_case(unit) && std::any_of(broken.any_of.begin(), broken.any_of.end(),
                                             [&](const Literal& l) { return l.choice == unit.literal.choice; });
    };
    std::vector<Unit> ways;
    while (!all.empty() && is_way(all.back()) && (is_read || (broken.of_case != kNone32 && ways.empty()))) {
      ways.insert(ways.begin(), all.back());
      all.pop_back();
    }
    for (const Unit& unit : all) say_unit(unit, depth, part.lines);
    for (const Unit& way : ways) say_branch(negated(way.literal), c_.clauses[way.clause].of_case, depth, part.lines);
    if (broken.of_case == kNone32) {
      if (ways.empty()) part.lines.push_back({depth, is_read ? nobody_left(broken) : std::string(kReadFrom)});
    } else if (ways.empty()) {
      part.lines.push_back({depth, {}, broken.of_case});
    } else {
      say_branch(ways[0].literal, broken.of_case, depth, part.lines);
    }
    return part;
  }

  // The choices to try one after the other: of two writers either, of a read whichever is left.
  struct Ways {
    std::vector<Literal> all;
    const Clause* read = nullptr;
  };
  [[nodiscard]] Ways ways() const {
    std::vector<std::size_t> weight(c_.all.size(), 0);
    for (const Clause& clause : c_.clauses) {
      const auto count = open(clause);
      if (!count) continue;
      for (const Literal& l : clause.any_of) {
        if (value_[l.choice] == kOpen) weight[l.choice] += *count == 2 ? 16 : 1;
      }
    }
    const auto best = static_cast<std::uint32_t>(std::max_element(weight.begin(), weight.end()) - weight.begin());
    if (weight.empty() || weight[best] == 0) return {};
    if (c_.all[best].kind != Choice::Kind::kFrom) return {{{best, true}, {best, false}}};
    for (const Clause& clause : c_.clauses) {
      if (!is_of_read(clause) || !open(clause) ||
          std::find(clause.any_of.begin(), clause.any_of.end(), Literal{best, true}) == clause.any_of.end())
        continue;
      Ways out{{}, &clause};
      std::copy_if(clause.any_of.begin(), clause.any_of.end(), std::back_inserter(out.all),
                   [this](const Literal& l) { return !is_false(l); });
      return out;
    }
    return {{{best, true}, {best, false}}};
  }

  std::optional<Part> branch(const std::vector<Unit>& units, std::size_t depth) {
    const Ways ways = this->ways();
    Part part;
    bool all_needed = !ways.all.empty();
    for (const Literal& way : ways.all) {
      set(way);
      std::optional<Part> sub = close(depth + 1);
      value_[way.choice] = kOpen;
      if (!sub) return std::nullopt;
      if (sub->rests_on.erase(way.choice) == 0) {
        // It does not matter how this is chosen.
        part = *std::move(sub);
        for (CaseLine& line : part.lines) --line.depth;
        all_needed = false;
        break;
      }
      part.lines.push_back({depth, fmt::format("— if {}:", say(way))});
      part.lines.insert(part.lines.end(), sub->lines.begin(), sub->lines.end());
      part.rests_on.merge(sub->rests_on);
    }
    if (ways.all.empty()) return std::nullopt;
    // The other writers of a read are ruled out above.
    for (const Literal& l : all_needed&& ways.read != nullptr ? ways.read->any_of : std::vector<Literal>()) {
      if (is_false(l)) part.rests_on.insert(l.choice);
    }
    std::vector<CaseLine> lines;
    for (const Unit& unit : kept(units, part.rests_on)) say_unit(unit, depth, lines);
    part.lines.insert(part.lines.begin(), lines.begin(), lines.end());
    return part;
  }

  static constexpr const char* kReadFrom = "But it was read from, so it committed.";

  const History& h_;
  const proof::Choices& c_;
  std::vector<Value> value_;
  std::size_t parts_ = 0;
};

// Each case with all of its choices.
std::vector<CaseLine> one_by_one(const History& h, const proof::Choices& choices) {
  std::vector<CaseLine> lines;
  for (std::uint32_t i = 0; i < choices.of_case.size(); ++i) {
    std::string text;
    for (const Literal& l : choices.of_case[i])
      text += fmt::format("{}{}", text.empty() ? "" : ", and ", choice_text(h, choices, l, Mood::kFact));
    if (!text.empty()) lines.push_back({0, fmt::format("— if {}:", text)});
    lines.push_back({text.empty() ? 0U : 1U, {}, i});
  }
  return lines;
}

}  // namespace

std::vector<CaseLine> case_tree(const History& h, const proof::Choices& choices) {
  std::optional<Part> whole = Tree(h, choices).run();
  return whole ? std::move(whole->lines) : one_by_one(h, choices);
}

}  // namespace isolde
