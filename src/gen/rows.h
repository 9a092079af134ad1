// gen/rows.h: the simulated table of `--type row`: rows {c0, c1, v}, item operations and predicates on them.
//
// The workload is Emme's: reads and writes of single rows, scans and aggregates over ranges of columns, predicate
// updates, a tenth of all operations inserts. `v` is the version: no two rows written have the same.
//
// Always: a transaction runs when it takes its snapshot, which is then the newest state, so that nothing older need be
//         kept; what it did is written down when it ends. Predicates confine c0 or c1 from above, within 0 … 999:
//         planted rows, which lie above that, match none of them.
// Cost:   a predicate operation looks at every key, about a nanosecond each.
// Source: Emme, section 8.2 (figure 10).
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "base/column.h"
#include "base/rng.h"
#include "gen/options.h"
#include "gen/recorder.h"
#include "gen/sampler.h"

namespace isolde {

inline constexpr std::uint32_t kColumnValues = 1000;  // c0 and c1 are 0 … 999

class RowTable {
 public:
  explicit RowTable(const GenOptions& options);

  // Draws the operations of the session's next transaction.
  void plan(std::uint32_t session, Rng& rng, const KeySampler& sampler);
  // Runs them on the newest state, and takes them back. Returns whether it wrote. `last_version`: the counter of `v`.
  bool start(std::uint32_t session, std::int64_t start_ts, std::uint32_t& last_version);
  // Whether a commit since its snapshot changed what it wrote (`reads`: or read, or matches of its predicates).
  [[nodiscard]] bool conflicts(std::uint32_t session, bool reads) const;
  // Writes down what the transaction did, into one that is open.
  void record(std::uint32_t session, Recorder& recorder);
  // Makes its rows the newest ones. Requires: record() came before.
  void take_effect(std::uint32_t session, std::int64_t commit_ts, Recorder& recorder);
  // The transaction is over, whatever became of it.
  void end(std::uint32_t session);

 private:
  struct Row {
    std::uint32_t c0 = 0, c1 = 0;
    std::uint32_t version = 0;  // 0: absent
  };
  struct Range {
    std::uint32_t from = 0, to = kColumnValues - 1;
    [[nodiscard]] bool contains(std::uint32_t n) const { return n - from <= to - from; }
  };
  struct Condition {
    Range c0, c1;
    std::uint8_t shape = 0;
    [[nodiscard]] bool matches(const Row& row) const {
      return row.version != 0 && c0.contains(row.c0) && c1.contains(row.c1);
    }
  };
  enum class Aggregate : std::uint8_t { kCount, kSum, kMax, kMin, kAvg };
  struct Planned {
    OpKind kind = OpKind::kRead;
    std::uint32_t key = 0;
    bool insert = false;           // kWrite: a new row whatever was there
    std::uint8_t column = 0;       // which of c0, c1 is changed or aggregated
    std::uint32_t c0 = 0, c1 = 0;  // of a new row; c0 also: by how much an update moves the column
    Condition condition;
    Aggregate aggregate = Aggregate::kCount;
  };
  struct Seen {
    std::uint32_t key, version;
  };
  // What one operation saw or wrote: in `seen` of its attempt.
  struct Done {
    std::uint32_t items, item_count, vset, vset_count;
    std::uint64_t sum;  // kAggregate: the result, before an average is divided by the count
    std::uint32_t count;
  };
  struct Attempt {
    std::vector<Planned> plan;
    std::vector<Done> done;
    std::vector<Seen> seen;
    std::vector<std::uint32_t> written;  // keys, each once
    std::vector<Row> after;              // their rows
    std::int64_t start_ts = 0;
  };
  struct Change {
    std::int64_t commit_ts;
    Row before, after;
  };

  [[nodiscard]] Condition draw_condition(Rng& rng) const;
  void run(Attempt& attempt, const Planned& op, std::uint32_t& last_version);
  void put(std::uint32_t key, const Row& row);
  [[nodiscard]] static std::string text_of(const Condition& condition);
  [[nodiscard]] ValueId value_of(std::uint32_t version, Recorder& recorder);

  std::uint32_t ops_;
  bool vsets_;
  double read_share_, predicate_share_, insert_share_, selectivity_;
  std::vector<Row> rows_;                // newest, by key
  std::vector<std::int64_t> commit_ts_;  // of the newest, by key
  std::vector<Row> versions_;            // by version
  std::vector<ValueId> values_;          // by version; kNullValue: not written down yet
  std::vector<Attempt> attempts_;        // by session
  std::deque<Change> changes_;           // since the oldest snapshot in use
  std::multiset<std::int64_t> snapshots_;
  // While a transaction runs: what it changed, to be taken back.
  struct Undo {
    std::uint32_t key;
    Row row;
  };
  std::vector<Undo> undo_;
  std::vector<Item> scratch_, scratch_vset_;
};

}  // namespace isolde
