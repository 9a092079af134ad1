#include "audit/classes/assemble.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "audit/classes/equal_slots.h"
#include "audit/classes/position.h"

namespace isolde::audit {
class ClassAssembler::Work {
  using Which = LoopTree::Which;

  // A place of the class that holds a value in each of its transactions: a key of some rows of a statement.
  struct Slot {
    std::uint32_t statement;  // of the class
    std::uint32_t rows;       // of the class
    std::uint32_t rows_in_position;
    ColumnId column;
    bool unlike = false;  // a value that the rows do not have
  };

  // A slot that may hold an id that an earlier statement of the transaction had the database make.
  struct OwnId {
    std::uint32_t slot;
    TableId table;
    std::uint32_t insert;  // of the class: the first statement that makes such an id
  };

 public:
  Work(const TraceLog& log, const Schema& schema, std::span<const Statement> statements, const Forms& forms,
       const FormGroup& group, const MadeIds& made_ids)
      : log_(log), schema_(schema), statements_(statements), forms_(forms), group_(group), made_ids_(made_ids) {}

  void prepare(EqualEvidence& evidence) {
    choose_example();
    merge_statements();
    lay_out();
    compare_values();
    find_evidence(evidence);
  }

  TransactionClass finish(const EqualEvidence& evidence, DifferentColumns different) {
    number_variables(evidence, different);
    for (const OwnId& own : own_ids_) {
      ClassRows& rows = out_.rows[slots_[own.slot].rows];
      rows.own = true;
      rows.made = slots_[own.slot].column;
    }
    out_.positions = position_of_;
    return std::move(out_);
  }

 private:
  [[nodiscard]] const LoopTree& tree_of(const Form& form) const { return forms_.trees[form.tree]; }

  // Places of the form's data statements that the class keeps.
  [[nodiscard]] std::vector<std::uint32_t> kept(const Form& form, Which which) const {
    return tree_of(form).keep(group_.spans, which);
  }

  [[nodiscard]] const TraceStatement& statement_at(const Form& form, std::uint32_t transaction,
                                                   std::uint32_t place) const {
    return log_.statements[log_.transactions[transaction].first_statement + forms_.offsets_of(form)[place]];
  }
  // All transactions of a form have the same shapes.
  [[nodiscard]] ShapeId shape_at(const Form& form, std::uint32_t place) const {
    return statement_at(form, forms_.transactions_of(form)[0], place).shape;
  }

  // The first whose every kept statement is another one; else the first that has all the loops.
  void choose_example() {
    const Form* example = nullptr;
    for (const std::uint32_t number : group_.forms) {
      const Form& form = forms_.forms[number];
      if (tree_of(form).spans().size() != group_.spans.size()) continue;
      if (example == nullptr) example = &form;
      std::vector<std::uint32_t> places = kept(form, Which::kFirst);
      if (std::ranges::adjacent_find(places, std::greater_equal<>()) != places.end()) continue;
      example = &form;
      break;
    }
    out_.example = forms_.transactions_of(*example)[0];
    const std::uint32_t first = log_.transactions[out_.example].first_statement;
    for (const std::uint32_t place : kept(*example, Which::kFirst)) {
      out_.example_statements.push_back(first + forms_.offsets_of(*example)[place]);
      out_.statements.push_back(log_.statements[out_.example_statements.back()].shape);
      position_of_.push_back(tree_of(*example).in_skeleton()[place]);
    }
    positions_.resize(tree_of(*example).skeleton().size());
    for (std::size_t i = 0; i < out_.statements.size(); ++i) add(position_of_[i], out_.statements[i]);
  }

  void add(std::uint32_t position, ShapeId shape) {
    if (!seen_.insert(std::uint64_t{position} << 32U | raw(shape)).second) return;
    positions_[position].add(shape, statements_[raw(shape)]);
  }

  void merge_statements() {
    out_.autocommit = true;
    for (const std::uint32_t number : group_.forms) {
      const Form& form = forms_.forms[number];
      out_.transactions += form.transactions;
      const std::vector<std::uint32_t>& in_skeleton = tree_of(form).in_skeleton();
      for (std::uint32_t place = 0; place < in_skeleton.size(); ++place) {
        add(in_skeleton[place], shape_at(form, place));
      }
      for (const std::uint32_t transaction : forms_.transactions_of(form)) {
        out_.autocommit &= log_.transactions[transaction].autocommit;
      }
    }
    for (Position& position : positions_) position.finish(statements_);
  }

