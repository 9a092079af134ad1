#include "gen/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace isolde {
namespace {

constexpr double kInserts = 0.1;     // of all operations
constexpr double kAggregates = 0.3;  // of the predicate reads
constexpr std::uint8_t kShapes = 8;

std::uint32_t draw_below(Rng& rng, std::uint32_t count) { return static_cast<std::uint32_t>(rng.below(count)); }

}  // namespace

RowTable::RowTable(const GenOptions& options)
    : ops_(options.ops),
      vsets_(options.evidence.vsets),
      read_share_(options.read_share),
      predicate_share_(options.predicate_share),
      insert_share_(predicate_share_ < 1 ? std::min(1.0, kInserts / (1 - predicate_share_)) : 0),
      selectivity_(options.selectivity),
      rows_(options.keys),
      commit_ts_(options.keys, 0),
      versions_(1),
      attempts_(options.sessions) {}

RowTable::Condition RowTable::draw_condition(Rng& rng) const {
  Condition condition;
  condition.shape = static_cast<std::uint8_t>(draw_below(rng, kShapes));
  const bool both = condition.shape >= 6;
  // The square root is exact by IEEE 754, so that every machine draws the same.
  const double share = both ? std::sqrt(selectivity_) : selectivity_;
  const auto width = std::clamp(static_cast<std::uint32_t>(share * kColumnValues), 1U, kColumnValues);
  const auto range = [&](bool from_zero) {
    const std::uint32_t from = from_zero ? 0 : draw_below(rng, kColumnValues - width + 1);
    return Range{from, from + width - 1};
  };
  if (both || condition.shape % 2 == 0) condition.c0 = range(condition.shape == 2);
  if (both || condition.shape % 2 == 1) condition.c1 = range(condition.shape == 3);
  return condition;
}

// Even shapes below 6 ask c0, odd ones c1.
std::string RowTable::text_of(const Condition& c) {
  const Range& range = c.shape % 2 == 0 ? c.c0 : c.c1;
  const int column = c.shape % 2;
  switch (c.shape) {
    case 0:
    case 1:
      return fmt::format("c{} BETWEEN {} AND {}", column, range.from, range.to);
    case 2:
    case 3:
      return fmt::format("c{} < {}", column, range.to + 1);
    case 4:
    case 5:
      return fmt::format("c{} >= {} AND c{} <= {}", column, range.from, column, range.to);
    case 6:
      return fmt::format("c0 >= {} AND c0 < {} AND c1 BETWEEN {} AND {}", c.c0.from, c.c0.to + 1, c.c1.from, c.c1.to);
    default:
      return fmt::format("c0 BETWEEN {} AND {} AND NOT (c1 < {} OR c1 > {})", c.c0.from, c.c0.to, c.c1.from, c.c1.to);
  }
}

void RowTable::plan(std::uint32_t session, Rng& rng, const KeySampler& sampler) {
  std::vector<Planned>& plan = attempts_[session].plan;
  plan.clear();
  for (std::uint32_t i = 0; i < ops_; ++i) {
    Planned op;
    op.column = static_cast<std::uint8_t>(draw_below(rng, 2));
    op.c0 = draw_below(rng, kColumnValues);
    op.c1 = draw_below(rng, kColumnValues);
    if (rng.chance(predicate_share_)) {
      op.kind = OpKind::kUpdate;
      if (rng.chance(read_share_)) op.kind = rng.chance(kAggregates) ? OpKind::kAggregate : OpKind::kScan;
      op.condition = draw_condition(rng);
      op.aggregate = static_cast<Aggregate>(draw_below(rng, 5));
    } else {
      op.key = sampler.draw(rng);
      op.insert = rng.chance(insert_share_);
      op.kind = op.insert || !rng.chance(read_share_) ? OpKind::kWrite : OpKind::kRead;
    }
    plan.push_back(op);
  }
}

void RowTable::put(std::uint32_t key, const Row& row) {
  undo_.push_back({key, rows_[key]});
  rows_[key] = row;
}

void RowTable::run(Attempt& attempt, const Planned& op, std::uint32_t& last_version) {
  std::vector<Seen>& seen = attempt.seen;
  const auto new_version = [&](Row row) {
    row.version = ++last_version;
    versions_.resize(last_version + std::size_t{1});
    versions_.back() = row;
    return row;
  };
  // An update moves a column round the circle of its values, so that they stay evenly spread.
  const auto moved = [&](Row row) {
    std::uint32_t& column = op.column == 0 ? row.c0 : row.c1;
    column = (column + op.c0) % kColumnValues;
    return new_version(row);
  };
  Done done{static_cast<std::uint32_t>(seen.size()), 0, 0, 0, 0, 0};
  if (op.kind == OpKind::kRead) {
    seen.push_back({op.key, rows_[op.key].version});
  } else if (op.kind == OpKind::kWrite) {
    const Row row = op.insert || rows_[op.key].version == 0 ? new_version({op.c0, op.c1, 0}) : moved(rows_[op.key]);
    put(op.key, row);
    seen.push_back({op.key, row.version});
  } else {
    done.vset = done.items;
    for (std::uint32_t key = 0; vsets_ && key < rows_.size(); ++key) {
      if (rows_[key].version != 0) seen.push_back({key, rows_[key].version});
    }
    done.items = static_cast<std::uint32_t>(seen.size());
    done.vset_count = done.items - done.vset;
    for (std::uint32_t key = 0; key < rows_.size(); ++key) {
      const Row row = rows_[key];
      if (!op.condition.matches(row)) continue;
      if (op.kind == OpKind::kUpdate) {
        put(key, moved(row));
        seen.push_back({key, last_version});
      } else if (op.kind == OpKind::kScan) {
        seen.push_back({key, row.version});
      } else {
        const std::uint64_t n = op.column == 0 ? row.c0 : row.c1;
        const bool first = done.count++ == 0;
        if (op.aggregate == Aggregate::kMax) {
          done.sum = std::max(done.sum, n);
        } else if (op.aggregate == Aggregate::kMin) {
          done.sum = first ? n : std::min(done.sum, n);
        } else {
          done.sum += n;
        }
      }
    }
  }
  done.item_count = static_cast<std::uint32_t>(seen.size()) - done.items;
  attempt.done.push_back(done);
}

