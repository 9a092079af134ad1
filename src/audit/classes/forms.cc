#include "audit/classes/forms.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace isolde::audit {
namespace {

// Gives equal sequences of words equal numbers: 0, 1, 2 …
class SequenceTable {
 public:
  // The number, and whether it is new.
  std::pair<std::uint32_t, bool> intern(std::span<const std::uint32_t> words) {
    const std::uint64_t hash = hash_bytes(words.data(), words.size_bytes(), words.size());
    const std::uint32_t found = index_.find(hash, [&](std::uint32_t id) { return std::ranges::equal(at(id), words); });
    if (found != IdIndex::kAbsent) return {found, false};
    const auto id = static_cast<std::uint32_t>(hashes_.size());
    words_.insert(words_.end(), words.begin(), words.end());
    ends_.push_back(words_.size());
    hashes_.push_back(hash);
    index_.insert(hash, id, [&](std::uint32_t other) { return hashes_[other]; });
    return {id, true};
  }

 private:
  [[nodiscard]] std::span<const std::uint32_t> at(std::uint32_t id) const {
    const std::size_t begin = id == 0 ? 0 : ends_[id - 1];
    return std::span(words_).subspan(begin, ends_[id] - begin);
  }

  std::vector<std::uint32_t> words_;
  std::vector<std::size_t> ends_;
  std::vector<std::uint64_t> hashes_;
  IdIndex index_;
};

// Trees of the same skeleton: those whose spans are no part of another's make groups, the others join the first that
// holds theirs.
std::vector<std::uint32_t> group_of_trees(const std::vector<LoopTree>& trees, const std::vector<SaidLevel>& levels,
                                          std::vector<FormGroup>& groups) {
  SequenceTable skeletons;
  std::vector<std::vector<std::uint32_t>> alike;
  for (std::uint32_t tree = 0; tree < trees.size(); ++tree) {
    std::vector<std::uint32_t> skeleton = trees[tree].skeleton();
    skeleton.push_back(static_cast<std::uint32_t>(levels[tree]));
    const std::uint32_t id = skeletons.intern(skeleton).first;
    if (id == alike.size()) alike.emplace_back();
    alike[id].push_back(tree);
  }
  std::vector<std::uint32_t> group_of(trees.size());
  for (std::vector<std::uint32_t>& some : alike) {
    const std::size_t first_group = groups.size();
    std::ranges::stable_sort(some, std::greater<>(), [&](std::uint32_t tree) { return trees[tree].spans().size(); });
    for (const std::uint32_t tree : some) {
      const std::vector<LoopSpan>& spans = trees[tree].spans();
      std::size_t group = first_group;
      while (group < groups.size() && !std::ranges::all_of(
                                          spans,
                                          [&](const LoopSpan& span) {
                                            return std::ranges::find(groups[group].spans, span) !=
                                                   groups[group].spans.end();
                                          })) {
        ++group;
      }
      if (group == groups.size()) groups.push_back({.spans = spans, .level = levels[tree], .forms = {}});
      group_of[tree] = static_cast<std::uint32_t>(group);
    }
  }
  return group_of;
}

}  // namespace

std::vector<std::uint32_t> signatures(std::span<const Statement> statements, const Schema& schema) {
  std::vector<bool> only_told(schema.columns(), true);
  for (const Statement& statement : statements) {
    for (const Access& access : statement.accesses) {
      if (access.action == Action::kWrite || access.in_where) only_told[raw(access.column)] = false;
    }
  }
  SequenceTable table;
  std::vector<std::uint32_t> out;
  out.reserve(statements.size());
  std::vector<std::uint32_t> words;
  for (const Statement& statement : statements) {
    words.clear();
    for (const Access& access : statement.accesses) {
      const bool any_column = only_told[raw(access.column)];
      words.push_back(any_column ? raw(schema.column(access.column).table) : raw(access.column));
      words.push_back(
          static_cast<std::uint32_t>(access.action) | static_cast<std::uint32_t>(access.lock) << 1U |
          static_cast<std::uint32_t>(access.inserts) << 3U | static_cast<std::uint32_t>(access.deletes) << 4U |
          static_cast<std::uint32_t>(access.increments) << 5U | static_cast<std::uint32_t>(any_column) << 6U);
    }
    out.push_back(words.empty() ? kNone32 : table.intern(words).first);
  }
  return out;
}

Forms find_forms(const TraceLog& log, std::span<const std::uint32_t> signature_of, const FormOptions& options) {
  Forms out;
  SequenceTable shape_sequences, sequences;
  std::vector<std::uint32_t> form_of_sequence;  // by number of the sequence of shapes; kNone32: touches no data
  std::vector<std::uint32_t> form_of(log.transactions.size(), kNone32);
  std::vector<std::uint32_t> shapes, symbols;
  std::vector<SaidLevel> level_of;  // by tree
  for (std::uint32_t i = 0; i < log.transactions.size(); ++i) {
    const TraceTransaction& txn = log.transactions[i];
    const bool counts =
        txn.outcome == TxnOutcome::kCommitted || (options.rolled_back_too && txn.outcome == TxnOutcome::kRolledBack);
    if (!counts) continue;
    shapes.clear();
    for (const TraceStatement& statement : log.of(txn)) shapes.push_back(raw(statement.shape));
    const SaidLevel level = options.levels ? txn.level : SaidLevel::kNothing;
    shapes.push_back(static_cast<std::uint32_t>(level));
    const auto [number, is_new] = shape_sequences.intern(shapes);
    shapes.pop_back();
    if (is_new) {
      symbols.clear();
      const auto first = static_cast<std::uint32_t>(out.offsets.size());
      for (std::uint32_t offset = 0; offset < shapes.size(); ++offset) {
        if (signature_of[shapes[offset]] == kNone32) continue;
        symbols.push_back(signature_of[shapes[offset]]);
        out.offsets.push_back(offset);
      }
      if (symbols.empty()) {
        form_of_sequence.push_back(kNone32);
        continue;
      }
      symbols.push_back(static_cast<std::uint32_t>(level));
      const auto [tree, new_tree] = sequences.intern(symbols);
      symbols.pop_back();
      if (new_tree) out.trees.emplace_back(symbols, options.rounds);
      if (new_tree) level_of.push_back(level);
      form_of_sequence.push_back(static_cast<std::uint32_t>(out.forms.size()));
      out.forms.push_back({.tree = tree, .first_statement = first, .first_transaction = 0, .transactions = 0});
    }
    form_of[i] = form_of_sequence[number];
    if (form_of[i] != kNone32) ++out.forms[form_of[i]].transactions;
  }

  std::uint32_t sum = 0;
  for (Form& form : out.forms) {
    form.first_transaction = sum;
    sum += form.transactions;
    form.transactions = 0;
  }
  out.transactions.resize(sum);
  for (std::uint32_t i = 0; i < form_of.size(); ++i) {
    if (form_of[i] == kNone32) continue;
    Form& form = out.forms[form_of[i]];
    out.transactions[form.first_transaction + form.transactions++] = i;
  }

  const std::vector<std::uint32_t> group_of = group_of_trees(out.trees, level_of, out.groups);
  for (std::uint32_t form = 0; form < out.forms.size(); ++form) {
    out.groups[group_of[out.forms[form].tree]].forms.push_back(form);
  }
  std::ranges::sort(out.groups, {}, [](const FormGroup& group) { return group.forms[0]; });
  return out;
}

}  // namespace isolde::audit