  // Operations and rows; which values to compare.
  void lay_out() {
    out_.reads_only = true;
    for (std::uint32_t statement = 0; statement < position_of_.size(); ++statement) {
      const Position& position = positions_[position_of_[statement]];
      std::vector<std::uint16_t> numbers;
      for (std::uint32_t i = 0; i < position.rows().size(); ++i) numbers.push_back(add_rows(statement, position, i));
      for (Access access : position.accesses()) {
        access.row_set = numbers[access.row_set];
        out_.reads_only &= access.action == Action::kRead;
        out_.operations.push_back({access, statement});
      }
      for (const ColumnId column : position.changes()) out_.changes.push_back({statement, column});
    }
    find_own_ids();
  }

  // Slots behind an INSERT that leaves its table's id to the database, of columns that hold such ids.
  void find_own_ids() {
    std::map<TableId, std::uint32_t> insert_of;
    for (const Operation& operation : out_.operations) {
      const ClassRows& rows = out_.rows[operation.access.row_set];
      const ShapeId shape = out_.statements[operation.statement];
      const Statement& statement = statements_[raw(shape)];
      if (!operation.access.inserts || !rows.single || statement.kind != StatementKind::kInsert ||
          statement.keeps_old_row)
        continue;
      const ColumnId id = made_ids_.made_by(rows.table);
      if (id == kNoColumn) continue;
      const bool named = std::ranges::any_of(
          slots_, [&](const Slot& slot) { return slot.rows == operation.access.row_set && slot.column == id; });
      if (!named) insert_of.try_emplace(rows.table, operation.statement);
    }
    for (std::uint32_t slot = 0; slot < slots_.size() && !insert_of.empty(); ++slot) {
      const auto insert = insert_of.find(made_ids_.ids_of(slots_[slot].column));
      if (insert == insert_of.end() || slots_[slot].unlike || slots_[slot].statement <= insert->second) continue;
      own_ids_.push_back({slot, insert->first, insert->second});
    }
  }

  std::uint16_t add_rows(std::uint32_t statement, const Position& position, std::uint32_t i) {
    const Position::Rows& rows = position.rows()[i];
    constexpr std::size_t kMost = std::numeric_limits<std::uint16_t>::max();
    // Where numbers run out, nothing is known of the rows of a table; so many tables has no schema.
    if (out_.rows.size() + schema_.tables() >= kMost) {
      const auto next = static_cast<std::uint16_t>(out_.rows.size());
      const auto [place, is_new] = unknown_rows_.try_emplace(rows.table, next);
      if (is_new) out_.rows.push_back({.table = rows.table, .single = false, .keys = {}});
      return place->second;
    }
    const auto number = static_cast<std::uint32_t>(out_.rows.size());
    out_.rows.push_back({.table = rows.table, .single = rows.single, .keys = {}});
    for (const ColumnId column : rows.columns) slots_.push_back({statement, number, i, column});
    for (const ColumnId column : rows.unlike) slots_.push_back({statement, number, i, column, true});
    return static_cast<std::uint16_t>(number);
  }

  // Where a slot's value is in each transaction of a form: its statement's offset, and which literal.
  struct Source {
    std::uint32_t offset, literal;
    friend bool operator==(const Source&, const Source&) = default;
  };
  [[nodiscard]] std::vector<Source> sources(const Form& form, Which which) const {
    const std::vector<std::uint32_t> places = kept(form, which);
    const std::span<const std::uint32_t> offsets = forms_.offsets_of(form);
    std::vector<Source> out;
    out.reserve(slots_.size());
    for (const Slot& slot : slots_) {
      const std::uint32_t place = places[slot.statement];
      const Statement& statement = statements_[raw(shape_at(form, place))];
      const Position& position = positions_[position_of_[slot.statement]];
      out.push_back({offsets[place], slot.unlike
                                         ? position.unlike_literal(statement, slot.rows_in_position, slot.column)
                                         : position.literal(statement, slot.rows_in_position, slot.column)});
    }
    return out;
  }

  void read(std::uint32_t transaction, std::span<const Source> from, std::vector<LiteralId>& values) const {
    values.clear();
    const std::uint32_t first = log_.transactions[transaction].first_statement;
    for (const Source& source : from) {
      const std::size_t at = std::size_t{log_.statements[first + source.offset].first_literal} + source.literal;
      values.push_back(at < log_.literals.size() ? log_.literals[at] : kNoLiteral);
    }
  }

