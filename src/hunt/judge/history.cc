#include "history/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "history/history_builder.h"
#include "hunt/judge/effects.h"
#include "hunt/judge/judge.h"

namespace isolde::hunt {
namespace {

// A deletion leaves a value of its own, so that two absences are not taken for each other; a read that finds nothing
// where several absences are possible is left out.
class ExecutionRecorder {
 public:
  ExecutionRecorder(const Case& test, const Execution& execution, Absences absences)
      : test_(test), execution_(execution), absences_(absences) {}

  Result<History> history() {
    if (auto why = prepare()) return Error{*why};
    for (std::uint32_t t = 0; t < test_.transactions.size(); ++t) add_transaction(t);
    builder_.begin_txn(builder_.session(static_cast<std::int64_t>(test_.transactions.size()) + 1));
    builder_.set_id(builder_.values().string("the end"));
    builder_.set_begin(static_cast<std::int64_t>(execution_.answered.size()) * 2);
    builder_.set_end(static_cast<std::int64_t>(execution_.answered.size()) * 2 + 1);
    for (const auto& [table, contents] : execution_.final) add_reads(table, contents);
    builder_.end_txn();
    return builder_.finish();
  }

 private:
  struct Key {
    KeyId id = kNoKey;
    State initial;
    std::vector<ValueId> deletions;
  };

  std::optional<std::string> prepare() {
    auto initial = initial_versions(test_.schema);
    if (!initial) return initial.error().text;
    for (const auto& [row, version] : *initial) keys_[row].initial = version;
    for (const auto& [table, contents] : execution_.final) note_rows(table, contents);
    for (std::uint32_t t = 0; t < test_.transactions.size(); ++t) {
      for (std::uint32_t s = 0; s < test_.transactions[t].statements.size(); ++s) {
        const Place place{t, s};
        const StatementRun& run = at(execution_, place);
        if (run.ran == Ran::kTimedOut) return fmt::format("nobody knows what became of {}", name(place));
        for (const auto& [table, contents] : run.seen) note_rows(table, contents);
        for (const auto& [table, contents] : run.left) note_rows(table, contents);
        if (run.ran != Ran::kDone || !writes(at(test_, place))) continue;
        if (auto why = note_changes(place)) return why;
      }
    }
    for (auto& [row, key] : keys_) {
      key.id = builder_.key(fmt::format("{}/{}", row.first, row.second));
      builder_.set_initial(key.id, key.initial.there ? builder_.values().integer(key.initial.vkey) : kNullValue);
    }
    for (std::size_t i = 0; i < execution_.answered.size(); ++i)
      when_.emplace(execution_.answered[i], static_cast<std::int64_t>(i));
    return std::nullopt;
  }

  void note_rows(const std::string& table, const Contents& contents) {
    for (const Version& version : contents) keys_[{table, version.pkey}];
  }

  std::optional<std::string> note_changes(Place place) {
    const Statement& statement = at(test_, place);
    const StatementRun& run = at(execution_, place);
    if (run.apart && deletes(statement)) return fmt::format("nobody knows which rows {} deleted", name(place));
    for (const std::string& table : statement.writes)
      if (!run.left.contains(table) || !run.seen.contains(table)) return fmt::format("{} was not read", table);
    std::vector<Change>& changes = changes_[place];
    if (!run.apart) {
      Effects effects = effects_of(statement, run);
      changes = std::move(effects.changes);
      if (!deletes(statement)) std::erase_if(changes, [](const Change& change) { return !change.after.there; });
    } else {
      for (const std::string& table : statement.writes)
        for (const Version& version : run.left.at(table))
          if (version.vkey == statement.version) changes.push_back({{table, version.pkey}, {}, version.vkey});
    }
    for (const Change& change : changes)
      if (!change.after.there) keys_[change.item].deletions.push_back(deletion(place));
    return std::nullopt;
  }
  ValueId deletion(Place place) { return builder_.values().string(fmt::format("deleted by {}", name(place))); }

  void add_transaction(std::uint32_t t) {
    const auto count = static_cast<std::uint32_t>(test_.transactions[t].statements.size());
    builder_.begin_txn(builder_.session(static_cast<std::int64_t>(t) + 1));
    builder_.set_id(builder_.values().string(fmt::format("T{}", t + 1)));
    const Ended ended = execution_.ends[t];
    builder_.set_status(ended == Ended::kCommitted ? Status::kCommitted
                        : ended == Ended::kUnknown ? Status::kUnknown
                                                   : Status::kAborted);
    set_times(t, count);
    for (std::uint32_t s = 0; s < count; ++s) {
      const Place place{t, s};
      const StatementRun& run = at(execution_, place);
      if (run.ran == Ran::kNotSent) continue;
      for (const auto& [table, contents] : run.seen) add_reads(table, contents);
      if (run.ran != Ran::kDone) continue;
      if (const auto found = changes_.find(place); found != changes_.end())
        for (const Change& change : found->second)
          builder_.write(keys_[change.item].id,
                         change.after.there ? builder_.values().integer(change.after.vkey) : deletion(place));
      for (const auto& [table, contents] : run.left) add_reads(table, contents);
    }
    builder_.end_txn();
  }

  // Its steps are sent one after the other, so what was answered before its first step was sent is before it in real
  // time; a first step that waited may have been sent long ago.
  void set_times(std::uint32_t t, std::uint32_t count) {
    const auto first = when_.find({t, 0});
    const bool known = first != when_.end() && count > 0 && !at(execution_, {t, 0}).apart;
    builder_.set_begin(known ? first->second * 2 - 1 : -1);
    const auto end = when_.find({t, count});
    if (end != when_.end() && execution_.ends[t] != Ended::kUnknown) builder_.set_end(end->second * 2);
  }

  void add_reads(const std::string& table, const Contents& contents) {
    auto version = contents.begin();
    for (auto key = keys_.lower_bound({table, INT64_MIN}); key != keys_.end() && key->first.first == table; ++key) {
      const auto first = version;
      while (version != contents.end() && version->pkey == key->first.second) ++version;
      if (version == first) add_absence(key->second);
      // A key that stands there twice was not read as either.
      if (version - first == 1) builder_.read(key->second.id, builder_.values().integer(first->vkey));
    }
  }
  void add_absence(const Key& key) {
    const std::size_t absences = key.deletions.size() + (key.initial.there ? 0 : 1);
    if (absences > 1 || absences_ == Absences::kLeftOut) return;
    builder_.read(key.id, key.deletions.empty() ? kNullValue : key.deletions.front());
  }

  const Case& test_;
  const Execution& execution_;
  Absences absences_;
  HistoryBuilder builder_;
  std::map<RowKey, Key> keys_;
  std::map<Place, std::vector<Change>> changes_;
  std::map<Place, std::int64_t> when_;
};

}  // namespace

Result<History> history_of(const Case& test, const Execution& execution, Absences absences) {
  return ExecutionRecorder(test, execution, absences).history();
}

}  // namespace isolde::hunt
