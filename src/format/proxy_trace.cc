// Two passes: all transactions are there before a read is looked at, because the version that it names may have been
// written in a later line.
#include "format/proxy_trace.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "format/lock_order.h"
#include "format/text_lines.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

using TraceJson = simdjson::dom::element;

struct TracedRow {
  char kind = 'r';
  std::uint32_t key = 0;  // number of its name
  std::uint32_t xmin = 0;
  std::string place;  // ctid
  std::int64_t before = kNoTime, after = kNoTime;
};

struct TracedTxn {
  std::int64_t session = 0;
  Status status = Status::kCommitted;
  std::int64_t begin = kNoTime, end = kNoTime, commit_sent = kNoTime, commit_answered = kNoTime;
  std::vector<TracedRow> rows;
};

// One version of one key.
struct TracedVersion {
  std::uint32_t txn;
  std::uint32_t row;
};

std::uint64_t version_key(std::uint32_t key, std::uint32_t xmin) { return std::uint64_t{key} << 32 | xmin; }

// xids are compared as the server does: on a circle.
bool older(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }
bool is_before(std::uint32_t xmin, std::uint32_t first) { return xmin < 3 || older(xmin, first); }

class TraceReader {
 public:
  TraceReader(const Source& source, const ReadOptions& options) : source_(source), options_(options) {}

  Result<ReadResult> run() {
    if (auto error = read_lines()) return *std::move(error);
    index_versions();
    find_initial();
    for (std::uint32_t t = 0; t < txns_.size(); ++t) add(t);
    add_orders();
    auto history = builder_.finish();
    if (!history) return std::move(history).error();
    return ReadResult{*std::move(history), notes()};
  }

 private:
  using Fault = std::optional<Error>;

  Fault read_lines() {
    TextLines lines(source_.files[0]);
    while (lines.next()) {
      if (lines.line().empty()) continue;
      simdjson::dom::element json;
      const bool good = parser_.parse(lines.line().data(), lines.line().size()).get(json) == simdjson::SUCCESS &&
                        take_line(json, lines.number() == 1);
      if (good) continue;
      // The proxy was killed while it wrote this.
      if (lines.may_be_cut()) {
        ++cut_;
        continue;
      }
      return Error{lines.number() == 1 ? R"(expected {"isolde-proxy":1,…})" : "expected a line of a proxy's trace",
                   source_.files[0].name, lines.number(), 1};
    }
    return std::nullopt;
  }

  bool take_line(TraceJson json, bool first) {
    if (first) {
      std::int64_t version = 0, xid = 0;
      if (json["isolde-proxy"].get(version) || version != 1 || json["first_xid"].get(xid)) return false;
      first_xid_ = static_cast<std::uint32_t>(xid);
      return true;
    }
    for (const auto& [field, to] : {std::pair{"moved", &moved_}, std::pair{"changed", &changed_}}) {
      simdjson::dom::array tables;
      if (json[field].get(tables)) continue;
      for (const TraceJson table : tables) {
        std::string_view name;
        if (table.get(name)) return false;
        to->emplace(name);
      }
      return true;
    }
    std::int64_t over = 0;
    if (!json["over"].get(over)) {
      over_ = true;
      return true;
    }
    return take_txn(json);
  }

  bool take_txn(TraceJson json) {
    TracedTxn txn;
    std::string_view status;
    simdjson::dom::array commit, ops;
    if (json["s"].get(txn.session) || json["st"].get(status) || json["b"].get(txn.begin) || json["ops"].get(ops))
      return false;
    if (status == "aborted") {
      txn.status = Status::kAborted;
    } else if (status == "unknown") {
      txn.status = Status::kUnknown;
    } else if (status != "committed") {
      return false;
    }
    if (txn.status != Status::kUnknown && json["e"].get(txn.end)) return false;
    if (json["c"].get(commit) || commit.size() != 2 || commit.at(0).get(txn.commit_sent)) return false;
    if (txn.status == Status::kCommitted && commit.at(1).get(txn.commit_answered)) return false;
    for (const TraceJson op : ops) {
      simdjson::dom::array parts;
      TracedRow row;
      if (op.get(parts) || !take_row(parts, row)) return false;
      txn.rows.push_back(std::move(row));
    }
    txns_.push_back(std::move(txn));
    return true;
  }

