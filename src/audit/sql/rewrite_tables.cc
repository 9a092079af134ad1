#include "audit/sql/postgres_words.h"
#include "audit/sql/rewrite.h"

namespace isolde::audit {
namespace {

// EXTRACT(YEAR FROM x): the FROM of a function.
bool is_function_from(const Draft& draft, std::size_t open) {
  if (open == Draft::kNowhere || begins_query(draft, draft.next(open))) return false;
  return draft.is_any(draft.prev(open), "EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "MID", "OVERLAY", "POSITION");
}

struct Join {
  std::size_t begin;  // its first word: INNER, LEFT …
  std::size_t join;
};

// The tables of one FROM, or of one pair of parentheses in it.
class Tables {
 public:
  explicit Tables(Draft& draft) : draft_(draft) {}

  void rewrite(std::size_t begin) {
    waiting_.push_back({begin, false});
    while (!waiting_.empty()) {
      const auto [at, in_parentheses] = waiting_.back();
      waiting_.pop_back();
      rewrite_list(at, in_parentheses);
    }
  }

 private:
  struct Place {
    std::size_t begin;
    bool in_parentheses;
  };

  void rewrite_list(std::size_t begin, bool in_parentheses) {
    joins_.clear();
    std::size_t others = 0, i = begin;
    bool expects_table = true;
    for (; i < draft_.size(); i = draft_.over(i)) {
      if (draft_.is_symbol(i, ")") || draft_.is_symbol(i, ";")) break;
      if (ends_tables(draft_[i].word) && !expects_table) break;
      if (draft_.is(i, "ON") && draft_.is_any(draft_.next(i), "DUPLICATE", "CONFLICT")) break;
      if (draft_.is_symbol(i, "(")) {
        if (expects_table) table_in_parentheses(i);
        expects_table = false;
      } else if (draft_.is_symbol(i, ",")) {
        // ON ends with the list's comma: what is not yet joined has no condition.
        without_condition();
        if (in_parentheses) draft_.replace(i, "CROSS JOIN");
        ++others;
        expects_table = true;
      } else if (draft_.is_any(i, "ON", "USING")) {
        with_condition();
      } else if (begins_join(i)) {
        i = join(i);
        if (i >= draft_.size()) break;
        ++others;
        expects_table = true;
      } else if (draft_.is_name(i)) {
        expects_table = false;
      }
    }
    without_condition();
    if (in_parentheses && others == 0) drop_parentheses(begin);
  }

  // (a, b), (a JOIN b), (SELECT …)
  void table_in_parentheses(std::size_t open) {
    if (!begins_query(draft_, draft_.next(open))) {
      waiting_.push_back({draft_.next(open), true});
      draft_[open].parts = true;
      return;
    }
    const std::size_t close = draft_.close(open);
    if (close >= draft_.size()) return;
    const std::size_t alias = draft_.next(close);
    const bool named = draft_.is(alias, "AS") || (draft_.is_name(alias) && !comes_before_operand(draft_[alias].word) &&
                                                  !ends_tables(draft_[alias].word));
    // In ((SELECT …) UNION …) the parentheses inside are no table.
    if (!named && !draft_.is_any(alias, "UNION", "EXCEPT", "INTERSECT", "MINUS")) {
      draft_[close].after = draft_.keep("AS \"_" + std::to_string(open) + "\"");
    }
  }

  // PostgreSQL has no parentheses around one table.
  void drop_parentheses(std::size_t begin) {
    const std::size_t open = draft_.prev(begin);
    if (open == Draft::kNowhere || !draft_[open].parts || draft_.close(open) >= draft_.size()) return;
    draft_.drop(draft_.close(open));
    draft_.drop(open);
  }

  [[nodiscard]] bool begins_join(std::size_t i) const {
    if (draft_.is_any(i, "JOIN", "STRAIGHT_JOIN", "INNER", "CROSS", "NATURAL")) return true;
    return draft_.is_any(i, "LEFT", "RIGHT", "FULL") && draft_.is_any(draft_.next(i), "JOIN", "OUTER");
  }

  // -> its last word
  std::size_t join(std::size_t i) {
    const std::size_t begin = i;
    const bool natural = draft_.is(i, "NATURAL");
    while (i < draft_.size() && !draft_.is_any(i, "JOIN", "STRAIGHT_JOIN")) i = draft_.next(i);
    if (i >= draft_.size()) return i;
    if (draft_.is(i, "STRAIGHT_JOIN")) draft_.replace(i, "JOIN");
    if (!natural) joins_.push_back({begin, i});
    return i;
  }

  void with_condition() {
    if (joins_.empty()) return;
    const Join last = joins_.back();
    joins_.pop_back();
    if (draft_.is(last.begin, "CROSS")) draft_.drop(last.begin);
  }

  void without_condition() {
    for (const Join& join : joins_) {
      draft_.drop(join.begin, join.join);
      draft_.replace(join.join, "CROSS JOIN");
    }
    joins_.clear();
  }

  Draft& draft_;
  std::vector<Join> joins_;
  std::vector<Place> waiting_;
};

}  // namespace

void rewrite_tables(Draft& draft) {
  Tables tables(draft);
  std::vector<std::size_t> open;
  const std::size_t verb = verb_of(draft);
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft[i].dropped) continue;
    if (draft.is_symbol(i, "(")) {
      open.push_back(i);
    } else if (draft.is_symbol(i, ")")) {
      if (!open.empty()) open.pop_back();
    } else if (draft.is(i, "FROM") && !draft[i].verbatim) {
      if (is_function_from(draft, open.empty() ? Draft::kNowhere : open.back())) continue;
      if (draft.is(draft.prev(i), "DISTINCT") && draft.is_any(draft.prev(draft.prev(i)), "IS", "NOT")) continue;
      const std::size_t table = draft.next(i);
      if (draft.is(table, "DUAL")) {
        draft.drop(i, table + 1);
      } else {
        tables.rewrite(table);
      }
    } else if (i == verb && draft.is(i, "UPDATE")) {
      tables.rewrite(draft.next(i));
    } else if (draft.is(i, "USING") && draft.is(verb, "DELETE") && open.empty() &&
               !draft.is_symbol(draft.next(i), "(")) {
      tables.rewrite(draft.next(i));
    }
  }
}

}  // namespace isolde::audit