  // Slots stay candidates only if every transaction has an id there that its own INSERT made.
  void keep_own_ids(const Form& form, std::uint32_t transaction, Which which, const std::vector<LiteralId>& values) {
    if (own_ids_.empty()) return;
    const std::vector<std::uint32_t> places = kept(form, which);
    const std::uint32_t first = log_.transactions[transaction].first_statement;
    std::erase_if(own_ids_, [&](const OwnId& own) {
      const std::uint32_t insert = first + forms_.offsets_of(form)[places[own.insert]];
      return !made_ids_.made_after(own.table, values[own.slot], insert);
    });
  }

  void compare_values() {
    equal_.emplace(slots_.size());
    std::vector<LiteralId> values;
    for (const std::uint32_t number : group_.forms) {
      const Form& form = forms_.forms[number];
      const std::vector<Source> first = sources(form, Which::kFirst);
      const std::vector<Source> last = sources(form, Which::kLast);
      note_shared_literals(first);
      note_shared_literals(last);
      for (const std::uint32_t transaction : forms_.transactions_of(form)) {
        read(transaction, first, values);
        equal_->add(values);
        keep_own_ids(form, transaction, Which::kFirst, values);
        if (transaction == out_.example) of_example_ = values;
        if (first == last) continue;
        read(transaction, last, values);
        equal_->add(values);
        keep_own_ids(form, transaction, Which::kLast, values);
      }
    }
  }