  bool take_row(simdjson::dom::array parts, TracedRow& row) {
    std::string_view kind, table, key, place;
    std::int64_t xmin = 0;
    if (parts.size() != 7 || parts.at(0).get(kind) || parts.at(1).get(table) || parts.at(2).get(key) ||
        parts.at(3).get(xmin) || parts.at(4).get(place) || parts.at(5).get(row.before) || parts.at(6).get(row.after))
      return false;
    if (kind.size() != 1 || std::string_view("rlswd").find(kind[0]) == std::string_view::npos) return false;
    if (xmin < 0 || xmin > UINT32_MAX) return false;
    row.kind = kind[0];
    row.xmin = static_cast<std::uint32_t>(xmin);
    row.place = place;
    const auto [at, fresh] = key_numbers_.try_emplace(fmt::format("{}/{}", table, key), keys_.size());
    if (fresh) keys_.push_back({at->first, std::string(table)});
    row.key = static_cast<std::uint32_t>(at->second);
    return true;
  }

  [[nodiscard]] static bool makes_version(const TracedRow& row) { return row.kind == 'w'; }

  void index_versions() {
    for (std::uint32_t t = 0; t < txns_.size(); ++t) {
      for (std::uint32_t i = 0; i < txns_[t].rows.size(); ++i) {
        const TracedRow& row = txns_[t].rows[i];
        if (!makes_version(row)) continue;
        auto& all = versions_[version_key(row.key, row.xmin)];
        // Two transactions of one xid: there was a wrap-around, and nothing can be told apart.
        if (!all.empty() && all.front().txn != t) twice_.insert(version_key(row.key, row.xmin));
        all.push_back({t, i});
      }
    }
  }

  // A key held at first what is older than the recording. If two such versions are seen, one of them is not what it
  // seems.
  void find_initial() {
    for (const TracedTxn& txn : txns_) {
      for (const TracedRow& row : txn.rows) {
        if (makes_version(row) || versions_.contains(version_key(row.key, row.xmin))) continue;
        if (!is_before(row.xmin, first_xid_)) continue;
        const auto [at, fresh] = initial_.try_emplace(row.key, row.xmin);
        if (!fresh && at->second != row.xmin) unsure_.insert(row.key);
      }
    }
    for (const auto& [key, xmin] : initial_) {
      if (!unsure_.contains(key)) builder_.set_initial(key_id(key), builder_.values().integer(xmin));
    }
  }

  KeyId key_id(std::uint32_t key) { return builder_.key(keys_[key].name); }

  ValueId value_of(const std::vector<TracedVersion>& all, std::size_t place) {
    const TracedRow& row = txns_[all[place].txn].rows[all[place].row];
    if (all.size() == 1) return builder_.values().integer(row.xmin);
    return builder_.values().string(fmt::format("{}.{}", row.xmin, place + 1));
  }

  // What a read saw; none: it is not judged.
  std::optional<ValueId> seen(std::uint32_t t, const TracedRow& row) {
    const auto at = versions_.find(version_key(row.key, row.xmin));
    if (at == versions_.end()) {
      const auto first = initial_.find(row.key);
      if (first != initial_.end() && first->second == row.xmin && !unsure_.contains(row.key))
        return builder_.values().integer(row.xmin);
      ++foreign_;
      return std::nullopt;
    }
    const std::vector<TracedVersion>& all = at->second;
    // The same place may be taken again within a transaction: the later version is meant then.
    for (std::size_t i = all.size(); i-- > 0;) {
      const TracedVersion& version = all[i];
      if (txns_[version.txn].rows[version.row].place != row.place) continue;
      // Rows that are moved may come to stand where an intermediate version of theirs stood.
      if (i + 1 < all.size() && version.txn != t && (!over_ || moved_.contains(keys_[row.key].table))) break;
      return value_of(all, i);
    }
    ++moved_reads_;
    return std::nullopt;
  }

  void add(std::uint32_t t) {
    const TracedTxn& txn = txns_[t];
    builder_.begin_txn(builder_.session(txn.session));
    builder_.set_id(builder_.values().integer(t));
    builder_.set_status(txn.status);
    builder_.set_begin(txn.begin);
    if (txn.status != Status::kUnknown) builder_.set_end(txn.end);
    if (txn.status == Status::kCommitted) builder_.set_commit(txn.commit_sent, txn.commit_answered);
    if (txn.status == Status::kUnknown) builder_.set_commit(txn.commit_sent, kNoTime);
    for (std::uint32_t i = 0; i < txn.rows.size(); ++i) add_row(t, i);
    builder_.end_txn();
  }