bool RowTable::start(std::uint32_t session, std::int64_t start_ts, std::uint32_t& last_version) {
  Attempt& attempt = attempts_[session];
  attempt.done.clear();
  attempt.seen.clear();
  attempt.written.clear();
  attempt.after.clear();
  attempt.start_ts = start_ts;
  snapshots_.insert(start_ts);
  undo_.clear();
  for (const Planned& op : attempt.plan) run(attempt, op, last_version);
  for (const Undo& undo : undo_) attempt.written.push_back(undo.key);
  std::ranges::sort(attempt.written);
  attempt.written.erase(std::unique(attempt.written.begin(), attempt.written.end()), attempt.written.end());
  for (const std::uint32_t key : attempt.written) attempt.after.push_back(rows_[key]);
  for (std::size_t i = undo_.size(); i-- > 0;) rows_[undo_[i].key] = undo_[i].row;
  return !attempt.written.empty();
}

bool RowTable::conflicts(std::uint32_t session, bool reads) const {
  const Attempt& attempt = attempts_[session];
  const auto changed = [&](std::uint32_t key) { return commit_ts_[key] > attempt.start_ts; };
  if (std::ranges::any_of(attempt.written, changed)) return true;
  if (!reads) return false;
  const auto since = std::ranges::upper_bound(changes_, attempt.start_ts, {}, &Change::commit_ts);
  return std::ranges::any_of(attempt.plan, [&](const Planned& op) {
    if (op.kind == OpKind::kRead) return changed(op.key);
    // An update of one column keeps the other, so it reads the row.
    if (op.kind == OpKind::kWrite) return !op.insert && changed(op.key);
    return std::any_of(since, changes_.end(), [&](const Change& change) {
      return op.condition.matches(change.before) || op.condition.matches(change.after);
    });
  });
}

ValueId RowTable::value_of(std::uint32_t version, Recorder& recorder) {
  if (version == 0) return kNullValue;
  if (values_.size() < versions_.size()) values_.resize(versions_.size(), kNullValue);
  ValueId& value = values_[version];
  if (value == kNullValue) value = recorder.row(versions_[version].c0, versions_[version].c1, version);
  return value;
}

void RowTable::record(std::uint32_t session, Recorder& recorder) {
  Attempt& attempt = attempts_[session];
  for (std::size_t i = 0; i < attempt.plan.size(); ++i) {
    const Planned& op = attempt.plan[i];
    const Done& done = attempt.done[i];
    if (!is_predicate(op.kind)) {
      const ValueId value = value_of(attempt.seen[done.items].version, recorder);
      if (op.kind == OpKind::kRead) recorder.read(op.key, value);
      if (op.kind == OpKind::kWrite) recorder.write(op.key, value);
      continue;
    }
    const auto items = [&](std::vector<Item>& out, std::uint32_t from, std::uint32_t count) {
      out.clear();
      for (std::uint32_t s = from; s < from + count; ++s) {
        const Seen& seen = attempt.seen[s];
        out.push_back({recorder.id_of(seen.key), value_of(seen.version, recorder)});
      }
    };
    items(scratch_, done.items, done.item_count);
    items(scratch_vset_, done.vset, done.vset_count);
    const std::string where = text_of(op.condition);
    if (op.kind == OpKind::kScan) recorder.scan(where, scratch_);
    if (op.kind == OpKind::kUpdate) recorder.update(where, scratch_);
    if (op.kind == OpKind::kAggregate) {
      constexpr std::string_view kNames[] = {"count", "sum", "max", "min", "avg"};
      const std::string call = op.aggregate == Aggregate::kCount
                                   ? "count(*)"
                                   : fmt::format("{}(c{})", kNames[static_cast<int>(op.aggregate)], op.column);
      const auto average = static_cast<double>(done.sum) / static_cast<double>(std::max(done.count, 1U));
      if (op.aggregate == Aggregate::kAvg && done.count > 0) {
        recorder.aggregate(call, where, recorder.real(average));
      } else {
        const std::uint64_t result = op.aggregate == Aggregate::kCount ? done.count : done.sum;
        const bool is_null = done.count == 0 && op.aggregate != Aggregate::kCount;
        recorder.aggregate(call, where, is_null ? kNullValue : recorder.integer(static_cast<std::int64_t>(result)));
      }
    }
    if (vsets_) recorder.vset(scratch_vset_);
  }
}

void RowTable::take_effect(std::uint32_t session, std::int64_t commit_ts, Recorder& recorder) {
  const Attempt& attempt = attempts_[session];
  for (std::size_t i = 0; i < attempt.written.size(); ++i) {
    const std::uint32_t key = attempt.written[i];
    changes_.push_back({commit_ts, rows_[key], attempt.after[i]});
    rows_[key] = attempt.after[i];
    commit_ts_[key] = commit_ts;
    recorder.install(key, value_of(rows_[key].version, recorder));
  }
}

void RowTable::end(std::uint32_t session) {
  snapshots_.erase(snapshots_.find(attempts_[session].start_ts));
  while (!changes_.empty() && (snapshots_.empty() || changes_.front().commit_ts <= *snapshots_.begin())) {
    changes_.pop_front();
  }
}

}  // namespace isolde