  // The first slot of each column in each group of slots that were always equal; groups of one column are left out.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> columns_of_groups() const {
    std::map<std::uint32_t, std::vector<std::uint32_t>> groups;
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      std::vector<std::uint32_t>& of = groups[equal_->group(slot)];
      const auto same = [&](std::uint32_t other) { return slots_[other].column == slots_[slot].column; };
      if (std::ranges::none_of(of, same)) of.push_back(slot);
    }
    std::vector<std::vector<std::uint32_t>> out;
    for (auto& [group, of] : groups) {
      if (of.size() > 1) out.push_back(std::move(of));
    }
    return out;
  }

  // How often two slots were compared, in every round of every transaction: by rounds, if both went round as often,
  // else the later one with the last value of the other. `equal`: they were the same each time, which first and last
  // rounds alone do not say.
  struct Compared {
    std::uint64_t pairs = 0;
    bool equal = true;
    std::unordered_map<LiteralId, std::uint32_t> values = {};
  };
  [[nodiscard]] Compared compare(std::uint32_t a, std::uint32_t b) const {
    if (position_of_[slots_[a].statement] > position_of_[slots_[b].statement]) std::swap(a, b);
    const std::uint32_t at_a = position_of_[slots_[a].statement], at_b = position_of_[slots_[b].statement];
    Compared out;
    const auto add = [&](LiteralId one, LiteralId other) {
      ++out.pairs;
      ++out.values[other];
      out.equal &= one == other;
    };
    std::vector<LiteralId> of_a, of_b, last_of_a;
    for (const std::uint32_t number : group_.forms) {
      const Form& form = forms_.forms[number];
      const std::vector<std::uint32_t>& in_skeleton = tree_of(form).in_skeleton();
      for (const std::uint32_t transaction : forms_.transactions_of(form)) {
        of_a.clear(), of_b.clear(), last_of_a.clear();
        for (std::uint32_t place = 0; place < in_skeleton.size(); ++place) {
          if (in_skeleton[place] == at_a) of_a.push_back(value_at(form, transaction, place, slots_[a]));
          if (in_skeleton[place] != at_b) continue;
          of_b.push_back(value_at(form, transaction, place, slots_[b]));
          last_of_a.push_back(of_a.empty() ? kNoLiteral : of_a.back());
        }
        const std::vector<LiteralId>& with = of_a.size() == of_b.size() ? of_a : last_of_a;
        for (std::size_t i = 0; i < of_b.size(); ++i) {
          if (with[i] != kNoLiteral) add(with[i], of_b[i]);
        }
      }
    }
    return out;
  }

  [[nodiscard]] LiteralId value_at(const Form& form, std::uint32_t transaction, std::uint32_t place,
                                   const Slot& slot) const {
    const TraceStatement& here = statement_at(form, transaction, place);
    const Statement& statement = statements_[raw(here.shape)];
    const Position& position = positions_[position_of_[slot.statement]];
    const std::uint32_t literal = slot.unlike ? position.unlike_literal(statement, slot.rows_in_position, slot.column)
                                              : position.literal(statement, slot.rows_in_position, slot.column);
    const std::size_t at = std::size_t{here.first_literal} + literal;
    return at < log_.literals.size() ? log_.literals[at] : kNoLiteral;
  }

  // So many columns of one value: TPC-C has ten. More are a class in which everything is 1.
  static constexpr std::size_t kMostColumns = 64;

  void find_evidence(EqualEvidence& evidence) {
    for (const std::vector<std::uint32_t>& group : columns_of_groups()) {
      if (group.size() > kMostColumns) continue;
      for (std::size_t i = 0; i < group.size(); ++i) {
        for (std::size_t j = i + 1; j < group.size(); ++j) {
          const Compared compared = compare(group[i], group[j]);
          if (!compared.equal || compared.pairs == 0) continue;
          double q = 0;
          for (const auto& [value, times] : compared.values) {
            const double share = static_cast<double>(times) / static_cast<double>(compared.pairs);
            q += share * share;
          }
          evidence.add(slots_[group[i]].column, slots_[group[j]].column, compared.pairs, std::log(q));
          held_.emplace(slots_[group[i]].column, slots_[group[j]].column);
          held_.emplace(slots_[group[j]].column, slots_[group[i]].column);
        }
      }
    }
  }

  // Slots that are one literal of the text (joined columns) are equal however few values were seen.
  void note_shared_literals(const std::vector<Source>& from) {
    if (shared_.empty()) {
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> first_of;  // statement of the class, literal
      for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
        shared_.push_back(first_of.try_emplace({slots_[slot].statement, from[slot].literal}, slot).first->second);
      }
      return;
    }
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (from[slot].literal != from[shared_[slot]].literal) shared_[slot] = slot;
    }
  }

  void number_variables(const EqualEvidence& evidence, DifferentColumns different) {
    // Slots that were equal, and not by chance.
    std::vector<std::uint32_t> leader(slots_.size());
    std::iota(leader.begin(), leader.end(), 0);
    const auto find = [&](std::uint32_t slot) {
      while (leader[slot] != slot) slot = leader[slot] = leader[leader[slot]];
      return slot;
    };
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
      a = find(a), b = find(b);
      leader[std::max(a, b)] = std::min(a, b);
    };
    std::map<std::pair<std::uint32_t, ColumnId>, std::uint32_t> first_of;  // group, column
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      const ColumnId column = different == DifferentColumns::kAlways ? kNoColumn : slots_[slot].column;
      join(first_of.try_emplace({equal_->group(slot), column}, slot).first->second, slot);
      join(shared_[slot], slot);
    }
    if (different == DifferentColumns::kByEvidence) {
      for (const std::vector<std::uint32_t>& group : columns_of_groups()) {
        for (std::size_t i = 0; i < group.size(); ++i) {
          for (std::size_t j = i + 1; j < group.size(); ++j) {
            const ColumnId a = slots_[group[i]].column, b = slots_[group[j]].column;
            if (held_.contains({a, b}) && evidence.enough(a, b)) join(group[i], group[j]);
          }
        }
      }
    }
    std::vector<std::uint32_t> variable(slots_.size(), kNoVariable);
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      const std::uint32_t first = find(slot);
      if (first == slot) {
        variable[slot] = out_.variables++;
        out_.example_values.push_back(of_example_[slot]);
      }
      variable[slot] = variable[first];
      ClassRows& rows = out_.rows[slots_[slot].rows];
      (slots_[slot].unlike ? rows.unlike : rows.keys).push_back({slots_[slot].column, variable[slot]});
    }
  }

  const TraceLog& log_;
  const Schema& schema_;
  std::span<const Statement> statements_;
  const Forms& forms_;
  const FormGroup& group_;
  const MadeIds& made_ids_;
  TransactionClass out_;
  std::vector<std::uint32_t> position_of_;  // by statement of the class
  std::vector<Position> positions_;
  std::unordered_set<std::uint64_t> seen_;  // position and shape
  std::map<TableId, std::uint16_t> unknown_rows_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> shared_;  // by slot: the first of the same literal in every transaction
  std::vector<OwnId> own_ids_;
  std::optional<EqualSlots> equal_;
  std::vector<LiteralId> of_example_;
  std::set<std::pair<ColumnId, ColumnId>> held_;  // columns of one group that are equal in every round
};

ClassAssembler::ClassAssembler(const TraceLog& log, const Schema& schema, std::span<const Statement> statements,
                               const Forms& forms, const FormGroup& group, const MadeIds& made_ids,
                               EqualEvidence& evidence)
    : work_(std::make_unique<Work>(log, schema, statements, forms, group, made_ids)) {
  work_->prepare(evidence);
}
ClassAssembler::ClassAssembler(ClassAssembler&&) noexcept = default;
ClassAssembler::~ClassAssembler() = default;

TransactionClass ClassAssembler::finish(const EqualEvidence& evidence, DifferentColumns different) {
  return work_->finish(evidence, different);
}

}  // namespace isolde::audit