  void add_row(std::uint32_t t, std::uint32_t i) {
    const TracedRow& row = txns_[t].rows[i];
    if (changed_.contains(keys_[row.key].table)) {
      ++of_changed_;
      return;
    }
    if (makes_version(row)) {
      const auto& all = versions_.at(version_key(row.key, row.xmin));
      if (twice_.contains(version_key(row.key, row.xmin))) {
        ++foreign_;
        return;
      }
      const auto at = std::find_if(all.begin(), all.end(),
                                   [&](const TracedVersion& version) { return version.txn == t && version.row == i; });
      builder_.write(key_id(row.key), value_of(all, static_cast<std::size_t>(at - all.begin())));
      return at_times(row);
    }
    const auto value = twice_.contains(version_key(row.key, row.xmin)) ? std::nullopt : seen(t, row);
    if (value) {
      builder_.read(key_id(row.key), *value,
                    row.kind == 'l' || row.kind == 'd' ? Lock::kUpdate
                    : row.kind == 's'                  ? Lock::kShare
                                                       : Lock::kNone);
      at_times(row);
    }
    if (row.kind == 'd') {
      builder_.write(key_id(row.key), kNullValue);
      at_times(row);
    }
  }

  void at_times(const TracedRow& row) {
    if (row.after >= row.before) builder_.at(row.before, row.after);
  }

  void add_orders() {
    std::map<std::uint32_t, std::vector<LockedWriter>> writers;
    for (std::uint32_t t = 0; t < txns_.size(); ++t) {
      const TracedTxn& txn = txns_[t];
      if (txn.status == Status::kAborted) continue;
      for (const TracedRow& row : txn.rows) {
        if ((row.kind != 'w' && row.kind != 'd') || changed_.contains(keys_[row.key].table)) continue;
        if (row.kind == 'w' && twice_.contains(version_key(row.key, row.xmin))) continue;
        auto& all = writers[row.key];
        if (!all.empty() && all.back().txn == t) continue;  // its first write is when it got the lock
        // Without an answer nobody knows when it had it.
        all.push_back({row.after >= row.before ? row.after : INT64_MAX, txn.commit_sent, t});
      }
    }
    for (auto& [key, all] : writers) {
      if (all.size() < 2) continue;
      add_order(key, all);
    }
  }

  void add_order(std::uint32_t key, std::vector<LockedWriter>& all) {
    const LockOrder found = lock_order(all);
    unordered_ += found.unordered;
    std::vector<ValueId> order;
    for (const std::uint32_t t : found.txns) order.push_back(builder_.values().integer(t));
    if (order.size() > 1 || found.unordered == 0)
      builder_.version_order_by_txn(key_id(key), order, found.unordered == 0);
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> out;
    const auto note = [&](std::uint64_t count, std::string_view what) {
      if (count > 0) out.push_back(fmt::format("{} {}", count, what));
    };
    note(foreign_, "reads left out: they saw versions that no recorded statement wrote");
    note(moved_reads_, "reads left out: the rows were moved since they were written");
    note(of_changed_, "operations left out: their tables were defined anew during the recording");
    note(unordered_, "writes have no place in their key's version order: their statements overlapped");
    if (!over_) out.emplace_back("the recording was not ended in order");
    note(cut_, "line was cut off and is left out");
    return out;
  }

  const Source& source_;
  [[maybe_unused]] const ReadOptions& options_;
  HistoryBuilder builder_;
  simdjson::dom::parser parser_;
  struct Key {
    std::string name, table;
  };
  std::vector<Key> keys_;
  std::unordered_map<std::string, std::size_t> key_numbers_;
  std::vector<TracedTxn> txns_;
  std::unordered_map<std::uint64_t, std::vector<TracedVersion>> versions_;
  std::set<std::uint64_t> twice_;
  std::map<std::uint32_t, std::uint32_t> initial_;
  std::set<std::uint32_t> unsure_;
  std::set<std::string, std::less<>> moved_, changed_;
  std::uint32_t first_xid_ = 0;
  bool over_ = false;
  std::uint64_t foreign_ = 0, moved_reads_ = 0, of_changed_ = 0, unordered_ = 0, cut_ = 0;
};

bool recognise_proxy_trace(const Source& source) {
  return !source.is_folder && !source.files.empty() && source.files[0].bytes.starts_with(R"({"isolde-proxy")");
}

Result<ReadResult> read_proxy_trace(const Source& source, const ReadOptions& options) {
  return TraceReader(source, options).run();
}

}  // namespace

constinit const FormatInfo kProxyTraceFormat{.name = "proxy",
                                             .summary = "what `isolde proxy` writes while it runs (.wire)",
                                             .extension = "",
                                             .recognise = recognise_proxy_trace,
                                             .read = read_proxy_trace,
                                             .write = nullptr};

}  // namespace isolde
