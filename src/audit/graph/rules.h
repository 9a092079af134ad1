// audit/graph/rules.h: do two operations of two transactions depend on each other, how, and which rule says they do
// not?
//
// In, out: operation of class a, operation of class b, in this order -> kind of edge, or none and why not.
// Always:  nothing is taken away that could be a dependency, except what a hint says; each rule by itself:
//          unique        rows told apart by a column whose values two concurrent transactions never share
//          commute       two x = x + n in either order leave the same; what they read of the row is part of that
//          count(*)      an UPDATE changes no number of rows (the WHERE clause of the count is a read of its own)
//          new rows      an INSERT follows no other write of its row but a DELETE; who found a row (a foreign key's
//                        check, the row that an UPDATE changes) did not miss it: no rw to the INSERT that makes it
//                        An upsert that finds no row with its key makes it in the same step: nobody else does before
//                        its commit
//          deletes       after a DELETE there is no row to write; an UPDATE or DELETE whose WHERE meets a row that
//          another
//                        deletes leaves the same in either order (how many rows it changed aside)
//          made ids      a row that is looked for by an id that the database makes was there: no rw to the INSERT of it
//          own rows      rows that a transaction made are its own until it commits: nothing that it does to them later
//                        depends on anybody, and who overwrites what it read of them has waited for its commit
//          times         a row that an INSERT makes with NOW() in a column that nobody updates is none of those that
//          have
//                        been there for an hour (sql/times.h)
//          SKIP LOCKED   who takes work with it may pass over any row: it has not missed an INSERT
//          rechecks      an UPDATE that asks in its WHERE for what was read: whoever changes it comes after the commit,
//                        as if the read had locked the row (rechecks.h)
//          facts         what the trace itself shows (facts/fact.h), each with its support: rows that were found, or
//                        came with a row that was found, were there: no rw to their INSERT; an INSERT behind the row
//                        that a queue's SELECT takes does not matter (an assumption, at snapshot isolation only);
//                        a counter from which keys are numbered is as good as locked by its read (an assumption);
//                        rows that are told apart by values that are written in the program never meet
//          What is read under a lock makes the writer wait (kLockedRw), but no lock keeps a row from being inserted,
//          except MySQL's repeatable read, which locks gaps, and there also what writing statements read.
// Cost:    a few comparisons; hints are turned into bits before.
// Source:  IsoDiff, sections 3.3 and 5.1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/graph/graph.h"
#include "audit/graph/rechecks.h"
#include "audit/hints/hints.h"

namespace isolde::audit {

// A pattern of edges with its names looked up.
class EdgeMatcher {
 public:
  EdgeMatcher(const EdgePattern& pattern, const Classes& classes);
  [[nodiscard]] bool operator()(ClassId from, ClassId to, ColumnId column, EdgeKind kind) const {
    return from_[raw(from)] && to_[raw(to)] && column_[raw(column)] && (kinds_ >> static_cast<unsigned>(kind) & 1) != 0;
  }

 private:
  std::vector<bool> from_, to_, column_;
  unsigned kinds_ = 0;
};

class ConflictRules {
 public:
  ConflictRules(const Classes& classes, const Hints& hints, const GraphOptions& options);

  // As this level and mode see the operation.
  [[nodiscard]] bool writes(const Access& access) const;
  [[nodiscard]] bool locks(ClassId of, const Access& access) const;  // a read that others wait for
  [[nodiscard]] bool counts(const Access& access) const { return !options_.as_paper || !access.foreign_key; }

  struct Judged {
    std::optional<EdgeKind> kind;  // none: they have nothing to do with each other, or `rule` took it away
    // In names(): the rule that took it away or, if there is a kind, that made it one of locks.
    std::uint32_t rule = kNone32;
  };
  [[nodiscard]] Judged judge(OperationRef from, OperationRef to) const;

  [[nodiscard]] std::uint32_t replicas(ClassId id) const { return replicas_[raw(id)]; }
  // The hint that takes edges between these two away: of an ignored class, or of a class that never meets itself.
  [[nodiscard]] std::uint32_t rule_against(ClassId a, ClassId b) const;
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  [[nodiscard]] std::optional<EdgeKind> kind_of(ClassId a, const Access& from, ClassId b, const Access& to) const;
  [[nodiscard]] bool locks_gaps(ClassId of) const;
  [[nodiscard]] bool never_meet(ClassId a, std::uint32_t rows_a, ClassId b, std::uint32_t rows_b,
                                std::uint32_t& rule) const;
  [[nodiscard]] bool old_and_new(OperationRef one, OperationRef other) const;
  [[nodiscard]] const RowSet* rows_of_shape(OperationRef operation) const;
  [[nodiscard]] bool part_of_increment(const TransactionClass& one, std::uint32_t place) const;
  [[nodiscard]] bool plain_insert(const TransactionClass& one, const Operation& operation) const;
  [[nodiscard]] bool finds_or_makes(const TransactionClass& one, const Operation& operation) const;
  [[nodiscard]] bool takes_what_it_finds(const TransactionClass& one, const Operation& operation) const;
  [[nodiscard]] bool finds_what_it_writes(const TransactionClass& one, const Operation& operation) const;
  [[nodiscard]] bool by_made_id(const ClassRows& looked_for, const ClassRows& inserted) const;
  [[nodiscard]] std::uint32_t fact_against(OperationRef from, OperationRef to) const;
  [[nodiscard]] std::uint32_t numbering_of(OperationRef from, OperationRef to) const;
  void find_unique_variables();
  [[nodiscard]] Judged judge_by_data(OperationRef from, OperationRef to, EdgeKind kind) const;

  const Classes& classes_;
  GraphOptions options_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> replicas_;
  std::vector<std::uint32_t> ignored_by_, single_by_;   // by class: the rule
  std::vector<std::uint32_t> commutes_by_, unique_by_;  // by column
  std::vector<std::uint32_t> existing_by_;              // by table
  std::vector<std::pair<EdgeMatcher, std::uint32_t>> removed_;
  std::uint32_t commutative_rule_ = kNone32, count_rule_ = kNone32, new_rows_rule_ = kNone32, deletes_rule_ = kNone32,
                made_ids_rule_ = kNone32, own_rows_rule_ = kNone32, rechecks_rule_ = kNone32, times_rule_ = kNone32,
                skip_rule_ = kNone32;
  std::vector<bool> updated_;  // by column, for times_rule_
  std::optional<Rechecks> rechecks_;
  std::vector<std::uint32_t> fact_rules_;  // by fact
  // By class and variable: the unique columns that it is a value of, sorted.
  std::vector<std::vector<std::vector<ColumnId>>> unique_variables_;
};

}  // namespace isolde::audit
